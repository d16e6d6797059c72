/* Z3, in process: one fresh context per query, so that no query can disturb another. */
#include "smt.h"
#include <stdlib.h>
#include <string.h>
#include <z3.h>

static void quiet(Z3_context c, Z3_error_code e) {
  (void)c;
  (void)e;
} /* the codes are read after each call */

/* gives NULL when unsat, otherwise the reason; *sat tells the two kinds apart */
static char *ask(const as_smt_query *q, unsigned ms, unsigned rlimit, bool *sat) {
  *sat = false;
  char *text = as_strdup(q->text);
  char *end = strstr(text, "(check-sat)");
  char *why = NULL;
  if (end)
    *end = 0;
  Z3_config cfg = Z3_mk_config();
  Z3_context c = Z3_mk_context(cfg);
  Z3_del_config(cfg);
  Z3_set_error_handler(c, quiet);
  Z3_solver s = Z3_mk_simple_solver(c);
  Z3_solver_inc_ref(c, s);
  Z3_params par = Z3_mk_params(c);
  Z3_params_inc_ref(c, par);
  Z3_params_set_uint(c, par, Z3_mk_string_symbol(c, "timeout"), ms);
  Z3_params_set_uint(c, par, Z3_mk_string_symbol(c, "rlimit"), rlimit);
  Z3_solver_set_params(c, s, par);
  Z3_solver_from_string(c, s, text);
  Z3_error_code e = Z3_get_error_code(c);
  if (e != Z3_OK) {
    why = as_format("cannot read the query: %s", Z3_get_error_msg(c, e));
  } else {
    Z3_lbool r = Z3_solver_check(c, s);
    if (Z3_get_error_code(c) != Z3_OK) {
      why = as_format("error: %s", Z3_get_error_msg(c, Z3_get_error_code(c)));
    } else if (r == Z3_L_TRUE) {
      *sat = true;
      why = as_strdup("sat");
    } else if (r != Z3_L_FALSE) {
      why = as_format("unknown (%s)", Z3_solver_get_reason_unknown(c, s));
    }
  }
  Z3_params_dec_ref(c, par);
  Z3_solver_dec_ref(c, s);
  Z3_del_context(c);
  free(text);
  return why;
}

void as_smt_z3(const as_smt_set *s, const as_smt_opts *o, as_smt_result *r) {
  unsigned ms = o && o->query_ms ? o->query_ms : 5000;
  unsigned total = o && o->total_ms ? o->total_ms : 60000;
  unsigned rl = o && o->rlimit ? o->rlimit : 20000000;
  double start = as_now();
  unsigned a;
  unsigned b;
  unsigned d;
  unsigned e;
  *r = (as_smt_result){.verdict = AS_SMT_AGREES};
  Z3_get_version(&a, &b, &d, &e);
  r->version = as_format("%u.%u.%u", a, b, d);
  for (uint32_t i = 0; i < s->n; i++) {
    if ((as_now() - start) * 1000 > total) {
      if (!r->reason)
        r->reason = as_format("out of time after %u of %u queries", i, s->n);
      if (r->verdict == AS_SMT_AGREES)
        r->verdict = AS_SMT_UNKNOWN;
      break;
    }
    bool sat;
    char *why = ask(&s->q[i], ms, rl, &sat);
    r->asked++;
    if (!why) {
      r->agreed++;
      continue;
    }
    if (sat && r->verdict != AS_SMT_DISAGREES) {
      free(r->reason);
      r->reason =
          as_format("%s: %s", s->q[i].name,
                    s->q[i].exact ? "has a countermodel"
                                  : "has a countermodel once products and laws are abstracted");
      r->verdict = AS_SMT_DISAGREES;
    } else if (!sat && r->verdict == AS_SMT_AGREES) {
      r->reason = as_format("%s: %s", s->q[i].name, why);
      r->verdict = AS_SMT_UNKNOWN;
    }
    free(why);
  }
  if (s->n == 0 && r->verdict == AS_SMT_AGREES) {
    r->verdict = AS_SMT_UNKNOWN;
    r->reason = as_strdup("no queries");
  }
  r->seconds = as_now() - start;
}
