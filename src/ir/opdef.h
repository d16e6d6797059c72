/* Operator specifications read from .sem files: signature, shape pattern, element-level body as a
 * small expression tree. The only place where operator meaning lives; nothing in C knows an
 * operator by name except the sugar of the program parser. May include: base, ir/size.h. */
#ifndef AS_IR_OPDEF_H
#define AS_IR_OPDEF_H
#include "size.h"
#include "src/base/err.h"
#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct as_vec;

#define AS_MAX_ATTRS 16 /* that an operator declares */

/* Whose text is read, and so whose definitions a name means first: those that all know; those that
 * the given program uses, or a file of rules has; those that a candidate program uses.  One of them
 * may have the name of another's, which it shadows (proofs/CLAIM.md section 0). */
typedef enum { AS_READ_LIBRARY, AS_READ_GIVEN, AS_READ_CANDIDATE, AS_N_READERS } as_reader;

#define AS_MAX_GIVEN 8 /* that one call gives, `keepdims` too (proofs/CLAIM.md section 1) */

/* attribute value: a size expression (integers, sizes), or a rational number */
typedef struct {
  bool is_size;
  as_size size;
  mpq_t num;
} as_attr; /* num initialised always (as_attr_init) */

void as_attr_init(as_attr *a);
void as_attr_clear(as_attr *a);
void as_attr_set(as_attr *out, const as_attr *in);

typedef enum { /* scalar expression of a body */
               AS_E_NUM,
               AS_E_NAME /* index, size symbol, attribute or func parameter */,
               AS_E_ACCESS,
               AS_E_CALL /* func */,
               AS_E_ADD,
               AS_E_SUB,
               AS_E_MUL,
               AS_E_FDIV,
               AS_E_IDIV,
               AS_E_MOD,
               AS_E_NEG,
               AS_E_EXP,
               AS_E_LOG,
               AS_E_SQRT,
               AS_E_INV,
               AS_E_ABS,
               AS_E_MAX2,
               AS_E_MIN2,
               AS_E_SUM,
               AS_E_PROD,
               AS_E_MAXR,
               AS_E_MINR /* reductions: name, kid[0] bound, kid[1] body */,
               AS_E_IF /* kid: cond, then, else */,
               AS_E_REL /* rel, 2 kids */,
               AS_E_AND,
               AS_E_OR,
               AS_E_NOT
} as_ekind;

typedef enum { AS_IX_SCALAR, AS_IX_LIST /* ..a */, AS_IX_BCAST /* ~o */ } as_ixkind;

typedef struct as_expr {
  as_ekind kind;
  mpq_t num;        /* AS_E_NUM */
  const char *name; /* NAME, CALL, ACCESS (tensor argument or let), reductions (index) */
  int rel;
  bool swap; /* AS_E_REL: as_rel after turning > and >= around */
  uint32_t n;
  struct as_expr **kid;
  as_ixkind *acc;
  const char **acc_name; /* AS_E_ACCESS: per position; kid[i] for AS_IX_SCALAR, NULL otherwise */
  const struct as_func *func; /* AS_E_CALL */
  int line;
  int col;
} as_expr;

typedef struct as_func {
  const char *name;
  const char *file;
  as_reader reader; /* whose definition it is */
  uint32_t n;
  const char **param;
  as_expr *body; /* NULL: builtin */
} as_func;

typedef enum { AS_D_SIZE, AS_D_LIST, AS_D_BCAST } as_dkind;

typedef struct {
  as_dkind kind;
  as_expr *size;
  const char *name;
  as_expr *count; /* ..name@count, NULL: rest */
  const char *b1;
  const char *b2;
} as_dim;

typedef struct {
  const char *name;
  as_dim *dim;
  uint32_t n;
} as_targ;

typedef struct {
  bool is_list;
  const char *name;
} as_ix;

typedef struct {
  const char *name;
  as_ix *ix;
  uint32_t n;
  as_expr *body;
} as_let; /* the definition of out is the last one, named "out" */

typedef struct {
  int rel;
  as_expr *lhs;
  as_expr *rhs;
} as_require;

typedef struct as_opdef {
  const char *name;
  as_reader reader; /* whose definition it is */
  const char *file;
  int line;
  as_targ *arg;
  uint32_t nargs;
  const char **attr;
  as_attr *attr_default;
  bool *attr_has_default;
  uint32_t nattrs;
  as_dim *out;
  uint32_t nout;
  as_require *req;
  uint32_t nreq;
  as_let *let;
  uint32_t nlet;           /* lets in order, then out */
  char sha256[65];         /* of the operator's canonical text */
  char sha256_unnamed[65]; /* of what follows its name there: the same for the same function */
} as_opdef;

