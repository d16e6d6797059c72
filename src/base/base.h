/* What every module stands on: errors, growing vectors, arenas, strings, hashing, seeded random
 * numbers, a thread pool. Includes libc only.  One header, small files: err.c vec.c arena.c str.c
 * hash.c rng.c pool.c. */
#ifndef AS_BASE_H
#define AS_BASE_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- errors: keeps the first message; kind tells the exit status */
typedef enum { AS_OK = 0, AS_NO = 1, AS_BAD_INPUT = 2, AS_UNKNOWN = 3, AS_INTERNAL = 4 } as_status;

typedef struct {
  as_status status;
  char *file;
  int line;
  int col;
  char *text;
  char *shown; /* the line of the user's text */
} as_err;

void as_err_init(as_err *e);
void as_err_clear(as_err *e);
bool as_err_set(as_err *e, as_status s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4))); /* returns false; keeps the first; e may be NULL */
bool as_err_at(as_err *e, const char *file, const char *text, size_t len, int line, int col,
               const char *fmt, ...) __attribute__((format(printf, 7, 8)));
char *as_err_format(const as_err *e); /* "file:line:col: message\n  line\n  ^", malloc'ed */

/* --- memory: out of memory aborts */
void *as_malloc(size_t n);
void *as_calloc(size_t n, size_t m);
void *as_realloc(void *p, size_t n);
char *as_strdup(const char *s);
typedef struct as_arena as_arena;
as_arena *as_arena_new(void);
void as_arena_free(as_arena *a);
void as_arena_reset(as_arena *a);
void *as_arena_alloc(as_arena *a, size_t n); /* zeroed, aligned to 16 */
char *as_arena_strdup(as_arena *a, const char *s);

/* --- vector of items of one size */
typedef struct {
  void *data;
  size_t n;
  size_t cap;
  size_t item;
} as_vec;

void as_vec_init(as_vec *v, size_t item);
void as_vec_clear(as_vec *v);
void *
as_vec_push(as_vec *v,
            const void *item); /* item NULL: zeroed; gives the address (valid till the next push) */
#define AS_VEC_AT(v, type, i) (((type *)(v)->data)[i])

/* --- string builder */
typedef struct {
  char *s;
  size_t n;
  size_t cap;
} as_str;

void as_str_init(as_str *s);
void as_str_clear(as_str *s);
void as_str_add(as_str *s, const char *text);
void as_str_addn(as_str *s, const char *text, size_t n);
void as_str_printf(as_str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* escaped for the content and the quoted attributes of HTML; bytes that are no text become U+FFFD;
 * text may be NULL */
void as_str_add_html(as_str *s, const char *text);
char *as_str_take(as_str *s); /* gives the text, resets s */
char *as_format(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* malloc'ed */

/* --- hashing, files, time */
uint64_t as_hash(const void *p, size_t n, uint64_t seed);
void as_sha256(const void *p, size_t n, char out[65]);
char *as_read_file(const char *path, size_t *len, as_err *err); /* malloc'ed, NUL after len */
bool as_write_file(const char *path, const void *p, size_t n,
                   as_err *err);  /* through a temporary and rename */
bool as_exists(const char *path); /* a file or a folder */
double as_now(void);              /* seconds, monotonic */

/* --- random numbers (xoshiro256**): same seed, same numbers, on every machine */
typedef struct {
  uint64_t s[4];
} as_rng;

void as_rng_seed(as_rng *r, uint64_t seed);
uint64_t as_rng_next(as_rng *r);
uint64_t as_rng_below(as_rng *r, uint64_t n);
double as_rng_unit(as_rng *r);

/* --- thread pool: runs f(arg, i) for i < n; returns when all are done; order of results is the
 * caller's business (index them by i) */
void as_parallel(unsigned threads, size_t n, void (*f)(void *arg, size_t i), void *arg);
#endif
