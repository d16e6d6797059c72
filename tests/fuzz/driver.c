/* Standalone main for the entry points LLVMFuzzerTestOneInput: changes seed files at random until
 * the time is up.  Every input follows from the seed and its number, so a failure is repeated by
 * --seed S --from I --seconds 0.  With libFuzzer, leave this file out. */
#include "driver.h"
#include "tests/source_dir.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t state;

static uint64_t rnd(uint64_t n) { /* splitmix64 */
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (z ^ (z >> 31)) % n;
}

typedef struct {
  char *s;
  size_t n;
} text;

static text seeds[64];
static size_t n_seeds;

char *fuzz_read(const char *rel, size_t *n) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", test_source_dir(), rel);
  FILE *file = fopen(path, "rb");
  char *s = malloc(1 << 20);
  if (!file || !s) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(99);
  }
  *n = fread(s, 1, (1 << 20) - 1, file);
  s[*n] = 0;
  fclose(file);
  return s;
}

void fuzz_seed(const char *s, size_t n) {
  if (n_seeds == 64)
    return;
  seeds[n_seeds].s = malloc(n + 1);
  memcpy(seeds[n_seeds].s, s, n);
  seeds[n_seeds++].n = n;
}

static const char *const words[] = {
    "[",           "]",           "(",           ")",      "..",   "@",          "~",
    "->",          "none",        ":",           "-",      "*",    "/",          "div",
    "mod",         "sum(k < n) ", "max(k < n) ", "if(",    "1",    "0",          "-1",
    "99999999999", "1e300",       "sizes A",     "where ", "acc ", "load ",      "store ",
    "end\n",       "\n",          "rescale",     "concat", "out[", "..b",        "t0",
    "s0",          "=1",          "=-1",         "'i",     "'r",   "fold =0 =1", "all =2",
    "qed eq.Z s1", "induct",      "arith",       "inst",   "|",    ",",          "\x80",
    "\"",          "#",           "$x"};

static void splice(text *out, size_t at, size_t cut, const char *s, size_t n) {
  char *u = malloc(out->n - cut + n + 1);
  memcpy(u, out->s, at);
  memcpy(u + at, s, n);
  memcpy(u + at + n, out->s + at + cut, out->n - at - cut);
  free(out->s);
  out->s = u;
  out->n = out->n - cut + n;
}

static void change(text *out) {
  size_t at = rnd(out->n + 1);
  size_t n = 1 + rnd(rnd(4) ? 8 : 300);
  size_t left = out->n - at;
  if (n > left)
    n = left;
  const text *other = &seeds[rnd(n_seeds)];
  size_t from = rnd(other->n + 1);
  size_t take = 1 + rnd(60);
  if (take > other->n - from)
    take = other->n - from;
  char byte = (char)rnd(256);
  const char *w = words[rnd(sizeof words / sizeof *words)];
  switch (rnd(8)) {
  case 0:
    splice(out, at, n, "", 0);
    break;
  case 1:
    splice(out, at, 0, other->s + from, take);
    break;
  case 2:
    splice(out, at, n, other->s + from, take);
    break;
  case 3:
    splice(out, at, left ? 1 : 0, &byte, 1);
    break;
  case 4: { /* a piece many times over: depth and length */
    if (!n || out->n > 20000)
      break;
    char *s = malloc(n * 200);
    size_t times = 1 + rnd(200);
    for (size_t i = 0; i < times; i++)
      memcpy(s + i * n, out->s + at, n);
    splice(out, at, 0, s, n * times);
    free(s);
    break;
  }
  default:
    splice(out, at, rnd(2) ? n : 0, w, strlen(w));
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv) {
  double seconds = 4;
  uint64_t seed = 1;
  uint64_t i = 0;
  for (int k = 1; k + 1 < argc; k += 2) {
    if (!strcmp(argv[k], "--seconds"))
      seconds = atof(argv[k + 1]);
    else if (!strcmp(argv[k], "--seed"))
      seed = strtoull(argv[k + 1], NULL, 10);
    else if (!strcmp(argv[k], "--from"))
      i = strtoull(argv[k + 1], NULL, 10);
    else
      return 99;
  }
  fuzz_seeds();
  if (!n_seeds)
    return 99;
  printf("seed %llu\n", (unsigned long long)seed);
  double end = now() + seconds;
  double shown = 0;
  uint64_t first = i;
  do {
    state = seed * 1000003u + i;
    const text *chosen = &seeds[rnd(n_seeds)];
    text out = {malloc(chosen->n + 1), chosen->n};
    memcpy(out.s, chosen->s, chosen->n);
    for (uint64_t k = i < n_seeds ? 0 : 1 + rnd(6); k--;)
      change(&out);
    if (now() > shown + 0.2 || i == first) { /* where to look if it dies */
      if (isatty(1))
        printf("\rinput %llu ", (unsigned long long)i);
      fflush(stdout);
      shown = now();
    }
    char note[64];
    int len = snprintf(note, sizeof note, "input %llu took more than 20 s or crashed\n",
                       (unsigned long long)i);
    fuzz_note(note, len);
    alarm(20);
    LLVMFuzzerTestOneInput((const uint8_t *)out.s, out.n);
    alarm(0);
    free(out.s);
    i++;
  } while (now() < end);
  printf("%llu inputs\n", (unsigned long long)(i - first));
  for (size_t k = 0; k < n_seeds; k++)
    free(seeds[k].s);
  return 0;
}

static char last[64];
static int last_len;

static void died(void) {
  (void)!write(2, last, (size_t)last_len);
}

#include <signal.h>

static void on_alarm(int sig) {
  (void)sig;
  died();
  _exit(1);
}

void __asan_set_death_callback(void (*f)(void)) __attribute__((weak));

void fuzz_note(const char *s, int n) {
  static int set;
  memcpy(last, s, (size_t)n);
  last_len = n;
  if (set++)
    return;
  signal(SIGALRM, on_alarm);
  signal(SIGABRT, on_alarm);
  if (__asan_set_death_callback)
    __asan_set_death_callback(died);
}
