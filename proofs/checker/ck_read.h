/* Inside of the claim: texts to tokens (ck_lex.c), expressions of operator bodies and sizes to terms (ck_scalar.c), calls of operators to tensors
 * (ck_call.c), programs and rules (ck_graph.c) and block graphs (ck_block.c) statement by statement.  Used by these files and ck_claim.c only.
 *
 * Nothing is parsed into trees: what is read is evaluated as it is read, and the body of an operator is read anew at each call.
 * An error leaves by ck_die (longjmp to ck_claim_texts); all memory but GMP's lies in one arena that the catcher frees. */
#pragma once
#include "ck_claim.h"
#include <setjmp.h>

enum { /* bounds of everything that a text can make large */
  CK_MAX_TEXT = 1 << 20, CK_MAX_NAME = 100, CK_MAX_DEPTH = 100, CK_MAX_RANK = 8, CK_MAX_ARGS = 8, CK_MAX_DIMS = 10, CK_MAX_LETS = 16, CK_MAX_BINDS = 64,
  CK_MAX_SIZES = 64, CK_MAX_RELS = 128, CK_MAX_TENSORS = 20000, CK_MAX_OBLIGATIONS = 20000, CK_MAX_CONDS = 96, CK_MAX_WORK = 100000, CK_MAX_TERMS = 8000000
};

/* --- ck_lex.c */
typedef enum { CK_T_END, CK_T_NL, CK_T_NAME, CK_T_NUM, CK_T_STR, CK_T_SYM } ck_tkind;
/* s: its text; whole: a number without point and exponent; mate: place of the bracket that closes this one, 0 if this is none */
typedef struct { ck_tkind kind; bool whole; const char *s; uint32_t off, len, mate; int line, col; } ck_tok;
typedef struct { const char *name, *text; size_t len; ck_tok *tok; uint32_t n; char sha[65]; } ck_file;
typedef struct ck_side ck_side;
typedef struct ck_op_def ck_op_def;
typedef struct ck_func_def ck_func_def;
typedef struct ck_reader {
  ck_terms *T;
  jmp_buf fail; ck_msg *msg;
  void *mem;                               /* arena */
  const ck_file *f; uint32_t at;           /* cursor */
  uint32_t depth, level, work;             /* nesting of the text; open reductions; evaluation steps of this call */
  const char *rule; uint32_t rule_at;      /* a rule of this name is read, not a program; its place among the tokens, 0: not met yet */
  ck_op_def *ops, *last_op; ck_func_def *funcs;
  struct { const char *name; long least, value; bool stated, in_spec, in_cand; ck_id var; } size[CK_MAX_SIZES]; uint32_t n_sizes;
  struct { ck_id rel; bool cand; const ck_tok *at; } rel[CK_MAX_RELS]; uint32_t n_rels; /* S; at: of a `where` of the candidate, else NULL */
  ck_side *side;                           /* who is being read */
  ck_id cond[CK_MAX_CONDS]; uint32_t n_conds;  /* ranges and conditions that hold where the evaluation stands */
  ck_id ivar[CK_MAX_CONDS]; uint32_t n_ivars;  /* index variables of the call */
  ck_id grid[4];                           /* in a block: extents of grid x, y, z and of the loop; CK_BAD: absent */
  const ck_file *at_file; const ck_tok *at_tok; /* statement or call being read: for messages */
} ck_reader;

