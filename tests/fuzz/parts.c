#include "parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

parts parts_of(const uint8_t *data, size_t n) {
  parts split = {{(const char *)data, "", ""}, {n, 0, 0}};
  for (int k = 1; k < 3; k++) {
    const char *text = split.s[k - 1];
    const char *cut = split.n[k - 1] ? memmem(text, split.n[k - 1], "\n----\n", 6) : NULL;
    if (!cut)
      break;
    split.s[k] = cut + 6;
    split.n[k] = split.n[k - 1] - (size_t)(cut + 6 - text);
    split.n[k - 1] = (size_t)(cut + 1 - text);
  }
  return split;
}

void parts_seeds(void) {
  static const char *const sems[] = {"elementwise", "linear", "normalize", "reduce", "shape"};
  static const char *const names[] = {"rmsnorm_linear",   "gated_mlp",  "lora", "gqa",
                                      "layernorm_linear", "gated_mixer"};
  char rel[200];
  size_t n;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *all = NULL;
    size_t len = 0;
    FILE *file = open_memstream(&all, &len);
    for (size_t k = 0; k < sizeof sems / sizeof *sems + 2; k++) {
      if (k < 5)
        snprintf(rel, sizeof rel, "semantics/%s.sem", sems[k]);
      else
        snprintf(rel, sizeof rel, "examples/%s.%s", names[i], k == 5 ? "tp" : "mug");
      char *text = fuzz_read(rel, &n);
      if (k >= 5)
        fputs("\n----\n", file);
      fwrite(text, 1, n, file);
      free(text);
    }
    fclose(file);
    fuzz_seed(all, len);
    free(all);
  }
}
