#!/bin/sh
# Flash a board, then tell the fleet server about it.
set -eu
stm32flash -w soilnode.elf "$1"
curl -fsS -H "Authorization: Bearer ${FLEET_KEY:-}" https://fleet.example.org/boards -d "port=$1"
