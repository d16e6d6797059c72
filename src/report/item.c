/* A judged case as an item of a report. */
#include "draw.h"
#include "judged.h"
#include "report.h"
#include "src/base/id.h"
#include <stdlib.h>
#include <string.h>

enum { SHOWN_VALUES = 400 }; /* of one input of a counterexample */

static as_report_state answer_state(as_answer a) {
  return a == AS_ANSWER_PROVED    ? AS_REPORT_GOOD
         : a == AS_ANSWER_REFUTED ? AS_REPORT_BAD
                                  : AS_REPORT_OPEN;
}

static void solver(as_report_item *it, const char *name, const as_opinion *opinion) {
  const as_smt_result *r = &opinion->result;
  if (!opinion->asked) {
    as_report_row(it, AS_REPORT_PLAIN, name, "not asked");
    return;
  }
  as_report_state s = r->verdict == AS_SMT_AGREES ? AS_REPORT_GOOD
                      : r->verdict == AS_SMT_DISAGREES || r->verdict == AS_SMT_UNSOUND
                          ? AS_REPORT_BAD
                          : AS_REPORT_OPEN;
  as_report_row(it, s, name, "%s: %u of %u obligations in %.2f s%s%s",
                as_smt_verdict_name(r->verdict), r->agreed, r->asked, r->seconds,
                r->reason ? "; " : "", r->reason ? r->reason : "");
}

static void random_rows(const as_verdict *v, as_report_item *it) {
  if (!v->field_words) {
    as_report_row(it, AS_REPORT_PLAIN, "Random test", "not run");
    return;
  }
  const as_field_report *f = &v->field;
  as_report_state s = !v->field_ran || f->verdict == AS_UNKNOWN ? AS_REPORT_OPEN
                      : f->verdict == AS_OK                     ? AS_REPORT_GOOD
                                                                : AS_REPORT_BAD;
  as_report_row(it, s, "Random test", "%s", v->field_words);
}

void as_report_judged_cex(as_report_item *it, const as_graph *given, const as_graph *cand,
                          const as_cex *x) {
  static const char *const kind[] = {"", "", "the shape", "the whole"};
  const char *name = x->output < given->n_output ? given->node[given->output[x->output]].name : "";
  as_str where;
  as_str_init(&where);
  if (x->kind == AS_CEX_SHAPE || x->kind == AS_CEX_ILLFORMED) {
    as_str_printf(&where, "%s%s%s", x->kind == AS_CEX_SHAPE ? name : "",
                  x->kind == AS_CEX_SHAPE ? ": " : "", kind[x->kind]);
  } else if (x->output == AS_NONE) {
    as_str_add(&where, "a value on the way");
  } else {
    as_str_printf(&where, "%s[", name);
    for (uint32_t i = 0; i < x->rank; i++)
      as_str_printf(&where, "%s%lld", i ? ", " : "", (long long)x->index[i]);
    as_str_add(&where, "]");
  }
  it->cex.where = as_report_keep(it, where.s);
  as_str_clear(&where);
  it->cex.given = as_report_keep(it, x->given);
  it->cex.candidate = as_report_keep(it, x->candidate);
  it->cex.method = as_report_keep(it, x->method);
  it->cex.replayed = true; /* no other is ever reported */
  for (uint32_t i = 0; i < x->n_sizes;
       i++) /* the axes of a group have names with a dot, and are told with the group */
  {
    if (!strchr(as_size_name(cand->sizes, x->size[i]), '.'))
      as_report_add_size(it, as_size_name(cand->sizes, x->size[i]), x->value[i]);
  }
  for (uint32_t i = 0; i < x->n_inputs; i++) {
    const as_tensor *t = &x->input[i];
    size_t n = t->n < SHOWN_VALUES ? t->n : SHOWN_VALUES;
    char **value = as_calloc(n + 1, sizeof *value);
    for (size_t k = 0; k < n; k++)
      value[k] = as_domain_exact.print(&as_domain_exact, as_tensor_at(t, k));
    as_report_add_input(it, given->node[given->input[i]].name, t->dim, t->rank,
                        (const char *const *)value, n);
    for (size_t k = 0; k < n; k++)
      free(value[k]);
    free(value);
  }
}

static void program(as_report_item *it, const char *title, const as_graph *g) {
  char *dot = as_report_dot(g);
  char *text = g->program ? as_print_mug(g) : as_print_tp(g);
  as_report_add_part(it, title, text, dot);
  free(dot);
  free(text);
}

static void specifications(const as_judged *judged, const as_verdict *v, as_report_item *it) {
  for (uint32_t i = 0; i < v->n_relied; i++) {
    char *text = as_oplib_text(judged->lib, v->relied[i].name);
    as_report_add_relied(it, v->relied[i].name, v->relied[i].sha256, text);
    free(text);
  }
}

void as_report_judged(const as_judged *judged, const as_verdict *v, const as_report_words *words,
                      as_report_item *it) {
  bool half = v->answer == AS_ANSWER_PROVED && !v->certified;
  as_report_init(it, judged->program->name, half ? "NOT CERTIFIED" : as_answer_word(v->answer),
                 half ? AS_REPORT_OPEN : answer_state(v->answer));
  if (judged->graph) {
    char *about = as_format("candidate %s", judged->graph->name);
    it->about = as_report_keep(it, about);
    free(about);
  }
  it->reason = as_report_keep(it, v->why);
  it->theorem = as_report_keep(it, words->theorem);
  it->steps = v->proof.verdict == AS_PROVED ? v->proof.steps : 0;
  bool found = v->proof.verdict == AS_PROVED;
  if (found) {
    as_report_row(it, AS_REPORT_GOOD, "Proof", "%u steps, %u terms, %u goals; found in %.3f s",
                  v->proof.steps, v->proof.terms, v->proof.goals, v->prove_seconds);
  } else {
    as_report_row(it, AS_REPORT_OPEN, "Proof", "none: %s (%u of %u goals proved)",
                  v->proof.reason ? v->proof.reason : "not found", v->proof.goals_proved,
                  v->proof.goals);
  }
  if (found) {
    as_report_row(it, v->checked ? AS_REPORT_GOOD : AS_REPORT_BAD, "Trusted checker",
                  "%s%s%s in %.3f s", v->checked ? "accepts" : "rejects", v->check_why ? ": " : "",
                  v->check_why ? v->check_why : "", v->check_seconds);
  } else {
    as_report_row(it, AS_REPORT_PLAIN, "Trusted checker", "nothing to check");
  }
  if (words->implied)
    as_report_row(it, AS_REPORT_PLAIN, "Sizes", "the program is defined only where %s",
                  words->implied);
  random_rows(v, it);
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++)
    solver(it, as_smt_solver_title((as_smt_solver)i), &v->opinion[i]);
  if (v->queries_why)
    as_report_row(it, AS_REPORT_OPEN, "Solvers", "%s", v->queries_why);
  if (!found && v->proof.goal) {
    char *open = as_format("goal %s\n%s\n%s", v->proof.goal, v->proof.left ? v->proof.left : "",
                           v->proof.right ? v->proof.right : "");
    as_report_add_note(it, "What is left to show", open);
    free(open);
  }
  if (v->cex_found)
    as_report_judged_cex(it, judged->program, judged->graph, &v->cex);
  program(it, "Program given", judged->program);
  if (judged->graph)
    program(it, "Candidate", judged->graph);
  specifications(judged, v, it);
  it->outline = as_report_keep(it, words->outline);
}
