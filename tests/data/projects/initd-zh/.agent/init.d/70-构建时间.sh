#!/bin/sh
# 最近一次打包是什么时候
ls -l target/*.jar 2>/dev/null || echo "还没有打过包"
