/* The certificate grammar (proofs/FORMAT.md): what is malformed or beyond a bound is rejected,
 * without a crash and in linear time. */
#include "goals.h"
#include "tests/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char goal_text[] = "v 'x 'r\nv 'y 'r\n+ t0 t1\n+ t1 t0\n= t2 t3\ngoal eq t4 |\n";
#define HEAD "assay-cert 1\n"
#define TERMS "v 'x 'r\nv 'y 'r\n+ t0 t1\n+ t1 t0\n= t2 t3\n"
#define GOOD HEAD TERMS "arith t4 |\nqed eq s0\n"

static bool accepted(const char *text, size_t len, char *why, size_t room) {
  ck_terms *terms = ck_terms_new();
  ck_goal *goal;
  uint32_t n;
  ck_usage usage;
  char *reason = NULL;
  ck_assert(goals_read(terms, goal_text, &goal, &n));
  bool ok = ck_cert_check(terms, goal, n, text, len, &usage, &reason);
  ck_assert(ok == (reason == NULL));
  snprintf(why, room, "%s", reason ? reason : "");
  free(reason);
  free(goal);
  ck_terms_free(terms);
  return ok;
}

static const char *const good[] = {
    GOOD,
    HEAD TERMS "v 'x 'r\narith t4 |\narith t4 |\nqed eq s1\n", /* a term twice, a step not used */
    HEAD TERMS "q =-0 =1\n= t5 t5\narith t6 |\narith t4 |\nqed eq s1\n", /* -0 is 0 */
    HEAD TERMS "= t2 t2\narith t5 |\nq =1 =1\narith t4 | t6 s0\nqed eq s1\n",
};

