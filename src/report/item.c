/* A judged case as an item of a report. */
#include "draw.h"
#include "judged.h"
#include "report.h"
#include "src/base/id.h"
#include <stdlib.h>
#include <string.h>

enum { SHOWN_VALUES = 400 }; /* of one input of a counterexample */

static as_report_state answer_state(as_answer answer) {
  return answer == AS_ANSWER_PROVED    ? AS_REPORT_GOOD
         : answer == AS_ANSWER_REFUTED ? AS_REPORT_BAD
                                       : AS_REPORT_OPEN;
}

static void solver(as_report_item *item, const char *name, const as_opinion *opinion) {
  const as_smt_result *result = &opinion->result;
  if (!opinion->asked) {
    as_report_row(item, AS_REPORT_PLAIN, name, "not asked");
    return;
  }
  as_report_state state = result->verdict == AS_SMT_AGREES ? AS_REPORT_GOOD
                          : result->verdict == AS_SMT_DISAGREES || result->verdict == AS_SMT_UNSOUND
                              ? AS_REPORT_BAD
                              : AS_REPORT_OPEN;
  as_report_row(item, state, name, "%s: %u of %u obligations in %.2f s%s%s",
                as_smt_verdict_name(result->verdict), result->agreed, result->asked,
                result->seconds, result->reason ? "; " : "", result->reason ? result->reason : "");
}

static void random_rows(const as_verdict *verdict, as_report_item *item) {
  if (!verdict->field_words) {
    as_report_row(item, AS_REPORT_PLAIN, "Random test", "not run");
    return;
  }
  const as_field_report *field = &verdict->field;
  bool differs = verdict->field_ran && field->verdict == AS_NO;
  bool good = verdict->field_ran && as_field_says_all(field);
  as_report_state state = differs ? AS_REPORT_BAD : good ? AS_REPORT_GOOD : AS_REPORT_OPEN;
  as_report_row(item, state, "Random test", "%s", verdict->field_words);
}

static void floats_row(const as_floats_result *floats, as_report_item *item) {
  if (!floats)
    return;
  as_report_state state = floats->outcome == AS_FLOATS_PASSED ? AS_REPORT_GOOD
                          : as_floats_fails(floats)           ? AS_REPORT_BAD
                                                              : AS_REPORT_OPEN;
  char *said = as_floats_print(floats);
  as_report_row(item, state, "Floats", "%s", said);
  free(said);
}

static void trial_row(const char *untried, as_report_item *item) {
  if (untried == NULL)
    return;
  as_report_row(item, *untried ? AS_REPORT_OPEN : AS_REPORT_GOOD, "Trial", "%s",
                *untried ? untried
                         : "blocks of each kernel ran under the emulation; what they wrote is "
                           "right");
}

void as_report_judged_cex(as_report_item *item, const as_graph *given, const as_graph *cand,
                          const as_cex *cex) {
  static const char *const kind[] = {"", "", "the shape", "the whole"};
  const char *name =
      cex->output < given->n_output ? given->node[given->output[cex->output]].name : "";
  as_str where;
  as_str_init(&where);
  if (cex->kind == AS_CEX_SHAPE || cex->kind == AS_CEX_ILLFORMED) {
    as_str_printf(&where, "%s%s%s", cex->kind == AS_CEX_SHAPE ? name : "",
                  cex->kind == AS_CEX_SHAPE ? ": " : "", kind[cex->kind]);
  } else if (cex->output == AS_NONE) {
    as_str_add(&where, "a value on the way");
  } else {
    as_str_printf(&where, "%s[", name);
    for (uint32_t i = 0; i < cex->rank; i++)
      as_str_printf(&where, "%s%lld", i ? ", " : "", (long long)cex->index[i]);
    as_str_add(&where, "]");
  }
  item->cex.where = as_report_keep(item, where.s);
  as_str_clear(&where);
  item->cex.given = as_report_keep(item, cex->given);
  item->cex.candidate = as_report_keep(item, cex->candidate);
  item->cex.method = as_report_keep(item, cex->method);
  item->cex.replayed = true; /* no other is ever reported */
  for (uint32_t i = 0; i < cex->n_sizes;
       i++) /* the axes of a group have names with a dot, and are told with the group */
  {
    if (!strchr(as_size_name(cand->sizes, cex->size[i]), '.'))
      as_report_add_size(item, as_size_name(cand->sizes, cex->size[i]), cex->value[i]);
  }
  for (uint32_t i = 0; i < cex->n_inputs; i++) {
    const as_tensor *tensor = &cex->input[i];
    size_t n = tensor->n < SHOWN_VALUES ? tensor->n : SHOWN_VALUES;
    char **value = as_calloc(n + 1, sizeof *value);
    for (size_t k = 0; k < n; k++)
      value[k] = as_domain_exact.print(&as_domain_exact, as_tensor_at(tensor, k));
    as_report_add_input(item, given->node[given->input[i]].name, tensor->dim, tensor->rank,
                        (const char *const *)value, n);
    for (size_t k = 0; k < n; k++)
      free(value[k]);
    free(value);
  }
}

