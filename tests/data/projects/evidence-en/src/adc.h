#ifndef ADC_H
#define ADC_H
#include <stdint.h>

/* Mean of `samples` readings of a channel, 0 to 4095. Switches the converter on and off again. */
uint16_t adc_mean(uint8_t channel, uint8_t samples);

#endif
