#!/bin/sh
# a solver that answers twice, the first query having a model, and dies of a signal
echo sat
echo unsat
kill -SEGV $$
