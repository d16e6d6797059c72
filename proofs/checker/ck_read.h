/* Inside of the claim: texts to tokens (ck_lex.c), .sem files to operator definitions (ck_parse.c), calls to element terms
 * (ck_denote.c), programs and muGraphs to tensors (ck_graph.c).  Includes ck_claim.h.  Used by these files and ck_claim.c only.
 *
 * An error leaves by ck_die (longjmp to ck_claim_texts); all memory but GMP's lies in one arena that the catcher frees. */
#ifndef CK_READ_H
#define CK_READ_H
#include "ck_claim.h"
#include <setjmp.h>

enum { /* bounds of everything that a text can make large */
  CK_MAX_TEXT = 1 << 20, CK_MAX_NUMBER = 60, CK_MAX_NAME = 100, CK_MAX_DEPTH = 100, CK_MAX_RANK = 8, CK_MAX_ARGS = 8, CK_MAX_DIMS = 10,
  CK_MAX_LETS = 16, CK_MAX_BINDS = 64, CK_MAX_SIZES = 64, CK_MAX_RELS = 128, CK_MAX_TENSORS = 20000, CK_MAX_OBLIGATIONS = 20000,
  CK_MAX_CONDS = 96, CK_MAX_WORK = 100000, CK_MAX_TERMS = 8000000
};

/* --- ck_lex.c */
typedef enum { CK_T_END, CK_T_NL, CK_T_NAME, CK_T_NUM, CK_T_STR, CK_T_SYM } ck_tkind;
typedef struct { ck_tkind kind; bool whole; uint32_t off, len; int line, col; } ck_tok; /* whole: a number without point and exponent */
typedef struct { const char *name, *text; size_t len; ck_tok *tok; uint32_t n; char sha[65]; } ck_file;

typedef struct ck_side ck_side;
typedef struct ck_op_def ck_op_def;
typedef struct ck_func_def ck_func_def;
typedef struct ck_reader {
  ck_terms *T;
  jmp_buf fail; ck_msg *msg;
  void *mem;                               /* arena */
  const ck_file *f; uint32_t at;           /* cursor */
  uint32_t depth, level, work;             /* nesting of the parser; open reductions; evaluation steps of this call */
  bool size_only;                          /* the parser is within a size expression */
  const char *rule; uint32_t rule_at;      /* a rule of this name is read, not a program; its place among the tokens, 0: not met yet */
  ck_op_def *ops, *last_op; ck_func_def *funcs;
  struct { const char *name; long least, value; bool stated, in_spec, in_cand; ck_id var; } size[CK_MAX_SIZES]; uint32_t n_sizes;
  struct { ck_id rel; bool cand; } rel[CK_MAX_RELS]; uint32_t n_rels; /* S */
  bool restricted;                         /* the candidate has relations of its own */
  ck_side *side;                           /* who is being read */
  ck_id cond[CK_MAX_CONDS]; uint32_t n_conds;  /* ranges and conditions that hold where the evaluation stands */
  ck_id ivar[CK_MAX_CONDS]; uint32_t n_ivars;  /* index variables of the call */
  const ck_file *at_file; const ck_tok *at_tok; /* statement or call being read: for messages */
} ck_reader;

