#ifndef FRAME_H
#define FRAME_H
#include <stddef.h>
#include <stdint.h>

enum { FRAME_BYTES = 8 };

struct reading {
    uint16_t node;
    uint16_t moisture; /* 0 to 4095 */
    uint16_t millivolts;
};

/* Writes FRAME_BYTES bytes: version, node, moisture, battery, checksum; big endian. */
void frame_pack(const struct reading *reading, uint8_t out[FRAME_BYTES]);
uint8_t frame_checksum(const uint8_t *bytes, size_t length);

#endif
