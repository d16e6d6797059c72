/* From trees to definitions, obligations and goals (proofs/CLAIM.md).  Used by the ck_elab*.c,
 * ck_admit.c, ck_theorem.c and ck_claim.c only.
 *
 * What holds around a place travels as an argument: a ck_scope says who is read, in which block,
 * what names mean, and under which indices and conditions.  Three lists grow while a text is read,
 * in its order: sizes and relations (of the ck_elab), and of each side its tensors, definitions and
 * obligations.  A term that cannot be made is CK_BAD; so is all that is made of it. */
#pragma once
#include "ck_formula.h"
#include "ck_tree.h"

enum { CK_MAX_LOOPS = 8, CK_MAX_PARAMETERS = CK_MAX_AXES + CK_MAX_LOOPS };

typedef struct ck_tensor {
  struct ck_tensor *next;
  const char *name;
  uint32_t rank;
  ck_id extent[CK_MAX_AXES];
  ck_id value; /* what every element is; CK_BAD: it has a symbol */
  uint32_t symbol;
  uint32_t signature; /* words */
  const char *type;   /* of an input, as it is written; else "" */
  bool in_block;      /* its symbol takes the block's indices */
  bool varying;
  bool after;                         /* differs between iterations; is known after the loop only */
  const struct ck_tensor *maximum_of; /* of a running maximum: its argument; else NULL */
  /* in a tile program with loops */
  const ck_id *lead; /* what its symbol takes first: the iterations of loops */
  uint32_t n_lead;
  bool stored;               /* it can be loaded and stored to; else a tile */
  bool fixed;                /* it cannot be stored to */
  bool unset;                /* no value is stated where it is declared */
  uint32_t depth;            /* loops around its declaration */
  struct ck_tensor *written; /* 1 where it has a value; NULL: it has one everywhere */
} ck_tensor;

typedef struct ck_obligation { /* for all variables that satisfy the conditions: the relation */
  struct ck_obligation *next;
  ck_id *variables;
  ck_id *conditions;
  ck_id relation;
  uint32_t n_variables;
  uint32_t n_conditions;
  const ck_token *at; /* the call or statement */
} ck_obligation;

/* An index or a condition that holds at a place; the places around it go up. */
typedef struct ck_place {
  const struct ck_place *up;
  ck_id variable; /* with its range in relation[0] and [1]; CK_BAD: relation[0] alone */
  ck_id relation[2];
} ck_place;

typedef struct ck_touch { /* a load or a store: where, and which element */
  struct ck_touch *next;
  const ck_tensor *tensor;
  bool store;
  ck_id value;     /* that is stored */
  ck_place *place; /* outermost first */
  uint32_t n;
  ck_id position[CK_MAX_AXES];
} ck_touch;

typedef struct { /* the given program or the candidate */
  bool candidate;
  bool mugraph;
  bool tile;
  const char *name;
  const ck_token *at; /* where it begins: for messages about the whole */
  ck_list tensors;    /* ck_tensor, at kernel level; some of them are */
  ck_list inputs;
  ck_list outputs;
  ck_definition *definitions;
  uint32_t n_definitions;
  ck_list obligations; /* ck_obligation */
  uint32_t n_kernels;  /* met so far */
  uint32_t n_assumed;  /* calls of `assume` lines so far */
  uint32_t n_loops;    /* met so far */
  ck_list touches;     /* of tensors: ck_touch */
  bool loads_unset;    /* it may compute with what has no value */
} ck_side;

typedef struct {
  const char *name;
  ck_id variable;
  long least;
  long value;
  bool stated; /* there is a value */
  bool of_given;
  bool of_candidate; /* declared there */
} ck_size_symbol;

typedef struct {
  ck_id relation;
  bool of_candidate;
  const ck_token *where; /* of a `where` of the candidate, else NULL */
} ck_stated;

/* What is being read: the given program or a rule, a candidate. */
typedef enum { CK_READ_GIVEN, CK_READ_MUGRAPH, CK_READ_PROGRAM } ck_reader;

typedef struct {
  ck_job job;
  ck_terms *T;
  bool rule;         /* a rule is read, not programs */
  ck_list files;     /* ck_file, of specifications */
  ck_list operators; /* ck_operator, in the order in which they become known */
  ck_reader reader;
  ck_size_symbol size[CK_MAX_SIZES];
  uint32_t n_sizes;
  ck_stated stated[CK_MAX_RELATIONS]; /* S */
  uint32_t n_stated;
  uint32_t steps; /* of the call at hand */
  FILE *listed;   /* obligations that are dropped are written here; NULL: nowhere */
} ck_elab;

/* A block: extents of the grid axes and the loop, CK_BAD where there is none; the variables of the
 * declared grid axes, in order. */
typedef struct {
  ck_id extent[4];
  ck_id variables[3];
  uint32_t n_axes;
  uint32_t number; /* of the kernel, from 1 */
  ck_list tensors; /* ck_tensor */
} ck_block;