_Noreturn void ck_die(ck_reader *R, const ck_file *f, const ck_tok *t, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
_Noreturn void ck_die_at(ck_reader *R, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* at at_tok */
_Noreturn void ck_die_here(ck_reader *R, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void *ck_keep(ck_reader *R, size_t n);     /* zeroed, freed with the arena */
void *ck_grow(ck_reader *R, void *v, uint32_t n, size_t item); /* v of n items, or a copy, with room for one more */
char *ck_read_file(const char *name, size_t max, size_t *len);  /* malloc'ed; NULL and errno; stops soon after max bytes */
void ck_keep_none(ck_reader *R);
void ck_lex(ck_reader *R, ck_file *f);
const ck_tok *ck_cur(const ck_reader *R), *ck_peek(const ck_reader *R, uint32_t k);
bool ck_tok_is(const ck_file *f, const ck_tok *t, const char *s);
bool ck_at(const ck_reader *R, const char *s), ck_accept(ck_reader *R, const char *s); /* the current token is this symbol or word; and on */
void ck_expect(ck_reader *R, const char *s);
bool ck_list_goes_on(ck_reader *R, const char *close); /* takes a comma, or else what closes the list */
void ck_newline(ck_reader *R);                      /* end of a statement */
const char *ck_new_name(ck_reader *R);              /* a NAME that is no reserved word */
const char *ck_call_name(ck_reader *R);             /* a NAME, or a reserved word that names an operator */
const char *ck_take(ck_reader *R);                  /* the current token's text, and on */
long ck_small_int(ck_reader *R);                    /* INT at most 10^12 */
ck_id ck_number(ck_reader *R);
void ck_enter(ck_reader *R);                        /* counts nesting; R->depth-- undoes it */

/* --- ck_parse.c.  Kinds of scalar expressions: n number, v name, a access (kids: scalars, L ..list, T ~list), c call, + - * / d(iv) m(od), _ neg,
 * S sum P prod X max N min (kids: bound, body), ? if (condition, then, else), = # < { (at most) relations, & | ! */
typedef struct ck_sx { char kind; uint8_t depth; const ck_tok *at; const char *name; ck_id num; struct ck_sx *kid, *next; } ck_sx;
typedef struct { char kind; const ck_sx *size; const char *name, *b1, *b2; } ck_dim; /* s size, l ..name[@size], b broadcast(b1, b2) as name */
typedef struct { const char *name; ck_dim dim[CK_MAX_DIMS]; uint32_t n; } ck_targ;
typedef struct { const char *name; struct { bool list; const char *name; } ix[CK_MAX_DIMS]; uint32_t n; const ck_sx *body; } ck_let;
struct ck_func_def { const char *name; uint32_t n; const ck_file *f; uint32_t from, to; bool used; ck_func_def *next; };
struct ck_op_def {
  const char *name; const ck_file *f; const ck_tok *tok; uint32_t from, to; /* own text */
  ck_targ arg[CK_MAX_ARGS]; uint32_t n_args;
  const char *attr[CK_MAX_ARGS]; ck_id dflt[CK_MAX_ARGS]; uint32_t n_attrs; /* CK_BAD: no default */
  ck_targ out;
  const ck_sx *req[CK_MAX_LETS]; uint32_t n_reqs;
  ck_let let[CK_MAX_LETS]; uint32_t n_lets;            /* the last one is out */
  bool used; const ck_func_def *fn[CK_MAX_LETS]; uint32_t n_fn; ck_op_def *next;
};
void ck_parse_sem(ck_reader *R, const ck_file *f);   /* rules are passed over */
bool ck_rule_ends(const ck_reader *R);               /* the end of the file, or the next definition in it */
ck_sx *ck_parse_size(ck_reader *R), *ck_parse_rel(ck_reader *R); /* of sizes; a relation between them */
ck_id ck_signed_number(ck_reader *R);
ck_op_def *ck_find_op(const ck_reader *R, const char *name); /* NULL: none */
ck_func_def *ck_find_func(const ck_reader *R, const char *name);

/* --- ck_denote.c */
typedef struct {
  const char *name; uint32_t rank; ck_id dim[CK_MAX_RANK];
  ck_id elem;                        /* element at $i0, $i1, ..; in a block also of block $bx $by $bz and iteration $l */
  bool varying, after, running;      /* in a block: differs between iterations; needs final accumulators; is a running maximum */
  ck_id run_arg;                     /* running: element of the maximum's argument */
} ck_tensor;
typedef struct { ck_id *var; uint32_t n_vars; ck_id *cond; uint32_t n_conds; ck_id rel; } ck_oblig;
struct ck_side {
  const ck_file *f; bool cand, mug; const char *name;
  ck_tensor **tensor; uint32_t n_tensors;     /* kernel level, in order of definition */
  uint32_t n_inputs; const char *dtype[CK_MAX_SIZES]; ck_tensor *input[CK_MAX_SIZES];
  uint32_t n_outputs; ck_tensor *output[CK_MAX_SIZES];
  ck_oblig *oblig; uint32_t n_obligs;
  bool in_block; uint32_t n_block; ck_tensor **block; /* tensors of the block being read */
};
ck_id ck_ok(ck_reader *R, ck_id t);                    /* dies on CK_BAD */
ck_id ck_ix(ck_reader *R, char what, uint32_t k);      /* index variables: $i0 .., $k0 .., $b0 .. */
ck_id ck_loop_var(ck_reader *R);
/* integer arithmetic folds constants, 0 + x and 1 * x, x div 1, x mod 1; everything else is built as it stands */
ck_id ck_plus(ck_reader *R, ck_id a, ck_id b), ck_times(ck_reader *R, ck_id a, ck_id b);
ck_id ck_divmod(ck_reader *R, ck_op op, ck_id a, ck_id b);
ck_id ck_at_index(ck_reader *R, const ck_tensor *t, const ck_id *ix);
ck_id ck_two(ck_reader *R, ck_op op, ck_id a, ck_id b); /* as it stands */
ck_id ck_larger(ck_reader *R, ck_id a, ck_id b);
ck_id ck_put(ck_reader *R, ck_id t, ck_id var, ck_id val); /* t with the value for the variable */
ck_id ck_fold1(ck_reader *R, ck_id var, ck_id n, ck_id s, ck_id init, ck_id step); /* var and the state s are free in step */
bool ck_same(ck_reader *R, ck_id a, ck_id b);          /* the same polynomial */
bool ck_is_one(ck_reader *R, ck_id a);
bool ck_is_group(const ck_reader *R, ck_id dim);       /* an extent that stands for any number of axes: docs/language.md, rules */
_Noreturn void ck_die_showing(ck_reader *R, const ck_file *f, const ck_tok *t, const char *what, ck_id rel);
int ck_truth(ck_reader *R, ck_id rel);                  /* of a relation between constants: 1 or 0; -1 if it is not */
/* the relation is one between constants and true, or among the stated relations, R->cond or these */
bool ck_trivial(ck_reader *R, ck_id rel, const ck_id *cond, uint32_t n_conds);
void ck_require(ck_reader *R, ck_id rel);              /* an obligation of the side being read, under R->cond */
void ck_require_all(ck_reader *R, const ck_tensor *t, ck_id rel); /* for all indices of t */
void ck_require_eq(ck_reader *R, ck_id a, ck_id b), ck_require_extent(ck_reader *R, ck_id a); /* a = b; 0 <= a: unless plain to see */
uint32_t ck_visible_size(const ck_reader *R, const char *name); /* n_sizes: none of that name */
ck_id ck_eval_size(ck_reader *R, const ck_sx *e);      /* names are the sizes visible to the side being read */
ck_id ck_eval_rel(ck_reader *R, const ck_sx *e);
typedef struct { const char *name; ck_id val; const ck_tok *at; } ck_attr_val;
ck_tensor *ck_call_op(ck_reader *R, const char *op, const ck_tok *at, ck_tensor *const *arg, uint32_t n_args, const ck_attr_val *attr, uint32_t n_attrs);

/* --- ck_graph.c: reads a .tp or .mug into its side */
void ck_read_graph(ck_reader *R, ck_side *side, const ck_side *spec);
/* the rule R->rule; lhs and rhs are the given program and the candidate, or the other way round.  Gives its text's end. */
uint32_t ck_read_rule(ck_reader *R, ck_side *given, ck_side *lhs, ck_side *rhs);
ck_tensor *ck_find_tensor(ck_tensor *const *t, uint32_t n, const char *name);

/* --- ck_sha256.c */
void ck_sha256(const void *data, size_t len, char hex[65]);
#endif
