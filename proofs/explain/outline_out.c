/* Outlines of proofs as text, as a part of a page, as JSON. */
#include "outline.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void numbers(as_str *out, const uint32_t *from, uint32_t count, const char *before) {
  for (uint32_t i = 0; i < count; i++)
    as_str_printf(out, "%s(%u)", i ? ", " : before, from[i]);
}

static char *grounds(const uint32_t *from, uint32_t count, uint32_t routine) {
  as_str out;
  as_str_init(&out);
  as_str_addn(&out, "", 0);
  numbers(&out, from, count, "from ");
  if (routine)
    as_str_printf(&out, "%s%u routine step%s", count ? " and " : "", routine,
                  routine == 1 ? "" : "s");
  return as_str_take(&out);
}

/* "A: why; from (1), (2) and 3 routine steps" */
static char *reason(const as_explain_fact *fact) {
  char *from = grounds(fact->from, fact->n_from, fact->routine);
  char *text = as_format("%s%s%s", fact->why, *from ? "; " : "", from);
  free(from);
  return text;
}

static char *conclusion(const as_explain_goal *goal) {
  char *from = grounds(goal->from, goal->n_from, goal->routine);
  char *text;
  if (goal->sizes_only)
    text = as_format("arithmetic of sizes and indices, %u step%s", goal->steps,
                     goal->steps == 1 ? "" : "s");
  else if (*from)
    text = as_strdup(from);
  else
    text = as_strdup("at once");
  free(from);
  return text;
}

static void relations(as_str *out, const as_explain_goal *goal) {
  as_str_printf(out, "\nGoal %.*s%s%s\n  %s%s%s\n", (int)strcspn(goal->name, "@"), goal->name,
                *goal->what ? ": " : "", goal->what, goal->says, *goal->under ? "   if " : "",
                goal->under);
  for (size_t j = 0; j < goal->facts.n; j++) {
    const as_explain_fact *fact = &AS_VEC_AT(&goal->facts, as_explain_fact, j);
    char *why = reason(fact);
    as_str_printf(out, "  %5s%u) %s\n", "(", fact->number, fact->says);
    if (*fact->under)
      as_str_printf(out, "         if %s\n", fact->under);
    as_str_printf(out, "         %s\n", why);
    free(why);
  }
  char *end = conclusion(goal);
  as_str_printf(out, "  %s%s\n", goal->facts.n ? "Hence the goal, " : "By ",
                goal->facts.n                   ? end
                : strncmp(end, "from ", 5) == 0 ? end + 5
                                                : end);
  free(end);
}

char *as_explain_text(const as_explain_outline *outline) {
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "Theorem\n%s", outline->theorem);
  as_str_printf(&out, "\nProof: %u steps; %zu goals, %zu lemma%s\n", outline->steps,
                outline->goals.n, outline->lemmas.n, outline->lemmas.n == 1 ? "" : "s");
  if (outline->full) {
    as_str_add(&out, "\n");
    as_str_add(&out, outline->full);
    for (size_t i = 0; i < outline->goals.n; i++) {
      as_str_printf(&out, "Goal %s: %s, by step %u\n",
                    AS_VEC_AT(&outline->goals, as_explain_goal, i).name,
                    AS_VEC_AT(&outline->goals, as_explain_goal, i).says,
                    AS_VEC_AT(&outline->goals, as_explain_goal, i).last);
    }
    return as_str_take(&out);
  }
  if (outline->lemmas.n)
    as_str_add(&out, "\nLemmas\n");
  for (size_t i = 0; i < outline->lemmas.n; i++) {
    const as_explain_lemma *lemma = &AS_VEC_AT(&outline->lemmas, as_explain_lemma, i);
    as_str_printf(&out, "  L%zu%s%s\n      %s%s%s\n      %s\n", i + 1, lemma->name ? ". " : "",
                  lemma->name ? lemma->name : "", lemma->says, *lemma->under ? "   if " : "",
                  lemma->under, lemma->how);
  }
  if (outline->words.n)
    as_str_add(&out, "\nNotation\n");
  for (size_t i = 0; i < outline->words.n; i++) {
    as_str_printf(&out, "  %s = %s\n", AS_VEC_AT(&outline->words, as_explain_word, i).name,
                  AS_VEC_AT(&outline->words, as_explain_word, i).means);
  }
  for (size_t i = 0; i < outline->goals.n; i++)
    relations(&out, &AS_VEC_AT(&outline->goals, as_explain_goal, i));
  return as_str_take(&out);
}

/* ---- HTML */
static void tagged(as_str *out, const char *before, const char *text, const char *after) {
  as_str_add(out, before);
  as_str_add_html(out, text);
  as_str_add(out, after);
}

static void html_fact(as_str *out, const as_explain_fact *fact) {
  char *why = reason(fact);
  as_str_printf(out, "<li><span class=\"k\">(%u)</span>", fact->number);
  tagged(out, "<code>", fact->says, "</code><span class=\"by\">");
  if (*fact->under)
    tagged(out, "if <span class=\"if\">", fact->under, "</span>; ");
  tagged(out, "", why, "</span></li>\n");
  free(why);
}

