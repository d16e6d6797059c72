/* From the user's files to the claim (proofs/CLAIM.md). */
#include "ck_elab.h"
#include <errno.h>
#include <stdlib.h>

/* --- goals */
typedef struct {
  ck_scope s;
  ck_claim *claim;
  uint32_t common; /* hypotheses of all goals */
} goals;

/* the relation, under the claim's hypotheses and these conditions */
static void add_goal(goals *G, const char *name, ck_id relation, const ck_id *condition,
                     uint32_t n) {
  const ck_scope *s = &G->s;
  ck_claim *c = G->claim;
  uint64_t hypotheses = ((uint64_t)c->hyps.n + n) * (c->n_goals + 1u);
  if (ck_sure(s, relation) == CK_BAD || !ck_within(s->job, s->at, CK_LIMIT_HYPOTHESES, hypotheses))
    return;
  const ck_id *own = ck_keep_ids(s->job, condition, n);
  ck_ids allowed =
      ck_members(s->T, ck_union(s->T, G->common, ck_set_of(s->T, ck_keep_ids(s->job, own, n), n)));
  c->goals[c->n_goals++] = (ck_goal){name, allowed.x, allowed.n, own, n, relation};
}

/* extents and elements of an output */
static void output_goals(goals *G, const ck_tensor *z, const ck_side *candidate) {
  const ck_scope *s = &G->s;
  bool rule = s->E->rule;
  const ck_tensor *y =
      ck_find_tensor(candidate->mugraph ? candidate->tensors : candidate->outputs, z->name);
  ck_id index[CK_MAX_AXES];
  ck_id range[2 * CK_MAX_AXES];
  if (!y)
    ck_refuse(s->job, candidate->at, "the output %s is not defined", z->name);
  else if (y->rank != z->rank)
    ck_refuse(s->job, candidate->at, "the output %s has %u axes, not %u", z->name, z->rank,
              y->rank);
  if (ck_refused(s->job))
    return;
  CK_BELOW(i, z->rank) {
    const char *name = ck_keep_text(s->job, "shape.%s.%u", z->name, i);
    add_goal(G, name, EQ(z->extent[i], y->extent[i]), NULL, 0);
    index[i] = ck_variable(s, 'i', i);
    range[2 * i] = LE(ZERO, index[i]);
    range[2 * i + 1] = LT(index[i], z->extent[i]);
  }
  /* a rule's text is named by its hash: so a certificate is bound to it */
  const char *name =
      ck_keep_text(s->job, "eq.%s%s%s", z->name, rule ? "@" : "", rule ? G->claim->cand_sha : "");
  ck_id equal = EQ(ck_element_here(s, z, index), ck_element_here(s, y, index));
  add_goal(G, name, equal, range, 2 * z->rank);
}

/* what the candidate needs in order to be defined; what is needed twice is one goal */
static void obligation_goals(goals *G, const ck_side *candidate) {
  ck_pool met = {.n = 0};
  CK_EACH(ck_obligation, o, candidate->obligations) {
    ck_id clause = ck_clause(&G->s, o);
    uint32_t n = met.n;
    if (ck_pool_add(&met, &clause, sizeof clause) == n) {
      const char *name = ck_keep_text(G->s.job, "call%u", n);
      add_goal(G, name, o->relation, o->conditions, o->n_conditions);
    } else {
      ck_list_dropped(&G->s, "again", o->at, clause);
    }
  }
  ck_pool_free(&met);
}

/* the definitions of both sides, in order; NULL: they are not admitted */
static const ck_definition *definitions(const ck_scope *s, const ck_side *given,
                                        const ck_side *candidate, uint32_t *n) {
  *n = given->n_definitions + candidate->n_definitions;
  ck_definition *all = ck_keep(s->job, (*n + 1) * sizeof *all);
  memcpy(all, given->definitions, given->n_definitions * sizeof *all);
  CK_BELOW(i, candidate->n_definitions) {
    all[given->n_definitions + i] = candidate->definitions[i];
    all[given->n_definitions + i].until += given->n_definitions;
  }
  const char *why = ck_admit(s->E, all, *n, given->inputs, candidate->mugraph || s->E->rule);
  if (why)
    ck_refuse(s->job, s->at, "the definitions are not admitted: %s", why);
  return all;
}

