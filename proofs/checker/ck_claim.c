/* From two files to goals and allowed hypotheses (proofs/RULES.md section 4, semantics/SEMANTICS.md section 4). */
#include "ck_read.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- sets of pairs of numbers, with a number for each, and growing lists */
typedef struct { uint64_t *key; uint32_t *val, cap, n; } table;
typedef struct { ck_id *v; uint32_t n; } ids;

/* where the pair is kept, or would be */
static uint32_t slot(const table *t, uint64_t key) {
  uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (t->cap - 1);
  while (t->key[i] && t->key[i] != key) i = (i + 1) & (t->cap - 1);
  return i;
}

static uint64_t pair(uint32_t a, uint32_t b) { return ((uint64_t)a << 32 | b) + 1; }
static bool has(const table *t, uint32_t a, uint32_t b) { return t->cap && t->key[slot(t, pair(a, b))]; }

/* the number kept for the pair, entered as `val` if new */
static uint32_t lookup(ck_reader *R, table *t, uint32_t a, uint32_t b, uint32_t val) {
  if (2 * t->n >= t->cap) {
    table old = *t;
    t->cap = old.cap ? 2 * old.cap : 256;
    t->key = ck_keep(R, t->cap * sizeof *t->key), t->val = ck_keep(R, t->cap * sizeof *t->val);
    for (uint32_t i = 0, k; i < old.cap; i++) if (old.key[i]) k = slot(t, old.key[i]), t->key[k] = old.key[i], t->val[k] = old.val[i];
  }
  uint32_t i = slot(t, pair(a, b));
  if (!t->key[i]) t->key[i] = pair(a, b), t->val[i] = val, t->n++;
  return t->val[i];
}

static bool enters(ck_reader *R, table *t, uint32_t a, uint32_t b) { /* whether the pair is new */
  uint32_t n = t->n;
  lookup(R, t, a, b, 0);
  return t->n > n;
}

static void add(ck_reader *R, ids *s, ck_id t) { s->v = ck_grow(R, s->v, s->n, sizeof *s->v); s->v[s->n++] = t; }
static void add_all(ck_reader *R, ids *s, const ck_id *v, uint32_t n) { for (uint32_t i = 0; i < n; i++) add(R, s, v[i]); }

static int by_number(const void *a, const void *b) {
  ck_id x = *(const ck_id *)a, y = *(const ck_id *)b;
  return x < y ? -1 : x > y;
}

static void sort_unique(ids *s) {
  uint32_t n = 0;
  if (s->n) qsort(s->v, s->n, sizeof *s->v, by_number);
  for (uint32_t i = 0; i < s->n; i++) if (!n || s->v[n - 1] != s->v[i]) s->v[n++] = s->v[i];
  s->n = n;
}

/* for all vars, conds imply rel; the bare relation if there are neither */
static ck_id clause(ck_reader *R, const ck_oblig *o) {
  ids kid = {0};
  if (!o->n_vars && !o->n_conds) return o->rel;
  for (uint32_t i = 0; i < o->n_conds; i++) add(R, &kid, ck_ok(R, ck_close(R->T, o->cond[i], o->var, o->n_vars)));
  add(R, &kid, ck_ok(R, ck_close(R->T, o->rel, o->var, o->n_vars)));
  return ck_ok(R, ck_all(R->T, o->n_vars, kid.v, kid.n));
}

/* --- definedness of a term.  A scope is a branch of an ite or the body of a fold within another scope; scope 0 is everywhere.  In the body of a
 * fold the states stand as the folds up to the counter (skip); these are not walked again, being defined if the body is at every earlier iteration. */
typedef struct { uint32_t parent, level, n_conds, n_skip; ck_id cond[2], var, *skip; } scope;
typedef struct {
  ck_reader *R;
  scope *sc; uint32_t n;
  table seen, scopes, known;                  /* (term, scope), (parent, branch or fold), clauses */
  ck_oblig *out; uint32_t n_out;
} walk;

