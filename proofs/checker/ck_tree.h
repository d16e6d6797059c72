/* The texts as trees (docs/language.md): what stands there, and where; nothing is evaluated.  Made
 * by ck_parse*.c, read by the elaboration. Lists are linked by `next`, in the order of the text.
 * All of it lies in the memory of the job. */
#pragma once
#include "ck_text.h"

/* --- scalars: size expressions, and bodies in index notation */
typedef struct ck_scalar ck_scalar;
typedef struct ck_condition ck_condition;
typedef struct ck_subscript ck_subscript;
typedef struct ck_relation ck_relation;

typedef enum {
  CK_S_NUMBER,
  CK_S_NAME,
  CK_S_NEG,
  CK_S_ADD,
  CK_S_SUB,
  CK_S_MUL,
  CK_S_QUOTIENT, /* a / b, of reals */
  CK_S_DIV,
  CK_S_MOD,
  CK_S_CALL,   /* of a scalar function */
  CK_S_ACCESS, /* an element of a tensor or of a definition */
  CK_S_IF,
  CK_S_SUM, /* reductions, CK_S_SUM .. CK_S_MIN */
  CK_S_PROD,
  CK_S_MAX,
  CK_S_MIN
} ck_scalar_kind;

struct ck_scalar {
  ck_scalar_kind kind;
  const ck_token *at; /* the name, number or operator */
  ck_scalar *left;
  ck_scalar *right;        /* operands (left: the only one); of a reduction bound and body; of an
                                       `if` its values */
  ck_condition *condition; /* of an `if` */
  const char *counter;     /* of a reduction */
  ck_scalar *arguments;    /* of a call */
  ck_subscript *indices;   /* of an access */
  uint32_t n;              /* number of arguments or indices */
  ck_scalar *next;
};

struct ck_relation { /* left `sign` right */
  const ck_token *at;
  ck_op op;
  bool swapped; /* > and >= are < and <= with the sides exchanged */
  ck_scalar *left;
  ck_scalar *right;
  ck_relation *next;
};

typedef enum { CK_C_RELATION, CK_C_NOT, CK_C_AND, CK_C_OR } ck_condition_kind;

struct ck_condition {
  ck_condition_kind kind;
  ck_relation *relation;
  ck_condition *first;
  ck_condition *second;
};

typedef enum { CK_I_ONE, CK_I_LIST, CK_I_FITTED } ck_index_kind; /* e, ..a, ~o */

struct ck_subscript {
  ck_index_kind kind;
  const ck_token *at;
  const char *list;
  ck_scalar *value;
  ck_subscript *next;
};

/* --- operator specifications */
typedef struct ck_axis { /* a part of a shape: an extent, ..list[@count], or broadcast(first,
                            second) as list */
  const ck_token *at;
  const char *list;
  const char *first;
  const char *second;
  ck_scalar *value; /* the extent or count; NULL: none */
  struct ck_axis *next;
} ck_axis;

typedef struct ck_formal { /* a tensor that an operator takes, or an attribute: then with its
                              default, if there is one */
  const ck_token *name;
  ck_axis *axes;
  uint32_t n_axes;
  const ck_token *default_number; /* NULL: none */
  bool default_negative;
  struct ck_formal *next;
} ck_formal;

typedef struct ck_left { /* an index, or a list of indices, on the left side of a definition */
  const ck_token *at;
  const char *name;
  bool list;
  struct ck_left *next;
} ck_left;

typedef struct ck_let { /* let name[left..] = body; the last one is out */
  const ck_token *name;
  ck_left *left;
  ck_scalar *body;
  struct ck_let *next;
} ck_let;

typedef struct ck_operator {
  bool function; /* a func: its formals are names of reals, its body is of the only let; NULL:
                    builtin */
  const ck_token *name;
  const char *from;
  const char *to; /* its text */
  ck_formal *tensors;
  ck_formal *attributes;
  uint32_t n_tensors;
  ck_axis *result;
  uint32_t n_result;
  ck_relation *requires;
  ck_let *lets;
  ck_let *out;     /* all of them; the last one */
  ck_scalar *body; /* of a function */
  bool used;       /* a claim relies on it */
  struct ck_operator *next;
} ck_operator;

/* --- programs, rules, muGraphs */
typedef struct ck_expression ck_expression;

typedef enum { CK_X_NUMBER, CK_X_NAME, CK_X_CALL, CK_X_ITEM } ck_expression_kind;

typedef struct ck_attribute { /* name = [-]NUMBER or size, or a list of axes */
  const ck_token *at;
  const char *name;
  bool negative;
  const ck_token *number; /* one with point or exponent; else NULL, and: */
  ck_scalar *size;        /* NULL: a list */
  uint32_t n_axes;
  long axes[8]; /* at least 0 from the left, below 0 from the right */
  struct ck_attribute *next;
} ck_attribute;

struct ck_expression { /* of tensors */
  ck_expression_kind kind;
  const ck_token *at; /* name, number; of a call where it begins */
  bool negative;      /* of a number: its sign */
  const char *op;     /* the operator of a call */
  ck_expression *arguments;
  ck_attribute *attributes;
  /* one item of t[..]: `none`, or [start]:[stop][:step]; t is arguments; a bare colon makes no item
   */
  uint32_t axis;
  bool none;
  ck_scalar *start;
  ck_scalar *stop;
  ck_scalar *step;
  ck_expression *next;
};

typedef struct ck_size_line { /* NAME [>= INT] [= INT]; of rules also an integer or a group of axes
                               */
  const ck_token *at;
  const char *name;
  bool group;
  bool integer;
  bool bounded;
  bool stated;
  long least;
  long value;
  struct ck_size_line *next;
} ck_size_line;