typedef struct ck_binding { /* a name of an operator: an extent, attribute or index */
  const struct ck_binding *up;
  const char *name;
  ck_id value;
  uint32_t depth; /* number of names up to here */
} ck_binding;

typedef struct { /* ..name of a call: its axes; their indices on the left side of the definition
                    that is read */
  const char *name;
  uint32_t n;
  ck_id extent[CK_MAX_AXES];
  ck_id index[CK_MAX_AXES];
  bool bound;
} ck_axes;

typedef struct { /* of an operator: what its names stand for */
  const ck_operator *op;
  ck_tensor *const *argument;
  const ck_binding *fixed; /* extents and attributes */
  ck_axes list[CK_MAX_PARTS];
  uint32_t n_lists;
} ck_call;

typedef struct {
  ck_job *job;
  ck_terms *T;
  ck_elab *E;
  ck_side *side; /* NULL: obligations are not wanted */
  ck_block *block;
  const ck_token *at; /* for messages: the call or statement */
  const ck_place *place;
  const ck_call *call; /* NULL: names are sizes */
  const ck_binding *names;
  const ck_decl *before; /* definitions before this one can be used; NULL: none can */
  uint32_t reductions;   /* open here */
  uint32_t depth;        /* of expressions */
  /* in a tile program with loops */
  const ck_id *lead; /* counters of the loops around */
  const uint32_t *loop;
  uint32_t n_lead;
  bool quiet;            /* nothing is required */
  bool storing;          /* the tensor at hand is stored to */
  ck_id value;           /* with that */
  const ck_token *whole; /* the name of the tile that is stored as a whole, at these lanes */
  const ck_id *lanes;
} ck_scope;

/* --- ck_elab_term.c: terms, what is known of them, obligations */
ck_scope ck_scope_of(ck_elab *E, ck_side *side, const ck_token *at);
ck_id ck_sure(const ck_scope *s, ck_id t); /* refuses if the term could not be made */
ck_id ck_variable(const ck_scope *s, char what, uint32_t k); /* $i0 .., $k0 .., $b0 .. */
ck_id ck_state(const ck_scope *s);                           /* $s */
ck_id ck_calculated(const ck_scope *s, ck_op op, ck_id a,
                    ck_id b); /* (+) (*) (div) (mod) of CLAIM.md section 1 */
ck_id ck_minus(const ck_scope *s, ck_id a);
ck_id ck_folded(const ck_scope *s, ck_id counter, ck_id bound, ck_id base,
                ck_id step); /* counter and $s are free in step */
ck_id ck_number(const ck_scope *s, const ck_expr *x);
bool ck_constant(const ck_scope *s, ck_id t, long value); /* literally */
bool ck_same(const ck_scope *s, ck_id a, ck_id b);        /* as polynomials */
bool ck_is_one(const ck_scope *s, ck_id t);
bool ck_one_at_large(const ck_scope *s, ck_id t); /* 1 for sizes as large as we like */
bool ck_false_as_stated(const ck_scope *s, const ck_token *at,
                        ck_id relation); /* at the stated values of the sizes */
/* true between constants, stated, a condition here, or by the signs of all that it is made of */
bool ck_plain(const ck_scope *s, ck_id relation);
ck_place
ck_under(const ck_scope *s,
         ck_id relation); /* the scope's place with a condition, with an index and its range */
ck_place ck_with_index(const ck_scope *s, ck_id variable, ck_id extent);
void ck_require(const ck_scope *s, ck_id relation);        /* an obligation, unless plain */
void ck_require_same(const ck_scope *s, ck_id a, ck_id b); /* shape obligation */
void ck_require_extent(const ck_scope *s, ck_id e);
ck_id ck_clause(const ck_scope *s, const ck_obligation *o);
/* an obligation that is none, if such are listed; at: where it is made */
void ck_list_dropped(const ck_scope *s, const char *why, const ck_token *at, ck_id relation);
/* of that name, visible here; NULL: none */
const ck_size_symbol *ck_visible_size(const ck_scope *s, const char *name);
const ck_size_symbol *ck_size_of(const ck_elab *E, ck_id variable); /* NULL: it is no size */
ck_id ck_group(const ck_scope *s, ck_id extent); /* the extent, if it is a group's; else CK_BAD */

/* --- ck_elab_scalar.c: scalars */
ck_id ck_scalar_value(const ck_scope *s, const ck_expr *x); /* beginning anew to count steps */
ck_id ck_size_value(const ck_scope *s, const ck_expr *x);   /* the same, of an integer */
ck_id ck_integer_value(const ck_scope *s, const ck_expr *x);
ck_id ck_relation_value(const ck_scope *s, const ck_expr *r);
const ck_axes *ck_find_axes(const ck_call *call, const char *name);
const ck_binding *ck_find_name(const ck_binding *names, const char *name);
ck_binding ck_with_name(const ck_scope *s, const ck_operator *op, const ck_binding *names,
                        const char *name, ck_id value); /* refuses a second meaning */
