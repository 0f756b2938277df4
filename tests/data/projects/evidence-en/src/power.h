#ifndef POWER_H
#define POWER_H
#include <stdint.h>

/* Sleeps in the deepest mode that keeps the clock; returns after `seconds` or an interrupt. */
void enter_stop_mode(uint16_t seconds);
uint16_t battery_millivolts(void);

#endif
