/* The certificate (proofs/FORMAT.md) as a list of steps; each theorem is recomputed by the
 * checker's rules. */
#include "read.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *text;
  uint32_t length;
} word;

typedef struct {
  as_steps *proof;
  as_err *err;
  uint32_t line;
  word *words;
  uint32_t n_words;
  uint32_t room; /* tokens of the line */
} reader;

static bool refuse(reader *in, const char *why) {
  as_err_set(in->err, AS_NO, "certificate line %u: %s", in->line, why);
  return false;
}

static bool split(reader *in, const char *line, size_t len) {
  in->n_words = 0;
  for (size_t from = 0; from < len;) {
    size_t to = from;
    while (to < len && line[to] != ' ')
      to++;
    if (to == from)
      return refuse(in, "empty token");
    if (in->n_words == in->room)
      in->words =
          as_realloc(in->words, (in->room = in->room ? 2 * in->room : 64) * sizeof *in->words);
    in->words[in->n_words++] = (word){line + from, (uint32_t)(to - from)};
    from = to + 1;
  }
  return in->n_words > 0;
}

static bool is_word(word token, const char *text) {
  return strlen(text) == token.length && memcmp(token.text, text, token.length) == 0;
}

static bool number(word token, uint32_t from, uint32_t *out) {
  uint64_t value = 0;
  if (token.length <= from || token.length - from > 9)
    return false;
  for (uint32_t i = from; i < token.length; i++) {
    if (token.text[i] < '0' || token.text[i] > '9')
      return false;
    value = value * 10 + (uint64_t)(token.text[i] - '0');
  }
  *out = (uint32_t)value;
  return true;
}

static bool term_ref(reader *in, word token, ck_id *term) {
  uint32_t nth;
  if (token.text[0] != 't' || !number(token, 1, &nth) || nth >= in->proof->term.n)
    return refuse(in, "not a term number");
  *term = AS_VEC_AT(&in->proof->term, ck_id, nth);
  return true;
}

static char *word_text(reader *in, uint32_t i) { /* malloc'ed; NULL if token i is no word */
  if (i >= in->n_words || in->words[i].text[0] != '\'' || in->words[i].length < 2)
    return NULL;
  char *text = as_malloc(in->words[i].length);
  memcpy(text, in->words[i].text + 1, in->words[i].length - 1);
  text[in->words[i].length - 1] = 0;
  return text;
}

static ck_id read_q(reader *in) {
  ck_id term = CK_BAD;
  if (in->n_words == 3 && in->words[1].text[0] == '=' && in->words[2].text[0] == '=') {
    mpq_t value;
    mpq_init(value);
    char *numerator = as_format("%.*s", (int)in->words[1].length - 1, in->words[1].text + 1);
    char *denominator = as_format("%.*s", (int)in->words[2].length - 1, in->words[2].text + 1);
    if (mpz_set_str(mpq_numref(value), numerator, 10) == 0 &&
        mpz_set_str(mpq_denref(value), denominator, 10) == 0 && mpz_sgn(mpq_denref(value)) > 0) {
      mpq_canonicalize(value);
      term = ck_q(in->proof->T, value);
    }
    free(numerator);
    free(denominator);
    mpq_clear(value);
  }
  return term;
}

/* kids t.. from token `from` on; NULL when one is not a term */
static ck_id *kids(reader *in, uint32_t from, uint32_t *n) {
  *n = in->n_words > from ? in->n_words - from : 0;
  ck_id *terms = as_malloc((*n + 1) * sizeof *terms);
  for (uint32_t i = 0; i < *n; i++) {
    if (!term_ref(in, in->words[from + i], &terms[i])) {
      free(terms);
      return NULL;
    }
  }
  return terms;
}

static ck_id read_named(reader *in) { /* v, b, app */
  ck_terms *terms = in->proof->T;
  ck_id term = CK_BAD;
  uint32_t index;
  uint32_t n_arguments;
  char *second = word_text(in, 2);
  if (!second)
    return CK_BAD;
  if (is_word(in->words[0], "b")) {
    if (in->n_words == 3 && in->words[1].text[0] == '=' && number(in->words[1], 1, &index))
      term = ck_bound(terms, index, second[0]);
  } else {
    char *first = word_text(in, 1);
    if (first && is_word(in->words[0], "v")) {
      if (in->n_words == 3)
        term = ck_var(terms, first, second[0]);
    } else if (first) {
      ck_id *arguments = kids(in, 3, &n_arguments);
      if (arguments)
        term = ck_app(terms, first, second, arguments, n_arguments);
      free(arguments);
    }
    free(first);
  }
  free(second);
  return term;
}

