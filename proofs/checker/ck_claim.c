/* From the user's files to the claim (proofs/CLAIM.md). */
#include "ck_elab.h"
#include <errno.h>
#include <stdlib.h>

/* --- goals */
/* for all variables: conditions imply the relation; the bare relation if there are neither */
static ck_id clause(const ck_scope *s, const ck_obligation *o) {
  ck_id kid[CK_MAX_CONDITIONS + 1];
  if (o->n_variables == 0 && o->n_conditions == 0)
    return o->relation;
  for (uint32_t i = 0; i <= o->n_conditions; i++) {
    ck_id part = i < o->n_conditions ? o->conditions[i] : o->relation;
    kid[i] = ck_sure(s, ck_close(s->E->T, part, o->variables, o->n_variables));
  }
  return ck_sure(s, ck_all(s->E->T, o->n_variables, kid, o->n_conditions + 1));
}

static int by_number(const void *a, const void *b) {
  ck_id x = *(const ck_id *)a;
  ck_id y = *(const ck_id *)b;
  return x < y ? -1 : x > y;
}

/* the set of these formulas; v is sorted on the way */
static uint32_t set_of(ck_terms *T, ck_id *v, uint32_t n) {
  uint32_t m = 0;
  qsort(v, n, sizeof *v, by_number);
  for (uint32_t i = 0; i < n; i++) {
    if (m == 0 || v[m - 1] != v[i])
      v[m++] = v[i];
  }
  return ck_set(T, v, m);
}

typedef struct {
  const ck_scope *s;
  ck_claim *claim;
  uint32_t common; /* hypotheses of all goals */
} goals;

/* the relation, under the claim's hypotheses and these conditions */
static void add_goal(goals *G, const char *name, ck_id relation, const ck_id *condition,
                     uint32_t n) {
  ck_terms *T = G->s->E->T;
  ck_claim *c = G->claim;
  if (((uint64_t)c->hyps.n + n) * (c->n_goals + 1u) > 20000000)
    ck_refuse(&G->s->E->job, G->s->at, "goals times hypotheses: more than 20000000");
  ck_id *own = ck_keep(&G->s->E->job, (n + 1) * sizeof *own);
  ck_id sorted[CK_MAX_CONDITIONS];
  for (uint32_t i = 0; i < n; i++)
    own[i] = sorted[i] = condition[i];
  ck_ids allowed = ck_members(T, ck_union(T, G->common, set_of(T, sorted, n)));
  c->goals[c->n_goals++] =
      (ck_goal){ck_word_text(T, ck_word(T, name)), allowed.x, allowed.n, own, n, relation};
}

/* extents and elements of an output */
static void output_goals(goals *G, const ck_tensor *z, const ck_side *candidate) {
  ck_elab *E = G->s->E;
  const ck_tensor *y =
      ck_find_tensor(candidate->mugraph ? &candidate->tensors : &candidate->outputs, z->name);
  ck_id index[CK_MAX_RANK];
  ck_id range[2 * CK_MAX_RANK];
  if (!y)
    ck_refuse(&E->job, candidate->at, "the output %s is not defined", z->name);
  if (y->rank != z->rank) {
    ck_refuse(&E->job, candidate->at, "the output %s has %u axes, not %u", z->name,
              (unsigned)z->rank, (unsigned)y->rank);
  }
  for (uint32_t i = 0; i < z->rank; i++) {
    const char *name = ck_keep_text(&E->job, "shape.%s.%u", z->name, (unsigned)i);
    add_goal(G, name, ck_join(G->s, CK_EQ, z->extent[i], y->extent[i]), NULL, 0);
    index[i] = ck_variable(G->s, 'i', i);
    range[2 * i] = ck_join(G->s, CK_LE, ck_int(E->T, 0), index[i]);
    range[2 * i + 1] = ck_join(G->s, CK_LT, index[i], z->extent[i]);
  }
  ck_id equal =
      ck_join(G->s, CK_EQ, ck_element_here(G->s, z, index), ck_element_here(G->s, y, index));
  /* a rule's text is named by its hash: so a certificate is bound to it */
  const char *name = ck_keep_text(&E->job, "eq.%s%s%s", z->name, E->rule ? "@" : "",
                                  E->rule ? G->claim->cand_sha : "");
  add_goal(G, name, equal, range, 2 * z->rank);
}

