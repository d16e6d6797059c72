/* Replay of a certificate, line by line (FORMAT.md).  Starts from "rejected"; every token's kind is checked before a step runs. */
#include "ck_cert.h"
#include "ck_term_impl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const rules[CK_N_RULES] = {"hyp", "use", "inst", "cases", "cong", "foldcong", "arith", "antisym", "int", "law", "zero", "succ", "induct"};
enum { HYP, USE, INST, CASES, CONG, FOLDCONG, ARITH, ANTISYM, INT, LAW, ZERO, SUCC, INDUCT };

/* The shape of a step's groups: t s n w one argument of that kind, T S any number of them, x optional s; '|' separates groups;
 * ( ) a list of members, each of the kinds inside, separated by ',' */
static const char *const shapes[CK_N_RULES] = {"t", "s|T|S", "s|(tt)|(wwT)|S", "tss", "ttS", "tt|T|S", "t|(tS)", "ss", "ts", "w|T|S", "ts", "tts", "ttn|T|S|S|s"};

typedef struct { char kind; /* t s n w | , */ uint32_t val; char *word; long num; } token;
typedef struct {
  ck_terms *T;
  ck_proof *P;
  ck_id *terms; uint32_t n_terms, cap_terms;   /* line number of a term -> term */
  token *tok; uint32_t n, cap;                 /* the line at hand, without its head */
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
  if (*s == '-') s++;
  size_t n = strlen(s);
  return n > 0 && n <= 10000 && strspn(s, "0123456789") == n;
}

/* splits the line (destroyed) at single blanks into head and tokens */
static bool tokens(replay *R, char *line, char **head) {
  R->n = 0;
  *head = line;
  char *at = strchr(line, ' ');
  if (at) *at++ = 0;
  while (at) {
    char *end = strchr(at, ' ');
    if (end) *end++ = 0;
    token t = {.kind = at[0]};
    if (strcmp(at, "|") != 0 && strcmp(at, ",") != 0) {
      t.word = at + 1;
      if (at[0] == 't') {
        if (!number(t.word, R->n_terms, &t.val)) return reject(R, "no such term line");
        t.val = R->terms[t.val];
      } else if (at[0] == 's') {
        if (!number(t.word, ck_thm_count(R->P), &t.val)) return reject(R, "no such step line");
      } else if (at[0] == '=') {
        t.kind = 'n';
        if (!integer_text(t.word)) return reject(R, "number expected after =");
      } else if (at[0] == '\'') {
        t.kind = 'w';
        if (t.word[0] == 0 || strlen(t.word) > 255 || strpbrk(t.word, "|,")) return reject(R, "word expected after '");
      } else
        return reject(R, "token");
    }
    if (R->n == R->cap) R->tok = ck_alloc(R->tok, (R->cap = 2 * R->cap + 16) * sizeof *R->tok);
    R->tok[R->n++] = t;
    at = end;
  }
  return true;
}

static bool kinds_are(const replay *R, uint32_t from, uint32_t to, const char *kinds) {
  if (strlen(kinds) != to - from) return false;
  for (uint32_t i = from; i < to; i++)
    if (R->tok[i].kind != kinds[i - from]) return false;
  return true;
}

/* a number token as a small unsigned one */
static bool small(const replay *R, uint32_t i, uint32_t *out) { return number(R->tok[i].word, 1000000, out); }

