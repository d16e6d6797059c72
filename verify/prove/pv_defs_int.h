/* What defs.c and segments.c know of definitions; nobody else includes it. */
#ifndef AS_PV_DEFS_INT_H
#define AS_PV_DEFS_INT_H
#include "pv_defs.h"

typedef struct {
  const ck_definition *def;
  uint32_t like; /* number of the first definition that it is like; its own if it is the first */
  bool both;     /* of a first one: the other side has one like it */
  ck_id put[PV_WORLDS]; /* what an application at the parameters becomes; CK_BAD: it stays.  Asked
                           for by becomes(), which finds it where it is not `found` */
  bool found[PV_WORLDS];
  pv_thm lemma[PV_WORLDS]; /* that; made when first asked for */
  bool asked[PV_WORLDS];
  pv_thm
      joined; /* proved: the symbol is what `like` is; PV_NONE: it is like it by its definition */
  bool apart; /* joined, but written out for now: see pv_defs_part */
  bool open;  /* recursive: it stays, unless it is solved */
  ck_definition own;            /* solved: with another body, which is the same by */
  pv_thm solved;                /* this theorem, at the parameters; PV_NONE: by its clause */
  uint32_t first_part, n_parts; /* symbols in the body: into `parts` */
  /* Of what an outermost loop leaves in a tensor: the symbol's first argument, how many iterations
   * there are, as the claim has it, and in normal form, by that theorem. */
  ck_id count;
  ck_id normal_count;
  pv_thm counted;
} pv_symbol;

/* a clause of a world, and the hypothesis that it comes from */
typedef struct {
  ck_id claimed;
  pv_world world;
} pv_origin;

struct pv_defs {
  pv *p;
  pv_symbol *symbols;
  uint32_t n; /* of the claim's; number n + i is what i is after its loop, where it `has_end` */
  bool shared;
  bool loops;
  uint32_t kernel; /* the outermost loop of PV_KERNEL */
  as_vec parts;    /* uint32_t: numbers of symbols */
  as_map numbers;  /* name and signature of a symbol: its number */
  as_map clauses;  /* of definitions: hypotheses that nobody else needs to see */
  as_map origins;  /* clause in a world: number of its origin */
  as_vec origin;
  as_map out[PV_WORLDS]; /* term: what it becomes, and by which theorem */
};

/* symbol i at its parameters */
ck_id pv_defs_applied(const pv_defs *d, uint32_t i);
/* the same parameters, in the same order: bodies that are equal are equal functions */
bool pv_defs_same_parameters(const ck_definition *a, const ck_definition *b);
/* adds the symbols in t, what loops leave among them, to the list (uint32_t), each once */
void pv_defs_parts_of(const pv_defs *d, ck_id t, as_vec *list);
/* what is known of the worlds in which symbols are shared, anew */
void pv_defs_forget_shared(pv_defs *d);
#endif
