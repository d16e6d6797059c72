/* From the user's files to goals and allowed hypotheses (proofs/RULES.md section 4, semantics/SEMANTICS.md section 4). */
#include "ck_read.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { ck_id *v; uint32_t n; } ids;

static void add(ck_reader *R, ids *s, ck_id t) { s->v = ck_grow(R, s->v, s->n, sizeof *s->v); s->v[s->n++] = t; }
static void add_all(ck_reader *R, ids *s, const ck_id *v, uint32_t n) { for (uint32_t i = 0; i < n; i++) add(R, s, v[i]); }

static int by_number(const void *a, const void *b) { return *(const ck_id *)a < *(const ck_id *)b ? -1 : *(const ck_id *)a > *(const ck_id *)b; }

static void sort_unique(ids *s) {
  uint32_t n = 0;
  if (s->n) qsort(s->v, s->n, sizeof *s->v, by_number);
  for (uint32_t i = 0; i < s->n; i++) if (!n || s->v[n - 1] != s->v[i]) s->v[n++] = s->v[i];
  s->n = n;
}

static ck_id *copy(const ids *s) { /* malloc'ed */
  ck_id *w = malloc((s->n + 1) * sizeof *w);
  if (!w) abort();
  return s->n ? memcpy(w, s->v, s->n * sizeof *w) : w;
}

/* for all vars, conds imply rel; the bare relation if there are neither */
static ck_id clause(ck_reader *R, const ck_oblig *o) {
  ids kid = {0};
  if (!o->n_vars && !o->n_conds) return o->rel;
  for (uint32_t i = 0; i < o->n_conds; i++) add(R, &kid, ck_ok(R, ck_close(R->T, o->cond[i], o->var, o->n_vars)));
  add(R, &kid, ck_ok(R, ck_close(R->T, o->rel, o->var, o->n_vars)));
  return ck_ok(R, ck_all(R->T, o->n_vars, kid.v, kid.n));
}

/* --- the stated concrete sizes */
/* The place of the first relation that the values make false, n if none; *known: that they say so of each. */
static uint32_t first_false(ck_reader *R, const ids *rel, bool *known) {
  R->work = 0, *known = true;
  for (uint32_t i = 0; i < rel->n; i++) {
    int truth = ck_truth_at(R, rel->v[i], 0);
    if (!truth) return i;
    *known = *known && truth > 0;
  }
  return rel->n;
}

/* Some indices below 8, the first k as in `at`, at which the conditions hold for the values of the sizes and the relation does not. */
static bool violated(ck_reader *R, const ck_oblig *o, uint32_t k, ck_id *at) {
  bool all = k == o->n_vars, no = false;
  if (R->work > CK_MAX_WORK) return false;
  for (uint32_t i = 0; i <= o->n_conds; i++) {
    ck_id rel = i < o->n_conds ? o->cond[i] : o->rel;
    int truth = ck_truth_at(R, ck_ok(R, ck_sub(R->T, rel, o->var, at, k, NULL, 0)), 0);
    if (i < o->n_conds ? truth == 0 : truth > 0) return false;
    all = all && truth >= 0;
  }
  for (long v = 0; v < 8 && k < o->n_vars && !no; v++) at[k] = ck_int(R->T, v), no = violated(R, o, k + 1, at);
  return all || no;
}

/* Whether there are sizes that satisfy everything: the stated ones (it dies if they contradict something), or small ones where none are stated.
 * Contradictory relations would prove anything, so a candidate that adds relations must leave sizes that are found here. */
static bool witness(ck_reader *R, const ck_side *spec, const ck_side *cand) {
  ids rel = {0}, open = {0};
  ck_id at[CK_MAX_CONDS];
  bool known;
  for (uint32_t i = 0; i < R->n_sizes; i++) if (!R->size[i].stated) add(R, &open, i);
  for (uint32_t i = 0; i < R->n_rels; i++) add(R, &rel, R->rel[i].rel);
  for (uint32_t i = 0; i < spec->n_obligs; i++) if (!spec->oblig[i].n_vars && !spec->oblig[i].n_conds) add(R, &rel, spec->oblig[i].rel);
  uint32_t bad = first_false(R, &rel, &known);
  const ck_file *f = bad < R->n_rels && R->rel[bad].cand ? cand->f : spec->f;
  if (bad < rel.n) ck_die_showing(R, f, f->tok, "the stated sizes contradict", rel.v[bad]);
  bool found = known, restricted = false;
  for (uint32_t i = 0; i < R->n_rels; i++) restricted = restricted || R->rel[i].at;
  for (uint32_t i = 0; i < open.n; i++) R->size[open.v[i]].stated = true;
  for (uint32_t t = 0; !found && t < 4096 && (open.n >= 6 || t >> 2 * open.n == 0); t++) {
    for (uint32_t i = 0; i < open.n; i++) R->size[open.v[i]].value = R->size[open.v[i]].least + (long)(i < 6 ? t >> 2 * i & 3 : 0);
    found = first_false(R, &rel, &known) == rel.n && known;
    for (uint32_t i = 0; restricted && found && i < spec->n_obligs; i++) R->work = 0, found = !violated(R, &spec->oblig[i], 0, at);
  }
  if (!found && restricted) ck_die(R, cand->f, cand->f->tok, "no sizes are known to satisfy the relations: state values for all of them");
  return found;
}

