#ifndef RADIO_H
#define RADIO_H
#include <stdbool.h>
#include <stdint.h>

/* Sends, waits for the acknowledgement, sleeps; false when none came within 200 ms. */
bool radio_send(const uint8_t *bytes, uint8_t length);

#endif
