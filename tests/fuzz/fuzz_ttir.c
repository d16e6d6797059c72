/* The reader of Triton's texts, and the lifting: what is lifted is text that goes on, and what is
 * not is refused with words. */
#include "driver.h"
#include "src/base/rng.h"
#include "src/ttir/ttir.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *kernels[32];
static size_t n_kernels;

void fuzz_seeds(void) {
  static const char *const names[] = {
      "attention",   "conv1d_causal", "cross_entropy", "cumsum",        "embedding",
      "group_norm",  "int8_matmul",   "kl_div",        "layer_norm",    "layer_norm_welford",
      "linear_gelu", "max_pool",      "quantise",      "rotary_halves", "softmax_online",
      "split_k_sum", "swiglu",        "transpose"};

  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[128];
    size_t n;
    snprintf(path, sizeof path, "tests/ttir/own/%s.ttir", names[i]);
    char *text = fuzz_read(path, &n);
    fuzz_seed(text, n);
    kernels[n_kernels++] = text;
  }
}

/* every pointer is a tensor of n rows, every number n */
static as_ttir_launch *launch_of(const as_ttir_kernel *kernel, as_err *err) {
  as_ttir_launch *launch = as_ttir_launch_new();
  bool fine =
      as_ttir_launch_size(launch, "n=5", err) && as_ttir_launch_grid(launch, "cdiv(n, 2), 3", err);
  for (uint32_t i = 0; fine && i < kernel->body.n_argument; i++) {
    const as_ttir_value *of = &kernel->value[kernel->body.argument[i]];
    char text[128];
    snprintf(text, sizeof text, "%.60s=n%s", of->name,
             of->type.kind == AS_TTIR_POINTER ? ", 8" : "");
    fine = of->name[0] == 0 || as_ttir_launch_argument(launch, text, err);
  }
  return launch;
}

enum { MOST_TOKENS = 4096 };

typedef struct {
  const char *s;
  size_t n;
} token;

static bool is_part(char c) {
  return isalnum((unsigned char)c) || strchr("%_.#", c);
}

/* words, names and numbers of the text */
static uint32_t tokens_of(const char *text, size_t n, token *out) {
  uint32_t count = 0;
  for (size_t i = 0; i < n && count < MOST_TOKENS;) {
    size_t from = i;
    while (i < n && text[i] && is_part(text[i]))
      i++;
    if (i > from)
      out[count++] = (token){text + from, i - from};
    else
      i++;
  }
  return count;
}

/* The text with a few of its tokens replaced by others of it that begin alike, but for what it
 * defines: uses of other values, other operations, types, numbers; malloc'ed. */
static char *crossed(const char *text, size_t n, as_rng *rng, size_t *length) {
  static token all[MOST_TOKENS];
  uint32_t count = tokens_of(text, n, all);
  uint32_t changes = count ? (uint32_t)as_rng_below(rng, 4) : 0;
  for (uint32_t k = 0; k < changes; k++) {
    token *to = &all[as_rng_below(rng, count)];
    const token *from = &all[as_rng_below(rng, count)];
    bool defines = to->s[0] == '%' && (to->s[to->n] == ':' || strncmp(to->s + to->n, " =", 2) == 0);
    if (from->s[0] == to->s[0] && !defines)
      *to = *from;
  }
  char *out = malloc(4 * n + 1); /* each change adds no more than the text */
  size_t at = 0;
  uint32_t next = 0;
  for (size_t i = 0; out && i < n;) {
    bool inside = text[i] && is_part(text[i]) && next < count;
    if (!inside) {
      out[at++] = text[i++];
      continue;
    }
    memcpy(out + at, all[next].s, all[next].n);
    at += all[next++].n;
    while (i < n && text[i] && is_part(text[i]))
      i++;
  }
  *length = at;
  return out;
}

static void take(const char *data, size_t n) {
  as_err err;
  as_err_init(&err);
  as_ttir_kernel *kernel = as_ttir_parse("a.ttir", data, n, &err);
  if (kernel) {
    as_ttir_launch *launch = launch_of(kernel, &err);
    char *relations = NULL;
    char *text = as_ttir_lift(kernel, "a.ttir", launch, &relations, &err);
    if (!text && !err.text)
      abort();
    free(text);
    free(relations);
    as_ttir_launch_free(launch);
  } else if (!err.text) {
    abort();
  }
  as_ttir_free(kernel);
  as_err_clear(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  const char *text = (const char *)data;
  as_rng rng;
  uint64_t seed = n;
  for (size_t i = 0; i < n; i++)
    seed = seed * 31 + data[i];
  as_rng_seed(&rng, seed);
  take(text, n);
  for (int k = 0; k < 8; k++) {
    size_t length;
    const char *kernel = kernels[as_rng_below(&rng, n_kernels)];
    char *other = crossed(kernel, strlen(kernel), &rng, &length);
    take(other, length);
    free(other);
  }
  return 0;
}