static void defined(walk *w, ck_id t, uint32_t in);

static uint32_t enter(walk *w, uint32_t parent, ck_id why, scope s) {
  uint32_t k = lookup(w->R, &w->scopes, parent, why, w->n);
  if (k < w->n) return k;
  w->sc = ck_grow(w->R, w->sc, w->n, sizeof *w->sc);
  s.parent = parent, s.level = (w->n ? w->sc[parent].level : 0) + (s.var != CK_BAD);
  w->sc[w->n] = s;
  return w->n++;
}

static void need(walk *w, uint32_t in, ck_op op, ck_id a, ck_id b) {
  ck_reader *R = w->R;
  ids path = {0}, cond = {0}, var = {0};
  ck_id rel = ck_two(R, op, a, b);
  for (uint32_t s = in; s; s = w->sc[s].parent) add(R, &path, s);
  while (path.n) { /* outermost scope first */
    const scope *s = &w->sc[path.v[--path.n]];
    add_all(R, &cond, s->cond, s->n_conds);
    if (s->var != CK_BAD) add(R, &var, s->var);
  }
  ck_oblig o = {var.v, var.n, cond.v, cond.n, rel};
  if (ck_trivial(R, rel, cond.v, cond.n) || !enters(R, &w->known, clause(R, &o), 0)) return;
  if (w->n_out == CK_MAX_OBLIGATIONS) ck_die(R, NULL, NULL, "more than %d conditions of definedness", CK_MAX_OBLIGATIONS);
  w->out = ck_grow(R, w->out, w->n_out, sizeof o);
  w->out[w->n_out++] = o;
}

static void defined_fold(walk *w, ck_id t, uint32_t in) {
  ck_reader *R = w->R;
  ck_terms *T = R->T;
  uint32_t width = ck_width(T, t), nk = ck_nkids(T, t);
  ck_id *kid = ck_keep(R, nk * sizeof *kid), *val = ck_keep(R, (width + 1) * sizeof *val);
  for (uint32_t i = 0; i < nk; i++) kid[i] = ck_kid(T, t, i);
  for (uint32_t i = 0; i <= width; i++) defined(w, kid[i], in);
  ck_id n = kid[0], k = ck_ix(R, 'd', w->sc[in].level);
  kid[0] = val[0] = k;
  for (uint32_t q = 0; q < width; q++) val[1 + q] = ck_ok(R, ck_fold(T, q, width, kid));
  scope s = {.n_conds = 2, .var = k, .n_skip = width, .skip = val + 1};
  s.cond[0] = ck_two(R, CK_LE, ck_int(T, 0), k), s.cond[1] = ck_two(R, CK_LT, k, n);
  uint32_t inner = enter(w, in, t, s);
  for (uint32_t q = 0; q < width; q++) defined(w, ck_ok(R, ck_open(T, kid[1 + width + q], val, width + 1)), inner);
}

/* A term met in an enclosing scope is not walked again: what it needs there is needed under fewer conditions. */
static void defined(walk *w, ck_id t, uint32_t in) {
  ck_terms *T = w->R->T;
  ck_op op = ck_head(T, t);
  for (uint32_t s = in;; s = w->sc[s].parent) {
    for (uint32_t i = 0; i < w->sc[s].n_skip; i++) if (w->sc[s].skip[i] == t) return;
    if (s != in && has(&w->seen, t, s)) return;
    if (!s) break;
  }
  if (!enters(w->R, &w->seen, t, in)) return;
  if (w->seen.n > CK_MAX_TERMS) ck_die(w->R, NULL, NULL, "the claim takes more than %d steps to state", CK_MAX_TERMS);
  if (op == CK_FOLD) { defined_fold(w, t, in); return; }
  if (op == CK_ITE) {
    ck_id c = ck_kid(T, t, 0), when[2] = {c, ck_ok(w->R, ck_neg(T, c))};
    defined(w, ck_kid(T, c, 0), in), defined(w, ck_kid(T, c, 1), in);
    for (uint32_t i = 0; i < 2; i++)
      defined(w, ck_kid(T, t, 1 + i), enter(w, in, when[i], (scope){.n_conds = 1, .cond = {when[i]}, .var = CK_BAD}));
    return;
  }
  ck_id zero = ck_int(T, 0);
  for (uint32_t i = 0; i < ck_nkids(T, t); i++) defined(w, ck_kid(T, t, i), in);
  if (op == CK_INV) need(w, in, CK_NE, ck_kid(T, t, 0), zero);
  if (op == CK_SQRT) need(w, in, CK_LE, zero, ck_kid(T, t, 0));
  if (op == CK_LOG) need(w, in, CK_LT, zero, ck_kid(T, t, 0));
  if (op == CK_DIV || op == CK_MOD) need(w, in, CK_LT, zero, ck_kid(T, t, 1));
}

