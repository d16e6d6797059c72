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
  const ck_definition *d;
  /* the term at hand: of which definition, in how many of its loops, what is known before */
  uint32_t at;
  uint32_t n_loops;
  uint32_t until;
  bool *seen; /* nodes that were found well, in these loops */
  size_t n_seen;
} admission;

/* func.f, with f a function of so many reals in the specifications */
static bool is_builtin(const ck_elab *E, const char *name, const char *signature) {
  if (strncmp(name, "func.", 5) != 0)
    return false;
  CK_EACH(ck_operator, f, E->operators) {
    if (f->function && !f->body && strcmp(f->at->text, name + 5) == 0 &&
        strlen(signature) == f->tensors.n + 2 && strspn(signature, "r") == f->tensors.n &&
        strcmp(signature + f->tensors.n, ":r") == 0)
      return true;
  }
  return false;
}

/* Within a loop, what the loop defines is known of the iteration at hand alone: which is what the
 * parameters of definition `at` count; what it carries is before the loop of nothing in it. */
static bool this_iteration(const admission *A, ck_id t, uint32_t number) {
  const ck_definition *known = &A->d[number];
  const ck_definition *here = &A->d[A->at];
  for (uint32_t k = 0; k < known->n_loops && k < here->n_loops && known->loop[k] == here->loop[k];
       k++) {
    if (k >= A->n_loops || k >= known->n || k >= here->n ||
        ck_kid(A->E->T, t, k) != here->parameter[k])
      return false;
  }
  return true;
}