typedef struct as_oplib as_oplib;
as_oplib *as_oplib_new(void);
void as_oplib_free(as_oplib *lib);
/* All or nothing: a file with an error adds nothing.  Functions and operators are known from their
 * definition on, so definitions cannot be cyclic; loading a path again does nothing; a name defined
 * twice for one reader is an error.  What is found, and for whom definitions are added, goes by the
 * reader, at first AS_READ_LIBRARY. */
void as_oplib_read_as(as_oplib *lib, as_reader reader);
/* Reads as a candidate, another than before: what that one used is not known to this one.  What has
 * been read stays readable. */
void as_oplib_new_candidate(as_oplib *lib);
as_reader as_oplib_reader(const as_oplib *lib);
/* the name of an operator or function of which some reader has another definition than all know;
 * NULL: there is none */
const char *as_oplib_shadowed(const as_oplib *lib);
/* all such definitions as a verdict names them, `own relu (my.sem), candidate's func erf (b.sem)`,
 * also those of a candidate that have a name of the given program's; malloc'ed, NULL: none */
char *as_oplib_shadowing(const as_oplib *lib);
bool as_oplib_parse(as_oplib *lib, const char *file, const char *text, size_t len, as_err *err);
bool as_oplib_load(as_oplib *lib, const char *path, as_err *err);    /* one file */
bool as_oplib_load_dir(as_oplib *lib, const char *dir, as_err *err); /* all *.sem, sorted by name */
const as_opdef *as_oplib_find(const as_oplib *lib, const char *name);
const as_func *as_oplib_func(const as_oplib *lib, const char *name);
uint32_t as_oplib_count(const as_oplib *lib);
const as_opdef *as_oplib_nth(const as_oplib *lib, uint32_t i);
/* the operator is what its name means to the reader */
bool as_oplib_knows(const as_oplib *lib, const as_opdef *op);
const char *const *as_oplib_files(const as_oplib *lib, uint32_t *n); /* paths loaded, in order */

/* the same files with their texts as they were read; borrowed from the library */
typedef struct {
  const char *name;
  const char *text; /* ended by a NUL */
  size_t len;
  as_reader reader;
} as_source;

const as_source *as_oplib_sources(const as_oplib *lib, uint32_t *n);
/* how many of these all know: they come first */
uint32_t as_oplib_known_to_all(const as_oplib *lib);
/* a library of its own from the same texts, which no file is read again for */
as_oplib *as_oplib_again(const as_oplib *lib, as_err *err);
const char *as_oplib_suggest(const as_oplib *lib,
                             const char *name); /* the operator whose name is closest, NULL */
char *as_opdef_print(const as_opdef *op);       /* canonical text, malloc'ed */
char *as_func_print(const as_func *f);
char *as_oplib_text(const as_oplib *lib,
                    const char *name); /* of an operator NAME, or of a function `func NAME`, as the
                                          checker names what it relied on: one that shadows
                                          another is `own ..` or `candidate's ..`; NULL: unknown */
bool as_opdef_folds(const as_opdef *op);   /* some definition of it goes over several elements */
bool as_expr_reduces(const as_expr *expr); /* has it a reduction, at any depth? */
char *as_expr_print(const as_expr *e);     /* a scalar expression or a condition, malloc'ed */

/* Shape rule: matches argument extents (and attributes) and gives the result's extents.  Equations
 * between extents that are not the same polynomial, and `require`s, are appended to the vector
 * `facts` (of as_size_fact; NULL: one that is false for constants is an error).  false with err
 * when ranks do not fit (AS_NO: the call is ill-formed at any sizes), nothing matches, or a group
 * of axes is not used as a whole. */
struct as_match; /* bindings: size names, lists (see opdef_match.c); kept by evaluators and lowering
                  */

typedef struct {
  const char *name;
  as_size size;
} as_bind_size;

typedef struct {
  const char *name;
  uint32_t n;
  as_size dim[8];
} as_bind_list;

typedef struct as_match {
  as_bind_size size[16];
  uint32_t nsize;
  as_bind_list list[8];
  uint32_t nlist;
} as_match;

bool as_opdef_match(as_sizes *sizes, const as_opdef *op, const as_size (*argdim)[8],
                    const uint32_t *argrank, uint32_t nargs, const as_attr *attr, as_match *m,
                    as_size *outdim, uint32_t *outrank, struct as_vec *facts, as_err *err);
/* a body's integer expression (bounds, indices) as a size when it only uses sizes and attributes;
 * AS_SIZE_BAD otherwise */
as_size as_opdef_size(as_sizes *sizes, const as_opdef *op, const as_match *m, const as_attr *attr,
                      const as_expr *e);
#endif