typedef struct ck_dim { /* an extent; of rules also a group of axes */
  const ck_token *at;
  const char *group;
  ck_scalar *size;
  struct ck_dim *next;
} ck_dim;

typedef struct ck_input {
  const ck_token *at;
  const char *name;
  const char *type; /* f16 bf16 f32 int; of rules "", "int" or "bool" */
  ck_dim *dims;
  struct ck_input *next;
} ck_input;

typedef struct ck_assumption {
  const ck_token *at;
  ck_op op;
  bool swapped;
  ck_expression *left;
  ck_expression *right;
  struct ck_assumption *next;
} ck_assumption;

typedef struct ck_map { /* x -> 0: the grid axis 0 .. 2 or the loop, CK_LOOP, and the axis of the
                           tensor */
  const ck_token *at;
  const ck_token *at_axis;
  int grid;
  long axis;
  struct ck_map *next;
} ck_map;

enum { CK_LOOP = 3 };

typedef struct ck_grid {
  const ck_token *at;
  int axis;
  ck_scalar *extent;
  struct ck_grid *next;
} ck_grid;

typedef struct ck_kernel ck_kernel;

typedef enum { CK_K_SUM, CK_K_MAX, CK_K_CONCAT } ck_accumulation;

typedef enum {
  CK_L_SIZES,
  CK_L_WHERE,
  CK_L_INPUTS,
  CK_L_ASSUME,
  CK_L_DEFINE, /* NAME = expression; of rules and programs also an output */
  CK_L_OUTPUT, /* output NAME */
  CK_L_KERNEL,
  CK_L_LOAD,
  CK_L_ACCUMULATE,
  CK_L_STORE
} ck_line_kind;

typedef struct ck_line { /* a statement */
  ck_line_kind kind;
  const ck_token *at;
  ck_size_line *sizes;
  ck_relation *relations;
  ck_input *inputs;
  ck_assumption *assumptions;
  const ck_token *name; /* of what is defined, loaded, stored, or made an output */
  bool output;
  ck_expression *expression;
  ck_kernel *kernel;
  /* in a block */
  ck_dim *dims; /* of a tile */
  const ck_token *source;
  const ck_token *running; /* tensor that is loaded, stored or accumulated; second name of
                                         `acc A, m`, or NULL */
  ck_map *map;
  ck_accumulation how;
  const ck_token *rescale; /* or NULL */
  const ck_token *at_end;  /* of the line */
  long axis;               /* of concat */
  struct ck_line *next;
} ck_line;

struct ck_kernel {
  const ck_token *at;
  const ck_token *end; /* its name; its `end` */
  ck_grid *grid;
  const ck_token *loop; /* its name; NULL: no loop */
  ck_scalar *loop_extent;
  ck_line *lines;
};

typedef struct { /* a program, a muGraph, or the declarations or a side of a rule */
  bool mugraph;
  const char *name;
  const ck_token *at;
  const ck_token *end;
  ck_line *lines;
} ck_graph;

typedef struct {
  const ck_token *name;
  const char *from;
  const char *to; /* its text, from the word `rule` to the last token */
  ck_graph declarations;
  ck_graph left;
  ck_graph right;
} ck_rule;

/* --- ck_parse.c */
typedef struct {
  ck_job *job;
  const ck_token *at;
  uint32_t nesting;
} ck_parser;

bool ck_at(const ck_parser *p, const char *text); /* the token at the cursor is this name or sign */
bool ck_accept(ck_parser *p, const char *text);   /* the same; then the cursor moves on */
void ck_expect(ck_parser *p, const char *text);   /* it is, or the text is refused */
bool ck_list_goes_on(ck_parser *p,
                     const char *close); /* takes a comma, or else what closes the list */
void ck_line_end(ck_parser *p);
void ck_nest(ck_parser *p); /* one deeper; the caller takes one off p->nesting again */
const ck_token *ck_new_name(ck_parser *p); /* a NAME that is not reserved */
const ck_token *
ck_called_name(ck_parser *p);       /* or one of `sum max min div`, which are operators too */
long ck_small_number(ck_parser *p); /* INT of at most 12 digits */
ck_op ck_relation_sign(ck_parser *p, bool *swapped);
ck_scalar *ck_parse_size(ck_parser *p);   /* of the grammar `size` */
ck_scalar *ck_parse_scalar(ck_parser *p); /* of the grammar `scalar` */
/* between sizes, separated by commas; with_or: each may be several joined by `or` */
ck_relation *ck_parse_relations(ck_parser *p, bool with_or);
const ck_token *ck_written(ck_parser *p, const char *number); /* a number that no text has, as if it
                                                                 stood at the cursor */
/* --- ck_parse_op.c: reads definitions; in a file of rules passes over them.  `wanted`: the rule of
 * this name, which *rule becomes; NULL: no rules */
ck_operator *ck_parse_operators(ck_job *job, const ck_file *file, const char *wanted,
                                const ck_token **rule);
bool ck_definition_begins(const ck_parser *p); /* `op`, `func` or `rule`, or the end of the file */
/* --- ck_parse_graph.c */
const ck_token *ck_parse_uses(ck_job *job, const ck_file *file, const ck_token **uses,
                              uint32_t most, uint32_t *n); /* strings; gives the token after them */
ck_graph *ck_parse_graph(ck_job *job, const ck_token *from, bool candidate);
ck_rule *ck_parse_rule(ck_job *job, const ck_token *name);
