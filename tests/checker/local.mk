# tests of checker