static ck_id read_wide(reader *in) { /* fold, all */
  ck_terms *terms = in->proof->T;
  bool fold = is_word(in->words[0], "fold");
  uint32_t first;
  uint32_t width = 0;
  uint32_t n_parts;
  uint32_t from = fold ? 3 : 2;
  if (in->n_words <= from || in->words[1].text[0] != '=' || !number(in->words[1], 1, &first))
    return CK_BAD;
  if (fold && (in->words[2].text[0] != '=' || !number(in->words[2], 1, &width)))
    return CK_BAD;
  ck_id *parts = kids(in, from, &n_parts);
  ck_id term = CK_BAD;
  if (parts && !(fold && n_parts != 2 * width + 1))
    term = fold ? ck_fold(terms, first, width, parts) : ck_all(terms, first, parts, n_parts);
  free(parts);
  return term;
}

/* 1: a term line; 0: not a term line; -1: a bad one */
static int read_term(reader *in) {
  static const struct {
    const char *name;
    ck_op op;
    uint32_t length;
  } plain[] = {{"+", CK_ADD, 2},   {"*", CK_MUL, 2},   {"div", CK_DIV, 2},   {"mod", CK_MOD, 2},
               {"inv", CK_INV, 1}, {"exp", CK_EXP, 1}, {"sqrt", CK_SQRT, 1}, {"log", CK_LOG, 1},
               {"=", CK_EQ, 2},    {"#", CK_NE, 2},    {"<=", CK_LE, 2},     {"<", CK_LT, 2},
               {"ite", CK_ITE, 3}};

  ck_terms *terms = in->proof->T;
  ck_id term = CK_BAD;
  bool found = false;
  for (size_t i = 0; i < sizeof plain / sizeof *plain && !found; i++) {
    if (!is_word(in->words[0], plain[i].name))
      continue;
    uint32_t n_parts;
    found = true;
    ck_id *parts = kids(in, 1, &n_parts);
    if (parts && n_parts == plain[i].length) {
      term = n_parts == 1   ? ck_mk1(terms, plain[i].op, parts[0])
             : n_parts == 2 ? ck_mk2(terms, plain[i].op, parts[0], parts[1])
                            : ck_ite(terms, parts[0], parts[1], parts[2]);
    }
    free(parts);
  }
  if (!found) {
    found = true;
    if (is_word(in->words[0], "q"))
      term = read_q(in);
    else if (is_word(in->words[0], "v") || is_word(in->words[0], "b") ||
             is_word(in->words[0], "app"))
      term = read_named(in);
    else if (is_word(in->words[0], "fold") || is_word(in->words[0], "all"))
      term = read_wide(in);
    else
      return 0;
  }
  if (term == CK_BAD) {
    refuse(in, "ill-formed term");
    return -1;
  }
  as_vec_push(&in->proof->term, &term);
  return 1;
}

/* arguments of a step: terms become ck_ids, steps stay numbers, words are interned */
static bool read_args(reader *in, as_step *step) {
  step->arg = in->proof->arg.n;
  step->n_arg = 0;
  for (uint32_t i = 1; i < in->n_words; i++) {
    as_step_arg token = {in->words[i].text[0], 0};
    switch (token.kind) {
    case 't':
      if (!term_ref(in, in->words[i], &token.value))
        return false;
      break;
    case 's':
      if (!number(in->words[i], 1, &token.value) || token.value >= in->proof->step.n)
        return refuse(in, "not a step number");
      break;
    case '\'':
    case '=': {
      if (in->words[i].length < 2)
        return refuse(in, "empty word or number");
      char *text = as_format("%.*s", (int)in->words[i].length - 1, in->words[i].text + 1);
      token.value = ck_word(in->proof->T, text);
      free(text);
      break;
    }
    case '|':
    case ',':
      if (in->words[i].length != 1)
        return refuse(in, "bad separator");
      break;
    default:
      return refuse(in, "unknown token");
    }
    as_vec_push(&in->proof->arg, &token);
    step->n_arg++;
  }
  return true;
}

/* the theorem of a step: its arguments, steps as theorems, to the checker's rule */
static uint32_t run_rule(as_steps *proof, const as_step *step) {
  const as_step_arg *tokens = (const as_step_arg *)proof->arg.data + step->arg;
  char *kind = as_malloc(step->n_arg);
  uint32_t *val = as_malloc(step->n_arg * sizeof *val);
  for (uint32_t i = 0; i < step->n_arg; i++) {
    kind[i] = tokens[i].kind;
    val[i] = tokens[i].kind == 's' ? AS_VEC_AT(&proof->step, as_step, tokens[i].value).theorem
                                   : tokens[i].value;
  }
  uint32_t theorem =
      ck_step(proof->theorems, step->rule, (ck_args){kind, val, step->n_arg, 0, false});
  free(kind);
  free(val);
  return theorem;
}

