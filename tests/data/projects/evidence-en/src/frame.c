#include "frame.h"

enum { VERSION = 3 };

uint8_t frame_checksum(const uint8_t *bytes, size_t length)
{
    uint8_t crc = 0xFF;

    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (uint8_t)(crc & 0x80 ? (crc << 1) ^ 0x31 : crc << 1);
    }
    return crc;
}

static uint8_t *put16(uint8_t *to, uint16_t value)
{
    *to++ = (uint8_t)(value >> 8);
    *to++ = (uint8_t)value;
    return to;
}

void frame_pack(const struct reading *reading, uint8_t out[FRAME_BYTES])
{
    uint8_t *to = out;

    *to++ = VERSION;
    to = put16(to, reading->node);
    to = put16(to, reading->moisture);
    to = put16(to, reading->millivolts);
    *to = frame_checksum(out, FRAME_BYTES - 1);
}