static walk *definedness(ck_reader *R, ck_id t) {
  walk *w = ck_keep(R, sizeof *w);
  w->R = R, enter(w, 0, CK_BAD, (scope){.var = CK_BAD}), defined(w, t, 0);
  return w;
}

/* --- the stated concrete sizes */
/* a size term with the stated values put in: a constant if they all are stated and no divisor is 0 or less */
static ck_id with_values(ck_reader *R, ck_id t) {
  ck_op op = ck_head(R->T, t);
  for (uint32_t i = 0; op == CK_V && i < R->n_sizes; i++)
    if (R->size[i].var == t && R->size[i].stated) return ck_ok(R, ck_int(R->T, R->size[i].value));
  if ((op != CK_ADD && op != CK_MUL && op != CK_DIV && op != CK_MOD) || ++R->work > CK_MAX_WORK) return t;
  ck_id a = with_values(R, ck_kid(R->T, t, 0)), b = with_values(R, ck_kid(R->T, t, 1));
  return op == CK_ADD ? ck_plus(R, a, b) : op == CK_MUL ? ck_times(R, a, b) : ck_divmod(R, op, a, b);
}

/* The place of the first relation that the values make false, n if none; *known: that they say so of each. */
static uint32_t first_false(ck_reader *R, const ids *rel, bool *known) {
  ck_terms *T = R->T;
  R->work = 0, *known = true;
  for (uint32_t i = 0; i < rel->n; i++) {
    ck_id a = with_values(R, ck_kid(T, rel->v[i], 0)), b = with_values(R, ck_kid(T, rel->v[i], 1)), r = ck_two(R, ck_head(T, rel->v[i]), a, b);
    if (ck_truth(R, r) < 0) *known = false;
    else if (!ck_truth(R, r)) return i;
  }
  return rel->n;
}

/* Whether there are sizes that satisfy everything: the stated ones (it dies if they contradict something), or small ones where none are stated.
 * Contradictory relations would prove anything, so a candidate that adds relations must leave sizes that are found here. */
static bool witness(ck_reader *R, const ck_side *spec, const ck_side *cand) {
  ids rel = {0}, open = {0};
  bool known;
  for (uint32_t i = 0; i < R->n_sizes; i++) if (!R->size[i].stated) add(R, &open, i);
  for (uint32_t i = 0; i < R->n_rels; i++) add(R, &rel, R->rel[i].rel);
  for (uint32_t i = 0; i < spec->n_obligs; i++) if (!spec->oblig[i].n_vars && !spec->oblig[i].n_conds) add(R, &rel, spec->oblig[i].rel);
  uint32_t bad = first_false(R, &rel, &known);
  const ck_file *f = bad < R->n_rels && R->rel[bad].cand ? cand->f : spec->f;
  if (bad < rel.n) ck_die_showing(R, f, f->tok, "the stated sizes contradict", rel.v[bad]);
  bool found = known;
  for (uint32_t i = 0; i < open.n; i++) R->size[open.v[i]].stated = true;
  for (uint32_t t = 0; !found && t < 4096 && (open.n >= 6 || t >> 2 * open.n == 0); t++) {
    for (uint32_t i = 0; i < open.n; i++) R->size[open.v[i]].value = R->size[open.v[i]].least + (long)(i < 6 ? t >> 2 * i & 3 : 0);
    found = first_false(R, &rel, &known) == rel.n && known;
  }
  if (!found && R->restricted) ck_die(R, cand->f, cand->f->tok, "no sizes are known to satisfy the relations: state values for all of them");
  return found;
}