static const char *const malformed[] = {
    "",
    "\n",
    "assay-cert 1",
    "assay-cert 2\n",
    "assay-cert 1 \n",
    " assay-cert 1\n",
    "assay-cert 1\r\n" TERMS "arith t4 |\nqed eq s0\n",
    HEAD,
    HEAD TERMS "arith t4 |\n",
    HEAD TERMS "arith t4 |\nqed eq s0",
    HEAD TERMS "arith t4 |\nqed eq s0\n\n",
    HEAD "\n" TERMS "arith t4 |\nqed eq s0\n",
    GOOD "qed eq s0\n",
    GOOD "qed other s0\n",
    HEAD TERMS "arith t4 |\nqed other s0\n",
    HEAD TERMS "arith t4 |\nqed eq\n",
    HEAD TERMS "arith t4 |\nqed eq t4\n",
    HEAD TERMS "arith t4 |\nqed eq s0 s0\n",
    HEAD TERMS "arith t4 |\nqed eq s1\n",
    HEAD TERMS "arith t4 |\nqed eq s00\n",
    HEAD TERMS "arith t4 |\nqed eq s-0\n",
    HEAD TERMS "qed eq s0\narith t4 |\n",
    HEAD TERMS "arith t4 |\nqed 'eq s0\n",
    HEAD TERMS "hyp t4\nqed eq s0\n",
    HEAD TERMS "= t3 t2\narith t5 |\nqed eq s0\n",
    HEAD TERMS "arith t4\nqed eq s0\n",
    HEAD TERMS "arith t4 | |\nqed eq s0\n",
    HEAD TERMS "arith t4 | ,\nqed eq s0\n",
    HEAD TERMS "arith t4 |  \nqed eq s0\n",
    HEAD TERMS "arith  t4 |\nqed eq s0\n",
    HEAD TERMS "arith t4 | \nqed eq s0\n",
    HEAD TERMS "arith t4|\nqed eq s0\n",
    HEAD TERMS "\tarith t4 |\nqed eq s0\n",
    HEAD TERMS "arith s0 |\nqed eq s0\n",
    HEAD TERMS "arith t5 |\nqed eq s0\n",
    HEAD TERMS "arith 't4 |\nqed eq s0\n",
    HEAD TERMS "arith =4 |\nqed eq s0\n",
    HEAD TERMS "arith t4 |\narith t4 | t0 t0\nqed eq s0\n",
    HEAD TERMS "arith t4 |\narith t4 | s0\nqed eq s0\n",
    HEAD TERMS "arith t4 |\narith t4 | t0 s0 ,\nqed eq s0\n",
    HEAD TERMS "arith t4 |\narith t4 | , t0 s0\nqed eq s0\n",
    HEAD TERMS "arith t4 |\narith t4 | t0 s0 , , t0 s0\nqed eq s0\n",
    HEAD TERMS "arith t4 |\narith t4 | t0 s1\nqed eq s0\n",
    HEAD TERMS "arith t4 |\nsum t4\nqed eq s0\n",
    HEAD TERMS "arith t4 |\nARITH t4 |\nqed eq s0\n",
    HEAD TERMS "arith t4 |\nsorry t4\nqed eq s0\n",
    HEAD TERMS "arith t4 |\ninst s0 | t0 t1 , | |\nqed eq s0\n",
    HEAD TERMS "arith t4 |\ninst s0 | t0 | |\nqed eq s0\n",
    HEAD TERMS "arith t4 |\ninst s0 | | 'f |\nqed eq s0\n",
    HEAD TERMS "arith t4 |\ninst s0 | | 'f 'r:r |\nqed eq s0\n",
    HEAD TERMS "arith t4 |\ninst s0 | |\nqed eq s0\n",
    HEAD TERMS "arith t4 |\ninst s0 | | | | s0\nqed eq s0\n",
    HEAD TERMS "arith t4 |\nlaw 'exp> | t0\nqed eq s0\n",
    HEAD TERMS "arith t4 |\nlaw 'exp> t0 |\nqed eq s0\n",
    HEAD TERMS "arith t4 |\nlaw exp> | t0 |\nqed eq s0\n",
    HEAD TERMS "arith t4 |\ncases t4 s0\nqed eq s0\n",
    HEAD TERMS "arith t4 |\ncases t4 s0 s0 s0\nqed eq s0\n",
    HEAD TERMS "arith t4 |\ncases s0 t4 s0\nqed eq s0\n",
    HEAD TERMS "q =1\narith t4 |\nqed eq s0\n",
    HEAD TERMS "q =1 =1 =1\narith t4 |\nqed eq s0\n",
    HEAD TERMS "q 1 1\narith t4 |\nqed eq s0\n",
    HEAD TERMS "q =+1 =1\narith t4 |\nqed eq s0\n",
    HEAD TERMS "q = =1\narith t4 |\nqed eq s0\n",
    HEAD TERMS "q =- =1\narith t4 |\nqed eq s0\n",
    HEAD TERMS "q =0x1 =1\narith t4 |\nqed eq s0\n",
    HEAD TERMS "q =1 =0\narith t4 |\nqed eq s0\n",
    HEAD TERMS "v 'x\narith t4 |\nqed eq s0\n",
    HEAD TERMS "v 'x 'ri\narith t4 |\nqed eq s0\n",
    HEAD TERMS "v 'x 'i,\narith t4 |\nqed eq s0\n",
    HEAD TERMS "v ' 'r\narith t4 |\nqed eq s0\n",
    HEAD TERMS "b =-1 'r\narith t4 |\nqed eq s0\n",
    HEAD TERMS "b =00 'r\narith t4 |\nqed eq s0\n",
    HEAD TERMS "b =4294967296 'r\narith t4 |\nqed eq s0\n",
    HEAD TERMS "exp t4294967296\narith t4 |\nqed eq s0\n",
    HEAD TERMS "exp t18446744073709551616\narith t4 |\nqed eq s0\n",
    HEAD TERMS "exp t00\narith t4 |\nqed eq s0\n",
    HEAD TERMS "exp t\narith t4 |\nqed eq s0\n",
    HEAD TERMS "exp\narith t4 |\nqed eq s0\n",
    HEAD TERMS "+ t0 t1 t0\narith t4 |\nqed eq s0\n",
    HEAD TERMS "+ t0 | t1\narith t4 |\nqed eq s0\n",
    HEAD TERMS "fold =0 =2147483648 t0\narith t4 |\nqed eq s0\n",
    HEAD TERMS "fold =0 =65 t0\narith t4 |\nqed eq s0\n",
    HEAD TERMS "all =4294967295 t4\narith t4 |\nqed eq s0\n",
    HEAD TERMS "arith t4 |\nqed  eq s0\n",
    HEAD TERMS "arith t4 |\nqed\n",
    HEAD TERMS "arith t4 |\nqed eq s4294967296\n",
    "assay-cert 1 qed eq s0\n",
};

