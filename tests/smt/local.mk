# tests of smt
