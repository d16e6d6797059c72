/* What a fuzz target gives to the driver: its entry point, and its seeds. */
#ifndef TEST_FUZZ_DRIVER_H
#define TEST_FUZZ_DRIVER_H
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
void fuzz_seeds(void);                       /* calls fuzz_seed for each */
void fuzz_seed(const char *s, size_t n);     /* copies */
char *fuzz_read(const char *rel, size_t *n); /* a file of the source tree, malloc'ed */
void fuzz_note(const char *s, int n);        /* printed if the process dies */
#endif
