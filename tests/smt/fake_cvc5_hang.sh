#!/bin/sh
# a solver that never answers, and leaves a child behind if nobody takes care
sleep 300 &
wait
