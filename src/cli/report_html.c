/* One page without network: both programs drawn, the theorem, what it relies on, all verdicts. */
#include "cli.h"
#include "draw.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void text(as_str *s, const char *t) {
  for (; t && *t; t++) switch (*t) {
    case '<': as_str_add(s, "&lt;"); break;
    case '>': as_str_add(s, "&gt;"); break;
    case '&': as_str_add(s, "&amp;"); break;
    case '"': as_str_add(s, "&quot;"); break;
    default: as_str_addn(s, t, 1);
    }
}

static void pre(as_str *s, const char *t) {
  as_str_add(s, "<pre>");
  text(s, t);
  as_str_add(s, "</pre>\n");
}

static void drawing(as_str *s, const char *title, const as_graph *g) {
  char *svg = cli_svg(g), *src = g->program ? as_print_mug(g) : as_print_tp(g);
  as_str_add(s, "<section class=half><h2>");
  text(s, title);
  as_str_add(s, "</h2>\n");
  if (svg) as_str_printf(s, "<div class=draw>%s</div>\n", svg);
  as_str_printf(s, "<details%s><summary>text</summary>", svg ? "" : " open");
  pre(s, src);
  as_str_add(s, "</details></section>\n");
  free(svg), free(src);
}

static void row(as_str *s, const char *what, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void row(as_str *s, const char *what, const char *fmt, ...) {
  char buf[4096];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(buf, sizeof buf, fmt, ap);
  va_end(ap);
  as_str_add(s, "<tr><th>");
  text(s, what);
  as_str_add(s, "</th><td>");
  text(s, buf);
  as_str_add(s, "</td></tr>\n");
}

static void solver_row(as_str *s, const char *name, bool asked, const as_smt_result *r) {
  if (asked)
    row(s, name, "%s: %u of %u obligations, %.2f s%s%s", as_smt_verdict_name(r->verdict), r->agreed, r->asked, r->seconds, r->reason ? "; " : "",
        r->reason ? r->reason : "");
  else
    row(s, name, "not asked");
}

char *cli_report_html(const cli_case *c, const cli_verdicts *v, const char *extra) {
  static const char *const words[] = {"PROVED", "REFUTED", "UNKNOWN"}, *const colours[] = {"#15803d", "#b91c1c", "#a16207"};
  as_str s;
  as_str_init(&s);
  as_str_add(&s, "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width,initial-scale=1\"><title>");
  text(&s, c->spec->name);
  as_str_add(&s, " - Assay</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:0 auto;padding:1rem;color:#0f172a;background:#fff}"
                 "pre{overflow-x:auto;background:#f1f5f9;padding:.75rem;border-radius:.5rem;font-size:.85rem;white-space:pre-wrap;overflow-wrap:anywhere}"
                 "table{border-collapse:collapse;width:100%}th{text-align:left;vertical-align:top;padding:.25rem 1rem .25rem 0;white-space:nowrap}"
                 "td{padding:.25rem 0;overflow-wrap:anywhere}.pair{display:flex;flex-wrap:wrap;gap:1rem}.half{flex:1 1 22rem;min-width:0}"
                 ".draw{overflow:auto;border:1px solid #cbd5e1;border-radius:.5rem;padding:.5rem}.draw svg{max-width:100%;height:auto}"
                 ".verdict{display:inline-block;color:#fff;padding:.1rem .75rem;border-radius:1rem}</style></head><body>\n<h1>");
  text(&s, c->spec->name);
  as_str_printf(&s, " <span class=verdict style=\"background:%s\">%s%s</span></h1>\n", colours[v->answer], words[v->answer],
                v->certified ? ", certified" : v->answer == CLI_PROVED ? ", not certified" : "");
  if (v->reason) {
    as_str_add(&s, "<p>");
    text(&s, v->reason);
    as_str_add(&s, "</p>\n");
  }
  as_str_add(&s, "<h2>Theorem</h2>\n");
  pre(&s, v->theorem && *v->theorem ? v->theorem : "none");
  as_str_add(&s, "<p>Real arithmetic; floating point is outside the theorem and is tested, not proved.</p>\n<h2>Verdicts</h2><table>\n");
  row(&s, "Proof", v->proof.verdict == AS_PROVED ? "%u steps, %u terms, %.3f s" : "none found (%u steps, %u terms tried, %.3f s)", v->proof.steps, v->proof.terms,
      v->prove_seconds);
  row(&s, "Trusted checker", "%s%s%s", v->checked ? "accepts" : "does not accept", v->check_why ? ": " : "", v->check_why ? v->check_why : "");
  row(&s, "Random test", "%s", v->field_words ? v->field_words : "not run");
  solver_row(&s, "Z3", v->z3_asked, &v->z3);
  solver_row(&s, "cvc5", v->cvc5_asked, &v->cvc5);
  if (v->proof.goal) row(&s, "Open goal", "%s", v->proof.goal);
  as_str_add(&s, "</table>\n");
  if (v->proof.left) pre(&s, v->proof.left);
  if (v->proof.right) pre(&s, v->proof.right);
  if (v->cex_words) {
    as_str_add(&s, "<h2>Counterexample</h2>\n");
    pre(&s, v->cex_words);
  }
  if (extra) as_str_add(&s, extra);
  as_str_add(&s, "<div class=pair>\n");
  drawing(&s, "Program given", c->spec);
  if (c->cand) drawing(&s, "Candidate", c->cand);
  as_str_add(&s, "</div>\n<h2>Specifications relied on</h2><table>\n");
  for (uint32_t i = 0; i < v->n_relied; i++) row(&s, v->relied[i].name, "%s", v->relied[i].sha256);
  as_str_add(&s, "</table>\n");
  if (v->checked) {
    as_str_add(&s, "<h2>Rules used</h2><table>\n");
    for (int i = 0; i < CK_N_RULES; i++)
      if (v->usage.count[i]) row(&s, v->usage.rule[i], "%u", v->usage.count[i]);
    as_str_add(&s, "</table>\n");
  }
  as_str_add(&s, "</body></html>\n");
  return as_str_take(&s);
}
