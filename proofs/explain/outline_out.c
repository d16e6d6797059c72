/* Outlines of proofs as text, as a part of a page, as JSON. */
#include "outline.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void numbers(as_str *s, const uint32_t *from, uint32_t n, const char *before) {
  for (uint32_t i = 0; i < n; i++)
    as_str_printf(s, "%s(%u)", i ? ", " : before, from[i]);
}

static char *grounds(const uint32_t *from, uint32_t n, uint32_t routine) {
  as_str s;
  as_str_init(&s);
  as_str_addn(&s, "", 0);
  numbers(&s, from, n, "from ");
  if (routine)
    as_str_printf(&s, "%s%u routine step%s", n ? " and " : "", routine, routine == 1 ? "" : "s");
  return as_str_take(&s);
}

/* "A: why; from (1), (2) and 3 routine steps" */
static char *reason(const as_explain_fact *f) {
  char *g = grounds(f->from, f->n_from, f->routine);
  char *r = as_format("%s%s%s", f->why, *g ? "; " : "", g);
  free(g);
  return r;
}

static char *conclusion(const as_explain_goal *g) {
  char *from = grounds(g->from, g->n_from, g->routine);
  char *r;
  if (g->sizes_only)
    r = as_format("arithmetic of sizes and indices, %u step%s", g->steps, g->steps == 1 ? "" : "s");
  else if (*from)
    r = as_strdup(from);
  else
    r = as_strdup("at once");
  free(from);
  return r;
}

static void relations(as_str *s, const as_explain_goal *g) {
  as_str_printf(s, "\nGoal %.*s%s%s\n  %s%s%s\n", (int)strcspn(g->name, "@"), g->name,
                *g->what ? ": " : "", g->what, g->says, *g->under ? "   if " : "", g->under);
  for (size_t j = 0; j < g->facts.n; j++) {
    const as_explain_fact *f = &AS_VEC_AT(&g->facts, as_explain_fact, j);
    char *why = reason(f);
    as_str_printf(s, "  %5s%u) %s\n", "(", f->number, f->says);
    if (*f->under)
      as_str_printf(s, "         if %s\n", f->under);
    as_str_printf(s, "         %s\n", why);
    free(why);
  }
  char *end = conclusion(g);
  as_str_printf(s, "  %s%s\n", g->facts.n ? "Hence the goal, " : "By ",
                g->facts.n                      ? end
                : strncmp(end, "from ", 5) == 0 ? end + 5
                                                : end);
  free(end);
}

char *as_explain_text(const as_explain_outline *o) {
  as_str s;
  as_str_init(&s);
  as_str_printf(&s, "Theorem\n%s", o->theorem);
  as_str_printf(&s, "\nProof: %u steps; %zu goals, %zu lemma%s\n", o->steps, o->goals.n,
                o->lemmas.n, o->lemmas.n == 1 ? "" : "s");
  if (o->full) {
    as_str_add(&s, "\n");
    as_str_add(&s, o->full);
    for (size_t i = 0; i < o->goals.n; i++) {
      as_str_printf(&s, "Goal %s: %s, by step %u\n", AS_VEC_AT(&o->goals, as_explain_goal, i).name,
                    AS_VEC_AT(&o->goals, as_explain_goal, i).says,
                    AS_VEC_AT(&o->goals, as_explain_goal, i).last);
    }
    return as_str_take(&s);
  }
  if (o->lemmas.n)
    as_str_add(&s, "\nLemmas\n");
  for (size_t i = 0; i < o->lemmas.n; i++) {
    const as_explain_lemma *l = &AS_VEC_AT(&o->lemmas, as_explain_lemma, i);
    as_str_printf(&s, "  L%zu%s%s\n      %s%s%s\n      %s\n", i + 1, l->name ? ". " : "",
                  l->name ? l->name : "", l->says, *l->under ? "   if " : "", l->under, l->how);
  }
  if (o->words.n)
    as_str_add(&s, "\nNotation\n");
  for (size_t i = 0; i < o->words.n; i++) {
    as_str_printf(&s, "  %s = %s\n", AS_VEC_AT(&o->words, as_explain_word, i).name,
                  AS_VEC_AT(&o->words, as_explain_word, i).means);
  }
  for (size_t i = 0; i < o->goals.n; i++)
    relations(&s, &AS_VEC_AT(&o->goals, as_explain_goal, i));
  return as_str_take(&s);
}

/* ---- HTML */
static void tagged(as_str *s, const char *before, const char *text, const char *after) {
  as_str_add(s, before);
  as_str_add_html(s, text);
  as_str_add(s, after);
}

static void html_fact(as_str *s, const as_explain_fact *f) {
  char *why = reason(f);
  as_str_printf(s, "<li><span class=\"k\">(%u)</span>", f->number);
  tagged(s, "<code>", f->says, "</code><span class=\"by\">");
  if (*f->under)
    tagged(s, "if <span class=\"if\">", f->under, "</span>; ");
  tagged(s, "", why, "</span></li>\n");
  free(why);
}

