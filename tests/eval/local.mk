# tests of eval
