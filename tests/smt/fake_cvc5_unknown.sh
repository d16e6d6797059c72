#!/bin/sh
# a solver that gives up on everything
case "$1" in --version) exit 0 ;; esac
awk '/^\(check-sat\)/ { print "unknown" }'