static ck_id term_line(replay *R, const char *head) {
  static const struct { const char *name; ck_op op; } plain[] = {{"+", CK_ADD},   {"*", CK_MUL},   {"div", CK_DIV}, {"mod", CK_MOD},
                                                                 {"inv", CK_INV}, {"exp", CK_EXP}, {"sqrt", CK_SQRT}, {"log", CK_LOG},
                                                                 {"=", CK_EQ},    {"#", CK_NE},    {"<=", CK_LE},  {"<", CK_LT}};
  ck_terms *T = R->T;
  const token *k = R->tok;
  uint32_t n = R->n, a = 0, b = 0, first = 0;
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (strcmp(head, plain[i].name) == 0) {
      bool one = plain[i].op >= CK_INV && plain[i].op <= CK_LOG;
      if (!kinds_are(R, 0, n, one ? "t" : "tt")) return ck_fail(T, "arguments of a term"), CK_BAD;
      return one ? ck_mk1(T, plain[i].op, k[0].val) : ck_mk2(T, plain[i].op, k[0].val, k[1].val);
    }
  ck_fail(T, "arguments of a term");
  if (strcmp(head, "q") == 0) {
    if (!kinds_are(R, 0, n, "nn")) return CK_BAD;
    mpq_t x;
    mpz_t g;
    mpq_init(x), mpz_init(g);
    mpz_set_str(mpq_numref(x), k[0].word, 10), mpz_set_str(mpq_denref(x), k[1].word, 10);
    mpz_gcd(g, mpq_numref(x), mpq_denref(x));
    ck_id t = mpz_sgn(mpq_denref(x)) > 0 && mpz_cmp_ui(g, 1) == 0 ? ck_q(T, x) : CK_BAD;
    mpq_clear(x), mpz_clear(g);
    return t;
  }
  if (strcmp(head, "v") == 0) return kinds_are(R, 0, n, "ww") && k[1].word[1] == 0 ? ck_var(T, k[0].word, k[1].word[0]) : CK_BAD;
  if (strcmp(head, "b") == 0) return kinds_are(R, 0, n, "nw") && k[1].word[1] == 0 && small(R, 0, &a) ? ck_bound(T, a, k[1].word[0]) : CK_BAD;
  if (strcmp(head, "ite") == 0) return kinds_are(R, 0, n, "ttt") ? ck_ite(T, k[0].val, k[1].val, k[2].val) : CK_BAD;
  bool app = strcmp(head, "app") == 0, fold = strcmp(head, "fold") == 0, all = strcmp(head, "all") == 0;
  if (app || fold) {
    if (n < 2 || !kinds_are(R, 0, 2, app ? "ww" : "nn")) return CK_BAD;
    if (fold && !(small(R, 0, &a) && small(R, 1, &b))) return CK_BAD;
    first = 2;
  } else if (all) {
    if (n < 1 || !kinds_are(R, 0, 1, "n") || !small(R, 0, &a)) return CK_BAD;
    first = 1;
  } else
    return CK_BAD;
  ck_id *kids = ck_alloc(NULL, n * sizeof *kids), t = CK_BAD;
  bool ok = true;
  for (uint32_t i = first; i < n; i++) ok = ok && k[i].kind == 't', kids[i - first] = k[i].val;
  if (ok && app) t = ck_app(T, k[0].word, k[1].word, kids, n - first);
  if (ok && all) t = ck_all(T, a, kids, n - first);
  if (ok && fold && b >= 1 && b <= 64 && n - first == 1 + 2 * b) t = ck_fold(T, a, b, kids);
  free(kids);
  return t;
}

static bool is_term_head(const char *h) {
  static const char *const heads[] = {"+", "*", "div", "mod", "inv", "exp", "sqrt", "log", "=", "#", "<=", "<", "ite", "q", "v", "b", "app", "fold", "all"};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    if (strcmp(h, heads[i]) == 0) return true;
  return false;
}

/* Matches the tokens against a rule's shape; group g is tokens [from[g], to[g]). */
static bool match(const replay *R, const char *shape, uint32_t from[5], uint32_t to[5]) {
  uint32_t i = 0, g = 0;
  for (const char *p = shape;; p++) {
    from[g] = i;
    while (i < R->n && R->tok[i].kind != '|') i++;
    to[g] = i;
    const char *end = p + strcspn(p, "|");
    uint32_t j = from[g];
    if (*p == '(') { /* members */
      while (j < to[g]) {
        for (const char *m = p + 1; *m != ')'; m++) {
          if (*m == 'T' || *m == 'S') {
            while (j < to[g] && R->tok[j].kind == *m + 32) j++;
          } else if (j < to[g] && R->tok[j].kind == *m)
            j++;
          else
            return false;
        }
        if (j == to[g]) break;
        if (R->tok[j].kind != ',' || j + 1 == to[g]) return false;
        j++;
      }
    } else {
      for (const char *m = p; m < end; m++) {
        if (*m == 'T' || *m == 'S') {
          while (j < to[g] && R->tok[j].kind == *m + 32) j++;
        } else if (j < to[g] && R->tok[j].kind == *m)
          j++;
        else
          return false;
      }
      if (j != to[g]) return false;
    }
    if (*end == 0) return i == R->n;
    if (i == R->n) return false;
    i++, g++, p = end;
  }
}

