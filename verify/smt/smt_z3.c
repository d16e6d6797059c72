/* Z3, in process: one fresh context per query, so that no query can disturb another. */
#include "smt_solver.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>
#include <z3.h>

static void quiet(Z3_context c, Z3_error_code e) {
  (void)c;
  (void)e;
} /* the codes are read after each call */

static smt_answer answer_of(Z3_context context, Z3_solver solver, char **words) {
  Z3_error_code error = Z3_get_error_code(context);
  if (error != Z3_OK) {
    *words = as_format("cannot read the query: %s", Z3_get_error_msg(context, error));
    return SMT_OTHER;
  }
  Z3_lbool answer = Z3_solver_check(context, solver);
  error = Z3_get_error_code(context);
  if (error != Z3_OK) {
    *words = as_format("error: %s", Z3_get_error_msg(context, error));
    return SMT_OTHER;
  }
  if (answer == Z3_L_UNDEF) {
    *words = as_format("unknown (%s)", Z3_solver_get_reason_unknown(context, solver));
    return SMT_OTHER;
  }
  return answer == Z3_L_TRUE ? SMT_SAT : SMT_UNSAT;
}

smt_answer smt_z3_ask(const char *query, unsigned milliseconds, unsigned rlimit, char **words) {
  char *text = as_strdup(query);
  char *end = strstr(text, "(check-sat)"); /* which is a call here */
  if (end)
    *end = 0;
  Z3_config config = Z3_mk_config();
  Z3_context context = Z3_mk_context(config);
  Z3_del_config(config);
  Z3_set_error_handler(context, quiet);
  Z3_solver solver = Z3_mk_simple_solver(context);
  Z3_solver_inc_ref(context, solver);
  Z3_params limits = Z3_mk_params(context);
  Z3_params_inc_ref(context, limits);
  Z3_params_set_uint(context, limits, Z3_mk_string_symbol(context, "timeout"), milliseconds);
  Z3_params_set_uint(context, limits, Z3_mk_string_symbol(context, "rlimit"), rlimit);
  Z3_solver_set_params(context, solver, limits);
  Z3_solver_from_string(context, solver, text);
  smt_answer answer = answer_of(context, solver, words);
  Z3_params_dec_ref(context, limits);
  Z3_solver_dec_ref(context, solver);
  Z3_del_context(context);
  free(text);
  return answer;
}

char *smt_z3_version(void) {
  unsigned major;
  unsigned minor;
  unsigned build;
  unsigned revision;
  Z3_get_version(&major, &minor, &build, &revision);
  return as_format("%u.%u.%u", major, minor, build);
}
