/* The command line of the soundness programs: numbers by name, a time limit, one subject, -v.
 * Includes libc only. */
#ifndef TESTS_SOUNDNESS_ARGUMENTS_H
#define TESTS_SOUNDNESS_ARGUMENTS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint64_t seed;
  uint64_t wrong; /* wrong candidates or rules to be met, of each subject */
  uint64_t certs; /* changed certificates, of each proof */
  uint64_t steps; /* 0: the program has no such option */
  double seconds;
  bool verbose;
  const char *only; /* the subject; NULL: all */
} soundness_arguments;

/* the number that the option sets; NULL: it sets none */
static inline uint64_t *soundness_number(soundness_arguments *opt, const char *name) {
  return strcmp(name, "--seed") == 0                  ? &opt->seed
         : strcmp(name, "--wrong") == 0               ? &opt->wrong
         : strcmp(name, "--certs") == 0               ? &opt->certs
         : strcmp(name, "--steps") == 0 && opt->steps ? &opt->steps
                                                      : NULL;
}

/* false: an option that is not known, or that lacks its value */
static inline bool soundness_read(int argc, char **argv, soundness_arguments *opt) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-v") == 0) {
      opt->verbose = true;
      continue;
    }
    const char *name = argv[i++];
    uint64_t *number = soundness_number(opt, name);
    if (i == argc)
      return false;
    if (number)
      *number = strtoull(argv[i], NULL, 10);
    else if (strcmp(name, "--seconds") == 0)
      opt->seconds = strtod(argv[i], NULL);
    else if (strcmp(name, "--only") == 0)
      opt->only = argv[i];
    else
      return false;
  }
  return true;
}

#endif