/* values of tokens [from, to) */
static uint32_t *values(const replay *R, uint32_t from, uint32_t to) {
  uint32_t *x = ck_alloc(NULL, (to - from) * sizeof *x);
  for (uint32_t i = from; i < to; i++) x[i - from] = R->tok[i].val;
  return x;
}

static uint32_t step_inst(replay *R, const uint32_t *from, const uint32_t *to, const uint32_t *v) {
  uint32_t nv = 0, nf = 0;
  ck_vsub *vs = ck_alloc(NULL, R->n * sizeof *vs);
  ck_fsub *fs = ck_alloc(NULL, R->n * sizeof *fs);
  bool ok = true;
  for (uint32_t i = from[1]; i < to[1]; i += 3) vs[nv++] = (ck_vsub){v[i], v[i + 1]};
  for (uint32_t i = from[2]; i < to[2] && ok;) {
    uint32_t end = i;
    while (end < to[2] && R->tok[end].kind != ',') end++;
    ok = end - i >= 3; /* name, signature, parameters, body */
    if (ok) fs[nf++] = (ck_fsub){ck_word(R->T, R->tok[i].word), ck_word(R->T, R->tok[i + 1].word), v + i + 2, end - i - 3, v[end - 1]};
    i = end + 1;
  }
  if (!ok) ck_fail(R->T, "function instance");
  uint32_t s = ok ? ck_r_inst(R->P, v[0], vs, nv, fs, nf, v + from[3], to[3] - from[3]) : CK_BAD;
  free(vs), free(fs);
  return s;
}

static uint32_t step_arith(replay *R, const uint32_t *from, const uint32_t *to, const uint32_t *v) {
  uint32_t n = 0;
  ck_summand *sums = ck_alloc(NULL, R->n * sizeof *sums);
  for (uint32_t i = from[1]; i < to[1];) {
    uint32_t end = i;
    while (end < to[1] && R->tok[end].kind != ',') end++;
    sums[n++] = (ck_summand){v[i], v + i + 1, end - i - 1};
    i = end + 1;
  }
  uint32_t s = ck_r_arith(R->P, v[0], sums, n);
  free(sums);
  return s;
}

static uint32_t step_line(replay *R, int rule) {
  uint32_t from[5], to[5], j;
  if (!match(R, shapes[rule], from, to)) return ck_fail(R->T, "arguments of a step"), CK_BAD;
  uint32_t *v = values(R, 0, R->n), s = CK_BAD;
  ck_proof *P = R->P;
#define LEN(g) (to[g] - from[g])
  switch (rule) {
  case HYP: s = ck_r_hyp(P, v[0]); break;
  case USE: s = ck_r_use(P, v[0], v + from[1], LEN(1), v + from[2], LEN(2)); break;
  case INST: s = step_inst(R, from, to, v); break;
  case CASES: s = ck_r_cases(P, v[0], v[1], v[2]); break;
  case CONG: s = ck_r_cong(P, v[0], v[1], v + 2, R->n - 2); break;
  case FOLDCONG: s = ck_r_foldcong(P, v[0], v[1], v + from[1], LEN(1), v + from[2], LEN(2)); break;
  case ARITH: s = step_arith(R, from, to, v); break;
  case ANTISYM: s = ck_r_antisym(P, v[0], v[1]); break;
  case INT: s = ck_r_int(P, v[0], v[1]); break;
  case LAW: s = ck_r_law(P, R->tok[0].word, v + from[1], LEN(1), v + from[2], LEN(2)); break;
  case ZERO: s = ck_r_zero(P, v[0], v[1]); break;
  case SUCC: s = ck_r_succ(P, v[0], v[1], v[2]); break;
  case INDUCT:
    if (!small(R, 2, &j) || LEN(1) != LEN(2) || LEN(2) != LEN(3))
      ck_fail(R->T, "induct: as many bases and steps as invariants");
    else
      s = ck_r_induct(P, v[0], v[1], j, v + from[1], v + from[2], v + from[3], LEN(1), v[from[4]]);
    break;
  default: ck_fail(R->T, "unknown rule");
  }
#undef LEN
  free(v);
  return s;
}