static void html_goal(as_str *out, const as_explain_goal *goal) {
  char *end = conclusion(goal);
  as_str_add(out, "<details class=\"goal\"><summary>Goal ");
  char *name = as_format("%.*s", (int)strcspn(goal->name, "@"),
                         goal->name); /* behind the @ the hash of a rule */
  tagged(out, "<code>", name, "</code>");
  free(name);
  if (*goal->what)
    tagged(out, ": ", goal->what, "");
  as_str_printf(out, " <span class=\"tag\">%u step%s</span></summary>\n<ol class=\"proof\">",
                goal->steps, goal->steps == 1 ? "" : "s");
  tagged(out, "<li><span class=\"k\">show</span><code>", goal->says, "</code>");
  if (*goal->under)
    tagged(out, "<span class=\"by\">if ", goal->under, "</span>");
  as_str_add(out, "</li>\n");
  for (size_t j = 0; j < goal->facts.n; j++)
    html_fact(out, &AS_VEC_AT(&goal->facts, as_explain_fact, j));
  tagged(out, "<li><span class=\"k\">hence</span><span class=\"by\">", end,
         "</span></li></ol></details>\n");
  free(end);
}

char *as_explain_html(const as_explain_outline *outline) {
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "<p>%u steps in the certificate; what is routine is folded away here.</p>\n",
                outline->steps);
  if (outline->lemmas.n) {
    as_str_printf(&out,
                  "<details class=\"goal\"><summary>Lemmas <span class=\"tag\">%zu, proved in the "
                  "certificate</span></summary>"
                  "<ol class=\"proof\">\n",
                  outline->lemmas.n);
  }
  for (size_t i = 0; i < outline->lemmas.n; i++) {
    const as_explain_lemma *lemma = &AS_VEC_AT(&outline->lemmas, as_explain_lemma, i);
    as_str_printf(&out, "<li><span class=\"k\">L%zu</span>", i + 1);
    if (lemma->name)
      as_str_add_html(&out, lemma->name);
    tagged(&out, "<code>", lemma->says, "</code><span class=\"by\">");
    if (*lemma->under)
      tagged(&out, "if ", lemma->under, "; ");
    tagged(&out, "", lemma->how, "</span></li>\n");
  }
  if (outline->lemmas.n)
    as_str_add(&out, "</ol></details>\n");
  if (outline->words.n)
    as_str_add(&out, "<p>Notation:</p><ol class=\"proof\">\n");
  for (size_t i = 0; i < outline->words.n; i++) {
    tagged(&out, "<li><span class=\"k\">", AS_VEC_AT(&outline->words, as_explain_word, i).name,
           "</span><code>");
    tagged(&out, "", AS_VEC_AT(&outline->words, as_explain_word, i).means, "</code></li>\n");
  }
  if (outline->words.n)
    as_str_add(&out, "</ol>\n");
  for (size_t i = 0; i < outline->goals.n; i++)
    html_goal(&out, &AS_VEC_AT(&outline->goals, as_explain_goal, i));
  return as_str_take(&out);
}

/* ---- JSON */
static json_t *number_list(const uint32_t *numbers, uint32_t count) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < count; i++)
    json_array_append_new(list, json_integer(numbers[i]));
  return list;
}

static json_t *goal_json(const as_explain_goal *goal) {
  json_t *facts = json_array();
  for (size_t j = 0; j < goal->facts.n; j++) {
    const as_explain_fact *fact = &AS_VEC_AT(&goal->facts, as_explain_fact, j);
    json_array_append_new(facts, json_pack("{s:i, s:i, s:s, s:s, s:s, s:o, s:i}", "number",
                                           (int)fact->number, "step", (int)fact->step, "formula",
                                           fact->says, "under", fact->under, "why", fact->why,
                                           "from", number_list(fact->from, fact->n_from),
                                           "routine_steps", (int)fact->routine));
  }
  return json_pack("{s:s, s:s, s:s, s:s, s:i, s:b, s:o, s:o, s:i}", "name", goal->name, "what",
                   goal->what, "formula", goal->says, "under", goal->under, "steps",
                   (int)goal->steps, "sizes_only", goal->sizes_only, "facts", facts, "from",
                   number_list(goal->from, goal->n_from), "routine_steps", (int)goal->routine);
}

void *as_explain_json(const as_explain_outline *outline) {
  json_t *words = json_array();
  json_t *lemmas = json_array();
  json_t *goals = json_array();
  for (size_t i = 0; i < outline->words.n; i++) {
    json_array_append_new(
        words, json_pack("{s:s, s:s}", "name", AS_VEC_AT(&outline->words, as_explain_word, i).name,
                         "means", AS_VEC_AT(&outline->words, as_explain_word, i).means));
  }
  for (size_t i = 0; i < outline->lemmas.n; i++) {
    const as_explain_lemma *lemma = &AS_VEC_AT(&outline->lemmas, as_explain_lemma, i);
    json_array_append_new(lemmas, json_pack("{s:i, s:s*, s:s, s:s, s:s}", "step", (int)lemma->step,
                                            "name", lemma->name, "formula", lemma->says, "under",
                                            lemma->under, "how", lemma->how));
  }
  for (size_t i = 0; i < outline->goals.n; i++)
    json_array_append_new(goals, goal_json(&AS_VEC_AT(&outline->goals, as_explain_goal, i)));
  return json_pack("{s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:s*}", "format", "assay-explain 1",
                   "theorem", outline->theorem, "steps", (int)outline->steps, "terms",
                   (int)outline->terms, "notation", words, "lemmas", lemmas, "goals", goals, "full",
                   outline->full);
}