/* every function of t is an input, a builtin, or a definition that is known, of the same side */
static const char *only_known(admission *A, ck_id t) {
  const ck_terms *T = A->E->T;
  const char *why = NULL;
  if (A->seen[t])
    return NULL;
  for (uint32_t i = 0; i < ck_nkids(T, t) && !why; i++)
    why = only_known(A, ck_kid(T, t, i));
  if (!why && ck_is(T, t, CK_APP)) {
    const uint32_t key[] = {ck_name(T, t), ck_sig(T, t)};
    uint32_t number = ck_pool_find(&A->symbols, key, sizeof key);
    if (number == CK_BAD || (number >= A->n_inputs && number - A->n_inputs >= A->until)) {
      why = is_builtin(A->E, ck_word_text(T, key[0]), ck_word_text(T, key[1]))
                ? NULL
                : "known: it speaks of what is not defined before it";
    } else if (number >= A->n_inputs &&
               (number - A->n_inputs < A->n_given) != (A->at < A->n_given)) {
      why = "side: it speaks of a tensor of the other side";
    } else if (number >= A->n_inputs && !this_iteration(A, t, number - A->n_inputs)) {
      why = "iteration: it speaks of another iteration of a loop around";
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

static const char *only_free(const ck_elab *E, const ck_definition *d, ck_id body, ck_id counter,
                             bool sees_given) {
  const ck_ids free_variables = ck_members(E->T, E->T->node[body].fv);
  CK_BELOW(i, free_variables.n) {
    bool known = own_size(E, free_variables.x[i], d->candidate, sees_given);
    CK_BELOW(k, d->n)
      known = known || (d->parameter[k] == free_variables.x[i] && d->parameter[k] != counter);
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

/* before iteration 0 the symbol is the base, and after one more what the body says: nothing else */
static bool good_recursion(const ck_elab *E, const ck_definition *d, ck_id left) {
  ck_terms *T = E->T;
  if (d->n_loops == 0 || d->n < d->n_loops)
    return false;
  ck_id counter = d->parameter[d->n_loops - 1];
  ck_id zero = ck_int(T, 0);
  ck_id one_more = ck_mk2(T, CK_ADD, counter, ck_int(T, 1));
  ck_id base[] = {ck_mk2(T, CK_LE, counter, zero), ck_mk2(T, CK_EQ, left, d->base)};
  ck_id step[] = {ck_mk2(T, CK_LE, zero, counter),
                  ck_mk2(T, CK_EQ, ck_sub(T, left, &counter, &one_more, 1, NULL, 0), d->body)};
  for (int i = 0; i < 2; i++) {
    base[i] = ck_close(T, base[i], d->parameter, d->n);
    step[i] = ck_close(T, step[i], d->parameter, d->n);
  }
  return d->base_clause == ck_all(T, d->n, base, 2) && d->clause == ck_all(T, d->n, step, 2);
}

/* the clause says, for all integers, symbol[parameters] = body, and nothing else */
static bool good_clause(ck_elab *E, const ck_definition *d) {
  ck_id left = ck_make(E->T, CK_APP, d->name, d->signature, d->parameter, d->n);
  if (d->carried)
    return good_recursion(E, d, left);
  ck_id equation = ck_mk2(E->T, CK_EQ, left, d->body);
  if (d->n == 0)
    return equation != CK_BAD && d->clause == equation;
  ck_id closed = ck_close(E->T, equation, d->parameter, d->n);
  return closed != CK_BAD && d->clause == ck_all(E->T, d->n, &closed, 1);
}

/* the loops that definitions j and i stand in are the same, and counted by the same parameters */
static bool same_loops(const admission *A, uint32_t j, uint32_t i, uint32_t n) {
  CK_BELOW(k, n) {
    if (A->d[j].loop[k] != A->d[i].loop[k] || A->d[j].parameter[k] != A->d[i].parameter[k])
      return false;
  }
  return true;
}

/* what was well there need not be here */
static void go_to(admission *A, uint32_t at, uint32_t n_loops, uint32_t until) {
  bool same = A->seen && (A->at < A->n_given) == (at < A->n_given) && A->n_loops == n_loops &&
              A->until <= until && same_loops(A, A->at, at, n_loops);
  A->at = at;
  A->n_loops = n_loops;
  A->until = until;
  if (same)
    return;
  free(A->seen);
  A->n_seen = ck_size(A->E->T);
  A->seen = ck_alloc(NULL, A->n_seen * sizeof *A->seen);
  memset(A->seen, 0, A->n_seen * sizeof *A->seen);
}

/* a term of definition `at`: its body, or of what a loop carries that before the first iteration */
static const char *good_term(admission *A, uint32_t at, bool base, bool sees_given) {
  const ck_terms *T = A->E->T;
  const ck_definition *d = &A->d[at];
  ck_id t = base ? d->base : d->body;
  bool carried = d->carried;
  if (!ck_is_closed(T, t) || ck_is_formula(T, t))
    return "form: not of the form symbol[parameters] = term";
  if (ck_word_text(T, d->signature)[d->n + 1] != 'r' && (carried || !ck_is_int(T, t)))
    return "integer: the body of an integer symbol is none";
  go_to(A, at, d->n_loops - base, carried && !base ? d->until : at);
  ck_id counter = base ? d->parameter[d->n_loops - 1] : CK_BAD;
  const char *why = only_free(A->E, d, t, counter, sees_given);
  return why ? why : only_known(A, t);
}

static const char *admitted(admission *A, uint32_t at, bool sees_given) {
  const ck_terms *T = A->E->T;
  const ck_definition *d = &A->d[at];
  const char *signature = ck_word_text(T, d->signature);
  const char *why = good_parameters(A->E, d);
  const uint32_t key[] = {d->name, d->signature};
  bool new_name = ck_pool_find(&A->symbols, key, sizeof key) == CK_BAD &&
                  strncmp(ck_word_text(T, d->name), "func.", 5) != 0;
  if (why)
    return why;
  if (!new_name)
    return "fresh: the symbol has a meaning already";
  if (strlen(signature) != d->n + 2 || strspn(signature, "i") < d->n || !good_clause(A->E, d))
    return "form: not of the form symbol[parameters] = term";
  why = good_term(A, at, d->carried, sees_given);
  ck_pool_add(&A->symbols, key, sizeof key);
  return why;
}

const char *ck_admit(ck_elab *E, const ck_definition *d, uint32_t n, ck_list inputs,
                     bool candidate_sees_given) {
  admission A = {.E = E, .n_inputs = inputs.n, .d = d};
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
  for (uint32_t i = 0; i < n && !why; i++)
    why = admitted(&A, i, candidate_sees_given);
  for (uint32_t i = 0; i < n && !why; i++) {
    if (d[i].carried)
      why = good_term(&A, i, false, candidate_sees_given);
  }
  free(A.seen);
  ck_pool_free(&A.symbols);
  return why;
}
