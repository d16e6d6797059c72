# see ../Makefile.am
