# tests of soundness
