# tests of claim
