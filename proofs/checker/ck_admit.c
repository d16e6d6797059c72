/* What a list of definitions must satisfy (proofs/CLAIM.md section 7): each symbol fresh, its body
 * made of what stands before it on the same side. The elaboration makes lists that do; this asks
 * again, of the list alone, before anything is proved from it. */
#include "ck_elab.h"
#include <stdlib.h>

typedef struct {
  ck_elab *E;
  ck_pool
      symbols; /* name and signature of inputs, then of definitions, in order: numbers 0, 1, .. */
  uint32_t n_inputs;
  uint32_t n_given; /* definitions of the given side come first */
  bool *seen;       /* nodes of bodies that were found well */
} admission;

/* func.f, with f any function of so many reals in the specifications */
static bool is_builtin(const ck_elab *E, const char *name, const char *signature) {
  if (strncmp(name, "func.", 5) != 0)
    return false;
  const ck_operator *f = ck_find_operator(E, name + 5, true);
  return f && !f->body && strlen(signature) == f->tensors.n + 2 &&
         strspn(signature, "r") == f->tensors.n && strcmp(signature + f->tensors.n, ":r") == 0;
}

/* every function of t is an input, a builtin, or a definition that stands before number `at` on the
 * same side */
static const char *only_known(admission *A, ck_id t, uint32_t at) {
  const ck_terms *T = A->E->T;
  const char *why = NULL;
  if (A->seen[t])
    return NULL;
  for (uint32_t i = 0; i < ck_nkids(T, t) && !why; i++)
    why = only_known(A, ck_kid(T, t, i), at);
  if (!why && ck_is(T, t, CK_APP)) {
    const uint32_t key[] = {ck_name(T, t), ck_sig(T, t)};
    uint32_t number = ck_pool_find(&A->symbols, key, sizeof key);
    if (number == CK_BAD) {
      why = is_builtin(A->E, ck_word_text(T, key[0]), ck_word_text(T, key[1]))
                ? NULL
                : "known: it speaks of what is not defined before it";
    } else if (number >= A->n_inputs && (number - A->n_inputs < A->n_given) != (at < A->n_given)) {
      why = "side: it speaks of a tensor of the other side";
    }
  }
  if (!why)
    A->seen[t] = true;
  return why;
}

/* a size that this side may speak of */
static bool own_size(const ck_elab *E, ck_id variable, bool candidate, bool sees_given) {
  const ck_size_symbol *size = ck_size_of(E, variable);
  return size &&
         ((size->of_given && (!candidate || sees_given)) || (candidate && size->of_candidate));
}

static const char *only_free(const ck_elab *E, const ck_definition *d, bool sees_given) {
  const ck_ids free_variables = ck_members(E->T, E->T->node[d->body].fv);
  CK_BELOW(i, free_variables.n) {
    bool known = own_size(E, free_variables.x[i], d->candidate, sees_given);
    CK_BELOW(k, d->n)
      known = known || d->parameter[k] == free_variables.x[i];
    if (!known)
      return "free: a variable is neither a parameter nor a size";
  }
  return NULL;
}

static const char *good_parameters(const ck_elab *E, const ck_definition *d) {
  const char *why = NULL;
  CK_BELOW(k, d->n) {
    ck_id x = d->parameter[k];
    if (!ck_is(E->T, x, CK_V) || ck_sort(E->T, x) != 'i')
      why = "distinct: a parameter is no integer variable";
    if (ck_size_of(E, x))
      why = "distinct: a parameter is a size";
    CK_BELOW(j, k) {
      if (d->parameter[j] == x)
        why = "distinct: a parameter stands twice";
    }
  }
  return why;
}

/* the clause says, for all integers, symbol[parameters] = body, and nothing else */
static bool good_clause(ck_elab *E, const ck_definition *d) {
  ck_id left = ck_make(E->T, CK_APP, d->name, d->signature, d->parameter, d->n);
  ck_id equation = ck_mk2(E->T, CK_EQ, left, d->body);
  if (d->n == 0)
    return equation != CK_BAD && d->clause == equation;
  ck_id closed = ck_close(E->T, equation, d->parameter, d->n);
  return closed != CK_BAD && d->clause == ck_all(E->T, d->n, &closed, 1);
}

static const char *admitted(admission *A, const ck_definition *d, uint32_t at, bool sees_given) {
  const ck_terms *T = A->E->T;
  const char *signature = ck_word_text(T, d->signature);
  const char *why = good_parameters(A->E, d);
  const uint32_t key[] = {d->name, d->signature};
  bool new_name = ck_pool_find(&A->symbols, key, sizeof key) == CK_BAD &&
                  strncmp(ck_word_text(T, d->name), "func.", 5) != 0;
  if (why)
    return why;
  if (!new_name)
    return "fresh: the symbol has a meaning already";
  if (strlen(signature) != d->n + 2 || strspn(signature, "i") < d->n)
    return "form: the signature does not fit the parameters";
  if (!ck_is_closed(T, d->body) || ck_is_formula(T, d->body) || !good_clause(A->E, d))
    return "form: not of the form symbol[parameters] = term";
  if (signature[d->n + 1] != 'r' && !ck_is_int(T, d->body))
    return "integer: the body of an integer symbol is none";
  why = only_free(A->E, d, sees_given);
  if (!why)
    why = only_known(A, d->body, at);
  ck_pool_add(&A->symbols, key, sizeof key);
  return why;
}

const char *ck_admit(ck_elab *E, const ck_definition *d, uint32_t n, ck_list inputs,
                     bool candidate_sees_given) {
  admission A = {.E = E, .n_inputs = inputs.n};
  const char *why = NULL;
  CK_EACH(ck_tensor, x, inputs) {
    const uint32_t key[] = {x->symbol, x->signature};
    uint32_t number = A.symbols.n;
    if (ck_pool_add(&A.symbols, key, sizeof key) != number)
      why = "fresh: two inputs of one name";
  }
  while (A.n_given < n && !d[A.n_given].candidate)
    A.n_given++;
  for (uint32_t i = A.n_given; i < n && !why; i++)
    why = d[i].candidate ? NULL : "order: the given side comes first";
  for (uint32_t i = 0; i < n && !why; i++) {
    size_t nodes = ck_size(E->T);
    if (i == 0 || i == A.n_given) { /* what is well on one side need not be on the other */
      free(A.seen);
      A.seen = ck_alloc(NULL, nodes * sizeof *A.seen);
      memset(A.seen, 0, nodes * sizeof *A.seen);
    }
    why = admitted(&A, &d[i], i, candidate_sees_given);
  }
  free(A.seen);
  ck_pool_free(&A.symbols);
  return why;
}
