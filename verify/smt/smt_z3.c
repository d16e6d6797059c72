/* Z3, in process: one fresh context per query, so that no query can disturb another. */
#include "smt.h"
#include <stdlib.h>
#include <string.h>
#include <z3.h>

static void quiet(Z3_context context, Z3_error_code error) {
  (void)context;
  (void)error;
} /* the codes are read after each call */

/* gives NULL when unsat, otherwise the reason; *sat tells the two kinds apart */
static char *ask(const as_smt_query *query, unsigned ms, unsigned rlimit, bool *sat) {
  *sat = false;
  char *text = as_strdup(query->text);
  char *check = strstr(text, "(check-sat)");
  char *why = NULL;
  if (check)
    *check = 0;
  Z3_config config = Z3_mk_config();
  Z3_context context = Z3_mk_context(config);
  Z3_del_config(config);
  Z3_set_error_handler(context, quiet);
  Z3_solver solver = Z3_mk_simple_solver(context);
  Z3_solver_inc_ref(context, solver);
  Z3_params params = Z3_mk_params(context);
  Z3_params_inc_ref(context, params);
  Z3_params_set_uint(context, params, Z3_mk_string_symbol(context, "timeout"), ms);
  Z3_params_set_uint(context, params, Z3_mk_string_symbol(context, "rlimit"), rlimit);
  Z3_solver_set_params(context, solver, params);
  Z3_solver_from_string(context, solver, text);
  Z3_error_code error = Z3_get_error_code(context);
  if (error != Z3_OK) {
    why = as_format("cannot read the query: %s", Z3_get_error_msg(context, error));
  } else {
    Z3_lbool answer = Z3_solver_check(context, solver);
    if (Z3_get_error_code(context) != Z3_OK) {
      why = as_format("error: %s", Z3_get_error_msg(context, Z3_get_error_code(context)));
    } else if (answer == Z3_L_TRUE) {
      *sat = true;
      why = as_strdup("sat");
    } else if (answer != Z3_L_FALSE) {
      why = as_format("unknown (%s)", Z3_solver_get_reason_unknown(context, solver));
    }
  }
  Z3_params_dec_ref(context, params);
  Z3_solver_dec_ref(context, solver);
  Z3_del_context(context);
  free(text);
  return why;
}

void as_smt_z3(const as_smt_set *set, const as_smt_opts *opts, as_smt_result *result) {
  unsigned ms = opts && opts->query_ms ? opts->query_ms : 5000;
  unsigned total = opts && opts->total_ms ? opts->total_ms : 60000;
  unsigned rlimit = opts && opts->rlimit ? opts->rlimit : 20000000;
  double start = as_now();
  unsigned major;
  unsigned minor;
  unsigned build;
  unsigned revision;
  *result = (as_smt_result){.verdict = AS_SMT_AGREES};
  Z3_get_version(&major, &minor, &build, &revision);
  result->version = as_format("%u.%u.%u", major, minor, build);
  for (uint32_t i = 0; i < set->n; i++) {
    if ((as_now() - start) * 1000 > total) {
      if (!result->reason)
        result->reason = as_format("out of time after %u of %u queries", i, set->n);
      if (result->verdict == AS_SMT_AGREES)
        result->verdict = AS_SMT_UNKNOWN;
      break;
    }
    bool sat;
    char *why = ask(&set->q[i], ms, rlimit, &sat);
    result->asked++;
    if (!why) {
      result->agreed++;
      continue;
    }
    if (sat && result->verdict != AS_SMT_DISAGREES) {
      free(result->reason);
      result->reason =
          as_format("%s: %s", set->q[i].name,
                    set->q[i].exact ? "has a countermodel"
                                    : "has a countermodel once products and laws are abstracted");
      result->verdict = AS_SMT_DISAGREES;
    } else if (!sat && result->verdict == AS_SMT_AGREES) {
      result->reason = as_format("%s: %s", set->q[i].name, why);
      result->verdict = AS_SMT_UNKNOWN;
    }
    free(why);
  }
  if (set->n == 0 && result->verdict == AS_SMT_AGREES) {
    result->verdict = AS_SMT_UNKNOWN;
    result->reason = as_strdup("no queries");
  }
  result->seconds = as_now() - start;
}
