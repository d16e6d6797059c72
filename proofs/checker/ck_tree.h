/* The texts as trees (docs/language.md): what stands there, and where; nothing is evaluated.  Made
 * by ck_parse.c and ck_parse_text.c, read by the elaboration.  All of it lies in the memory of the
 * job; what is a member of a list begins with `next`. */
#pragma once
#include "ck_text.h"

/* --- expressions: sizes, bodies in index notation with their conditions, tensors.  Of tensors all
 * but names and numbers are calls of operators, signs and items too (proofs/CLAIM.md section 5):
 * they have a name, arguments, the first of which may be `left`, and attributes. */
typedef enum {
  CK_X_NUMBER,
  CK_X_NAME,
  CK_X_NEG,
  CK_X_ADD, /* from here on with a left operand, which is evaluated first: see `up` */
  CK_X_SUB,
  CK_X_MUL,
  CK_X_QUOTIENT, /* a / b, of reals */
  CK_X_DIV,
  CK_X_MOD,
  CK_X_MATMUL,
  CK_X_ITEM,   /* t[.., start:stop:step, ..], of one axis of t, which is left */
  CK_X_CALL,   /* of a scalar function or an operator */
  CK_X_ACCESS, /* an element of a tensor or of a definition */
  CK_X_IF,
  CK_X_SUM, /* reductions, CK_X_SUM .. CK_X_MIN */
  CK_X_PROD,
  CK_X_MAX,
  CK_X_MIN,
  CK_X_RELATION, /* conditions from here on */
  CK_X_NOT,
  CK_X_AND,
  CK_X_OR
} ck_expr_kind;

typedef struct ck_expr {
  struct ck_expr *next;
  const ck_token *at; /* the name, number or operator; of others where it begins */
  bool negative;      /* of a number: it has a sign */
  ck_expr_kind kind;
  struct ck_expr *left;
  struct ck_expr *right; /* operands (left: the only one); of a reduction bound and body; of an
                            `if` its values */
  struct ck_expr *up;    /* the one that this is the left operand of, if that is evaluated first */
  struct ck_expr *condition; /* of an `if` */
  const char *name;  /* of a call: what is called; NULL: an item that takes all; of a reduction: its
                        counter */
  ck_op op;          /* of a relation: left op right */
  bool swapped;      /* > and >= are < and <= with the sides exchanged */
  ck_list arguments; /* of a call: ck_expr */
  ck_list attributes; /* of the call of an operator: ck_decl */
  ck_list indices;    /* of an access: ck_part */
  bool of_tensor;     /* of an access in a tile program: of a tensor, not of a tile */
  uint32_t axis;      /* of an item */
} ck_expr;

/* What is evaluated first.  From there `up` leads to x: so that only nesting is recursion. */
static inline const ck_expr *ck_leftmost(const ck_expr *x) {
  while (x->left && x->left->up == x)
    x = x->left;
  return x;
}

/* --- what stands in brackets after a name: axes of a shape, indices */
typedef enum { CK_P_ONE, CK_P_LIST, CK_P_FITTED, CK_P_BROADCAST } ck_part_kind;

typedef struct ck_part { /* e; ..name, of a shape also ..name@e; ~name; broadcast(first, second) as
                            name */
  struct ck_part *next;
  const ck_token *at;
  ck_part_kind kind;
  const char *name; /* of one index on the left side of a definition, too */
  ck_expr *value;   /* NULL: none */
  ck_expr *whole;   /* of a tile that is cut off where its tensor ends: that extent; else NULL */
  const char *first;
  const char *second;
} ck_part;

typedef struct ck_decl { /* NAME [parts] value: tensors and attributes of an operator, attributes of
                            a call, definitions (`let`), inputs */
  struct ck_decl *next;
  const ck_token *at;          /* the name */
  ck_list parts;               /* ck_part */
  ck_expr *value;              /* a default; a body; NULL: none, of an item the axis' extent */
  uint32_t n_axes;             /* of an attribute that is a list of axes: how many, and */
  long axes[CK_MAX_ARGUMENTS]; /* which: at least 0 from the left, below 0 from the right */
  const char *type;            /* of inputs: f16 bf16 f32 int; of rules "", "int" or "bool" */
} ck_decl;

/* --- operator specifications */
typedef struct ck_operator {
  struct ck_operator *next;
  bool function; /* a func: its tensors are names of reals */
  const ck_token *at;
  const char *from;
  const char *to; /* its text */
  ck_list tensors;
  ck_list attributes; /* ck_decl */
  ck_list result;     /* ck_part */
  ck_list requires;   /* relations */
  ck_list lets;       /* ck_decl; the last one is out */
  ck_expr *body;      /* of a function; NULL: builtin */
  bool used;          /* a claim relies on it */
} ck_operator;

/* --- programs, rules, muGraphs */
typedef struct ck_size_line { /* NAME [>= INT] [= INT]; of rules also an integer or a group of axes
                               */
  struct ck_size_line *next;
  const ck_token *at;
  const char *name; /* of a group with the dots */
  bool integer;
  bool bounded;
  bool stated;
  long least;
  long value;
} ck_size_line;

enum { CK_LOOP = 3 };

typedef struct ck_map { /* x -> 0, or x = e: the grid axis 0 .. 2 or the loop, CK_LOOP */
  struct ck_map *next;
  const ck_token *at;
  int grid;
  long axis; /* of the tensor */
  ck_expr *extent;
} ck_map;

typedef enum { CK_K_SUM, CK_K_MAX, CK_K_CONCAT } ck_accumulation;