/* a definition before `behind` (NULL: any) that these users know */
ck_operator *ck_known(const ck_elab *E, const ck_operator *behind, const char *name, bool function,
                      unsigned users);
/* the file of a definition that stands for another one of its name; NULL: there is no other */
const char *ck_shadowing(const ck_elab *E, const ck_operator *op);
const char *ck_specification(ck_elab *E, const ck_operator *op); /* its name (ck_claim.h) */
/* What the name means in what is being read, or in the body of `behind`, which knows what is
 * defined before it. */
ck_operator *ck_find_operator(const ck_elab *E, const ck_operator *behind, const char *name,
                              bool function);
void ck_check_function(
    ck_elab *E, ck_operator *f); /* what it names is known; it names none that is defined later */
/* The body of a definition of the scope's call at these indices, which its left side names. */
ck_id ck_definition_value(const ck_scope *s, const ck_decl *let, const ck_id *index, uint32_t n);

ck_id ck_indices_of(const ck_scope *s, const ck_tensor *t, const ck_expr *x,
                    ck_id at[CK_MAX_AXES]); /* of an access, in bounds; CK_BAD: refused */

/* --- ck_elab_call.c */
typedef struct {
  const char *name;
  ck_id value;
  const ck_token *at;
} ck_given_attribute;

/* The result, defined under the symbol of that name.  NULL: refused. */
ck_tensor *ck_call_operator(const ck_scope *s, const char *op, ck_tensor *const *argument,
                            uint32_t n, const ck_given_attribute *given, uint32_t n_given,
                            const char *symbol);
ck_id ck_element(const ck_scope *s, const ck_tensor *t, const ck_id *block, ck_id iteration,
                 const ck_id *index); /* block, iteration: used if it takes them */
ck_id ck_element_here(const ck_scope *s, const ck_tensor *t, const ck_id *index);
/* the same, where it must have a value */
ck_id ck_read_element(const ck_scope *s, const ck_tensor *t, const ck_id *index);
/* Makes the definition of t, of which it is known what it takes: parameters are the block's
 * variables, the iteration, then $i0 .. of t, which gets the symbol. */
void ck_define_symbol(const ck_scope *s, ck_tensor *t, const char *symbol, ck_id body,
                      const char *by);

/* --- ck_elab_tensor.c: expressions, programs, rules */
const char *ck_symbol_name(const ck_scope *s, const char *tensor);
ck_tensor *ck_find_tensor(ck_list list, const char *name);
ck_tensor *ck_tensor_named(const ck_scope *s, ck_list list, const ck_token *name,
                           const char *where); /* NULL: refused */
ck_tensor *ck_enter(const ck_scope *s, ck_list *list, const char *name,
                    const ck_tensor *t);                 /* a copy under the name; NULL: refused */
bool ck_is_visible(const ck_scope *s, const char *name); /* a tensor, a size, an index */
void ck_new_tensor_name(
    const ck_scope *s,
    const ck_token *name); /* refuses one that is visible: there is no shadowing */
ck_tensor *ck_define_tensor(const ck_scope *s, const ck_line *line); /* NAME = expression */
ck_tensor *ck_expression(const ck_scope *s, const ck_expr *x, const char *name); /* NULL: refused */
void ck_declare_input(const ck_scope *s, const ck_side *given, const ck_decl *line);
void ck_add_output(const ck_scope *s, const ck_token *at, ck_tensor *t);
uint32_t ck_dims_value(const ck_scope *s, ck_list dims, ck_id extent[CK_MAX_AXES]);
ck_side *ck_new_side(ck_elab *E, bool candidate, const ck_token *at);
void ck_read_graph(ck_elab *E, ck_side *side, const ck_side *given, const ck_graph *graph);
void ck_read_rule(ck_elab *E, ck_side *given, ck_side *candidate, const ck_rule *rule,
                  bool backward);

/* --- ck_elab_size.c */
void ck_declare_sizes(const ck_scope *s, ck_list lines);
void ck_state_relations(const ck_scope *s, ck_list relations);
void ck_leave_free(
    const ck_scope *s); /* the candidate's relations restrict no size of the given program */

/* --- ck_elab_block.c */
void ck_read_kernel(const ck_scope *s, const ck_kernel *k);

/* --- ck_elab_tile.c */
/* an element of a tile; of a tensor, where it is loaded or stored to */
ck_id ck_tile_access(const ck_scope *s, const ck_expr *x);
void ck_read_statement(const ck_scope *s, const ck_line *line);
void ck_read_results(const ck_scope *s); /* at the end; they have values everywhere */

/* --- ck_admit.c: the conditions of CLAIM.md section 7.  NULL, or why the list is not admitted. */
const char *ck_admit(ck_elab *E, const ck_definition *d, uint32_t n, ck_list inputs,
                     bool candidate_sees_given);
/* --- ck_theorem.c: in words; malloc'ed.  text .. text_end: of the given program or the rule, as it
 * stands. */
char *ck_theorem(ck_elab *E, const ck_side *given, const ck_side *candidate, const char *text,
                 const char *text_end);