_Noreturn void ck_die(ck_reader *R, const ck_file *f, const ck_tok *t, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
_Noreturn void ck_die_at(ck_reader *R, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* at at_tok */
_Noreturn void ck_die_here(ck_reader *R, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void *ck_keep(ck_reader *R, size_t n);     /* zeroed, freed with the arena */
void *ck_grow(ck_reader *R, void *v, uint32_t n, size_t item); /* v of n items, or a copy, with room for one more */
char *ck_read_file(const char *name, size_t max, size_t *len);  /* malloc'ed; NULL and errno; at most max bytes */
void ck_keep_none(ck_reader *R), ck_lex(ck_reader *R, ck_file *f);
const ck_tok *ck_cur(const ck_reader *R), *ck_peek(const ck_reader *R, uint32_t k);
bool ck_tok_is(const ck_tok *t, const char *s);
bool ck_at(const ck_reader *R, const char *s), ck_accept(ck_reader *R, const char *s); /* the current token is this symbol or word; and on */
void ck_expect(ck_reader *R, const char *s);
bool ck_list_goes_on(ck_reader *R, const char *close); /* takes a comma, or else what closes the list */
uint32_t ck_find(const ck_reader *R, const char *s, uint32_t from, uint32_t to); /* place of s, outside of brackets; `to`: there is none */
void ck_newline(ck_reader *R), ck_skip_line(ck_reader *R), ck_skip_uses(ck_reader *R); /* the end of a statement; all up to it; `use` lines */
const char *ck_new_name(ck_reader *R);              /* a NAME that is no reserved word */
const char *ck_call_name(ck_reader *R);             /* a NAME, or a reserved word that names an operator */
long ck_small_int(ck_reader *R);                    /* INT at most 10^12 */
ck_id ck_number(ck_reader *R);
void ck_enter(ck_reader *R);                        /* counts nesting; R->depth-- undoes it */

/* --- ck_scalar.c */
typedef struct {
  const char *name; uint32_t rank; ck_id dim[CK_MAX_RANK];
  ck_id elem;                        /* element at $i0, $i1, ..; in a block also of block $b0 $b1 $b2 and iteration $b3 */
  bool varying, after;               /* in a block: differs between iterations; needs final accumulators */
  ck_id run_arg;                     /* a running maximum: element of its argument; else 0 */
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
/* A call of an operator: what its names stand for.  Names of tensors are entered as the arguments are matched. */
typedef struct { const char *name; uint32_t n; ck_id dim[CK_MAX_RANK], ix[CK_MAX_RANK]; bool at; } ck_list; /* ..name; at: ix holds indices */
typedef struct {
  ck_op_def *op;
  ck_tensor *const *arg; const char *arg_name[CK_MAX_ARGS]; uint32_t n_args;
  struct { const char *name; ck_id val; } bind[CK_MAX_BINDS]; uint32_t nb, n_fixed; /* the first n_fixed are sizes and attributes, the others indices */
  ck_list list[CK_MAX_DIMS]; uint32_t nl;
  uint32_t let;                      /* the definition being evaluated */
} ck_call;
ck_id ck_ok(ck_reader *R, ck_id t);                    /* dies on CK_BAD */
ck_id ck_ix(ck_reader *R, char what, uint32_t k);      /* index variables: $i0 .., $k0 .., $b0 .. */
/* integer arithmetic folds constants, 0 + x and 1 * x, x div 1, x mod 1; everything else is built as it stands */
ck_id ck_plus(ck_reader *R, ck_id a, ck_id b), ck_times(ck_reader *R, ck_id a, ck_id b), ck_minus(ck_reader *R, ck_id a);
ck_id ck_divmod(ck_reader *R, ck_op op, ck_id a, ck_id b);
ck_id ck_two(ck_reader *R, ck_op op, ck_id a, ck_id b); /* as it stands */
ck_id ck_if(ck_reader *R, ck_id rel, ck_id yes, ck_id no), ck_larger(ck_reader *R, ck_id a, ck_id b);
ck_id ck_put(ck_reader *R, ck_id t, ck_id var, ck_id val); /* t with the value for the variable */
ck_id ck_at_index(ck_reader *R, const ck_tensor *t, const ck_id *ix);
ck_id ck_fold1(ck_reader *R, ck_id var, ck_id n, ck_id s, ck_id init, ck_id step); /* var and the state s are free in step */
bool ck_is_const(const ck_reader *R, ck_id a, long v), ck_is_one(ck_reader *R, ck_id a); /* literally v; the polynomial 1 */
bool ck_same(ck_reader *R, ck_id a, ck_id b);          /* the same polynomial */
int ck_truth(ck_reader *R, ck_id rel);                 /* of a relation between constants: 1 or 0; -1 if it is not */
/* at the stated values of the sizes, or with the numbers from `large` on for all: a term that is a constant if it can be, and as ck_truth */
ck_id ck_value(ck_reader *R, ck_id t, long large);
int ck_truth_at(ck_reader *R, ck_id rel, long large);
bool ck_trivial(ck_reader *R, ck_id rel);              /* true between constants, or among the stated relations or R->cond */
_Noreturn void ck_die_showing(ck_reader *R, const ck_file *f, const ck_tok *t, const char *what, ck_id rel);
void ck_push_index(ck_reader *R, ck_id var, ck_id extent); /* to R->ivar and R->cond */
void ck_require(ck_reader *R, ck_op op, ck_id a, ck_id b); /* the obligation a op b of the side being read, for all R->ivar that satisfy R->cond */
void ck_require_eq(ck_reader *R, ck_id a, ck_id b), ck_require_extent(ck_reader *R, ck_id a); /* a = b; 0 <= a: unless plain to see */
void ck_require_index(ck_reader *R, ck_id i, ck_id extent); /* 0 <= i < extent */
uint32_t ck_visible_size(const ck_reader *R, const char *name); /* n_sizes: none of that name */
_Noreturn void ck_die_word(ck_reader *R, const ck_tok *at, const char *what, const char *name);
ck_id *ck_find_bind(ck_call *c, const char *name);
ck_list *ck_find_list(ck_call *c, const char *name);
void ck_add_bind(ck_reader *R, ck_call *c, const char *name, ck_id val);
ck_id ck_scalar(ck_reader *R, ck_call *c);             /* the expression at the cursor; c NULL: of sizes */
ck_id ck_integer(ck_reader *R, ck_call *c);
ck_op ck_relop(ck_reader *R, bool *swap);              /* swap: the sides are to be exchanged */
ck_id ck_relation(ck_reader *R, ck_call *c);

/* --- ck_call.c */
struct ck_func_def { const char *name; uint32_t n; const ck_file *f; uint32_t from, to; bool used; ck_func_def *next; };
struct ck_op_def {
  const char *name; const ck_file *f; const ck_tok *tok; uint32_t from, to; /* its own text */
  uint32_t sig, req[CK_MAX_LETS], n_reqs, let[CK_MAX_LETS], n_lets;         /* places among the tokens; the last definition is out */
  bool used; const ck_func_def *fn[CK_MAX_LETS]; uint32_t n_fn; ck_op_def *next;
};
void ck_read_sem(ck_reader *R, const ck_file *f);      /* finds the definitions; rules are passed over */
bool ck_rule_ends(const ck_reader *R);                 /* the end of the file, or the next definition in it */
ck_func_def *ck_find_func(const ck_reader *R, const char *name);
bool ck_known_function(const char *name);              /* exp log sqrt inv abs max min: ck_scalar.c */
typedef struct { const char *name; ck_id val; const ck_tok *at; } ck_attr;
ck_tensor *ck_call_op(ck_reader *R, const char *op, const ck_tok *at, ck_tensor *const *arg, uint32_t n_args, const ck_attr *attr, uint32_t n_attrs);
ck_id ck_group(const ck_reader *R, ck_id dim);         /* the extent if it stands for any number of axes (docs/language.md, rules), or CK_BAD */
/* the element of a definition at these indices; group: of each, the group of axes that it runs over, or CK_BAD */
ck_id ck_read_let(ck_reader *R, ck_call *c, uint32_t which, const ck_id *ix, const ck_id *group, uint32_t n);

/* --- ck_graph.c: programs, rules, and the kernel level of muGraphs */
void ck_read_graph(ck_reader *R, ck_side *side, const ck_side *spec);
/* the rule R->rule; lhs and rhs are the given program and the candidate, or the other way round.  Gives its text's end. */
uint32_t ck_read_rule(ck_reader *R, ck_side *given, ck_side *lhs, ck_side *rhs);
ck_tensor *ck_find_tensor(ck_tensor *const *t, uint32_t n, const char *name);
ck_tensor *ck_tensor_named(ck_reader *R, ck_tensor *const *t, uint32_t n, const char *where);
ck_tensor *ck_define(ck_reader *R, const char *name, const ck_tensor *t, bool in_block); /* enters it under a name, as a copy */
const char *ck_fresh_name(ck_reader *R);               /* one that nothing visible has: there is no shadowing */
ck_tensor *ck_expr(ck_reader *R);
uint32_t ck_dims(ck_reader *R, ck_id dim[CK_MAX_RANK]);

/* --- ck_block.c */
void ck_read_kernel(ck_reader *R);

/* --- ck_sha256.c */
void ck_sha256(const void *data, size_t len, char hex[65]);
