/* Replay of a certificate, line by line (FORMAT.md).  Starts from "rejected"; every token's kind is checked before a step runs. */
#include "ck_cert.h"
#include "ck_term_impl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a line's head asks for: t s n w one argument of that kind (term, step, number, word), T S any number of them; '|' separates
 * groups; in ( ) a list of members, each of the kinds inside, separated by ','. */
typedef struct { const char *head, *shape; int what; } row;
enum { HYP, USE, INST, CASES, CONG, FOLDCONG, ARITH, ANTISYM, INT, LAW, ZERO, SUCC, INDUCT };
static const row steps[CK_N_RULES] = {
    {"hyp", "t", HYP},           {"use", "s|T|S", USE},          {"inst", "s|(tt)|(wwT)|S", INST}, {"cases", "tss", CASES}, {"cong", "ttS", CONG},
    {"foldcong", "tt|T|S", FOLDCONG}, {"arith", "t|(tS)", ARITH}, {"antisym", "ss", ANTISYM},      {"int", "ts", INT},      {"law", "w|T|S", LAW},
    {"zero", "ts", ZERO},        {"succ", "tts", SUCC},          {"induct", "ttn|T|S|S|s", INDUCT}};
static const row nodes[] = {
    {"q", "nn", CK_Q},     {"v", "ww", CK_V},     {"b", "nw", CK_B},    {"+", "tt", CK_ADD},    {"*", "tt", CK_MUL},   {"div", "tt", CK_DIV}, {"mod", "tt", CK_MOD},
    {"inv", "t", CK_INV},  {"exp", "t", CK_EXP},  {"sqrt", "t", CK_SQRT}, {"log", "t", CK_LOG}, {"ite", "ttt", CK_ITE}, {"app", "wwT", CK_APP},
    {"fold", "nnT", CK_FOLD}, {"=", "tt", CK_EQ}, {"#", "tt", CK_NE},   {"<=", "tt", CK_LE},    {"<", "tt", CK_LT},    {"all", "nT", CK_ALL}};
enum { MAX_DIGITS = 10000, MAX_WORD = 255, MAX_COUNT = 1000000, MAX_GROUPS = 5 };

typedef struct { char kind, *word; } tok; /* kind: t s n w | , and its text */
typedef struct {
  tok *tok; uint32_t *val, n, cap, cap_val;  /* the line at hand, without its head; numbers of terms and steps */
  uint32_t from[MAX_GROUPS], to[MAX_GROUPS]; /* its groups */
  ck_terms *T; ck_proof *P;
  ck_id *terms; uint32_t n_terms, cap_terms; /* number of a term line -> term */
  const char *why;
  ck_on_step *on_step; void *arg;
} replay;

static bool reject(replay *R, const char *why) {
  if (R->why == NULL) R->why = why;
  return false;
}

/* digits with no sign and no superfluous zero, below `limit` */
static bool number(const char *s, uint32_t limit, uint32_t *out) {
  uint64_t v = 0;
  if (*s == 0 || (s[0] == '0' && s[1] != 0)) return false;
  for (; *s; s++) {
    if (*s < '0' || *s > '9' || v >= limit) return false;
    v = 10 * v + (uint64_t)(*s - '0');
  }
  *out = (uint32_t)v;
  return v < limit;
}

static bool integer_text(const char *s) {
  s += *s == '-';
  size_t n = strspn(s, "0123456789");
  return n > 0 && n <= MAX_DIGITS && s[n] == 0;
}

static bool token(replay *R, char *s) {
  CK_GROW(R->tok, R->cap, R->n + 1);
  CK_GROW(R->val, R->cap_val, R->n + 1);
  uint32_t i = R->n++, x = 0;
  R->val[i] = 0, R->tok[i] = (tok){s[0], s + 1};
  switch (s[0]) {
  case 't':
    if (!number(s + 1, R->n_terms, &x)) return reject(R, "no such term line");
    return R->val[i] = R->terms[x], true;
  case 's': return number(s + 1, ck_thm_count(R->P), &R->val[i]) || reject(R, "no such step line");
  case '=': return R->tok[i].kind = 'n', integer_text(s + 1) || reject(R, "number expected after =");
  case '\'': return R->tok[i].kind = 'w', (s[1] && strlen(s + 1) <= MAX_WORD && !strpbrk(s, "|,")) || reject(R, "word expected after '");
  default: return ((s[0] == '|' || s[0] == ',') && !s[1]) || reject(R, "token");
  }
}

/* the tokens from *j on are of the kinds that p lists */
static bool kinds(const replay *R, uint32_t *j, const char *p) {
  for (; *p && *p != '|' && *p != ')'; p++)
    if (*p == 'T' || *p == 'S') {
      while (*j < R->n && R->tok[*j].kind == (*p == 'T' ? 't' : 's')) ++*j;
    } else if (*j == R->n || R->tok[(*j)++].kind != *p)
      return false;
  return true;
}