/* text .. end: of the given program or the rule */
static void state_claim(ck_elab *E, ck_claim *c, ck_side *given, const ck_side *candidate,
                        const char *text, const char *end) {
  goals G = {ck_scope_of(E, given, candidate->at), c, 0};
  const ck_scope *s = &G.s;
  if (!candidate->mugraph && candidate->outputs.n != given->outputs.n)
    ck_refuse(s->job, candidate->at, "the given program has %u outputs", given->outputs.n);
  if (ck_refused(s->job))
    return;
  c->definitions = definitions(s, given, candidate, &c->n_definitions);
  c->n_stated = E->n_stated;
  c->n_given = given->obligations.n;
  uint32_t n = 0;
  ck_id *all = ck_keep(s->job, (c->n_stated + c->n_given + 2 * c->n_definitions + 1) * sizeof *all);
  c->stated = all;
  c->given = all + c->n_stated;
  CK_BELOW(i, c->n_stated)
    all[n++] = E->stated[i].relation;
  CK_EACH(ck_obligation, o, given->obligations)
    all[n++] = ck_clause(s, o);
  CK_BELOW(i, c->n_definitions) {
    const ck_definition *d = &c->definitions[i];
    all[n++] = d->clause;
    if (d->carried)
      all[n++] = d->base_clause;
  }
  G.common = ck_set_of(s->T, ck_keep_ids(s->job, all, n), n);
  c->hyps = ck_members(s->T, G.common);
  n = (CK_MAX_AXES + 1) * given->outputs.n + candidate->obligations.n;
  c->goals = ck_keep(s->job, (n + 1) * sizeof *c->goals);
  CK_EACH(ck_tensor, z, given->outputs)
    output_goals(&G, z, candidate);
  if (!ck_refused(s->job))
    obligation_goals(&G, candidate);
  if (!ck_refused(s->job))
    c->theorem = ck_theorem(E, given, candidate, text, end);
}

/* the operators and functions used */
static void relied(ck_elab *E, ck_claim *c) {
  c->relied = ck_keep(&E->job, (E->operators.n + 1) * sizeof *c->relied);
  CK_EACH(ck_operator, op, E->operators) {
    if (!op->used)
      continue;
    c->relied[c->n_relied].name = ck_specification(E, op);
    ck_sha256(op->from, (size_t)(op->to - op->from), c->relied[c->n_relied].sha256);
    c->n_relied++;
  }
}

/* --- files.  What is made of a text after it, or another one, is refused is never looked at. */
static void open_file(ck_elab *E, ck_file *f, const ck_text *t) {
  char *text = t->text ? NULL : ck_read_file(t->name, CK_MAX_TEXT + 1, &f->length);
  const char *bytes = t->text ? t->text : text;
  f->name = t->name;
  f->length = t->text ? t->len : f->length;
  if (!bytes)
    ck_refuse(&E->job, &(ck_token){.file = f}, "cannot be read: %s", strerror(errno));
  f->text = memcpy(ck_keep(&E->job, f->length + 1), bytes ? bytes : "", f->length); /* ends in 0 */
  free(text);
  ck_tokens(&E->job, f);
}

static void open_specifications(ck_elab *E, const ck_text *text, uint32_t n, ck_users users) {
  CK_BELOW(i, n) {
    ck_file *f = ck_add(&E->job, &E->files, sizeof *f);
    open_file(E, f, &text[i]);
    f->users = users;
  }
}

/* Opens the files that a program uses, unless they are given; on_disk: it may name files.  Gives
 * the token after the `use` lines. */
static const ck_token *used_files(ck_elab *E, const ck_file *program, bool on_disk, ck_users user) {
  const ck_token *uses[CK_MAX_FILES];
  uint32_t n = 0;
  const ck_token *after = ck_parse_uses(&E->job, program, uses, &n);
  const char *slash = strrchr(program->name, '/');
  CK_BELOW(k, n) {
    const char *name = uses[k]->text + 1; /* without its quotes; relative to the program's folder */
    int length = (int)strlen(name) - 1;
    int folder = *name == '/' || !slash ? 0 : (int)(slash - program->name) + 1;
    const char *path = ck_keep_text(&E->job, "%.*s%.*s", folder, program->name, length, name);
    ck_file *f = E->files.first;
    while (f && strcmp(f->name, path) != 0)
      f = f->next;
    if (f)
      f->users |= user;
    if (!f && !on_disk)
      ck_refuse(&E->job, uses[k], "the file %s is not given", path);
    else if (!f)
      open_specifications(E, &(ck_text){.name = path}, 1, user);
  }
  return after;
}

/* makes the definitions from here on known, each once it is known to be well; gives the place of
 * the rule of this name */
static const ck_token *know(ck_elab *E, const ck_token *from, const char *rule) {
  const ck_token *place = NULL;
  ck_list all = ck_parse_operators(&E->job, from, rule, &place);
  ck_operator *next;
  for (ck_operator *op = all.first; op && !ck_refused(&E->job); op = next) {
    if (ck_known(E, NULL, op->at->text, op->function, op->at->file->users)) {
      ck_refuse(&E->job, op->at, "%s %s is defined twice", op->function ? "function" : "operator",
                op->at->text);
    }
    if (op->function)
      ck_check_function(E, op);
    next = op->next;
    op->next = NULL;
    ck_link(&E->operators, op);
  }
  return place;
}

/* the same text under two names is one file */
static void join_users(ck_elab *E) {
  for (ck_file *f = E->files.first; f; f = f->next) {
    for (ck_file *other = E->files.first; other; other = other->next) {
      if (strcmp(other->sha256, f->sha256) == 0)
        f->users = other->users |= f->users;
    }
  }
}

