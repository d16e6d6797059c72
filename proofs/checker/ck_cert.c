/* Replay of a certificate, line by line (FORMAT.md).  Starts from "rejected". */
#include "ck_cert.h"
#include <stdio.h>
#include <stdlib.h>

enum { MAX_DIGITS = 10000, MAX_WORD = 255 };

typedef struct {
  ck_terms *T;
  ck_proof *P;
  char *kind;
  uint32_t *val;
  uint32_t n; /* the line at hand, without its head (ck_args) */
  ck_id *terms;
  uint32_t cap_terms; /* of each term line; use->terms is their number */
  const ck_goal *goals;
  uint32_t n_goals;
  bool *done;
  ck_usage *use;
} replay;

static bool is_word(const char *s) {
  return *s && strlen(s) <= MAX_WORD && !strpbrk(s, "|,");
}

static bool is_number(const char *s) {
  const char *digits = s + (*s == '-');
  size_t n = strspn(digits, "0123456789");
  return n > 0 && n <= MAX_DIGITS && digits[n] == 0;
}

/* One more token of the line. */
static bool token(replay *R, const char *s) {
  uint32_t x = 0;
  bool ok = false;
  switch (s[0]) {
  case 't':
    ok = ck_digits(s + 1, R->use->terms, &x);
    x = ok ? R->terms[x] : 0;
    break;
  case 's':
    ok = ck_digits(s + 1, ck_thm_count(R->P), &x);
    break;
  case '=':
    ok = is_number(s + 1);
    x = ok ? ck_word(R->T, s + 1) : 0;
    break;
  case '\'':
    ok = is_word(s + 1);
    x = ok ? ck_word(R->T, s + 1) : 0;
    break;
  case '|':
  case ',':
    ok = s[1] == 0;
    break;
  }
  R->kind[R->n] = s[0];
  R->val[R->n++] = x;
  return ok || ck_fail(R->T, "no token, or no such line");
}

static ck_id fraction(ck_terms *T, uint32_t num, uint32_t den) {
  mpq_t q;
  mpq_init(q);
  mpz_set_str(mpq_numref(q), ck_word_text(T, num), 10);
  mpz_set_str(mpq_denref(q), ck_word_text(T, den), 10);
  ck_id t = ck_q(T, q);
  mpq_clear(q);
  return t;
}

/* A term line; op: its head. */
static ck_id node(replay *R, ck_op op, ck_args A) {
  /* what stands before the kids: = a number, # one that counts, ' a word */
  static const char *const parts_of[] = {[CK_Q] = "==",   [CK_V] = "''",    [CK_B] = "#'",
                                         [CK_APP] = "''", [CK_FOLD] = "##", [CK_ALL] = "#"};
  ck_terms *T = R->T;
  const char *parts = parts_of[op] ? parts_of[op] : "";
  uint32_t part[2] = {0, 0};
  for (size_t i = 0; parts[i]; i++)
    part[i] = parts[i] == '#' ? ck_count(&A, T) : ck_one(&A, parts[i]);
  ck_ids kids = ck_many(&A, 't');
  if (!ck_end(&A))
    return ck_bad(T, "arguments of this line");
  if (op == CK_Q)
    return kids.n ? ck_bad(T, "a number has no kids") : fraction(T, part[0], part[1]);
  if (op == CK_V || op == CK_B) { /* a sort is one letter */
    const char *sort = ck_word_text(T, part[1]);
    part[1] = sort[1] ? 0 : (uint8_t)sort[0];
  }
  return ck_make(T, op, part[0], part[1], kids.x, kids.n);
}