static bool match(replay *R, const char *p) {
  uint32_t j = 0;
  memset(R->from, 0, sizeof R->from), memset(R->to, 0, sizeof R->to);
  for (uint32_t g = 0;; g++, j++, p++) {
    bool ok = true;
    R->from[g] = j;
    if (*p != '(') ok = kinds(R, &j, p);
    else if (j < R->n && R->tok[j].kind != '|')
      do ok = kinds(R, &j, p + 1);
      while (ok && j < R->n && R->tok[j].kind == ',' && ++j);
    R->to[g] = j;
    p += strcspn(p, "|");
    if (!ok || (*p != 0) != (j < R->n) || (*p && R->tok[j].kind != '|')) return reject(R, "arguments of this line");
    if (*p == 0) return true;
  }
}

/* a number token as a small unsigned one */
static bool small(const replay *R, uint32_t i, uint32_t *out) { return number(R->tok[i].word, MAX_COUNT, out) || ck_fail(R->T, "number"); }

static ck_id node(replay *R, ck_op op) {
  ck_terms *T = R->T;
  const ck_id *k = R->val;
  uint32_t a = 0, b = 0, n = R->n, t;
  mpq_t q;
  char sort = op == CK_V || op == CK_B ? R->tok[1].word[0] : 0;
  if (sort && R->tok[1].word[1]) return ck_bad(T, "sort");
  switch (op) {
  case CK_Q:
    mpq_init(q), mpz_set_str(mpq_numref(q), R->tok[0].word, 10), mpz_set_str(mpq_denref(q), R->tok[1].word, 10);
    t = ck_q(T, q), mpq_clear(q);
    return t;
  case CK_V: return ck_var(T, R->tok[0].word, sort);
  case CK_B: return small(R, 0, &a) ? ck_bound(T, a, sort) : CK_BAD;
  case CK_ITE: return ck_ite(T, k[0], k[1], k[2]);
  case CK_APP: return ck_app(T, R->tok[0].word, R->tok[1].word, k + 2, n - 2);
  case CK_ALL: return small(R, 0, &a) ? ck_all(T, a, k + 1, n - 1) : CK_BAD;
  case CK_FOLD:
    if (!small(R, 0, &a) || !small(R, 1, &b)) return CK_BAD;
    return n - 2 == 1 + 2 * b ? ck_fold(T, a, b, k + 2) : ck_bad(T, "shape of fold");
  default: return n == 1 ? ck_mk1(T, op, k[0]) : ck_mk2(T, op, k[0], k[1]);
  }
}

/* the end of the member that begins at i in group g */
static uint32_t member(const replay *R, uint32_t i, uint32_t g) {
  while (i < R->to[g] && R->tok[i].kind != ',') i++;
  return i;
}

static uint32_t step_inst(replay *R) {
  const uint32_t *v = R->val;
  uint32_t nv = 0, nf = 0, s = CK_BAD;
  ck_vsub *vs = ck_alloc(NULL, R->n * sizeof *vs);
  ck_fsub *fs = ck_alloc(NULL, R->n * sizeof *fs);
  bool ok = true;
  for (uint32_t i = R->from[1]; i < R->to[1]; i += 3) vs[nv++] = (ck_vsub){v[i], v[i + 1]};
  for (uint32_t i = R->from[2], end; i < R->to[2] && ok; i = end + 1) { /* name, signature, parameters, body */
    end = member(R, i, 2);
    ok = end - i >= 3 || ck_fail(R->T, "function without a body");
    if (ok) fs[nf++] = (ck_fsub){ck_word(R->T, R->tok[i].word), ck_word(R->T, R->tok[i + 1].word), v + i + 2, end - i - 3, v[end - 1]};
  }
  if (ok) s = ck_r_inst(R->P, v[0], vs, nv, fs, nf, v + R->from[3], R->to[3] - R->from[3]);
  free(vs), free(fs);
  return s;
}

static uint32_t step_arith(replay *R) {
  uint32_t n = 0;
  ck_summand *sums = ck_alloc(NULL, R->n * sizeof *sums);
  for (uint32_t i = R->from[1], end; i < R->to[1]; i = end + 1) {
    end = member(R, i, 1);
    sums[n++] = (ck_summand){R->val[i], R->val + i + 1, end - i - 1};
  }
  uint32_t s = ck_r_arith(R->P, R->val[0], sums, n);
  free(sums);
  return s;
}

static uint32_t step(replay *R, int rule) {
  ck_proof *P = R->P;
  const uint32_t *v = R->val, *g1 = v + R->from[1], *g2 = v + R->from[2]; /* read only where the rule has these groups */
  uint32_t n1 = R->to[1] - R->from[1], n2 = R->to[2] - R->from[2], j;
  switch (rule) {
  case HYP: return ck_r_hyp(P, v[0]);
  case USE: return ck_r_use(P, v[0], g1, n1, g2, n2);
  case INST: return step_inst(R);
  case CASES: return ck_r_cases(P, v[0], v[1], v[2]);
  case CONG: return ck_r_cong(P, v[0], v[1], v + 2, R->n - 2);
  case FOLDCONG: return ck_r_foldcong(P, v[0], v[1], g1, n1, g2, n2);
  case ARITH: return step_arith(R);
  case ANTISYM: return ck_r_antisym(P, v[0], v[1]);
  case INT: return ck_r_int(P, v[0], v[1]);
  case LAW: return ck_r_law(P, R->tok[0].word, g1, n1, g2, n2);
  case ZERO: return ck_r_zero(P, v[0], v[1]);
  case SUCC: return ck_r_succ(P, v[0], v[1], v[2]);
  case INDUCT:
    if (!small(R, 2, &j)) return CK_BAD;
    if (n1 != n2 || n2 != R->to[3] - R->from[3]) return ck_bad(R->T, "as many bases and steps as invariants are needed");
    return ck_r_induct(P, v[0], v[1], j, g1, g2, v + R->from[3], n1, v[R->from[4]]);
  default: return ck_bad(R->T, "unknown rule");
  }
}