/* what the candidate needs in order to be defined; what is needed twice is one goal */
static void obligation_goals(goals *G, const ck_side *candidate) {
  ck_elab *E = G->s->E;
  ck_id *need = ck_keep(&E->job, (candidate->n_obligations + 1) * sizeof *need);
  uint32_t n = 0;
  for (uint32_t i = 0; i < candidate->n_obligations; i++)
    need[i] = clause(G->s, &candidate->obligations[i]);
  bool *met = ck_keep(&E->job, ck_size(E->T) * sizeof *met);
  for (uint32_t i = 0; i < candidate->n_obligations; i++) {
    const ck_obligation *o = &candidate->obligations[i];
    if (met[need[i]])
      continue;
    met[need[i]] = true;
    add_goal(G, ck_keep_text(&E->job, "call%u", (unsigned)n++), o->relation, o->conditions,
             o->n_conditions);
  }
}

static void definitions(const ck_scope *s, ck_claim *c, const ck_side *given,
                        const ck_side *candidate) {
  c->n_definitions = given->n_definitions + candidate->n_definitions;
  ck_definition *all = ck_keep(&s->E->job, (c->n_definitions + 1) * sizeof *all);
  memcpy(all, given->definitions, given->n_definitions * sizeof *all);
  memcpy(all + given->n_definitions, candidate->definitions,
         candidate->n_definitions * sizeof *all);
  c->definitions = all;
  const char *why =
      ck_admit(s->E, all, c->n_definitions, &given->inputs, candidate->mugraph || s->E->rule);
  if (why)
    ck_refuse(&s->E->job, s->at, "the definitions are not admitted: %s", why);
}

static void state_claim(ck_elab *E, ck_claim *c, const ck_side *given, const ck_side *candidate) {
  ck_scope s = {.E = E, .side = (ck_side *)given, .at = candidate->at};
  ck_terms *T = E->T;
  if (!candidate->mugraph && candidate->outputs.n != given->outputs.n) {
    ck_refuse(&E->job, candidate->at, "the given program has %u outputs",
              (unsigned)given->outputs.n);
  }
  definitions(&s, c, given, candidate);
  c->n_stated = E->n_stated;
  c->n_given = given->n_obligations;
  uint32_t n = c->n_stated + c->n_given + c->n_definitions;
  ck_id *stated = ck_keep(&E->job, (n + 1) * sizeof *stated);
  ck_id *assumed = stated + c->n_stated;
  ck_id *sorted = ck_keep(&E->job, (n + 1) * sizeof *sorted);
  for (uint32_t i = 0; i < c->n_stated; i++)
    stated[i] = E->stated[i].relation;
  for (uint32_t i = 0; i < c->n_given; i++)
    assumed[i] = clause(&s, &given->obligations[i]);
  c->stated = stated;
  c->given = assumed;
  memcpy(sorted, stated, c->n_stated * sizeof *sorted);
  c->rels = ck_members(T, set_of(T, sorted, c->n_stated));
  memcpy(sorted, stated, (c->n_stated + c->n_given) * sizeof *sorted);
  for (uint32_t i = 0; i < c->n_definitions; i++)
    sorted[c->n_stated + c->n_given + i] = c->definitions[i].clause;
  goals G = {&s, c, set_of(T, sorted, n)};
  c->hyps = ck_members(T, G.common);
  c->goals =
      ck_keep(&E->job, ((CK_MAX_RANK + 1) * given->outputs.n + candidate->n_obligations + 1) *
                           sizeof *c->goals);
  for (uint32_t i = 0; i < given->outputs.n; i++)
    output_goals(&G, given->outputs.at[i], candidate);
  obligation_goals(&G, candidate);
}

/* the operators and functions used, with the hash of their text */
static void relied(ck_elab *E, ck_claim *c) {
  uint32_t n = 0;
  for (const ck_operator *op = E->operators; op; op = op->next)
    n += op->used;
  c->relied = ck_keep(&E->job, (n + 1) * sizeof *c->relied);
  for (const ck_operator *op = E->operators; op; op = op->next) {
    if (!op->used)
      continue;
    c->relied[c->n_relied].name =
        ck_keep_text(&E->job, "%s%s", op->function ? "func " : "", op->name->text);
    ck_sha256(op->from, (size_t)(op->to - op->from), c->relied[c->n_relied++].sha256);
  }
}

/* --- files */
enum { MAX_USED = 64 };

