/* An input of three parts divided by lines "----": operators, program, candidate. */
#ifndef TEST_FUZZ_PARTS_H
#define TEST_FUZZ_PARTS_H
#include "driver.h"

typedef struct {
  const char *s[3];
  size_t n[3];
} parts;

parts parts_of(const uint8_t *data, size_t n);
void parts_seeds(void); /* the examples with all operators */
#endif