/* --- goals */
typedef struct { ck_reader *R; ck_claim *c; ids calls, hyps; } builder;

static ck_id *copy(const ids *s) {
  ck_id *w = malloc((s->n + 1) * sizeof *w);
  if (!w) abort();
  return s->n ? memcpy(w, s->v, s->n * sizeof *w) : w;
}

/* the goal `kind` with the number k (CK_BAD: none), from the base and o's conditions */
static void goal(builder *b, const char *kind, uint32_t k, const ck_oblig *o, const ids *base) {
  ck_claim *c = b->c;
  ids all = {0};
  char name[CK_MAX_NAME + 100];
  if (((uint64_t)base->n + o->n_conds) * (c->n_goals + 1u) > 20000000) ck_die(b->R, NULL, NULL, "the claim is too large");
  add_all(b->R, &all, base->v, base->n), add_all(b->R, &all, o->cond, o->n_conds);
  sort_unique(&all);
  if (!(c->goals = realloc(c->goals, (c->n_goals + 1) * sizeof *c->goals))) abort();
  if (k == CK_BAD) snprintf(name, sizeof name, "%s", kind);
  else snprintf(name, sizeof name, "%s%u", kind, (unsigned)k);
  c->goals[c->n_goals++] = (ck_goal){strdup(name), copy(&all), all.n, o->rel};
}

/* ranges of the output indices, and what the definedness of the given program says of the element there, go to `here`; what it says for all indices
 * (with the ranges among the conditions), to the hypotheses of every goal */
static void given_defined(builder *b, const ck_tensor *z, ids *here) {
  ck_reader *R = b->R;
  ids var = {0};
  for (uint32_t i = 0; i < z->rank; i++) {
    add(R, &var, ck_ix(R, 'i', i));
    add(R, here, ck_two(R, CK_LE, ck_int(R->T, 0), var.v[i]));
    add(R, here, ck_two(R, CK_LT, var.v[i], z->dim[i]));
  }
  walk *w = definedness(R, z->elem);
  for (uint32_t i = 0, n_ranges = here->n; i < w->n_out; i++) {
    ck_oblig *o = &w->out[i];
    ids vars = {0}, conds = {0};
    if (!o->n_conds && ck_truth(R, o->rel) >= 0) ck_die(R, NULL, NULL, "the given program is never defined: %s", z->name);
    add(R, here, clause(R, o));
    add_all(R, &vars, var.v, var.n), add_all(R, &vars, o->var, o->n_vars);
    add_all(R, &conds, here->v, n_ranges), add_all(R, &conds, o->cond, o->n_conds);
    add(R, &b->hyps, clause(R, &(ck_oblig){vars.v, vars.n, conds.v, conds.n, o->rel}));
  }
}

static void output_goals(builder *b, const ck_tensor *z, const ck_tensor *y, ids *here, uint32_t *n_def) {
  ck_reader *R = b->R;
  char name[CK_MAX_NAME + 90];
  add_all(R, here, b->hyps.v, b->hyps.n);
  snprintf(name, sizeof name, "shape.%s.", z->name);
  for (uint32_t i = 0; i < z->rank; i++) goal(b, name, i, &(ck_oblig){.rel = ck_two(R, CK_EQ, z->dim[i], y->dim[i])}, &b->calls);
  walk *w = definedness(R, y->elem);
  for (uint32_t i = 0; i < w->n_out; i++) goal(b, "def", (*n_def)++, &w->out[i], here);
  snprintf(name, sizeof name, "eq.%s%s%s", z->name, R->rule ? "@" : "", R->rule ? b->c->cand_sha : ""); /* binds a certificate to the rule's text */
  goal(b, name, CK_BAD, &(ck_oblig){.rel = ck_two(R, CK_EQ, z->elem, y->elem)}, here);
}