static void open_file(ck_elab *E, ck_file *f, const ck_text *t) {
  *f = (ck_file){.name = t->name, .length = t->len};
  char *text = t->text ? NULL : ck_read_file(t->name, CK_MAX_TEXT + 1, &f->length);
  if (!t->text && !text)
    ck_refuse(&E->job, &(ck_token){.file = f}, "cannot be read: %s", strerror(errno));
  f->text =
      memcpy(ck_keep(&E->job, f->length + 1), text ? text : t->text, f->length); /* ended by a 0 */
  free(text);
  ck_tokens(&E->job, f);
}

typedef struct {
  ck_file *at;
  uint32_t n;
  uint32_t capacity;
} files;

/* Opens the files that a program uses, unless they are given; on_disk: it may name files.  Gives
 * the token after the `use` lines. */
static const ck_token *used_files(ck_elab *E, const ck_file *program, bool on_disk, files *sem) {
  const ck_token *uses[MAX_USED];
  uint32_t n;
  const ck_token *after = ck_parse_uses(&E->job, program, uses, MAX_USED, &n);
  const char *slash = strrchr(program->name, '/');
  for (uint32_t k = 0; k < n; k++) {
    const char *name = uses[k]->text + 1; /* without its quotes; relative to the program's folder */
    int length = (int)strlen(name) - 1;
    int folder = *name == '/' || !slash ? 0 : (int)(slash - program->name) + 1;
    const char *path = ck_keep_text(&E->job, "%.*s%.*s", folder, program->name, length, name);
    uint32_t i = 0;
    while (i < sem->n && strcmp(sem->at[i].name, path) != 0)
      i++;
    if (i == sem->n && (!on_disk || sem->n == sem->capacity))
      ck_refuse(&E->job, uses[k], "the file %s is not given, or too many are", path);
    if (i == sem->n)
      open_file(E, &sem->at[sem->n++], &(ck_text){.name = path});
  }
  return after;
}

/* makes the definitions of a file known, each once it is known to be well */
static const ck_token *know(ck_elab *E, const ck_file *f, const char *rule) {
  const ck_token *place = NULL;
  ck_operator *next;
  for (ck_operator *op = ck_parse_operators(&E->job, f, rule, &place); op; op = next) {
    ck_operator **end = &E->operators;
    if (ck_find_operator(E, op->name->text, op->function)) {
      ck_refuse(&E->job, op->name, "%s %s is defined twice", op->function ? "function" : "operator",
                op->name->text);
    }
    if (op->function)
      ck_check_function(E, op);
    next = op->next;
    op->next = NULL;
    while (*end)
      end = &(*end)->next;
    *end = op;
  }
  return place;
}

/* the files from this one on; the same text under two names is one file */
static void know_all(ck_elab *E, const files *sem, uint32_t from) {
  for (uint32_t i = from; i < sem->n; i++) {
    uint32_t k = 0;
    while (strcmp(sem->at[k].sha256, sem->at[i].sha256) != 0)
      k++;
    if (k == i)
      know(E, &sem->at[i], E->rule ? "" : NULL); /* a rule of that name in another file is none */
  }
}

/* the rule that CANDIDATE names, or NULL if SPEC holds no rules; *backward: its sides are to be
 * exchanged */
static const char *rule_name(ck_elab *E, const char *spec, const char *cand, bool *backward) {
  const char *suffix = strrchr(spec, '.');
  const char *reverse = strrchr(cand, '.');
  if (!suffix || strcmp(suffix, ".rule") != 0)
    return NULL;
  *backward = reverse && strcmp(reverse, ".reverse") == 0;
  return ck_keep_text(&E->job, "%.*s", *backward ? (int)(reverse - cand) : (int)strlen(cand), cand);
}

static void claim_of_rule(ck_elab *E, ck_claim *c, const ck_file *f, const char *name,
                          bool backward) {
  const ck_token *place = know(E, f, name);
  if (!place)
    ck_refuse(&E->job, f->tokens, "there is no rule %s", name);
  ck_rule *rule = ck_parse_rule(&E->job, place);
  ck_side *given = ck_new_side(E, false, place);
  ck_side *candidate = ck_new_side(E, true, place);
  ck_sha256(rule->from, (size_t)(rule->to - rule->from), c->cand_sha);
  ck_read_rule(E, given, candidate, rule, backward);
  state_claim(E, c, given, candidate);
  c->theorem = ck_theorem(E, given, candidate, rule->from, rule->to);
}