static bool qed(replay *R, char *text, const ck_goal *goals, uint32_t n, bool *done) {
  char *sp = strchr(text, ' ');
  uint32_t s, nh, g = 0;
  if (sp == NULL || sp[1] != 's' || !number(sp + 2, ck_thm_count(R->P), &s)) return reject(R, "qed GOAL STEP expected");
  *sp = 0;
  while (g < n && strcmp(goals[g].name, text) != 0) g++;
  if (g == n || done[g]) return reject(R, "unknown goal, or goal named twice");
  if (ck_thm_formula(R->P, s) != goals[g].formula) return reject(R, "the step does not conclude the goal");
  const ck_id *h = ck_thm_hyps(R->P, s, &nh);
  for (uint32_t i = 0; i < nh; i++) {
    uint32_t j = 0;
    while (j < goals[g].n_allowed && goals[g].allowed[j] != h[i]) j++;
    if (j == goals[g].n_allowed) return reject(R, "the step rests on a hypothesis that the goal does not allow");
  }
  return done[g] = true;
}

static const row *find(const row *rows, size_t n, const char *head) {
  for (size_t i = 0; i < n; i++) if (strcmp(head, rows[i].head) == 0) return &rows[i];
  return NULL;
}

static bool one_line(replay *R, char *line, const ck_goal *goals, uint32_t n, bool *done, ck_usage *use) {
  if (strncmp(line, "qed ", 4) == 0) return qed(R, line + 4, goals, n, done);
  char *at = strchr(line, ' '), *next;
  if (at) *at++ = 0;
  for (R->n = 0; at; at = next) {
    if ((next = strchr(at, ' '))) *next++ = 0;
    if (!token(R, at)) return false;
  }
  const row *n_row = find(nodes, sizeof nodes / sizeof *nodes, line), *r = n_row ? n_row : find(steps, CK_N_RULES, line);
  if (r == NULL) return reject(R, "unknown rule");
  uint32_t made = !match(R, r->shape) ? CK_BAD : n_row ? node(R, (ck_op)r->what) : step(R, r->what);
  if (made == CK_BAD) return reject(R, ck_error(R->T));
  if (n_row) {
    CK_GROW(R->terms, R->cap_terms, R->n_terms + 1);
    R->terms[R->n_terms++] = made;
    return use->terms++, true;
  }
  use->count[r->what]++, use->steps++;
  if (R->on_step) R->on_step(R->arg, ck_thm_count(R->P) - 1, r->head, R->T, R->P);
  return true;
}

bool ck_cert_trace(ck_terms *T, const ck_goal *goals, uint32_t n_goals, const char *text, size_t len, ck_usage *usage, char **why,
                   ck_on_step *on_step, void *arg) {
  replay R = {.on_step = on_step, .arg = arg, .T = T, .P = ck_proof_new(T)};
  bool *done = memset(ck_alloc(NULL, n_goals * sizeof *done), 0, n_goals * sizeof *done), ok = true;
  char *copy = ck_alloc(NULL, len + 1);
  unsigned long line_no = 0;
  memset(usage, 0, sizeof *usage);
  for (int i = 0; i < CK_N_RULES; i++) usage->rule[i] = steps[i].head;
  if (len) memcpy(copy, text, len);
  copy[len] = 0;
  if (n_goals == 0) ok = reject(&R, "a claim without goals");
  if (memchr(copy, 0, len)) ok = reject(&R, "binary data");
  if (len == 0 || copy[len - 1] != '\n') ok = reject(&R, "last line is not ended");
  for (char *line = copy, *end; ok && line < copy + len; line = end + 1) {
    end = strchr(line, '\n'), *end = 0;
    if (line_no++ > 0) ok = one_line(&R, line, goals, n_goals, done, usage);
    else ok = strcmp(line, "assay-cert 1") == 0 || reject(&R, "not an assay-cert 1 certificate");
  }
  for (uint32_t g = 0; g < n_goals && ok; g++) ok = done[g] || reject(&R, "a goal is left open");
  *why = NULL;
  bool accepted = ok && R.why == NULL;
  size_t size = accepted ? 0 : strlen(R.why) + 64;
  if (!accepted) snprintf(*why = ck_alloc(NULL, size), size, "line %lu: %s", line_no, R.why);
  free(done), free(copy), free(R.tok), free(R.val), free(R.terms), ck_proof_free(R.P);
  return accepted;
}