static bool qed_line(replay *R, char *text, const ck_goal *goals, uint32_t n, bool *done) {
  char *sp = strchr(text, ' ');
  uint32_t s, nh;
  if (sp == NULL || sp[1] != 's' || !number(sp + 2, ck_thm_count(R->P), &s)) return reject(R, "qed GOAL STEP expected");
  *sp = 0;
  uint32_t g = 0;
  while (g < n && strcmp(goals[g].name, text) != 0) g++;
  if (g == n || done[g]) return reject(R, "unknown goal, or goal named twice");
  const ck_id *h = ck_thm_hyps(R->P, s, &nh);
  if (ck_thm_formula(R->P, s) != goals[g].formula) return reject(R, "the step does not conclude the goal");
  for (uint32_t i = 0; i < nh; i++) {
    bool allowed = false;
    for (uint32_t j = 0; j < goals[g].n_allowed; j++) allowed = allowed || goals[g].allowed[j] == h[i];
    if (!allowed) return reject(R, "the step rests on a hypothesis that the goal does not allow");
  }
  return done[g] = true;
}

static bool one_line(replay *R, char *line, const ck_goal *goals, uint32_t n, bool *done, ck_usage *use) {
  if (strncmp(line, "qed ", 4) == 0) return qed_line(R, line + 4, goals, n, done);
  char *head;
  if (!tokens(R, line, &head)) return false;
  if (is_term_head(head)) {
    ck_id t = term_line(R, head);
    if (t == CK_BAD) return reject(R, ck_error(R->T));
    if (R->n_terms == R->cap_terms) R->terms = ck_alloc(R->terms, (R->cap_terms = 2 * R->cap_terms + 256) * sizeof *R->terms);
    R->terms[R->n_terms++] = t;
    use->terms++;
    return true;
  }
  for (int r = 0; r < CK_N_RULES; r++)
    if (strcmp(head, rules[r]) == 0) {
      if (step_line(R, r) == CK_BAD) return reject(R, ck_error(R->T));
      use->count[r]++;
      use->steps++;
      if (R->on_step) R->on_step(R->arg, ck_thm_count(R->P) - 1, rules[r], R->T, R->P);
      return true;
    }
  return reject(R, "unknown rule");
}

bool ck_cert_check(ck_terms *T, const ck_goal *goals, uint32_t n_goals, const char *text, size_t len, ck_usage *usage, char **why) {
  return ck_cert_trace(T, goals, n_goals, text, len, usage, why, NULL, NULL);
}

bool ck_cert_trace(ck_terms *T, const ck_goal *goals, uint32_t n_goals, const char *text, size_t len, ck_usage *usage, char **why, ck_on_step *on_step, void *arg) {
  replay R = {.on_step = on_step, .arg = arg, .T = T, .P = ck_proof_new(T)};
  bool *done = ck_alloc(NULL, n_goals * sizeof *done), accepted = false;
  memset(done, 0, n_goals * sizeof *done);
  memset(usage, 0, sizeof *usage);
  memcpy(usage->rule, rules, sizeof rules);
  unsigned long line_no = 0;
  bool ok = n_goals > 0 ? true : reject(&R, "a claim without goals");
  for (size_t at = 0; at < len && ok; line_no++) {
    const char *end = memchr(text + at, '\n', len - at);
    if (end == NULL) {
      ok = reject(&R, "last line is not ended");
      break;
    }
    size_t n = (size_t)(end - (text + at));
    char *line = ck_alloc(NULL, n + 1);
    memcpy(line, text + at, n);
    line[n] = 0;
    if (memchr(line, 0, n))
      ok = reject(&R, "binary data");
    else if (line_no == 0)
      ok = strcmp(line, "assay-cert 1") == 0 || reject(&R, "not an assay-cert 1 certificate");
    else
      ok = one_line(&R, line, goals, n_goals, done, usage);
    free(line);
    at += n + 1;
  }
  if (ok && line_no == 0) ok = reject(&R, "empty certificate");
  for (uint32_t g = 0; g < n_goals && ok; g++)
    if (!done[g]) ok = reject(&R, "a goal is left open");
  accepted = ok && R.why == NULL;
  *why = NULL;
  if (!accepted) {
    size_t size = strlen(R.why) + 64;
    *why = ck_alloc(NULL, size);
    snprintf(*why, size, "line %lu: %s", line_no, R.why);
  }
  ck_proof_free(R.P);
  free(R.terms), free(R.tok), free(done);
  return accepted;
}
