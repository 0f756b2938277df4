#include "adc.h"
#include "frame.h"
#include "power.h"
#include "radio.h"

enum { MOISTURE_CHANNEL = 2, SAMPLES = 8, PERIOD_SECONDS = 600, NODE = 17 };

int main(void)
{
    uint8_t bytes[FRAME_BYTES];

    for (;;) {
        struct reading reading = {
            .node = NODE,
            .moisture = adc_mean(MOISTURE_CHANNEL, SAMPLES),
            .millivolts = battery_millivolts(),
        };
        frame_pack(&reading, bytes);
        if (!radio_send(bytes, FRAME_BYTES))
            radio_send(bytes, FRAME_BYTES);
        enter_stop_mode(PERIOD_SECONDS);
    }
}
