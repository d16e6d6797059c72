/* What an operation's attributes say, and numbers as MLIR writes them. */
#include "ttir.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *as_ttir_attribute_of(const as_ttir_op *op, const char *key) {
  for (uint32_t i = 0; i < op->n_attribute; i++) {
    if (strcmp(op->attribute[i].key, key) == 0)
      return op->attribute[i].text;
  }
  return NULL;
}

bool as_ttir_number_of(const as_ttir_op *op, const char *key, int64_t *number) {
  const char *text = as_ttir_attribute_of(op, key);
  return text && as_ttir_read_number(text, text + strcspn(text, " :"), number);
}

bool as_ttir_read_number(const char *text, const char *end, int64_t *number) {
  bool negative = *text == '-';
  const char *digits = text + negative;
  bool hexadecimal = strncmp(digits, "0x", 2) == 0;
  char *stop;
  errno = 0;
  unsigned long long size = strtoull(digits, &stop, hexadecimal ? 16 : 10);
  *number = (int64_t)(negative ? 0 - size : size);
  return isdigit((unsigned char)*digits) && stop == end && errno == 0 &&
         size <= (unsigned long long)INT64_MAX + negative;
}
