#!/bin/sh
# a solver that ends well and says nothing
cat >/dev/null
exit 0
