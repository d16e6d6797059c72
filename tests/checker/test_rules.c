/* Runs tests/checker/rules.cases: for every rule, law and kind of node, what must be accepted and
 * near misses that must not be. A case is translated to a certificate and replayed; a near miss
 * must be rejected at its last line and no earlier, an accepted case must state exactly the theorem
 * written below it: with any one of its hypotheses disallowed it is rejected. */
#include "goals.h"
#include "tests/source_dir.h"
#include "tests/suite.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char s[1 << 16];
  size_t n;
  int terms;
  int lines;
} text;

static void emit(text *out, const char *line) {
  size_t n = strlen(line);
  ck_assert(out->n + n + 2 < sizeof out->s);
  memcpy(out->s + out->n, line, n);
  out->n += n;
  out->s[out->n++] = '\n';
  out->s[out->n] = 0;
  out->lines++;
}

static const char *blank(const char *s) {
  return s + strspn(s, " ");
}

/* `3`, `-1/2`, bound `b0i`, variable (its first letter says the sort: i..n integer), or (op ...);
 * gives the number of its term line */
static int term(text *out, const char **at) {
  char line[4000];
  char word[64];
  const char *s = blank(*at);
  if (*s != '(') {
    size_t n = strcspn(s, " ()");
    ck_assert_msg(n > 0 && n < 60, "term expected at: %s", *at);
    memcpy(word, s, n);
    word[n] = 0;
    *at = s + n;
    char *slash = strchr(word, '/');
    if (isdigit((unsigned char)word[0]) || word[0] == '-') {
      if (slash)
        *slash = 0;
      snprintf(line, sizeof line, "q =%s =%s", word, slash ? slash + 1 : "1");
    } else if (word[0] == 'b' && isdigit((unsigned char)word[1])) {
      snprintf(line, sizeof line, "b =%.*s '%c", (int)n - 2, word + 1, word[n - 1]);
    } else {
      snprintf(line, sizeof line, "v '%s '%c", word, word[0] >= 'i' && word[0] <= 'n' ? 'i' : 'r');
    }
    emit(out, line);
    return out->terms++;
  }
  s++;
  size_t n = strcspn(s, " )");
  memcpy(word, s, n);
  word[n] = 0;
  s += n;
  char *colon = strchr(word, ':');
  bool sum = strcmp(word, "sum") == 0;
  bool minus = strcmp(word, "-") == 0;
  int numbers = strcmp(word, "fold") == 0 ? 2 : strcmp(word, "all") == 0 ? 1 : 0;
  int kids[40];
  int nk = 0;
  if (colon) {
    *colon = 0;
    snprintf(line, sizeof line, "app '%s '%s", word, colon + 1);
  } else {
    snprintf(line, sizeof line, "%s", word);
  }
  for (s = blank(s); *s != ')'; s = blank(s)) {
    if (numbers-- > 0) {
      size_t d = strcspn(s, " )");
      snprintf(line + strlen(line), sizeof line - strlen(line), " =%.*s", (int)d, s);
      s += d;
    } else {
      kids[nk++] = term(out, &s);
    }
  }
  *at = s + 1;
  char l2[64];
  if (sum) { /* (sum n body) under the binders (counter b0i, state b1r) */
    emit(out, "q =0 =1");
    emit(out, "b =1 'r");
    snprintf(l2, sizeof l2, "+ t%d t%d", out->terms + 1, kids[1]);
    emit(out, l2);
    snprintf(line, sizeof line, "fold =0 =1 t%d t%d t%d", kids[0], out->terms, out->terms + 2);
    out->terms += 3;
  } else if (minus) {
    emit(out, "q =-1 =1");
    snprintf(l2, sizeof l2, "* t%d t%d", out->terms, kids[1]);
    emit(out, l2);
    snprintf(line, sizeof line, "+ t%d t%d", kids[0], out->terms + 1);
    out->terms += 2;
  } else {
    for (int i = 0; i < nk; i++)
      snprintf(line + strlen(line), sizeof line - strlen(line), " t%d", kids[i]);
  }
  emit(out, line);
  return out->terms++;
}

/* `rule args`: @3 is step 3 of the case, 'w a word, =1 a number, | and , as they are, anything else
 * a term */
