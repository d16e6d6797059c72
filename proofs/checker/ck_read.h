/* Inside of the claim: texts to tokens (ck_lex.c), arithmetic and obligations (ck_oblig.c), operator specifications and their calls (ck_op.c),
 * programs and rules (ck_graph.c) and block graphs (ck_block.c) statement by statement.  Used by these files and ck_claim.c only.
 *
 * Nothing is parsed into trees: what is read is evaluated as it is read, and the body of an operator is read anew at each call.
 * An error leaves by ck_die (longjmp to ck_claim_texts); all memory but GMP's lies in one arena, which the claim frees. */
#pragma once
#include "ck_claim.h"
#include <setjmp.h>

enum { /* bounds of everything that a text can make large */
  CK_MAX_TEXT = 1 << 20, CK_MAX_NAME = 100, CK_MAX_DEPTH = 100, CK_MAX_RANK = 8, CK_MAX_ARGS = 8, CK_MAX_DIMS = 10, CK_MAX_LETS = 16, CK_MAX_BINDS = 64,
  CK_MAX_SIZES = 64, CK_MAX_RELS = 128, CK_MAX_TENSORS = 20000, CK_MAX_OBLIGATIONS = 20000, CK_MAX_CONDS = 96, CK_MAX_WORK = 100000, CK_MAX_TERMS = 8000000
};

typedef enum { CK_T_END, CK_T_NL, CK_T_NAME, CK_T_NUM, CK_T_STR, CK_T_SYM } ck_tkind;
typedef struct ck_file ck_file;
typedef struct ck_tok {
  ck_tkind kind; bool whole;           /* whole: a number without point and exponent */
  const char *s, *from, *end;          /* its text, and where that stands in the file's */
  const struct ck_tok *mate;           /* the bracket that closes this one; NULL if this is none */
  const ck_file *f; int line, col;
} ck_tok;
struct ck_file { const char *name, *text; size_t len; ck_tok *tok; char sha[65]; }; /* tok: after `use` lines */

typedef struct {
  const char *name; uint32_t rank; ck_id dim[CK_MAX_RANK];
  ck_id elem;                          /* element at $i0, $i1, ..; in a block also of block $b0 $b1 $b2 and iteration $b3 */
  bool varying, after;                 /* in a block: differs between iterations; needs final accumulators */
  ck_id run_arg;                       /* a running maximum: element of its argument; else 0 */
} ck_tensor;
typedef struct { ck_id *var; uint32_t n_vars; ck_id *cond; uint32_t n_conds; ck_id rel; } ck_oblig;
typedef struct {                       /* the given program or the candidate, a side of a rule */
  const ck_file *f; bool cand, mug; const char *name;
  ck_tensor **tensor; uint32_t n_tensors; /* kernel level, in order of definition */
  uint32_t n_inputs; const char *dtype[CK_MAX_SIZES]; ck_tensor *input[CK_MAX_SIZES];
  uint32_t n_outputs; ck_tensor *output[CK_MAX_SIZES];
  ck_oblig *oblig; uint32_t n_obligs;
  bool in_block; uint32_t n_block; ck_tensor **block; /* tensors of the block being read */
} ck_side;

typedef struct ck_def ck_def;            /* a definition of an operator or function: ck_op.c */
typedef struct ck_reader {
  ck_terms *T; jmp_buf fail; ck_msg *msg;
  void *mem;                           /* arena */
  const ck_tok *at, *stmt;             /* cursor; the statement or call being read: for messages */
  uint32_t depth, level, work;         /* nesting of the text; open reductions; evaluation steps of this call */
  const char *rule; const ck_tok *rule_at; /* a rule of this name is read, not a program; its place, NULL: not met yet */
  ck_def *defs, *last_def; uint32_t n_defs;
  struct { const char *name; long least, value; bool stated, in_spec, in_cand; ck_id var; } size[CK_MAX_SIZES]; uint32_t n_sizes;
  struct { ck_id rel; bool cand; const ck_tok *at; } rel[CK_MAX_RELS]; uint32_t n_rels; /* S; at: of a `where` of the candidate, else NULL */
  ck_side *side;                       /* who is being read */
  ck_id cond[CK_MAX_CONDS]; uint32_t n_conds; /* ranges and conditions that hold where the evaluation stands */
  ck_id ivar[CK_MAX_CONDS]; uint32_t n_ivars; /* index variables of the call */
  ck_id grid[4];                       /* in a block: extents of grid x, y, z and of the loop; CK_BAD: absent */
} ck_reader;

