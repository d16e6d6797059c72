# tests of lower
