/* What became of the facts as one page of HTML: an item a fact, those that need a look first. */
#include "report.h"
#include "src/base/file.h"
#include "src/report/report.h"
#include <stdlib.h>
#include <string.h>

static as_report_state state_of(const as_baseline_fact *fact) {
  switch (fact->outcome) {
  case AS_BASELINE_CHANGED:
    return AS_REPORT_BAD;
  case AS_BASELINE_LOST:
  case AS_BASELINE_GONE:
    return AS_REPORT_OPEN;
  default:
    return AS_REPORT_GOOD;
  }
}

/* the verdict of now, or where the fact was not looked at again the recorded one */
static const char *verdict_of(const as_baseline_fact *fact) {
  if (fact->outcome == AS_BASELINE_GONE)
    return "GONE";
  if (fact->now.verdict)
    return fact->now.verdict;
  return fact->was.verdict ? fact->was.verdict : "UNKNOWN";
}

static void fill_item(const as_baseline_fact *fact, as_report_item *item) {
  char *name = as_baseline_fact_name(fact);
  as_report_state state = state_of(fact);
  as_report_init(item, name, verdict_of(fact), state);
  free(name);
  item->group = as_report_keep(item, as_baseline_kind_word(fact->kind));
  item->reason = as_report_keep(item, fact->reason);
  item->seconds = fact->now.seconds;
  as_report_row(item, state, "Outcome", "%s", as_baseline_outcome_word(fact->outcome));
  if (fact->recorded && fact->was.verdict)
    as_report_row(item, AS_REPORT_PLAIN, "Recorded", "%s", fact->was.verdict);
  if (fact->cex)
    as_report_add_note(item, "Counterexample", fact->cex);
  const as_baseline_record *record = fact->now.verdict ? &fact->now : &fact->was;
  for (uint32_t i = 0; i < record->n_op; i++)
    as_report_add_relied(item, record->op[i].name, record->op[i].sha256, NULL);
}

/* changed, then lost and gone, then the others */
static int rank_of(const as_baseline_fact *fact) {
  static const int rank[] = {[AS_REPORT_BAD] = 0, [AS_REPORT_OPEN] = 1, [AS_REPORT_GOOD] = 2};
  return rank[state_of(fact)];
}

bool as_baseline_page(const char *path, const as_baseline *baseline, double seconds, as_err *err) {
  if (path == NULL)
    return true;
  as_report_item *items = as_calloc(baseline->fact.n + 1, sizeof *items);
  size_t n_item = 0;
  for (int rank = 0; rank < 3; rank++) {
    for (size_t i = 0; i < baseline->fact.n; i++) {
      const as_baseline_fact *fact = AS_VEC_AT(&baseline->fact, as_baseline_fact *, i);
      if (fact->outcome != AS_BASELINE_APART && rank_of(fact) == rank)
        fill_item(fact, &items[n_item++]);
    }
  }
  as_report_batch batch = {"Facts and what became of them", baseline->path, seconds};
  char *html = as_report_batch_html(&batch, items, n_item);
  bool ok = as_write_file(path, html, strlen(html), err);
  free(html);
  for (size_t i = 0; i < n_item; i++)
    as_report_clear(&items[i]);
  free(items);
  return ok;
}
