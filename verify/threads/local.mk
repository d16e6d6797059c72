noinst_LIBRARIES += libasvthreads.a
libasvthreads_a_SOURCES = verify/threads/term.h verify/threads/term.c verify/threads/written.c verify/threads/condition.c verify/threads/block.h verify/threads/block.c verify/threads/validate.h verify/threads/validate.c \
  verify/threads/den.h verify/threads/den.c verify/threads/tiles.c verify/threads/loads.c verify/threads/products.c verify/threads/scalar.c verify/threads/places.c verify/threads/group.c verify/threads/flight.c verify/threads/cut.c verify/threads/loop.c verify/threads/algebra.c \
  verify/threads/footprint.h verify/threads/footprint.c verify/threads/schedule.c
