#include "goals.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *slurp(const char *path, size_t *len) {
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return NULL;
  size_t cap = 1 << 16;
  char *text = malloc(cap + 1);
  *len = 0;
  for (size_t n; (n = fread(text + *len, 1, cap - *len, file)) > 0;) {
    *len += n;
    if (*len == cap)
      text = realloc(text, (cap *= 2) + 1);
  }
  text[*len] = 0;
  fclose(file);
  return text;
}

static ck_id fraction(ck_terms *terms, long num, long den) {
  mpq_t value;
  if (den <= 0)
    return CK_BAD;
  mpq_init(value);
  mpq_set_si(value, num, (unsigned long)den);
  mpq_canonicalize(value);
  ck_id id = ck_q(terms, value);
  mpq_clear(value);
  return id;
}

static ck_id term(ck_terms *terms, char **w, int n, const ck_id *id) {
  static const char *const heads[] = {"+",    "*",   "div", "mod", "inv", "exp",
                                      "sqrt", "log", "=",   "#",   "<=",  "<"};
  static const ck_op ops[] = {CK_ADD,  CK_MUL, CK_DIV, CK_MOD, CK_INV, CK_EXP,
                              CK_SQRT, CK_LOG, CK_EQ,  CK_NE,  CK_LE,  CK_LT};
  ck_id k[64];
  int nk = 0;
  long num[2] = {0, 0};
  int nn = 0;
  const char *word[2] = {"", ""};
  int nw = 0;
  for (int i = 1; i < n; i++) {
    if (w[i][0] == 't' && nk < 64)
      k[nk++] = id[atoi(w[i] + 1)];
    if (w[i][0] == '=' && nn < 2)
      num[nn++] = atol(w[i] + 1);
    if (w[i][0] == '\'' && nw < 2)
      word[nw++] = w[i] + 1;
  }
  for (int i = 0; i < 12; i++) {
    if (strcmp(w[0], heads[i]) == 0)
      return nk == 1 ? ck_mk1(terms, ops[i], k[0]) : ck_mk2(terms, ops[i], k[0], k[1]);
  }
  if (strcmp(w[0], "q") == 0)
    return fraction(terms, num[0], num[1]);
  if (strcmp(w[0], "v") == 0)
    return ck_var(terms, word[0], word[1][0]);
  if (strcmp(w[0], "b") == 0)
    return ck_bound(terms, (uint32_t)num[0], word[0][0]);
  if (strcmp(w[0], "ite") == 0)
    return ck_ite(terms, k[0], k[1], k[2]);
  if (strcmp(w[0], "app") == 0)
    return ck_app(terms, word[0], word[1], k, (uint32_t)nk);
  if (strcmp(w[0], "fold") == 0)
    return ck_fold(terms, (uint32_t)num[0], (uint32_t)num[1], k);
  if (strcmp(w[0], "all") == 0)
    return ck_all(terms, (uint32_t)num[0], k, (uint32_t)nk);
  return CK_BAD;
}

static int by_number(const void *a, const void *b) {
  ck_id x = *(const ck_id *)a;
  ck_id id = *(const ck_id *)b;
  return (x > id) - (x < id);
}

bool goals_read(ck_terms *terms, const char *text, ck_goal **goals, uint32_t *n) {
  char *copy = malloc(strlen(text) + 1);
  strcpy(copy, text);
  ck_id *id = NULL;
  size_t nt = 0;
  bool ok = true;
  *goals = NULL;
  *n = 0;
  char *save = NULL;
  for (char *line = strtok_r(copy, "\n", &save); line && ok; line = strtok_r(NULL, "\n", &save)) {
    char *w[64];
    char *save2 = NULL;
    int nw = 0;
    for (char *x = strtok_r(line, " ", &save2); x && nw < 64; x = strtok_r(NULL, " ", &save2))
      w[nw++] = x;
    if (nw == 0)
      continue;
    if (strcmp(w[0], "goal") == 0) {
      *goals = realloc(*goals, (*n + 1) * sizeof **goals);
      ck_goal *goal = &(*goals)[(*n)++];
      ck_id allowed[64];
      uint32_t m = 0;
      for (int i = 4; i < nw; i++)
        allowed[m++] = id[atoi(w[i] + 1)];
      qsort(allowed, m, sizeof *allowed, by_number);
      ck_ids kept = ck_members(
          terms, ck_set(terms, allowed, m)); /* and the name: they live as long as the terms */
      *goal = (ck_goal){.name = ck_word_text(terms, ck_word(terms, w[1])),
                        .allowed = kept.x,
                        .n_allowed = kept.n,
                        .formula = id[atoi(w[2] + 1)]};
    } else {
      id = realloc(id, (nt + 1) * sizeof *id);
      id[nt] = term(terms, w, nw, id);
      ok = id[nt++] != CK_BAD;
    }
  }
  free(copy);
  free(id);
  return ok && *n > 0;
}