/* --- ck_lex.c */
_Noreturn void ck_die(ck_reader *R, const ck_tok *t, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void *ck_keep(ck_reader *R, size_t n);                          /* zeroed memory of the arena */
void ck_keep_none(void *mem);                                   /* frees the arena */
char *ck_read_file(const char *name, size_t max, size_t *len);  /* malloc'ed; NULL and errno; at most max bytes */
void ck_lex(ck_reader *R, ck_file *f);
bool ck_tok_is(const ck_tok *t, const char *s);                     /* the token is this symbol or word */
bool ck_at(const ck_reader *R, const char *s), ck_accept(ck_reader *R, const char *s); /* so is that at the cursor; and on */
void ck_expect(ck_reader *R, const char *s);
bool ck_list_goes_on(ck_reader *R, const char *close);          /* takes a comma, or else what closes the list */
const ck_tok *ck_find(const char *s, const ck_tok *from, const ck_tok *to); /* the first s, outside of brackets; `to`: there is none */
void ck_newline(ck_reader *R), ck_skip_line(ck_reader *R);      /* the end of a statement; all up to it */
const char *ck_new_name(ck_reader *R), *ck_call_name(ck_reader *R); /* a NAME that is no reserved word; or is one that names an operator */
long ck_small_int(ck_reader *R);                                /* INT at most 10^12 */
ck_id ck_number(ck_reader *R);                                  /* ["-"] NUMBER */
void ck_enter(ck_reader *R);                                    /* counts nesting; R->depth-- undoes it */

/* --- ck_oblig.c */
ck_id ck_ok(ck_reader *R, ck_id t);                             /* dies on CK_BAD */
ck_id ck_ix(ck_reader *R, char what, uint32_t k);               /* index variables: $i0 .., $k0 .., $b0 .. */
ck_id ck_two(ck_reader *R, ck_op op, ck_id a, ck_id b);         /* as it stands */
ck_id ck_calc(ck_reader *R, ck_op op, ck_id a, ck_id b);        /* + * div mod; folds constants, 0 + x, 0 * x, 1 * x, x div 1, x mod 1, of integers */
ck_id ck_minus(ck_reader *R, ck_id a), ck_larger(ck_reader *R, ck_id a, ck_id b), ck_smaller(ck_reader *R, ck_id a, ck_id b);
ck_id ck_if(ck_reader *R, ck_id rel, ck_id yes, ck_id no);
ck_id ck_put(ck_reader *R, ck_id t, ck_id var, ck_id val);      /* t with the value for the variable */
ck_id ck_at_index(ck_reader *R, const ck_tensor *t, const ck_id *ix);
ck_id ck_fold1(ck_reader *R, ck_id var, ck_id n, ck_id s, ck_id init, ck_id step); /* var and the state s are free in step */
bool ck_same(ck_reader *R, ck_id a, ck_id b), ck_is_one(ck_reader *R, ck_id a); /* the same polynomial; the polynomial 1 */
bool ck_is_const(const ck_reader *R, ck_id a, long v);          /* literally v */
int ck_truth(ck_reader *R, ck_id rel);                          /* of a relation between constants: 1 or 0; -1 if it is not */
/* t at the stated values of the sizes, or if large is not 0 with the numbers from it on for all: constants where it can be */
ck_id ck_value(ck_reader *R, ck_id t, long large);
bool ck_trivial(ck_reader *R, ck_id rel);                       /* true between constants, or among the stated relations or R->cond */
const char *ck_text_of(ck_reader *R, ck_id t);                  /* for messages */
void ck_push_cond(ck_reader *R, ck_id rel), ck_push_index(ck_reader *R, ck_id var, ck_id extent); /* the latter to R->ivar too, with its range */
void ck_require(ck_reader *R, ck_op op, ck_id a, ck_id b);      /* the obligation a op b of the side being read, for all R->ivar that satisfy R->cond */
void ck_require_eq(ck_reader *R, ck_id a, ck_id b), ck_require_extent(ck_reader *R, ck_id a); /* a = b; 0 <= a: unless plain to see */
uint32_t ck_visible_size(const ck_reader *R, const char *name); /* n_sizes: none of that name */

/* --- ck_op.c */
typedef struct { const char *name; ck_id val; const ck_tok *at; } ck_attr;
void ck_read_sem(ck_reader *R, const ck_file *f);               /* finds the definitions; rules are passed over */
bool ck_rule_ends(const ck_reader *R);                          /* the end of the file, or the next definition in it */
ck_tensor *ck_call_op(ck_reader *R, const char *op, const ck_tok *at, ck_tensor *const *arg, uint32_t n_args, const ck_attr *attr, uint32_t n_attrs);
ck_id ck_integer(ck_reader *R), ck_relation(ck_reader *R);      /* of sizes, at the cursor */
ck_id ck_group(const ck_reader *R, ck_id dim);                  /* the extent if it stands for any number of axes, or CK_BAD */
ck_op ck_relop(ck_reader *R, bool *swap);                       /* swap: the sides are to be exchanged */
void ck_relied(ck_reader *R, ck_claim *c);                      /* the operators and functions used, with the hash of their text */
void ck_show_functions(const ck_reader *R, FILE *out);          /* those used that have no definition */

/* --- ck_graph.c: programs, rules, and the kernel level of muGraphs */
void ck_read_graph(ck_reader *R, ck_side *side, const ck_side *spec);
/* the rule R->rule; lhs and rhs are the given program and the candidate, or the other way round.  Gives its text's end. */
const char *ck_read_rule(ck_reader *R, ck_side *given, ck_side *lhs, ck_side *rhs);
ck_tensor *ck_find_tensor(ck_tensor *const *t, uint32_t n, const char *name);
ck_tensor *ck_tensor_named(ck_reader *R, ck_tensor *const *t, uint32_t n, const char *where);
ck_tensor *ck_define(ck_reader *R, const char *name, const ck_tensor *t); /* enters it under a name, as a copy, where the reader is: in a block or not */
const char *ck_fresh_name(ck_reader *R);                        /* one that nothing visible has: there is no shadowing */
ck_tensor *ck_assign(ck_reader *R);                             /* NAME = expr */
uint32_t ck_dims(ck_reader *R, ck_id dim[CK_MAX_RANK]);

void ck_read_kernel(ck_reader *R);                              /* ck_block.c */
void ck_sha256(const void *data, size_t len, char hex[65]);     /* ck_sha256.c */
