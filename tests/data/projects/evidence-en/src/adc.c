#include "adc.h"

#define ADC_CR (*(volatile uint32_t *)0x40012408u)
#define ADC_CHSELR (*(volatile uint32_t *)0x40012428u)
#define ADC_ISR (*(volatile uint32_t *)0x40012400u)
#define ADC_DR (*(volatile uint32_t *)0x40012440u)

enum { ADEN = 1u << 0, ADDIS = 1u << 1, ADSTART = 1u << 2, ADRDY = 1u << 0, EOC = 1u << 2 };

uint16_t adc_mean(uint8_t channel, uint8_t samples)
{
    uint32_t sum = 0;

    ADC_CR |= ADEN;
    while (!(ADC_ISR & ADRDY))
        ;
    ADC_CHSELR = 1u << channel;
    for (uint8_t i = 0; i < samples; i++) {
        ADC_CR |= ADSTART;
        while (!(ADC_ISR & EOC))
            ;
        sum += ADC_DR;
    }
    ADC_CR |= ADDIS;
    return (uint16_t)(samples ? sum / samples : 0);
}
