#!/bin/sh
# How full the office's disk is, if it is there.
df -h /mnt/disk 2>/dev/null || echo "the disk is not mounted"
