# the float test, part of libasfield.a; see ../Makefile.am
libasfield_a_SOURCES += verify/floats/floats.h verify/floats/floats.c verify/floats/cases.h verify/floats/cases.c verify/floats/classes.h verify/floats/classes.c \
	verify/floats/model.h verify/floats/model.c verify/floats/sizes.h verify/floats/sizes.c