typedef struct {
  const ck_token *at;   /* its name */
  const ck_token *end;  /* its `end` */
  ck_list grid;         /* ck_map */
  const ck_token *loop; /* its name; NULL: no loop */
  ck_expr *loop_extent;
  ck_list lines;
} ck_kernel;

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
  CK_L_STORE,
  /* of tile programs */
  CK_L_TENSOR, /* output and scratch; NAME : type dims = value */
  CK_L_LOOP,
  CK_L_CARRY,
  CK_L_NEXT,
  CK_L_MAKE, /* NAME lanes = value; a load: value is an element of a tensor, or a choice of one */
  CK_L_PUT   /* place = value over lanes where mask */
} ck_line_kind;

typedef struct ck_line { /* a statement */
  struct ck_line *next;
  const ck_token *at;
  ck_line_kind kind;
  ck_list items;        /* sizes, relations, inputs, or relations that are assumed */
  const ck_token *name; /* of what is defined, loaded, stored, or made an output */
  bool output;
  ck_expr *value; /* of what is defined */
  ck_kernel *kernel;
  /* in a block */
  ck_list tile;            /* ck_part; of a sum in a tile program, what it starts from */
  const ck_token *source;  /* tensor that is loaded, stored or accumulated */
  const ck_token *running; /* second name of `acc A, m`, or NULL */
  ck_list map;             /* ck_map */
  ck_accumulation how;
  const ck_token *rescale; /* or NULL */
  long axis;               /* of concat */
  /* in a tile program: lanes are `tile`, extents too */
  ck_list lines; /* of a loop: its body */
  bool parallel;
  ck_expr *from;
  ck_expr *to;
  ck_expr *step;     /* NULL: 1 */
  ck_expr *place;    /* what is stored to, as an access */
  ck_expr *touched;  /* the place, and */
  ck_expr *computed; /* the value, where they are not masked out; of a load without a value for what
                        is masked out: 1 where it is not, else 0 */
  ck_expr *stored;   /* what the place $p0, $p1, .. then holds, where it held $s */
} ck_line;

typedef struct { /* a program, a muGraph, a tile program, or the declarations or a side of a rule */
  bool mugraph;
  bool tile;
  const char *name;
  const ck_token *at;
  const ck_token *end;
  ck_list lines;
} ck_graph;

typedef struct {
  const ck_token *at; /* its name */
  const char *from;
  const char *to; /* its text, from the word `rule` to the last token */
  ck_graph declarations;
  ck_graph left;
  ck_graph right;
} ck_rule;

/* --- ck_parse.c: the cursor, and expressions.  Once a text is refused the cursor stands at its
 * end, where nothing is accepted. */
typedef struct {
  ck_job *job;
  const ck_token *at;
  uint32_t nesting;
} ck_parser;

typedef enum { CK_SIZE = 1, CK_BODY = 2, CK_TENSOR = 4 } ck_grammar;

typedef enum { CK_DIMS, CK_TILE, CK_SHAPE, CK_RESULT, CK_LEFT, CK_INDICES } ck_part_place;

void ck_wrong(ck_parser *p, const char *what);    /* refuses what stands at the cursor */
bool ck_at(const ck_parser *p, const char *text); /* the token at the cursor is this name or sign */
bool ck_before(const ck_parser *p,
               const char *text);                 /* not there yet, nor at the end of the file */
bool ck_accept(ck_parser *p, const char *text);   /* it is there; then the cursor moves on */
void ck_expect(ck_parser *p, const char *text);   /* it is, or the text is refused */
bool ck_goes_on(ck_parser *p, const char *close); /* takes a comma, or else what closes the list */
void ck_line_end(ck_parser *p);
const ck_token *ck_new_name(ck_parser *p);    /* a NAME that is not reserved */
const ck_token *ck_called_name(ck_parser *p); /* or one of `sum max min div`, operators too */
long ck_small_number(ck_parser *p);           /* INT of at most 12 digits */
ck_expr *ck_parse_expr(ck_parser *p, ck_grammar g);
ck_expr *ck_parse_number(ck_parser *p); /* [-]NUMBER */
ck_expr *ck_parse_condition(ck_parser *p);
ck_expr *ck_parse_access(ck_parser *p); /* NAME[..] */
ck_expr *ck_choice(ck_parser *p, ck_expr *condition, ck_expr *yes, ck_expr *no);
void ck_parse_relations(ck_parser *p, ck_list *to, ck_grammar g, bool with_or);
void ck_parse_parts(ck_parser *p, ck_list *to, ck_part_place where); /* in brackets */
/* --- ck_parse_text.c */
/* Reads definitions; in a file of rules passes over them.  `wanted`: the rule of this name, which
 * *rule becomes; NULL: no rules */
ck_list ck_parse_operators(ck_job *job, const ck_token *from_here, const char *wanted,
                           const ck_token **rule);
const ck_token *ck_parse_uses(ck_job *job, const ck_file *file, const ck_token **uses,
                              uint32_t *n); /* strings; gives the token after them */
ck_graph *ck_parse_graph(ck_job *job, const ck_token *from, bool candidate);
ck_rule *ck_parse_rule(ck_job *job, const ck_token *name);
bool ck_parse_about_sizes(ck_parser *p,
                          ck_line *line);       /* sizes or where; false: neither is there */
void ck_parse_input(ck_parser *p, ck_list *to); /* of a program, after `input` */
void ck_parse_type(ck_parser *p);               /* of real numbers */
/* --- ck_parse_tile.c */
void ck_parse_tile(ck_parser *p, ck_graph *g); /* after its name, up to the end */