/* --- goals */
/* the goal kind + name, or kind + k if the name is NULL: rel, from the base and the conditions */
static void goal(ck_reader *R, ck_claim *c, const char *kind, const char *name, uint32_t k, ck_id rel, const ids *base, const ck_id *cond, uint32_t n_conds) {
  ids all = {0};
  size_t room = strlen(kind) + (name ? strlen(name) : 0) + 90;
  char *text = malloc(room);
  if (((uint64_t)base->n + n_conds) * (c->n_goals + 1u) > 20000000) ck_die(R, NULL, NULL, "the claim is too large");
  add_all(R, &all, base->v, base->n), add_all(R, &all, cond, n_conds), sort_unique(&all);
  if (!text || !(c->goals = realloc(c->goals, (c->n_goals + 1) * sizeof *c->goals))) abort();
  if (name) snprintf(text, room, "%s%s%s%s", kind, name, R->rule ? "@" : "", R->rule ? c->cand_sha : ""); /* binds a certificate to the rule's text */
  else snprintf(text, room, "%s%u", kind, (unsigned)k);
  c->goals[c->n_goals++] = (ck_goal){text, copy(&all), all.n, rel};
}

/* extents and elements of an output */
static void output_goals(ck_reader *R, ck_claim *c, const ids *hyps, const ck_tensor *z, const ck_side *cand) {
  const ck_tensor *y = ck_find_tensor(cand->output, cand->n_outputs, z->name);
  char kind[CK_MAX_NAME + 20];
  if (!y) ck_die(R, cand->f, cand->f->tok, "the output %s is not defined", z->name);
  if (y->rank != z->rank) ck_die(R, cand->f, cand->f->tok, "the output %s has %u axes, not %u", z->name, z->rank, y->rank);
  snprintf(kind, sizeof kind, "shape.%s.", z->name);
  for (uint32_t i = 0; i < z->rank; i++) goal(R, c, kind, NULL, i, ck_two(R, CK_EQ, z->dim[i], y->dim[i]), hyps, NULL, 0);
  for (uint32_t i = 0; i < z->rank; i++) ck_push_index(R, ck_ix(R, 'i', i), z->dim[i]);
  goal(R, c, "eq.", z->name, 0, ck_two(R, CK_EQ, z->elem, y->elem), hyps, R->cond, R->n_conds);
  R->n_conds = 0, R->n_ivars = 0;
}

static void state_goals(ck_reader *R, ck_claim *c, const ck_side *spec, const ck_side *cand) {
  ids hyps = {0}, need = {0}, sizes = {0}, rels = {0};
  if (cand->n_outputs != spec->n_outputs) ck_die(R, cand->f, cand->f->tok, "the given program has %u outputs", spec->n_outputs);
  for (uint32_t i = 0; i < R->n_sizes; i++) add(R, &sizes, R->size[i].var);
  for (uint32_t i = 0; i < R->n_rels; i++) add(R, &rels, R->rel[i].rel);
  add_all(R, &hyps, rels.v, rels.n);
  for (uint32_t i = 0; i < spec->n_obligs; i++) add(R, &hyps, clause(R, &spec->oblig[i]));
  sort_unique(&hyps);
  for (uint32_t i = 0; i < spec->n_outputs; i++) output_goals(R, c, &hyps, spec->output[i], cand);
  for (uint32_t i = 0; i < cand->n_obligs; i++) add(R, &need, clause(R, &cand->oblig[i]));
  bool *met = ck_keep(R, ck_size(R->T) * sizeof *met);
  for (uint32_t i = 0, n = 0; i < cand->n_obligs; i++) {
    const ck_oblig *o = &cand->oblig[i];
    if (!met[need.v[i]]) goal(R, c, "call", NULL, n++, o->rel, &hyps, o->cond, o->n_conds);
    met[need.v[i]] = true;
  }
  c->hyps = copy(&hyps), c->n_hyps = hyps.n, c->sizes = copy(&sizes), c->n_sizes = sizes.n, c->rels = copy(&rels), c->n_rels = rels.n;
}