START_TEST(grammar) {
  char why[512];
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    ck_assert_msg(accepted(good[i], strlen(good[i]), why, sizeof why), "good %zu: %s", i, why);
  for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
    ck_assert_msg(!accepted(malformed[i], strlen(malformed[i]), why, sizeof why), "accepted:\n%s",
                  malformed[i]);
  }
  for (size_t i = 0; i < sizeof GOOD - 1;
       i++) { /* cut off, a zero byte, a carriage return, a high byte: never accepted */
    char text[sizeof GOOD];
    ck_assert(!accepted(GOOD, i, why, sizeof why));
    for (int k = 0; k < 3; k++) {
      memcpy(text, GOOD, sizeof GOOD);
      text[i] = "\0\r\x80"[k];
      ck_assert_msg(!accepted(text, sizeof GOOD - 1, why, sizeof why), "byte %zu", i);
    }
  }
}

END_TEST

static char *out;
static size_t n_out;

static void line(const char *fmt, int a, int b) {
  if (out == NULL)
    out = malloc(16u << 20);
  n_out += (size_t)sprintf(out + n_out, fmt, a, b);
}

static void ends(const char *expect) {
  char why[512];
  bool ok = accepted(out, n_out, why, sizeof why);
  n_out = 0;
  ck_assert_msg(ok == (*expect == 0) && strstr(why, expect) != NULL, "expected '%s', got '%s'",
                expect, why);
}

START_TEST(bounds) {
  line(HEAD TERMS "arith t4 |\nqed eq s0\n", 0, 0);
  for (int i = 0; i < 5000; i++)
    line("exp t%d\n", i ? i + 4 : 0, 0);
  ends("too deep");
  line(HEAD "v 'x 'r\n", 0, 0); /* x to the power 2^60 */
  for (int i = 0; i < 60; i++)
    line("* t%d t%d\n", i, i);
  line("= t60 t60\narith t61 |\n", 0, 0);
  ends("polynomial too large");
  line(HEAD "q =3 =1\n", 0, 0); /* 3 to the power 2^60 */
  for (int i = 0; i < 60; i++)
    line("* t%d t%d\n", i, i);
  line("= t60 t60\narith t61 |\n", 0, 0);
  ends("polynomial too large");
  line(HEAD "v 'x 'r\n", 0, 0); /* 2^2900 x, shared */
  for (int i = 0; i < 2900; i++)
    line("+ t%d t%d\n", i, i);
  line("= t2900 t2900\narith t2901 |\n", 0, 0);
  ends("left open");
  line(HEAD, 0, 0); /* the square of a sum of 600 atoms */
  for (int i = 0; i < 600; i++)
    line("v 'x%d 'r\n", i, 0);
  line("+ t0 t1\n", 0, 0);
  for (int i = 2; i < 600; i++)
    line("+ t%d t%d\n", 598 + i, i);
  line("* t1198 t1198\n= t1199 t1199\narith t1200 |\n", 0, 0);
  ends("polynomial too large");
  line(HEAD "v 'k 'i\nq =1 =1\n+ t0 t1\napp 'f 'i:r t0\napp 'f 'i:r t2\n+ t3 t4\n= t3 t5\nhyp t6\n",
       0, 0); /* f := f + f(k+1), again and again */
  for (int i = 0; i < 60; i++)
    line("inst s%d | | 'f 'i:r t0 t5 |\n", i, 0);
  ends("left open");
}

END_TEST

START_TEST(long_certificate) {
  line(HEAD TERMS "= t0 t1\nhyp t5\nq =1 =1\n", 0, 0);
  for (int i = 0, t = 7; i < 25000; i++, t += 4) {
    line("q =%d =1\n+ t0 t%d\n", i + 2, t);
    line("+ t1 t%d\n= t%d ", t, t + 1);
    line("t%d\narith t%d | t6 s0\n", t + 2, t + 3);
  }
  line("arith t4 |\nqed eq s25001\n", 0, 0);
  ends("");
}

END_TEST

int main(void) {
  TCase *tests = test_case("grammar", 60);
  tcase_add_test(tests, grammar);
  tcase_add_test(tests, bounds);
  tcase_add_test(tests, long_certificate);
  int status = test_run("format", tests);
  free(out);
  return status;
}
