#include "radio.h"

#define SPI_DR (*(volatile uint8_t *)0x4001300Cu)
#define SPI_SR (*(volatile uint32_t *)0x40013008u)

enum { TXE = 1u << 1, RXNE = 1u << 0, OPCODE_WRITE = 0x0E, OPCODE_TX = 0x83, OPCODE_SLEEP = 0x84, ACK = 0x06 };

static uint8_t exchange(uint8_t byte)
{
    while (!(SPI_SR & TXE))
        ;
    SPI_DR = byte;
    while (!(SPI_SR & RXNE))
        ;
    return SPI_DR;
}

bool radio_send(const uint8_t *bytes, uint8_t length)
{
    bool acknowledged = false;

    exchange(OPCODE_WRITE);
    exchange(0);
    for (uint8_t i = 0; i < length; i++)
        exchange(bytes[i]);
    exchange(OPCODE_TX);
    for (uint16_t tries = 0; tries < 2000 && !acknowledged; tries++)
        acknowledged = exchange(0) == ACK;
    exchange(OPCODE_SLEEP);
    return acknowledged;
}
