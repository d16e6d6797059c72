/* Symbolic sizes: hash-consed integer polynomials over size symbols (and div/mod atoms) in normal
 * form, so equality is id equality. May include: base.  Used by ir/graph, search, lower. */
#ifndef AS_IR_SIZE_H
#define AS_IR_SIZE_H
#include <stdbool.h>
#include <stdint.h>

typedef uint32_t as_size; /* id in an as_sizes */
#define AS_SIZE_ONE 1u    /* ids 0 and 1 are the constants 0 and 1 in every table */
#define AS_SIZE_BAD UINT32_MAX
#define AS_SIZE_NO_LEAST INT32_MIN /* of a symbol that may be any integer, also negative */

typedef enum { AS_REL_EQ, AS_REL_NE, AS_REL_LE, AS_REL_LT } as_rel;
typedef struct as_sizes as_sizes;

as_sizes *as_sizes_new(void);
void as_sizes_free(as_sizes *sizes);
as_sizes *as_sizes_copy(const as_sizes *sizes); /* same ids; a table is not locked: each thread that
                                               builds sizes has its own */
as_size as_size_int(as_sizes *sizes, long v);
as_size as_size_sym(as_sizes *sizes, const char *name);        /* finds or declares */
as_size as_size_find(const as_sizes *sizes, const char *name); /* AS_SIZE_BAD if unknown */
void as_size_set_least(as_sizes *sizes, as_size sym,
                       long least); /* 0 or 1 ...; AS_SIZE_NO_LEAST: any integer */
long as_size_least(const as_sizes *sizes, as_size sym);
void as_size_set_value(as_sizes *sizes, as_size sym, long v); /* concrete value; -1 none */
long as_size_value(const as_sizes *sizes, as_size sym);
/* A size of a program that is left to run time (`sizes B <= 64`): its concrete value is the
 * greatest, and kernels take every one from the least on. */
void as_size_set_ranged(as_sizes *sizes, as_size sym);
bool as_size_is_ranged(const as_sizes *sizes, as_size sym);
/* does the symbol occur, also within a quotient or extremum? */
bool as_size_mentions(const as_sizes *sizes, as_size a, as_size sym);
/* arithmetic: AS_SIZE_BAD when an operand is, when a coefficient leaves 64 bits, and for a division
 * by a constant below 1 */
as_size as_size_add(as_sizes *sizes, as_size a, as_size b);
as_size as_size_sub(as_sizes *sizes, as_size a, as_size b);
as_size as_size_mul(as_sizes *sizes, as_size a, as_size b);
as_size
as_size_div(as_sizes *sizes, as_size a,
            as_size b); /* floor; folds constants, and what a surely positive polynomial divides */
as_size as_size_mod(as_sizes *sizes, as_size a, as_size b);
as_size as_size_max(as_sizes *sizes, as_size a, as_size b);
as_size as_size_min(as_sizes *sizes, as_size a, as_size b);
bool as_size_is_const(const as_sizes *sizes, as_size a, long *v);
bool as_size_is_sym(const as_sizes *sizes, as_size a);
bool as_size_is_group(
    const as_sizes *sizes,
    as_size a); /* a group of axes of a rewrite rule (its name begins with a dot), not an extent */
const char *as_size_name(const as_sizes *sizes, as_size sym);
/* gives a symbol another name, which no other has */
void as_size_rename(as_sizes *sizes, as_size sym, const char *name);
uint32_t as_size_count(const as_sizes *sizes);              /* ids in use */
as_size as_size_nth_sym(const as_sizes *sizes, uint32_t i); /* AS_SIZE_BAD past the end */
/* value under an assignment indexed by size id of symbols (env[sym]); INT64_MIN on division by zero
 * or overflow */
int64_t as_size_eval(const as_sizes *sizes, as_size a, const int64_t *env);
as_size as_size_subst(as_sizes *sizes, as_size a, as_size sym, as_size by);
char *as_size_print(const as_sizes *sizes,
                    as_size a); /* malloc'ed, in the grammar of docs/language.md */

/* structure, for those who translate sizes: a sum of monomials; each monomial a coefficient times
 * atoms; an atom is a symbol or div/mod/max/min of two sizes */
typedef struct {
  long coef;
  uint32_t n;
  const as_size *atom;
} as_size_mono;

uint32_t as_size_nmono(const as_sizes *sizes, as_size a);
as_size_mono as_size_get_mono(const as_sizes *sizes, as_size a, uint32_t i);

typedef enum { AS_SIZE_SYM, AS_SIZE_DIV, AS_SIZE_MOD, AS_SIZE_MAX, AS_SIZE_MIN } as_size_kind;

as_size_kind as_size_atom(const as_sizes *sizes, as_size atom, as_size *a,
                          as_size *b); /* a and b: operands (not of a symbol) */
#endif