static void state_goals(builder *b, const ck_side *spec, const ck_side *cand) {
  ck_reader *R = b->R;
  ids *here = ck_keep(R, (spec->n_outputs + 1) * sizeof *here);
  table known = {0};
  uint32_t n_def = 0, n_call = 0;
  if (cand->n_outputs != spec->n_outputs) ck_die(R, cand->f, cand->f->tok, "the given program has %u outputs", spec->n_outputs);
  for (uint32_t i = 0; i < R->n_rels; i++) add(R, &b->calls, R->rel[i].rel);
  for (uint32_t i = 0; i < spec->n_obligs; i++) add(R, &b->calls, clause(R, &spec->oblig[i]));
  add_all(R, &b->hyps, b->calls.v, b->calls.n);
  for (uint32_t i = 0; i < spec->n_outputs; i++) given_defined(b, spec->output[i], &here[i]);
  sort_unique(&b->calls), sort_unique(&b->hyps);
  for (uint32_t i = 0; i < spec->n_outputs; i++) {
    const ck_tensor *z = spec->output[i], *y = ck_find_tensor(cand->output, cand->n_outputs, z->name);
    if (!y) ck_die(R, cand->f, cand->f->tok, "the output %s is not defined", z->name);
    if (y->rank != z->rank) ck_die(R, cand->f, cand->f->tok, "the output %s has %u axes, not %u", z->name, z->rank, y->rank);
    output_goals(b, z, y, &here[i], &n_def);
  }
  for (uint32_t i = 0; i < cand->n_obligs; i++)
    if (enters(R, &known, clause(R, &cand->oblig[i]), 0)) goal(b, "call", n_call++, &cand->oblig[i], &b->hyps);
}

/* --- words for people */
static void show(FILE *out, ck_terms *T, const char *before, ck_id t, const char *after) {
  char *s = ck_show(T, t);
  fprintf(out, "%s%s%s", before, s, after);
  free(s);
}

static void show_tensors(FILE *out, ck_terms *T, ck_tensor *const *t, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    fprintf(out, " %s[", t[k]->name);
    for (uint32_t i = 0; i < t[k]->rank; i++) show(out, T, i ? ", " : "", t[k]->dim[i], "");
    fputs("]", out);
  }
}

static char *theorem(ck_reader *R, const ck_side *spec, const ck_side *cand, bool has_witness) {
  char *text = NULL;
  size_t n = 0;
  FILE *out = open_memstream(&text, &n);
  if (!out) abort();
  fputs("For all integers", out);
  for (uint32_t i = 0; i < R->n_sizes; i++) fprintf(out, "%s %s", i ? "," : "", R->size[i].name);
  fputs(" with\n", out);
  for (uint32_t i = 0; i < R->n_rels; i++) show(out, R->T, R->rel[i].cand ? "  (candidate) " : "  ", R->rel[i].rel, "\n");
  fputs("and all inputs of reals", out);
  show_tensors(out, R->T, spec->input, spec->n_inputs);
  fprintf(out, "\nat which the program %s is defined:\n%s has the outputs", spec->name, cand->name);
  show_tensors(out, R->T, spec->output, spec->n_outputs);
  fputs(" of the same extents, is defined and stays within its tensors, and every element equals that of the program.\n", out);
  if (spec->n_obligs) fputs("For the program to be defined, among others:\n", out);
  for (uint32_t i = 0; i < spec->n_obligs; i++) show(out, R->T, "  ", clause(R, &spec->oblig[i]), "\n");
  for (ck_func_def *g = R->funcs; g; g = g->next)
    if (g->used) fprintf(out, "%s may be any function that is defined everywhere.\n", g->name);
  fputs(has_witness ? "Not vacuous as to sizes: there are some that satisfy these relations, those stated in the files if all are.\n"
                    : "No sizes were found that satisfy these relations: the theorem may be vacuous.\n", out);
  fputs("The arithmetic is that of the real numbers: rounding is outside of the theorem.\n", out);
  fclose(out);
  return text;
}