static void claim_of_programs(ck_elab *E, ck_claim *c, ck_file *spec, const ck_token *from,
                              ck_file *cand, const ck_text *cand_text, files *sem) {
  uint32_t known = sem->n; /* what the candidate brings along is not known to the given program */
  const ck_graph *given_graph = ck_parse_graph(&E->job, from, false);
  ck_side *given = ck_new_side(E, false, given_graph->at);
  ck_read_graph(E, given, NULL, given_graph);
  open_file(E, cand, cand_text);
  memcpy(c->cand_sha, cand->sha256, 65);
  const ck_token *begin = used_files(E, cand, !cand_text->text, sem);
  know_all(E, sem, known);
  const ck_graph *graph = ck_parse_graph(&E->job, begin, true);
  ck_side *candidate = ck_new_side(E, true, cand->tokens);
  ck_read_graph(E, candidate, given, graph);
  state_claim(E, c, given, candidate);
  c->theorem = ck_theorem(E, given, candidate, given_graph->at->from, spec->text + spec->length);
}

static void claim(ck_elab *E, ck_claim *c, const ck_text *spec, const ck_text *cand,
                  const ck_text *sem_text, uint32_t n_sem) {
  if (setjmp(E->job.refused))
    return; /* ck_refuse came here */
  ck_file *file = ck_keep(&E->job, 2 * sizeof *file);
  files sem = {.at = ck_keep(&E->job, (n_sem + 2 * MAX_USED) * sizeof *sem.at),
               .capacity = n_sem + 2 * MAX_USED};
  bool backward = false;
  const char *rule = rule_name(E, spec->name, cand->name, &backward);
  E->rule = rule != NULL;
  for (uint32_t i = 0; i < n_sem; i++)
    open_file(E, &sem.at[sem.n++], &sem_text[i]);
  open_file(E, &file[0], spec);
  memcpy(c->spec_sha, file[0].sha256, 65);
  const ck_token *from = used_files(E, &file[0], !spec->text, &sem);
  know_all(E, &sem, 0);
  if (rule)
    claim_of_rule(E, c, &file[0], rule, backward);
  else
    claim_of_programs(E, c, &file[0], from, &file[1], cand, &sem);
  relied(E, c);
}

ck_claim *ck_claim_texts(ck_terms *T, const ck_text *spec, const ck_text *cand, const ck_text *sem,
                         uint32_t n_sem, ck_msg *msg) {
  ck_elab *E = ck_alloc(NULL, sizeof *E);
  ck_claim *c = ck_alloc(NULL, sizeof *c);
  memset(E, 0, sizeof *E);
  memset(c, 0, sizeof *c);
  *msg = (ck_msg){0};
  E->T = T;
  E->job.message = msg;
  claim(E, c, spec, cand, sem, n_sem);
  c->mem = E->job.memory;
  free(E);
  if (!msg->text)
    return c;
  ck_claim_free(c);
  return NULL;
}

/* --- the library */
static void print_all(ck_elab *E, FILE *out, const ck_text *sem_text, uint32_t n_sem) {
  if (setjmp(E->job.refused))
    return;
  files sem = {.at = ck_keep(&E->job, (n_sem + 1) * sizeof *sem.at)};
  for (uint32_t i = 0; i < n_sem; i++)
    open_file(E, &sem.at[sem.n++], &sem_text[i]);
  know_all(E, &sem, 0);
  for (const ck_operator *op = E->operators; op; op = op->next) {
    char sha256[65];
    ck_sha256(op->from, (size_t)(op->to - op->from), sha256);
    fprintf(out, "%s %s%s\n", sha256, op->function ? "func " : "", op->name->text);
  }
}

bool ck_print_specifications(FILE *out, const ck_text *sem, uint32_t n_sem, ck_msg *msg) {
  ck_elab *E = ck_alloc(NULL, sizeof *E);
  memset(E, 0, sizeof *E);
  *msg = (ck_msg){0};
  E->T = ck_terms_new();
  E->job.message = msg;
  print_all(E, out, sem, n_sem);
  ck_keep_none(E->job.memory);
  ck_terms_free(E->T);
  free(E);
  return msg->text == NULL;
}

void ck_claim_free(ck_claim *c) {
  if (!c)
    return;
  free(c->theorem);
  ck_keep_none(c->mem);
  free(c);
}