static void program(as_report_item *item, const char *title, const as_graph *graph) {
  char *dot = as_report_dot(graph);
  char *text = graph->program ? as_print_mug(graph) : as_print_tp(graph);
  as_report_add_part(item, title, text, dot);
  free(dot);
  free(text);
}

static void specifications(const as_judged *judged, const as_verdict *verdict,
                           as_report_item *item) {
  for (uint32_t i = 0; i < verdict->n_relied; i++) {
    char *text = as_oplib_text(judged->lib, verdict->relied[i].name);
    as_report_add_relied(item, verdict->relied[i].name, verdict->relied[i].sha256, text);
    free(text);
  }
}

/* the title: the program's name, the verdict in a word, and whose candidate it is about */
static void title(const as_judged *judged, const as_verdict *verdict, as_report_item *item) {
  bool half = verdict->answer == AS_ANSWER_PROVED && !verdict->certified;
  char *name = as_report_judged_name(judged, 0);
  char *candidate = as_report_judged_name(judged, 1);
  as_report_init(item, name ? name : "", half ? "NOT CERTIFIED" : as_answer_word(verdict->answer),
                 half ? AS_REPORT_OPEN : answer_state(verdict->answer));
  if (candidate) {
    char *about = as_format("candidate %s", candidate);
    item->about = as_report_keep(item, about);
    free(about);
  }
  free(name);
  free(candidate);
}

static const char *or_nothing(const char *text) {
  return text ? text : "";
}

/* the prover's work, and what the trusted checker says of it */
static void proof_rows(const as_verdict *verdict, as_report_item *item) {
  if (verdict->proof.verdict != AS_PROVED) {
    as_report_row(item, AS_REPORT_OPEN, "Proof", "none: %s (%u of %u goals proved)",
                  verdict->proof.reason ? verdict->proof.reason : "not found",
                  verdict->proof.goals_proved, verdict->proof.goals);
    as_report_row(item, AS_REPORT_PLAIN, "Trusted checker", "nothing to check");
    return;
  }
  as_report_row(item, AS_REPORT_GOOD, "Proof", "%u steps, %u terms, %u goals; found in %.3f s",
                verdict->proof.steps, verdict->proof.terms, verdict->proof.goals,
                verdict->prove_seconds);
  as_report_row(item, verdict->checked ? AS_REPORT_GOOD : AS_REPORT_BAD, "Trusted checker",
                "%s%s%s in %.3f s", verdict->checked ? "accepts" : "rejects",
                verdict->check_why ? ": " : "", or_nothing(verdict->check_why),
                verdict->check_seconds);
}

static void solver_rows(const as_verdict *verdict, as_report_item *item) {
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++)
    solver(item, as_smt_solver_title((as_smt_solver)i), &verdict->opinion[i]);
  if (verdict->queries_why)
    as_report_row(item, AS_REPORT_OPEN, "Solvers", "%s", verdict->queries_why);
}

static void open_goal(const as_verdict *verdict, as_report_item *item) {
  char *open = as_format("goal %s\n%s\n%s", verdict->proof.goal, or_nothing(verdict->proof.left),
                         or_nothing(verdict->proof.right));
  as_report_add_note(item, "What is left to show", open);
  free(open);
}

/* both programs, drawn where they are graphs: a tile program is its text alone */
static void programs(const as_judged *judged, as_report_item *item) {
  if (judged->program)
    program(item, "Program given", judged->program);
  else
    as_report_add_part(item, "Program given", judged->given.text, NULL);
  if (judged->graph)
    program(item, "Candidate", judged->graph);
  else if (judged->program == NULL)
    as_report_add_part(item, "Candidate", judged->candidate.text, NULL);
}

void as_report_judged(const as_judged *judged, const as_verdict *verdict,
                      const as_report_words *words, as_report_item *item) {
  bool found = verdict->proof.verdict == AS_PROVED;
  title(judged, verdict, item);
  item->reason = as_report_keep(item, verdict->why);
  item->theorem = as_report_keep(item, words->theorem);
  item->steps = found ? verdict->proof.steps : 0;
  proof_rows(verdict, item);
  if (words->implied)
    as_report_row(item, AS_REPORT_PLAIN, "Sizes", "the program is defined only where %s",
                  words->implied);
  if (verdict->shadowing)
    as_report_row(item, AS_REPORT_OPEN, "Shadowing",
                  "%s: other definitions than all know by these names", verdict->shadowing);
  random_rows(verdict, item);
  floats_row(words->floats, item);
  trial_row(words->untried, item);
  solver_rows(verdict, item);
  if (!found && verdict->proof.goal)
    open_goal(verdict, item);
  if (verdict->cex_found)
    as_report_judged_cex(item, judged->program, judged->graph, &verdict->cex);
  programs(judged, item);
  specifications(judged, verdict, item);
  item->outline = as_report_keep(item, words->outline);
}
