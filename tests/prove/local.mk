# tests of prove