/* --- words for people */
static void show_tensors(FILE *out, ck_terms *T, const char *before, ck_tensor *const *t, uint32_t n, const char *const *type) {
  fputs(before, out);
  for (uint32_t k = 0; k < n; k++) {
    fprintf(out, " %s[", t[k]->name);
    for (uint32_t i = 0; i < t[k]->rank; i++) ck_print(out, T, i ? ", " : "", t[k]->dim[i], "");
    fprintf(out, "]%s", type ? type[k] : "");
  }
}

static char *theorem(ck_reader *R, const ck_side *spec, const ck_side *cand, bool has_witness) {
  char *text = NULL; size_t n = 0;
  FILE *out = open_memstream(&text, &n);
  if (!out) abort();
  fputs(R->n_sizes ? "For all integers" : "For", out);
  for (uint32_t i = 0; i < R->n_sizes; i++) fprintf(out, " %s%s", R->size[i].name, i + 1 < R->n_sizes ? "," : " with\n");
  for (uint32_t i = 0; i < R->n_rels; i++) ck_print(out, R->T, R->rel[i].cand ? "  (candidate) " : "  ", R->rel[i].rel, "\n");
  show_tensors(out, R->T, R->n_sizes ? "and all inputs" : " all inputs", spec->input, spec->n_inputs, R->rule ? spec->dtype : NULL);
  fprintf(out, "\nat which %s is defined:\n%s ", spec->name, cand->name);
  show_tensors(out, R->T, "has the outputs", spec->output, spec->n_outputs, NULL);
  fprintf(out, " of the same extents, is defined and stays within its tensors, and every element equals that of %s.\n", spec->name);
  if (spec->n_obligs) fprintf(out, "It is defined (all tensors that it computes are) where%s\n", R->rule ? ", and it is assumed that" : "");
  for (uint32_t i = 0; i < spec->n_obligs; i++) ck_print(out, R->T, "  ", clause(R, &spec->oblig[i]), "\n");
  for (uint32_t i = 0; i < R->n_sizes; i++)
    if (*R->size[i].name == '.') fprintf(out, "%s stands for any number of axes, also none, of any extents.\n", R->size[i].name);
  for (ck_func_def *g = R->funcs; g; g = g->next)
    if (g->used) fprintf(out, "%s may be any function that is defined everywhere.\n", g->name);
  fputs(has_witness ? "Not vacuous as to sizes: there are some that satisfy these relations, those stated in the files if all are.\n"
                    : "No sizes were found that satisfy these relations: the theorem may be vacuous.\n", out);
  fputs("Inputs of which nothing else is said are real numbers, and so is the arithmetic: rounding is outside of the theorem.\n", out);
  fclose(out);
  return text;
}

/* the operators used, with the hash of their text and that of the functions that it names */
static void relied(ck_reader *R, ck_claim *c) {
  for (const ck_op_def *o = R->ops; o; o = o->next) {
    if (!o->used) continue;
    size_t len = o->to - o->from, room = len;
    for (uint32_t i = 0; i < o->n_fn; i++) room += 1 + o->fn[i]->to - o->fn[i]->from;
    char *text = memcpy(ck_keep(R, room), o->f->text + o->from, len), hex[65];
    for (uint32_t i = 0; i < o->n_fn; len += o->fn[i]->to - o->fn[i]->from, i++)
      text[len++] = '\n', memcpy(text + len, o->fn[i]->f->text + o->fn[i]->from, o->fn[i]->to - o->fn[i]->from);
    ck_sha256(text, len, hex);
    if (!(c->relied = realloc(c->relied, (c->n_relied + 1) * sizeof *c->relied))) abort();
    c->relied[c->n_relied].name = strdup(o->name), c->relied[c->n_relied++].sha256 = strdup(hex);
  }
}

/* --- files */
static void open_file(ck_reader *R, ck_file *f, const ck_text *t) {
  *f = (ck_file){.name = t->name, .len = t->len};
  char *text = t->text ? NULL : ck_read_file(t->name, CK_MAX_TEXT + 1, &f->len);
  if (!t->text && !text) ck_die(R, f, NULL, "cannot be read: %s", strerror(errno));
  f->text = memcpy(ck_keep(R, f->len + 1), text ? text : t->text, f->len); /* ended by a 0 */
  free(text);
  ck_lex(R, f);
}

typedef struct { ck_file *f; uint32_t n, cap; } sem_files;

/* reads the files that a program uses, unless they are given; on_disk: it may name files */
static void used_files(ck_reader *R, const ck_file *prog, bool on_disk, sem_files *sem) {
  R->f = prog, R->at = 0;
  for (; ck_accept(R, "use"); ck_newline(R)) {
    const ck_tok *t = ck_cur(R);
    if (t->kind != CK_T_STR) ck_die_here(R, "the name of a file expected, in quotes");
    const char *slash = strrchr(prog->name, '/');
    size_t room = strlen(prog->name) + t->len + 1;
    char *path = ck_keep(R, room);
    snprintf(path, room, "%.*s%.*s", t->s[1] == '/' || !slash ? 0 : (int)(slash - prog->name) + 1, prog->name, (int)t->len - 2, t->s + 1);
    uint32_t i = 0;
    while (i < sem->n && strcmp(sem->f[i].name, path)) i++;
    if (i == sem->n && (!on_disk || sem->n == sem->cap)) ck_die(R, prog, t, "the file %s is not given, or too many are", path);
    if (i == sem->n) open_file(R, &sem->f[sem->n++], &(ck_text){.name = path});
    R->at++;
  }
}