static bool qed(replay *R, const char *name, ck_args A) {
  uint32_t s = ck_one(&A, 's');
  uint32_t n;
  uint32_t g = 0;
  if (!ck_end(&A))
    return ck_fail(R->T, "qed GOAL STEP expected");
  while (g < R->n_goals && strcmp(R->goals[g].name, name) != 0)
    g++;
  if (g == R->n_goals || R->done[g])
    return ck_fail(R->T, "unknown goal, or goal named twice");
  const ck_goal *goal = &R->goals[g];
  if (ck_thm_formula(R->P, s) != goal->formula)
    return ck_fail(R->T, "the step does not conclude the goal");
  const ck_id *h = ck_thm_hyps(R->P, s, &n);
  for (uint32_t i = 0, j; i < n; i++) {
    for (j = 0; j < goal->n_allowed && goal->allowed[j] != h[i];)
      j++;
    if (j == goal->n_allowed)
      return ck_fail(R->T, "the step rests on a hypothesis that the goal does not allow");
  }
  return R->done[g] = true;
}

static bool one_line(replay *R, char *line) {
  static const char *const ops[] = {"q",   "v",   "b",    "+",   "*",   "div", "mod",
                                    "inv", "exp", "sqrt", "log", "ite", "app", "fold",
                                    "=",   "#",   "<=",   "<",   "all"};
  const char *head = strsep(&line, " ");
  const char *goal = strcmp(head, "qed") == 0 ? strsep(&line, " ") : NULL;
  uint32_t i = 0;
  R->n = 0;
  for (char *s; (s = strsep(&line, " "));) {
    if (!token(R, s))
      return false;
  }
  const ck_args A = {R->kind, R->val, R->n, 0, false};
  if (goal)
    return qed(R, goal, A);
  while (i <= CK_ALL && strcmp(head, ops[i]) != 0)
    i++;
  if (i <= CK_ALL) {
    CK_GROW(R->terms, R->cap_terms, R->use->terms + 1);
    return (R->terms[R->use->terms++] = node(R, (ck_op)i, A)) != CK_BAD;
  }
  for (i = 0; i < CK_N_RULES && strcmp(head, ck_rule_name[i]) != 0;)
    i++;
  if (i < CK_N_RULES) {
    R->use->count[i]++;
    R->use->steps++;
  }
  return ck_step(R->P, i, A) != CK_BAD;
}

bool ck_cert_check(ck_terms *T, const ck_goal *goals, uint32_t n_goals, const char *text,
                   size_t len, ck_usage *usage, char **why) {
  replay R = {.T = T,
              .P = ck_proof_new(T),
              .goals = goals,
              .n_goals = n_goals,
              .done = ck_alloc(NULL, n_goals * sizeof *R.done),
              .use = usage};
  char *copy = ck_alloc(NULL, len + 1);
  char *rest = copy;
  R.kind = ck_alloc(NULL, len / 2 + 1);
  R.val = ck_alloc(NULL, (len / 2 + 1) * sizeof *R.val); /* a token and its blank take two bytes */
  unsigned long line_no = 0;
  *usage = (ck_usage){.terms = 0};
  for (int i = 0; i < CK_N_RULES; i++)
    usage->rule[i] = ck_rule_name[i];
  CK_BELOW(g, n_goals)
    R.done[g] = false;
  bool ok = (n_goals > 0 && len > 0 && text[len - 1] == '\n' && !memchr(text, 0, len)) ||
            ck_fail(T, "no goals, a zero byte, or no end of the last line");
  if (ok) {
    memcpy(copy, text, len);
    copy[len - 1] = 0;
  }
  for (char *line; ok && (line = strsep(&rest, "\n")); line_no++) {
    ok = line_no
             ? one_line(&R, line)
             : strcmp(line, "assay-cert 1") == 0 || ck_fail(T, "not an assay-cert 1 certificate");
  }
  for (uint32_t g = 0; g < n_goals && ok; g++)
    ok = R.done[g] || ck_fail(T, "a goal is left open");
  *why = NULL;
  size_t size = strlen(ck_error(T)) + 64;
  if (!ok)
    snprintf(*why = ck_alloc(NULL, size), size, "line %lu: %s", line_no, ck_error(T));
  free(R.done);
  free(copy);
  free(R.kind);
  free(R.val);
  free(R.terms);
  ck_proof_free(R.P);
  return ok;
}
