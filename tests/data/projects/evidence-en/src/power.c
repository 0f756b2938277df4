#include "power.h"
#include "adc.h"

#define SCB_SCR (*(volatile uint32_t *)0xE000ED10u)
#define RTC_WUTR (*(volatile uint32_t *)0x40002814u)

enum { SLEEPDEEP = 1u << 2, BATTERY_CHANNEL = 9 };

void enter_stop_mode(uint16_t seconds)
{
    RTC_WUTR = seconds - 1u;
    SCB_SCR |= SLEEPDEEP;
    __asm volatile("wfi");
    SCB_SCR &= ~(uint32_t)SLEEPDEEP;
}

uint16_t battery_millivolts(void)
{
    return (uint16_t)(adc_mean(BATTERY_CHANNEL, 4) * 3300u * 2u / 4095u);
}