static void step(text *out, const char *s) {
  char line[4000] = "";
  size_t n = strcspn(s, " ");
  bool only_term = strncmp(s, "term ", 5) == 0;
  if (!only_term)
    snprintf(line, sizeof line, "%.*s", (int)n, s);
  for (s = blank(s + n); *s; s = blank(s)) {
    size_t w = strcspn(s, " ");
    size_t len = strlen(line);
    if (*s == '@') {
      snprintf(line + len, sizeof line - len, " s%.*s", (int)w - 1, s + 1);
      s += w;
    } else if (strchr("|,'=", *s)) {
      snprintf(line + len, sizeof line - len, " %.*s", (int)w, s);
      s += w;
    } else {
      int t = term(out, &s);
      if (!only_term)
        snprintf(line + len, sizeof line - len, " t%d", t);
    }
  }
  if (!only_term)
    emit(out, line);
}

/* `|- F | H H ..` to a goals file; the hypothesis number `skip` is left out */
static int goal(text *out, const char *s, int skip) {
  char line[4000];
  int f = term(out, &s);
  int nh = 0;
  snprintf(line, sizeof line, "goal g t%d |", f);
  s = blank(s);
  if (*s == '|') {
    for (s = blank(s + 1); *s; s = blank(s)) {
      int h = term(out, &s);
      if (nh++ != skip)
        snprintf(line + strlen(line), sizeof line - strlen(line), " t%d", h);
    }
  }
  emit(out, line);
  return nh;
}

static bool replay(const text *cert, const text *goals, char **why) {
  ck_terms *terms = ck_terms_new();
  ck_goal *g;
  uint32_t n;
  ck_usage usage;
  ck_assert(goals_read(terms, goals->s, &g, &n));
  bool ok = ck_cert_check(terms, g, n, cert->s, cert->n, &usage, why);
  free(g);
  ck_terms_free(terms);
  return ok;
}

static int accepted;
static int rejected;

/* first: the line where rejection may begin (a node may go wrong at one of its kids) */
static void run(const char *name, bool accept, text *cert, int first, const char *claim,
                int steps) {
  static text out;
  char *why;
  memset(&out, 0, sizeof out);
  if (!accept) {
    goal(&out, "(= 0 1)", -1);
    ck_assert_msg(!replay(cert, &out, &why), "%s: replay", name);
    int at = 0;
    ck_assert_msg(sscanf(why, "line %d:", &at) == 1 && at >= first && !strstr(why, "left open"),
                  "%s: not rejected at lines %d to %d but: %s\n%s", name, first, cert->lines, why,
                  cert->s);
    free(why);
    rejected++;
    return;
  }
  char qed[64];
  snprintf(qed, sizeof qed, "qed g s%d", steps - 1);
  emit(cert, qed);
  int nh = goal(&out, claim, -1);
  bool ok = replay(cert, &out, &why);
  ck_assert_msg(ok, "%s: %s\n%s", name, why, cert->s);
  for (int h = 0; h < nh; h++) {
    memset(&out, 0, sizeof out);
    goal(&out, claim, h);
    ck_assert_msg(!replay(cert, &out, &why), "%s: hypothesis %d was lost", name, h);
    free(why);
  }
  accepted++;
}

START_TEST(cases) {
  char path[4096];
  char *why = NULL;
  char name[256] = "";
  snprintf(path, sizeof path, "%s/tests/checker/rules.cases", test_source_dir());
  size_t len;
  char *all = slurp(path, &len);
  char *save = NULL;
  ck_assert(all != NULL);
  static text cert;
  bool accept = false;
  bool open = false;
  int steps = 0;
  int first = 0;
  (void)why;
  for (char *line = strtok_r(all, "\n", &save);; line = strtok_r(NULL, "\n", &save)) {
    bool head = line && (strncmp(line, "accept ", 7) == 0 || strncmp(line, "reject ", 7) == 0);
    if (line && line[0] == '#')
      continue;
    if ((head || line == NULL) && open) {
      ck_assert_msg(!accept, "%s: no claim", name);
      run(name, false, &cert, first, NULL, steps);
      open = false;
    }
    if (line == NULL)
      break;
    if (head) {
      snprintf(name, sizeof name, "%s", line + 7);
      accept = line[0] == 'a';
      memset(&cert, 0, sizeof cert);
      emit(&cert, "assay-cert 1");
      steps = 0;
      open = true;
    } else if (strncmp(line, "|- ", 3) == 0) {
      run(name, true, &cert, 0, line + 3, steps);
      open = false;
    } else {
      bool only_term = strncmp(line, "term ", 5) == 0;
      first = cert.lines + 1;
      step(&cert, line);
      if (!only_term)
        first = cert.lines;
      steps += !only_term;
    }
  }
  free(all);
  printf("rules.cases: %d accepted, %d near misses rejected\n", accepted, rejected);
  ck_assert(accepted >= 40 && rejected >= 150);
}

END_TEST

int main(void) {
  TCase *tests = test_case("cases", 60);
  tcase_add_test(tests, cases);
  return test_run("rules", tests);
}
