#!/bin/sh
# a solver that disputes everything
case "$1" in --version) exit 0 ;; esac
awk '/^\(check-sat\)/ { print "sat" }'