static void html_goal(as_str *s, const as_explain_goal *g) {
  char *end = conclusion(g);
  as_str_add(s, "<details class=\"goal\"><summary>Goal ");
  char *name =
      as_format("%.*s", (int)strcspn(g->name, "@"), g->name); /* behind the @ the hash of a rule */
  tagged(s, "<code>", name, "</code>");
  free(name);
  if (*g->what)
    tagged(s, ": ", g->what, "");
  as_str_printf(s, " <span class=\"tag\">%u step%s</span></summary>\n<ol class=\"proof\">",
                g->steps, g->steps == 1 ? "" : "s");
  tagged(s, "<li><span class=\"k\">show</span><code>", g->says, "</code>");
  if (*g->under)
    tagged(s, "<span class=\"by\">if ", g->under, "</span>");
  as_str_add(s, "</li>\n");
  for (size_t j = 0; j < g->facts.n; j++)
    html_fact(s, &AS_VEC_AT(&g->facts, as_explain_fact, j));
  tagged(s, "<li><span class=\"k\">hence</span><span class=\"by\">", end,
         "</span></li></ol></details>\n");
  free(end);
}

char *as_explain_html(const as_explain_outline *o) {
  as_str s;
  as_str_init(&s);
  as_str_printf(&s, "<p>%u steps in the certificate; what is routine is folded away here.</p>\n",
                o->steps);
  if (o->lemmas.n) {
    as_str_printf(&s,
                  "<details class=\"goal\"><summary>Lemmas <span class=\"tag\">%zu, proved in the "
                  "certificate</span></summary>"
                  "<ol class=\"proof\">\n",
                  o->lemmas.n);
  }
  for (size_t i = 0; i < o->lemmas.n; i++) {
    const as_explain_lemma *l = &AS_VEC_AT(&o->lemmas, as_explain_lemma, i);
    as_str_printf(&s, "<li><span class=\"k\">L%zu</span>", i + 1);
    if (l->name)
      as_str_add_html(&s, l->name);
    tagged(&s, "<code>", l->says, "</code><span class=\"by\">");
    if (*l->under)
      tagged(&s, "if ", l->under, "; ");
    tagged(&s, "", l->how, "</span></li>\n");
  }
  if (o->lemmas.n)
    as_str_add(&s, "</ol></details>\n");
  if (o->words.n)
    as_str_add(&s, "<p>Notation:</p><ol class=\"proof\">\n");
  for (size_t i = 0; i < o->words.n; i++) {
    tagged(&s, "<li><span class=\"k\">", AS_VEC_AT(&o->words, as_explain_word, i).name,
           "</span><code>");
    tagged(&s, "", AS_VEC_AT(&o->words, as_explain_word, i).means, "</code></li>\n");
  }
  if (o->words.n)
    as_str_add(&s, "</ol>\n");
  for (size_t i = 0; i < o->goals.n; i++)
    html_goal(&s, &AS_VEC_AT(&o->goals, as_explain_goal, i));
  return as_str_take(&s);
}

/* ---- JSON */
static json_t *number_list(const uint32_t *x, uint32_t n) {
  json_t *a = json_array();
  for (uint32_t i = 0; i < n; i++)
    json_array_append_new(a, json_integer(x[i]));
  return a;
}

static json_t *goal_json(const as_explain_goal *g) {
  json_t *facts = json_array();
  for (size_t j = 0; j < g->facts.n; j++) {
    const as_explain_fact *f = &AS_VEC_AT(&g->facts, as_explain_fact, j);
    json_array_append_new(
        facts, json_pack("{s:i, s:i, s:s, s:s, s:s, s:o, s:i}", "number", (int)f->number, "step",
                         (int)f->step, "formula", f->says, "under", f->under, "why", f->why, "from",
                         number_list(f->from, f->n_from), "routine_steps", (int)f->routine));
  }
  return json_pack("{s:s, s:s, s:s, s:s, s:i, s:b, s:o, s:o, s:i}", "name", g->name, "what",
                   g->what, "formula", g->says, "under", g->under, "steps", (int)g->steps,
                   "sizes_only", g->sizes_only, "facts", facts, "from",
                   number_list(g->from, g->n_from), "routine_steps", (int)g->routine);
}

void *as_explain_json(const as_explain_outline *o) {
  json_t *words = json_array();
  json_t *lemmas = json_array();
  json_t *goals = json_array();
  for (size_t i = 0; i < o->words.n; i++) {
    json_array_append_new(words, json_pack("{s:s, s:s}", "name",
                                           AS_VEC_AT(&o->words, as_explain_word, i).name, "means",
                                           AS_VEC_AT(&o->words, as_explain_word, i).means));
  }
  for (size_t i = 0; i < o->lemmas.n; i++) {
    const as_explain_lemma *l = &AS_VEC_AT(&o->lemmas, as_explain_lemma, i);
    json_array_append_new(lemmas,
                          json_pack("{s:i, s:s*, s:s, s:s, s:s}", "step", (int)l->step, "name",
                                    l->name, "formula", l->says, "under", l->under, "how", l->how));
  }
  for (size_t i = 0; i < o->goals.n; i++)
    json_array_append_new(goals, goal_json(&AS_VEC_AT(&o->goals, as_explain_goal, i)));
  return json_pack("{s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:s*}", "format", "assay-explain 1",
                   "theorem", o->theorem, "steps", (int)o->steps, "terms", (int)o->terms,
                   "notation", words, "lemmas", lemmas, "goals", goals, "full", o->full);
}
