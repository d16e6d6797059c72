#!/bin/sh
# a solver that agrees to everything
case "$1" in --version) exit 0 ;; esac
awk '/^\(check-sat\)/ { print "unsat" }'
