/* From the user's files to goals and allowed hypotheses (proofs/RULES.md section 4, semantics/SEMANTICS.md section 4). */
#include "ck_read.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* for all vars, conds imply rel; the bare relation if there are neither */
static ck_id clause(ck_reader *R, const ck_oblig *o) {
  ck_id kid[CK_MAX_CONDS + 1];
  if (!o->n_vars && !o->n_conds) return o->rel;
  for (uint32_t i = 0; i <= o->n_conds; i++) kid[i] = ck_ok(R, ck_close(R->T, i < o->n_conds ? o->cond[i] : o->rel, o->var, o->n_vars));
  return ck_ok(R, ck_all(R->T, o->n_vars, kid, o->n_conds + 1));
}

/* --- goals */
static int by_number(const void *a, const void *b) { return *(const ck_id *)a < *(const ck_id *)b ? -1 : *(const ck_id *)a > *(const ck_id *)b; }

/* the set of these formulas, which are sorted */
static uint32_t set_of(ck_reader *R, ck_id *v, uint32_t n) {
  uint32_t m = 0;
  qsort(v, n, sizeof *v, by_number);
  for (uint32_t i = 0; i < n; i++) if (!m || v[m - 1] != v[i]) v[m++] = v[i];
  return ck_set(R->T, v, m);
}

/* the goal of that name: rel, under the hypotheses of the claim and those conditions */
static void goal(ck_reader *R, ck_claim *c, uint32_t hyps, ck_id rel, ck_id *cond, uint32_t n_conds, const char *fmt, ...) {
  char name[2 * CK_MAX_NAME + 100];
  va_list ap;
  va_start(ap, fmt), vsnprintf(name, sizeof name, fmt, ap), va_end(ap);
  if (((uint64_t)c->hyps.n + n_conds) * (c->n_goals + 1u) > 20000000) ck_die(R, R->stmt, "the claim is too large");
  ck_ids allowed = ck_members(R->T, ck_union(R->T, hyps, set_of(R, cond, n_conds)));
  c->goals[c->n_goals++] = (ck_goal){ck_word_text(R->T, ck_word(R->T, name)), allowed.x, allowed.n, rel};
}

/* extents and elements of an output */
static void output_goals(ck_reader *R, ck_claim *c, uint32_t hyps, const ck_tensor *z, const ck_side *cand) {
  const ck_tensor *y = cand->mug ? ck_find_tensor(cand->tensor, cand->n_tensors, z->name) : ck_find_tensor(cand->output, cand->n_outputs, z->name);
  if (!y) ck_die(R, cand->f->tok, "the output %s is not defined", z->name);
  if (y->rank != z->rank) ck_die(R, cand->f->tok, "the output %s has %u axes, not %u", z->name, z->rank, y->rank);
  for (uint32_t i = 0; i < z->rank; i++) goal(R, c, hyps, ck_two(R, CK_EQ, z->dim[i], y->dim[i]), R->cond, 0, "shape.%s.%u", z->name, (unsigned)i);
  for (uint32_t i = 0; i < z->rank; i++) ck_push_index(R, ck_ix(R, 'i', i), z->dim[i]);
  ck_id equal = ck_two(R, CK_EQ, z->elem, y->elem); /* a rule's text is named by its hash: so a certificate is bound to it */
  goal(R, c, hyps, equal, R->cond, R->n_conds, "eq.%s%s%s", z->name, R->rule ? "@" : "", R->rule ? c->cand_sha : "");
  R->n_conds = 0, R->n_ivars = 0;
}