static void relied(ck_reader *R, ck_claim *c) {
  for (const ck_op_def *o = R->ops; o; o = o->next) {
    if (!o->used) continue;
    char *text = NULL, hex[65];
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    if (!out) abort();
    fwrite(o->f->text + o->from, 1, o->to - o->from, out);
    for (uint32_t i = 0; i < o->n_fn; i++) fputc('\n', out), fwrite(o->fn[i]->f->text + o->fn[i]->from, 1, o->fn[i]->to - o->fn[i]->from, out);
    fclose(out);
    ck_sha256(text, len, hex);
    free(text);
    if (!(c->relied = realloc(c->relied, (c->n_relied + 1) * sizeof *c->relied))) abort();
    c->relied[c->n_relied].name = strdup(o->name), c->relied[c->n_relied++].sha256 = strdup(hex);
  }
}

/* --- files */
static void open_file(ck_reader *R, ck_file *f, const ck_text *t) {
  *f = (ck_file){.name = t->name, .text = t->text, .len = t->len};
  if (!t->text) {
    char *text = ck_read_file(t->name, CK_MAX_TEXT + 1, &f->len);
    if (!text) ck_die(R, f, NULL, "cannot be read: %s", strerror(errno));
    f->text = memcpy(ck_keep(R, f->len + 1), text, f->len);
    free(text);
  }
  ck_lex(R, f);
}

typedef struct { ck_file *f; uint32_t n, cap; } sem_files;

/* reads the files that a program uses, unless they are given; on_disk: it may name files */
static void used_files(ck_reader *R, const ck_file *prog, bool on_disk, sem_files *sem) {
  R->f = prog, R->at = 0;
  for (; ck_accept(R, "use"); ck_newline(R)) {
    const ck_tok *t = ck_cur(R);
    if (t->kind != CK_T_STR) ck_die_here(R, "the name of a file expected, in quotes");
    const char *word = ck_take(R), *slash = strrchr(prog->name, '/');
    int dir = word[1] == '/' || !slash ? 0 : (int)(slash - prog->name) + 1;
    size_t room = strlen(prog->name) + t->len + 1;
    char *path = ck_keep(R, room);
    snprintf(path, room, "%.*s%.*s", dir, prog->name, (int)t->len - 2, word + 1);
    uint32_t i = 0;
    while (i < sem->n && strcmp(sem->f[i].name, path)) i++;
    if (i < sem->n) continue;
    if (!on_disk || sem->n == sem->cap) ck_die(R, prog, t, "the file %s is not given, or too many are", path);
    open_file(R, &sem->f[sem->n++], &(ck_text){.name = path});
  }
}

/* whether SPEC holds rules, of which CANDIDATE names one: R->rule; true if its sides are to be exchanged */
static bool rule_name(ck_reader *R, const char *spec, const char *cand) {
  static const char suffix[] = ".rule", back[] = ".reverse";
  size_t n = strlen(spec), m = strlen(cand);
  if (n < sizeof suffix || strcmp(spec + n - (sizeof suffix - 1), suffix)) return false;
  bool backward = m >= sizeof back && !strcmp(cand + m - (sizeof back - 1), back);
  char *name = ck_keep(R, m + 1);
  R->rule = memcpy(name, cand, backward ? m - (sizeof back - 1) : m);
  return backward;
}

