/* Rewrite rules, docs/language.md section `.rule`: files of them, and one rule as three graphs over
 * the same inputs. May include: base, ir.  Used by the evaluators' refuter, the command line, the
 * tests. */
#ifndef AS_IR_RULE_H
#define AS_IR_RULE_H
#include "graph.h"
#include "src/base/mem.h"

#define AS_MAX_GROUPS 8

typedef enum { AS_R_REAL, AS_R_INT, AS_R_BOOL } as_rule_type;

typedef enum {
  AS_EXPECT_NOTHING,
  AS_EXPECT_PROVED,
  AS_EXPECT_REFUTED,
  AS_EXPECT_UNKNOWN,
  AS_EXPECT_VACUOUS
} as_expect;

/* nodes of as_rule.assume, where they are outputs 3i, 3i+1 and 3i+2; larger is rhs - lhs, of the
 * shape to which both are broadcast */
typedef struct {
  as_node_id lhs;
  as_node_id rhs;
  as_node_id larger;
  as_rel rel;
} as_assumption;

typedef struct {
  char *name;
  int line;
  int col;         /* of the word `rule` */
  as_sizes *sizes; /* owned: sizes, integers, and the axes of groups */
  uint32_t n_group;
  char **group;            /* names; */
  int rank[AS_MAX_GROUPS]; /* how many axes each group stands for here; -1: one symbolic group */
  as_graph *decl; /* sizes and integers (own_size), `where` relations, inputs; no operators */
  as_graph *lhs;
  as_graph *rhs;
  as_graph *assume;   /* the same and operators; outputs of lhs and rhs in the same order */
  char *ill_formed;   /* why the right side is ill-formed at any sizes (a rank that does not fit an
                         operator); then it has no outputs.  NULL */
  as_rule_type *type; /* of each input */
  uint32_t n_output;
  char **output;
  as_assumption *assumption;
  uint32_t n_assumption;
  as_expect expect;
  as_arena *mem;
} as_rule;

typedef struct as_rulefile as_rulefile;
/* Loads what the file uses, reads its definitions into lib (which is the file's own: two files may
 * define one name differently), finds its rules. text is borrowed for the file's lifetime.  NULL
 * with err when the text is no sequence of tokens or names a file that cannot be used; a definition
 * that is ill-formed, like whatever else stands outside of rules, is a defect of the file, whose
 * rules can be read nevertheless. */
as_rulefile *as_rulefile_open(const char *file, const char *text, size_t len, as_oplib *lib,
                              as_err *err);
void as_rulefile_free(as_rulefile *f);
uint32_t as_rulefile_count(const as_rulefile *f);
const char *as_rulefile_name(const as_rulefile *f, uint32_t i); /* "" where the rule has none */
const char *as_rulefile_text(const as_rulefile *f, uint32_t i,
                             size_t *len); /* from the word `rule` to its last token; borrowed */

/* What in a file is no rule and could not be read; all of it borrowed from the file. */
typedef struct {
  const char *name; /* "" where it has none */
  const char *text; /* in the file's text, up to the next definition or rule */
  size_t len;
  const as_err *why;
} as_rule_defect;

uint32_t as_rulefile_defects(const as_rulefile *f);
as_rule_defect as_rulefile_defect(const as_rulefile *f, uint32_t i);
const char *const *as_rulefile_uses(const as_rulefile *f, uint32_t *n);
/* Rule i; ranks: NULL, or for each group how many axes it stands for.  NULL with err when
 * ill-formed.  Threads may read rules of one file at the same time. */
as_rule *as_rule_read(const as_rulefile *f, uint32_t i, const int *ranks, as_err *err);
void as_rule_free(as_rule *r);
/* canonical text, malloc'ed; reading it gives the same rule back.  For symbolic groups only. */
char *as_rule_print(const as_rule *r);
const char *as_expect_word(as_expect e);
#endif