/* the files of these users that are not known yet */
static void know_all(ck_elab *E, ck_users users) {
  for (ck_file *f = E->files.first; f; f = f->next) {
    if (!(f->users & users))
      continue;
    bool known = f->known;
    CK_EACH(ck_file, other, E->files)
      known = known || (other->known && strcmp(other->sha256, f->sha256) == 0);
    if (!known)
      know(E, f->tokens, E->rule ? "" : NULL); /* a rule of that name in another file is none */
    f->known = true;
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

static void claim_of_rule(ck_elab *E, ck_claim *c, const ck_token *from, const char *name,
                          bool backward) {
  const ck_token *place = know(E, from, name);
  if (!place) {
    ck_refuse(&E->job, from->file->tokens, "there is no rule %s", name);
    return;
  }
  ck_rule *rule = ck_parse_rule(&E->job, place);
  ck_side *given = ck_new_side(E, false, place);
  ck_side *candidate = ck_new_side(E, true, place);
  ck_sha256(rule->from, (size_t)(rule->to - rule->from), c->cand_sha);
  ck_read_rule(E, given, candidate, rule, backward);
  state_claim(E, c, given, candidate, rule->from, rule->to);
}

static ck_side *read_side(ck_elab *E, const ck_token *from, const ck_side *given) {
  const ck_graph *graph = ck_parse_graph(&E->job, from, given != NULL);
  ck_side *side = ck_new_side(E, given != NULL, graph->at);
  ck_read_graph(E, side, given, graph);
  return side;
}

/* begin: of the candidate, after its `use` lines */
static void claim_of_programs(ck_elab *E, ck_claim *c, const ck_file *spec, const ck_token *from,
                              const ck_token *begin) {
  ck_side *given = read_side(E, from, NULL);
  E->reader = ck_token_is(begin, "mugraph") ? CK_READ_MUGRAPH : CK_READ_PROGRAM;
  know_all(E, CK_OF_CANDIDATE); /* what it brings along is not known to the given program */
  ck_side *candidate = read_side(E, begin, given);
  candidate->at = begin->file->tokens;
  state_claim(E, c, given, candidate, given->at->from, spec->text + spec->length);
}

ck_claim *ck_claim_listed(ck_terms *T, const ck_text *spec, const ck_text *cand, const ck_text *sem,
                          uint32_t n_library, uint32_t n_sem, FILE *listed, ck_msg *msg) {
  ck_elab E = {.T = T, .job.message = msg, .listed = listed};
  ck_claim *c = ck_keep(&E.job, sizeof *c);
  ck_file *file = ck_keep(&E.job, sizeof *file);
  ck_file *other = ck_keep(&E.job, sizeof *other);
  const ck_token *begin = NULL;
  bool backward = false;
  const char *rule = rule_name(&E, spec->name, cand->name, &backward);
  *msg = (ck_msg){0};
  E.rule = rule != NULL;
  open_specifications(&E, sem, n_library, CK_LIBRARY);
  open_specifications(&E, sem + n_library, n_sem - n_library, CK_UNUSED);
  open_file(&E, file, spec);
  file->users = CK_OF_GIVEN; /* of a file of rules */
  memcpy(c->spec_sha, file->sha256, sizeof c->spec_sha);
  const ck_token *from = used_files(&E, file, !spec->text, CK_OF_GIVEN);
  if (!rule) {
    open_file(&E, other, cand);
    memcpy(c->cand_sha, other->sha256, sizeof c->cand_sha);
    begin = used_files(&E, other, !cand->text, CK_OF_CANDIDATE);
  }
  join_users(&E);
  know_all(&E, CK_LIBRARY);
  know_all(&E, CK_OF_GIVEN);
  if (rule)
    claim_of_rule(&E, c, from, rule, backward);
  else
    claim_of_programs(&E, c, file, from, begin);
  relied(&E, c);
  c->mem = E.job.memory;
  if (!msg->text)
    return c;
  ck_claim_free(c);
  return NULL;
}

void ck_claim_free(ck_claim *c) {
  if (!c)
    return;
  free(c->theorem);
  ck_keep_none(c->mem); /* with c itself */
}

/* --- the library */
bool ck_print_specifications(FILE *out, const ck_text *sem, uint32_t n_sem, ck_msg *msg) {
  ck_elab E = {.T = ck_terms_new(), .job.message = msg};
  char sha256[65];
  *msg = (ck_msg){0};
  open_specifications(&E, sem, n_sem, CK_LIBRARY);
  know_all(&E, CK_LIBRARY);
  CK_EACH(ck_operator, op, E.operators) {
    const char *name = ck_specification(&E, op);
    ck_sha256(op->from, (size_t)(op->to - op->from), sha256);
    if (!msg->text)
      fprintf(out, "%s %s\n", sha256, name);
  }
  ck_keep_none(E.job.memory);
  ck_terms_free(E.T);
  return msg->text == NULL;
}