static void state_goals(ck_reader *R, ck_claim *c, const ck_side *spec, const ck_side *cand) {
  ck_id *hyp = ck_keep(R, (R->n_rels + spec->n_obligs + 1) * sizeof *hyp);
  if (!cand->mug && cand->n_outputs != spec->n_outputs) ck_die(R, cand->f->tok, "the given program has %u outputs", spec->n_outputs);
  for (uint32_t i = 0; i < spec->n_obligs; i++) hyp[i] = clause(R, &spec->oblig[i]);
  for (uint32_t i = 0; i < R->n_rels; i++) hyp[spec->n_obligs + i] = R->rel[i].rel;
  uint32_t rels = set_of(R, hyp + spec->n_obligs, R->n_rels), hyps = ck_union(R->T, rels, set_of(R, hyp, spec->n_obligs));
  c->rels = ck_members(R->T, rels), c->hyps = ck_members(R->T, hyps);
  c->goals = ck_keep(R, ((CK_MAX_RANK + 1) * spec->n_outputs + cand->n_obligs + 1) * sizeof *c->goals);
  for (uint32_t i = 0; i < spec->n_outputs; i++) output_goals(R, c, hyps, spec->output[i], cand);
  ck_id *need = ck_keep(R, (cand->n_obligs + 1) * sizeof *need);
  for (uint32_t i = 0; i < cand->n_obligs; i++) need[i] = clause(R, &cand->oblig[i]);
  bool *met = ck_keep(R, ck_size(R->T) * sizeof *met);
  for (uint32_t i = 0, n = 0; i < cand->n_obligs; i++) {
    const ck_oblig *o = &cand->oblig[i];
    if (!met[need[i]]) goal(R, c, hyps, o->rel, o->cond, o->n_conds, "call%u", (unsigned)n++);
    met[need[i]] = true;
  }
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

static char *theorem(ck_reader *R, const ck_side *spec, const ck_side *cand) {
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
  ck_show_functions(R, out);
  fputs("Inputs of which nothing else is said are real numbers, and so is the arithmetic: rounding is outside of the theorem.\n"
        "That there are sizes and inputs as it asks for is not part of it.\n", out);
  fclose(out);
  return text;
}

/* --- files */
static void open_file(ck_reader *R, ck_file *f, const ck_text *t) {
  *f = (ck_file){.name = t->name, .len = t->len};
  char *text = t->text ? NULL : ck_read_file(t->name, CK_MAX_TEXT + 1, &f->len);
  if (!t->text && !text) ck_die(R, &(ck_tok){.f = f}, "cannot be read: %s", strerror(errno));
  f->text = memcpy(ck_keep(R, f->len + 1), text ? text : t->text, f->len); /* ended by a 0 */
  free(text);
  ck_lex(R, f);
}

typedef struct { ck_file *f; uint32_t n, cap; } files;

/* reads the files that a program uses, unless they are given; on_disk: it may name files */
static void used_files(ck_reader *R, ck_file *prog, bool on_disk, files *sem) {
  for (R->at = prog->tok; ck_accept(R, "use"); ck_newline(R), prog->tok += 3) {
    const ck_tok *t = R->at++;
    if (t->kind != CK_T_STR) ck_die(R, t, "the name of a file expected, in quotes");
    const char *slash = strrchr(prog->name, '/');
    size_t room = strlen(prog->name) + strlen(t->s) + 1;
    char *path = ck_keep(R, room);
    snprintf(path, room, "%.*s%.*s", t->s[1] == '/' || !slash ? 0 : (int)(slash - prog->name) + 1, prog->name, (int)strlen(t->s) - 2, t->s + 1);
    uint32_t i = 0;
    while (i < sem->n && strcmp(sem->f[i].name, path)) i++;
    if (i == sem->n && (!on_disk || sem->n == sem->cap)) ck_die(R, t, "the file %s is not given, or too many are", path);
    if (i == sem->n) open_file(R, &sem->f[sem->n++], &(ck_text){.name = path});
  }
}

/* reads the files from this one on; the same text under two names is one file */
static void definitions(ck_reader *R, const files *sem, uint32_t from) {
  for (uint32_t i = from, k; i < sem->n; i++) {
    for (k = 0; strcmp(sem->f[k].sha, sem->f[i].sha);) k++;
    if (k == i) R->side = NULL, ck_read_sem(R, &sem->f[i]);
  }
}

/* whether SPEC holds rules, of which CANDIDATE names one: R->rule; *backward: its sides are to be exchanged */
static bool rule_name(ck_reader *R, const char *spec, const char *cand, bool *backward) {
  const char *suffix = strrchr(spec, '.'), *back = strrchr(cand, '.');
  if (!suffix || strcmp(suffix, ".rule")) return false;
  *backward = back && !strcmp(back, ".reverse");
  R->rule = strncpy(ck_keep(R, strlen(cand) + 1), cand, *backward ? (size_t)(back - cand) : strlen(cand));
  return true;
}

static void build(ck_reader *R, ck_claim *c, const ck_text *spec, const ck_text *cand, const ck_text *sem, uint32_t n_sem) {
  if (setjmp(R->fail)) return; /* ck_die came here */
  ck_file *fs = ck_keep(R, 2 * sizeof *fs);
  ck_side *given = ck_keep(R, sizeof *given), *other = ck_keep(R, sizeof *other);
  files s = {.f = ck_keep(R, (n_sem + 64) * sizeof *s.f), .cap = n_sem + 64};
  bool backward = false, rule = rule_name(R, spec->name, cand->name, &backward);
  given->f = &fs[0], other->f = &fs[!rule], other->cand = true;
  for (uint32_t i = 0; i < n_sem; i++) open_file(R, &s.f[s.n++], &sem[i]);
  open_file(R, &fs[0], spec), used_files(R, &fs[0], !spec->text, &s), definitions(R, &s, 0);
  memcpy(c->spec_sha, fs[0].sha, 65);
  if (rule) {
    R->rule_at = NULL, ck_read_sem(R, &fs[0]); /* a rule of that name in another file is none */
    const char *end = ck_read_rule(R, given, backward ? other : given, backward ? given : other), *from = R->rule_at[-1].from;
    ck_sha256(from, (size_t)(end - from), c->cand_sha);
    given->name = backward ? "the right side" : "the left side", other->name = backward ? "the left side" : "the right side";
  } else {
    uint32_t known = s.n; /* what the candidate brings along is not known to the given program */
    ck_read_graph(R, given, NULL);
    open_file(R, &fs[1], cand), used_files(R, &fs[1], !cand->text, &s), definitions(R, &s, known);
    memcpy(c->cand_sha, fs[1].sha, 65);
    ck_read_graph(R, other, given);
  }
  state_goals(R, c, given, other);
  c->theorem = theorem(R, given, other);
  ck_relied(R, c);
}

ck_claim *ck_claim_texts(ck_terms *T, const ck_text *spec, const ck_text *cand, const ck_text *sem, uint32_t n_sem, ck_msg *msg) {
  ck_reader *R = calloc(1, sizeof *R);
  ck_claim *c = calloc(1, sizeof *c);
  if (!R || !c) abort();
  R->T = T, R->msg = msg, *msg = (ck_msg){0};
  build(R, c, spec, cand, sem, n_sem);
  c->mem = R->mem, free(R);
  if (msg->text) ck_claim_free(c);
  return msg->text ? NULL : c;
}

void ck_claim_free(ck_claim *c) { if (c) free(c->theorem), ck_keep_none(c->mem), free(c); }