/* whether SPEC holds rules, of which CANDIDATE names one: R->rule; true if its sides are to be exchanged */
static bool rule_name(ck_reader *R, const char *spec, const char *cand) {
  static const char suffix[] = ".rule", back[] = ".reverse";
  size_t n = strlen(spec), m = strlen(cand), s = sizeof suffix - 1, b = sizeof back - 1;
  if (n <= s || strcmp(spec + n - s, suffix)) return false;
  bool backward = m > b && !strcmp(cand + m - b, back);
  R->rule = memcpy(ck_keep(R, m + 1), cand, backward ? m - b : m);
  return backward;
}

static bool built(ck_reader *R, ck_claim *c, const ck_text *spec, const ck_text *cand, const ck_text *sem, uint32_t n_sem) {
  if (setjmp(R->fail)) return false;
  ck_file *fs = ck_keep(R, 2 * sizeof *fs);
  ck_side *given = ck_keep(R, sizeof *given), *other = ck_keep(R, sizeof *other);
  sem_files s = {.f = ck_keep(R, (n_sem + 64) * sizeof *s.f), .cap = n_sem + 64};
  bool backward = rule_name(R, spec->name, cand->name);
  for (uint32_t i = 0; i < n_sem; i++) open_file(R, &s.f[s.n++], &sem[i]);
  open_file(R, &fs[0], spec), used_files(R, &fs[0], !spec->text, &s);
  if (!R->rule) open_file(R, &fs[1], cand), used_files(R, &fs[1], !cand->text, &s);
  given->f = &fs[0], other->f = &fs[!R->rule], other->cand = true;
  memcpy(c->spec_sha, fs[0].sha, 65), memcpy(c->cand_sha, other->f->sha, 65);
  for (uint32_t i = 0, k; i < s.n; i++) { /* the same text under two names is one file */
    for (k = 0; strcmp(s.f[k].sha, s.f[i].sha);) k++;
    if (k == i) ck_read_sem(R, &s.f[i]);
  }
  if (R->rule) {
    R->rule_at = 0, ck_read_sem(R, &fs[0]); /* a rule of that name in another file is none */
    uint32_t end = ck_read_rule(R, given, backward ? other : given, backward ? given : other), from = fs[0].tok[R->rule_at - 1].off;
    ck_sha256(fs[0].text + from, end - from, c->cand_sha);
    given->name = backward ? "the right side" : "the left side", other->name = backward ? "the left side" : "the right side";
  } else ck_read_graph(R, given, NULL), ck_read_graph(R, other, given);
  R->at_file = NULL, R->at_tok = NULL;
  c->witness = witness(R, given, other);
  state_goals(R, c, given, other);
  c->theorem = theorem(R, given, other, c->witness);
  relied(R, c);
  return true;
}

ck_claim *ck_claim_texts(ck_terms *T, const ck_text *spec, const ck_text *cand, const ck_text *sem, uint32_t n_sem, ck_msg *msg) {
  ck_reader *R = calloc(1, sizeof *R);
  ck_claim *c = calloc(1, sizeof *c);
  if (!R || !c) abort();
  R->T = T, R->msg = msg, *msg = (ck_msg){0};
  bool ok = built(R, c, spec, cand, sem, n_sem);
  ck_keep_none(R), free(R);
  return ok ? c : (ck_claim_free(c), NULL);
}

ck_claim *ck_claim_read(ck_terms *T, const char *spec, const char *cand, const char *const *sem, uint32_t n_sem, ck_msg *msg) {
  ck_text *s = calloc(n_sem + 1u, sizeof *s);
  if (!s) abort();
  for (uint32_t i = 0; i < n_sem; i++) s[i].name = sem[i];
  ck_claim *c = ck_claim_texts(T, &(ck_text){.name = spec}, &(ck_text){.name = cand}, s, n_sem, msg);
  return free(s), c;
}

void ck_claim_free(ck_claim *c) {
  if (!c) return;
  for (uint32_t i = 0; i < c->n_goals; i++) free(c->goals[i].name), free(c->goals[i].allowed);
  for (uint32_t i = 0; i < c->n_relied; i++) free(c->relied[i].name), free(c->relied[i].sha256);
  free(c->goals), free(c->hyps), free(c->sizes), free(c->rels), free(c->theorem), free(c->relied), free(c);
}