static bool read_step(reader *in) {
  as_step step = {AS_STEP_N, CK_BAD, 0, 0, in->line};
  for (uint32_t i = 0; i < AS_STEP_N; i++) {
    if (is_word(in->words[0], ck_rule_name[i]))
      step.rule = (as_step_rule)i;
  }
  if (step.rule == AS_STEP_N)
    return refuse(in, "unknown rule");
  if (!read_args(in, &step))
    return false;
  step.theorem = run_rule(in->proof, &step);
  if (step.theorem == CK_BAD)
    return refuse(in, ck_error(in->proof->T));
  as_vec_push(&in->proof->step, &step);
  return true;
}

static bool subset(const ck_id *some, uint32_t n_some, const ck_id *all, uint32_t n_all) {
  for (uint32_t i = 0; i < n_some; i++) {
    uint32_t j = 0;
    while (j < n_all && all[j] != some[i])
      j++;
    if (j == n_all)
      return false;
  }
  return true;
}

static bool read_qed(reader *in, const ck_goal *goals, uint32_t n) {
  uint32_t step;
  uint32_t n_hyps;
  if (in->n_words != 3 || in->words[2].text[0] != 's' || !number(in->words[2], 1, &step) ||
      step >= in->proof->step.n)
    return refuse(in, "ill-formed qed");
  for (uint32_t i = 0; i < n; i++) {
    if (!is_word(in->words[1], goals[i].name))
      continue;
    uint32_t theorem = as_steps_at(in->proof, step)->theorem;
    const ck_id *hyps = ck_thm_hyps(in->proof->theorems, theorem, &n_hyps);
    if (ck_thm_formula(in->proof->theorems, theorem) != goals[i].formula ||
        !subset(hyps, n_hyps, goals[i].allowed, goals[i].n_allowed))
      return refuse(in, "this theorem is not the goal's");
    AS_VEC_AT(&in->proof->qed, uint32_t, i) = step;
    return true;
  }
  return refuse(in, "qed of a goal that the claim does not have");
}

as_status as_steps_read(as_steps *proof, ck_terms *terms, const ck_goal *goals, uint32_t n_goals,
                        const char *cert, size_t len, as_err *err) {
  reader in = {proof, err, 0, NULL, 0, 0};
  proof->T = terms;
  proof->theorems = ck_proof_new(terms);
  as_vec_init(&proof->term, sizeof(ck_id));
  as_vec_init(&proof->step, sizeof(as_step));
  as_vec_init(&proof->arg, sizeof(as_step_arg));
  as_vec_init(&proof->qed, sizeof(uint32_t));
  for (uint32_t i = 0, none = UINT32_MAX; i < n_goals; i++)
    as_vec_push(&proof->qed, &none);
  bool ok = true;
  for (size_t i = 0; i < len && ok;) {
    const char *newline = memchr(cert + i, '\n', len - i);
    size_t length = newline ? (size_t)(newline - (cert + i)) : len - i;
    in.line++;
    if (in.line == 1) {
      if (length != 12 || memcmp(cert, "assay-cert 1", 12) != 0)
        ok = refuse(&in, "not an assay certificate");
    } else if (!split(&in, cert + i, length)) {
      ok = refuse(&in, "empty line");
    } else if (is_word(in.words[0], "qed")) {
      ok = read_qed(&in, goals, n_goals);
    } else {
      int read = read_term(&in);
      ok = read < 0 ? false : read > 0 ? true : read_step(&in);
    }
    i += length + 1;
  }
  if (ok && in.line == 0)
    ok = refuse(&in, "empty");
  for (uint32_t i = 0; i < n_goals && ok; i++) {
    if (AS_VEC_AT(&proof->qed, uint32_t, i) == UINT32_MAX)
      ok = as_err_set(err, AS_NO, "the certificate does not prove goal %s", goals[i].name);
  }
  free(in.words);
  return ok ? AS_OK : AS_NO;
}

void as_steps_clear(as_steps *proof) {
  ck_proof_free(proof->theorems);
  as_vec_clear(&proof->term);
  as_vec_clear(&proof->step);
  as_vec_clear(&proof->arg);
  as_vec_clear(&proof->qed);
}

const as_step *as_steps_at(const as_steps *proof, uint32_t step) {
  return &AS_VEC_AT(&proof->step, as_step, step);
}

const as_step_arg *as_steps_args(const as_steps *proof, uint32_t step, uint32_t *n) {
  const as_step *at = as_steps_at(proof, step);
  *n = at->n_arg;
  return (const as_step_arg *)proof->arg.data + at->arg;
}

bool as_steps_is_schema(const as_steps *proof, uint32_t step) {
  as_step_rule rule = as_steps_at(proof, step)->rule;
  return rule == AS_STEP_INST || rule == AS_STEP_FOLDCONG || rule == AS_STEP_ZERO ||
         rule == AS_STEP_SUCC || rule == AS_STEP_INDUCT;
}
