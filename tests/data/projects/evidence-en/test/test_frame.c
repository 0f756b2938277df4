#include <assert.h>
#include <string.h>
#include "../src/frame.h"

int main(void)
{
    const struct reading reading = {.node = 0x0102, .moisture = 0x0304, .millivolts = 0x0506};
    uint8_t bytes[FRAME_BYTES];

    frame_pack(&reading, bytes);
    assert(memcmp(bytes, "\x03\x01\x02\x03\x04\x05\x06", 7) == 0);
    assert(frame_checksum(bytes, 7) == bytes[7]);
    assert(frame_checksum((const uint8_t *)"123456789", 9) == 0xF7);
    return 0;
}