static void build(ck_reader *R, ck_claim *c, const ck_text *spec, const ck_text *cand, const ck_text *sem, uint32_t n_sem) {
  ck_file *fs = ck_keep(R, 2 * sizeof *fs);
  sem_files s = {.f = ck_keep(R, (n_sem + 64) * sizeof *s.f), .cap = n_sem + 64};
  for (uint32_t i = 0; i < n_sem; i++) open_file(R, &s.f[s.n++], &sem[i]);
  bool backward = rule_name(R, spec->name, cand->name);
  open_file(R, &fs[0], spec), used_files(R, &fs[0], !spec->text, &s);
  if (!R->rule) open_file(R, &fs[1], cand), used_files(R, &fs[1], !cand->text, &s);
  for (uint32_t i = 0, k; i < s.n; i++) { /* the same text under two names is one file */
    for (k = 0; strcmp(s.f[k].sha, s.f[i].sha);) k++;
    if (k == i) ck_parse_sem(R, &s.f[i]);
  }
  ck_side *given = ck_keep(R, sizeof *given), *other = ck_keep(R, sizeof *other);
  given->f = &fs[0], other->f = R->rule ? &fs[0] : &fs[1], other->cand = true;
  if (R->rule) {
    ck_parse_sem(R, &fs[0]);
    uint32_t end = ck_read_rule(R, given, backward ? other : given, backward ? given : other), from = fs[0].tok[R->rule_at - 1].off;
    ck_sha256(fs[0].text + from, end - from, c->cand_sha);
    given->name = backward ? "right side" : "left side", other->name = backward ? "the left side" : "the right side";
  } else ck_read_graph(R, given, NULL), ck_read_graph(R, other, given);
  R->at_file = NULL, R->at_tok = NULL;
  memcpy(c->spec_sha, fs[0].sha, 65), memcpy(c->cand_sha, R->rule ? c->cand_sha : fs[1].sha, 65);
  c->witness = witness(R, given, other);
  builder b = {.R = R, .c = c};
  state_goals(&b, given, other);
  ids sizes = {0}, rels = {0};
  for (uint32_t i = 0; i < R->n_sizes; i++) add(R, &sizes, R->size[i].var);
  for (uint32_t i = 0; i < R->n_rels; i++) add(R, &rels, R->rel[i].rel);
  c->hyps = copy(&b.hyps), c->n_hyps = b.hyps.n;
  c->sizes = copy(&sizes), c->n_sizes = sizes.n;
  c->rels = copy(&rels), c->n_rels = rels.n;
  c->theorem = theorem(R, given, other, c->witness);
  relied(R, c);
}

static bool try_build(ck_reader *R, ck_claim *c, const ck_text *spec, const ck_text *cand, const ck_text *sem, uint32_t n_sem) {
  if (setjmp(R->fail)) return false;
  build(R, c, spec, cand, sem, n_sem);
  return true;
}

ck_claim *ck_claim_texts(ck_terms *T, const ck_text *spec, const ck_text *cand, const ck_text *sem, uint32_t n_sem, ck_msg *msg) {
  ck_reader *R = calloc(1, sizeof *R);
  ck_claim *c = calloc(1, sizeof *c);
  if (!R || !c) abort();
  R->T = T, R->msg = msg;
  *msg = (ck_msg){0};
  bool ok = try_build(R, c, spec, cand, sem, n_sem);
  ck_keep_none(R), free(R);
  return ok ? c : (ck_claim_free(c), NULL);
}

ck_claim *ck_claim_read(ck_terms *T, const char *spec, const char *cand, const char *const *sem, uint32_t n_sem, ck_msg *msg) {
  ck_text a = {.name = spec}, b = {.name = cand}, *s = calloc(n_sem + 1u, sizeof *s);
  if (!s) abort();
  for (uint32_t i = 0; i < n_sem; i++) s[i].name = sem[i];
  ck_claim *c = ck_claim_texts(T, &a, &b, s, n_sem, msg);
  free(s);
  return c;
}

void ck_claim_free(ck_claim *c) {
  if (!c) return;
  for (uint32_t i = 0; i < c->n_goals; i++) free(c->goals[i].name), free(c->goals[i].allowed);
  for (uint32_t i = 0; i < c->n_relied; i++) free(c->relied[i].name), free(c->relied[i].sha256);
  free(c->goals), free(c->hyps), free(c->sizes), free(c->rels), free(c->theorem), free(c->relied), free(c);
}
