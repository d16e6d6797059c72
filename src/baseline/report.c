#include "report.h"
#include "src/report/junit.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What counts as slower: twice the time of one processor, and a tenth of a second more; or half as
 * many proof steps again, and 200 more. Times are of one machine, steps of none. */
static const double TIMES = 2;
static const double SECONDS = 0.1;
static const double WORK_TIMES = 1.5;

enum { STEPS = 200 };

static const char *const outcomes[] = {"stands", "same", "changed", "lost", "new", "gone", "apart"};

/* a specification that some facts of the baseline rely on and that is no longer the same */
typedef struct {
  const char *name;
  const as_baseline_op *was;
  const as_baseline_op *now;
  as_vec fact; /* of const as_baseline_fact * */
} changed_op;

static const as_baseline_fact *fact_at(const as_baseline *b, size_t i) {
  return AS_VEC_AT(&b->fact, as_baseline_fact *, i);
}

static bool slower(const as_baseline_fact *f) {
  const as_baseline_record *w = &f->was;
  const as_baseline_record *n = &f->now;
  if (!f->recorded || n->verdict == NULL)
    return false;
  bool time =
      w->seconds >= 0 && n->seconds >= TIMES * w->seconds && n->seconds - w->seconds >= SECONDS;
  return time || (n->work >= WORK_TIMES * w->work && n->work >= w->work + STEPS);
}

/* texts and specifications are the same, and yet something else is to be proved: this version reads
 * them otherwise than the one that wrote the baseline */
static bool read_otherwise(const as_baseline_fact *f) {
  const as_baseline_record *w = &f->was;
  const as_baseline_record *n = &f->now;
  if (f->outcome == AS_BASELINE_APART || f->outcome == AS_BASELINE_GONE || !w->claim_sha[0] ||
      !n->claim_sha[0] || strcmp(w->claim_sha, n->claim_sha) == 0)
    return false;
  bool same = strcmp(w->program_sha, n->program_sha) == 0 &&
              strcmp(w->candidate_sha, n->candidate_sha) == 0;
  for (uint32_t i = 0; i < w->n_op && same; i++) {
    const as_baseline_op *now = as_baseline_record_op(n, w->op[i].name);
    same = now && strcmp(now->canonical, w->op[i].canonical) == 0;
  }
  return same;
}

static int by_name(const void *a, const void *b) {
  const changed_op *x = a;
  const changed_op *y = b;
  int c = strcmp(x->name, y->name);
  return c ? c : strcmp(x->was->sha256, y->was->sha256);
}

static void changed_specifications(const as_baseline *b, as_vec *all) {
  as_vec_init(all, sizeof(changed_op));
  for (size_t i = 0; i < b->fact.n; i++) {
    const as_baseline_fact *f = fact_at(b, i);
    for (uint32_t k = 0;
         k < f->was.n_op && f->outcome != AS_BASELINE_APART && f->outcome != AS_BASELINE_GONE;
         k++) {
      const as_baseline_op *was = &f->was.op[k];
      const as_baseline_op *now = as_baseline_record_op(&f->now, was->name);
      if (now == NULL || (strcmp(was->canonical, now->canonical) == 0 &&
                          (now->sha256[0] == 0 || strcmp(was->sha256, now->sha256) == 0)))
        continue;
      size_t at = 0;
      while (at < all->n && (strcmp(AS_VEC_AT(all, changed_op, at).name, was->name) ||
                             strcmp(AS_VEC_AT(all, changed_op, at).was->sha256, was->sha256)))
        at++;
      if (at == all->n) {
        changed_op c = {was->name, was, now, {0}};
        as_vec_init(&c.fact, sizeof(const as_baseline_fact *));
        as_vec_push(all, &c);
      }
      changed_op *c = &AS_VEC_AT(all, changed_op, at);
      if (c->now->sha256[0] == 0)
        c->now = now;
      as_vec_push(&c->fact, &f);
    }
  }
  if (all->n)
    qsort(all->data, all->n, sizeof(changed_op), by_name);
}

static const char *how(const changed_op *c) {
  if (c->now->canonical[0] == 0)
    return "gone";
  return strcmp(c->was->canonical, c->now->canonical) == 0 ? "only its layout or comments"
                                                           : "changed";
}

static void print_fact(FILE *out, const char *what, const as_baseline_fact *f) {
  char *name = as_baseline_fact_name(f);
  fprintf(out, "%-8s %s: ", what, name);
  if (f->recorded) {
    fprintf(out, "%s%s -> ", f->was.verdict,
            strcmp(f->was.verdict, "PROVED") == 0 && !f->was.certified ? " (not certified)" : "");
  }
  fprintf(out, "%s%s%s%s\n", f->now.verdict,
          strcmp(f->now.verdict, "PROVED") == 0 && !f->now.certified ? " (not certified)" : "",
          f->reason ? ": " : "", f->reason ? f->reason : "");
  if (f->cex)
    fprintf(out, "%s%s", f->cex, f->cex[strlen(f->cex) - 1] == '\n' ? "" : "\n");
  free(name);
}

static void print_slower(FILE *out, const as_baseline_fact *f) {
  char *name = as_baseline_fact_name(f);
  fprintf(out, "slower   %s: %u proof steps, %u before", name, f->now.work, f->was.work);
  if (f->was.seconds >= 0)
    fprintf(out, "; %.3f s, %.3f s before", f->now.seconds, f->was.seconds);
  fprintf(out, "\n");
  free(name);
}

static void print_text(FILE *out, const as_baseline_showing *showing, const as_baseline *b,
                       const size_t *count, size_t n_slower, double seconds, const as_vec *ops) {
  static const char *const labels[] = {NULL, NULL, "CHANGED", "UNKNOWN", "new", "gone"};
  for (size_t i = 0; i < ops->n && !showing->quiet; i++) {
    const changed_op *c = &AS_VEC_AT(ops, changed_op, i);
    fprintf(out, "specification %s: %s, %zu facts rely on it (%.12s, now %.12s)\n", c->name, how(c),
            c->fact.n, c->was->sha256, c->now->sha256[0] ? c->now->sha256 : "not read");
    for (size_t k = 0; k < c->fact.n; k++) {
      char *name = as_baseline_fact_name(AS_VEC_AT(&c->fact, const as_baseline_fact *, k));
      fprintf(out, "  %s\n", name);
      free(name);
    }
  }
  size_t otherwise = 0;
  for (size_t i = 0; i < b->fact.n; i++)
    otherwise += read_otherwise(fact_at(b, i));
  if (otherwise) {
    fprintf(out,
            "%zu claims are read otherwise by this version, though their texts and specifications "
            "are the same: judged again\n",
            otherwise);
  }
  for (size_t i = 0; i < b->fact.n && !showing->quiet; i++) {
    const as_baseline_fact *f = fact_at(b, i);
    if (f->outcome == AS_BASELINE_GONE) {
      char *name = as_baseline_fact_name(f);
      fprintf(out, "gone     %s\n", name);
      free(name);
    } else if (f->outcome == AS_BASELINE_CHANGED || f->outcome == AS_BASELINE_LOST ||
               f->outcome == AS_BASELINE_NEW) {
      print_fact(out, labels[f->outcome], f);
    } else if (showing->verbose && f->outcome != AS_BASELINE_APART) {
      char *name = as_baseline_fact_name(f);
      fprintf(out, "%-8s %s: %s\n", outcomes[f->outcome], name, f->was.verdict);
      free(name);
    }
    if (slower(f))
      print_slower(out, f);
  }
  fprintf(out,
          "%zu verdicts changed, %zu unknown that were known, %zu judged again and the same, %zu "
          "stand, %zu new, %zu gone in %.1f s\n",
          count[AS_BASELINE_CHANGED], count[AS_BASELINE_LOST], count[AS_BASELINE_SAME],
          count[AS_BASELINE_STANDS], count[AS_BASELINE_NEW], count[AS_BASELINE_GONE], seconds);
  if (count[AS_BASELINE_STANDS] && !showing->quiet) {
    fprintf(out,
            "what stands was not proved again: its texts and the specifications that it relies on "
            "have the same hashes (--all proves all)\n");
  }
  if (n_slower) {
    fprintf(out,
            "%zu slower: at least %g times the time and %g s more, or %g times the proof steps and "
            "%d more\n",
            n_slower, TIMES, SECONDS, WORK_TIMES, STEPS);
  }
  if (showing->update)
    fprintf(out, "%s: %zu facts\n", b->path, b->fact.n - count[AS_BASELINE_GONE]);
}

static json_t *fact_json(const as_baseline_fact *f) {
  json_t *j = json_pack("{s:s, s:s, s:s, s:s*, s:s*}", "kind", as_baseline_kind_word(f->kind),
                        "program", f->program, "outcome", outcomes[f->outcome], "reason", f->reason,
                        "counterexample", f->cex);
  if (f->candidate[0])
    json_object_set_new(j, "candidate", json_string(f->candidate));
  if (f->part[0])
    json_object_set_new(j, "part", json_string(f->part));
  for (int k = 0; k < 2; k++) {
    const as_baseline_record *r = k ? &f->now : &f->was;
    if (r->verdict == NULL)
      continue;
    json_t *v = json_pack("{s:s, s:b, s:I}", "verdict", r->verdict, "certified", r->certified,
                          "work", (json_int_t)r->work);
    if (r->seconds >= 0)
      json_object_set_new(v, "seconds", json_real(r->seconds));
    json_object_set_new(j, k ? "now" : "was", v);
  }
  if (slower(f))
    json_object_set_new(j, "slower", json_true());
  if (read_otherwise(f))
    json_object_set_new(j, "claim_read_otherwise", json_true());
  return j;
}

static void print_json(FILE *out, const as_baseline *b, const size_t *count, size_t n_slower,
                       double seconds, const as_vec *ops) {
  json_t *facts = json_array();
  json_t *specs = json_array();
  for (size_t i = 0; i < b->fact.n; i++) {
    if (fact_at(b, i)->outcome != AS_BASELINE_APART)
      json_array_append_new(facts, fact_json(fact_at(b, i)));
  }
  for (size_t i = 0; i < ops->n; i++) {
    const changed_op *c = &AS_VEC_AT(ops, changed_op, i);
    json_t *dependents = json_array();
    for (size_t k = 0; k < c->fact.n; k++) {
      char *name = as_baseline_fact_name(AS_VEC_AT(&c->fact, const as_baseline_fact *, k));
      json_array_append_new(dependents, json_string(name));
      free(name);
    }
    json_array_append_new(specs, json_pack("{s:s, s:s, s:s, s:s*, s:o}", "name", c->name, "how",
                                           how(c), "was", c->was->sha256, "now",
                                           c->now->sha256[0] ? c->now->sha256 : NULL, "dependents",
                                           dependents));
  }
  json_t *j = json_pack("{s:s, s:s, s:o, s:o, s:f, s:i}", "format", "assay-regress 1", "baseline",
                        b->path, "facts", facts, "specifications", specs, "seconds", seconds,
                        "slower", (int)n_slower);
  for (int k = 0; k < AS_BASELINE_APART; k++)
    json_object_set_new(j, outcomes[k], json_integer((json_int_t)count[k]));
  json_dumpf(j, out, JSON_INDENT(1));
  fputc('\n', out);
  json_decref(j);
}

as_status as_baseline_report(const as_baseline_showing *showing, const as_baseline *b,
                             double seconds) {
  FILE *out = showing->out;
  as_vec ops;
  size_t count[AS_BASELINE_APART + 1] = {0};
  size_t n_slower = 0;
  changed_specifications(b, &ops);
  for (size_t i = 0; i < b->fact.n; i++) {
    count[fact_at(b, i)->outcome]++;
    n_slower += slower(fact_at(b, i));
  }
  if (showing->json)
    print_json(out, b, count, n_slower, seconds, &ops);
  else
    print_text(out, showing, b, count, n_slower, seconds, &ops);
  for (size_t i = 0; i < ops.n; i++)
    as_vec_clear(&AS_VEC_AT(&ops, changed_op, i).fact);
  as_vec_clear(&ops);
  return count[AS_BASELINE_CHANGED] ? AS_NO
         : count[AS_BASELINE_LOST]  ? AS_UNKNOWN
         : count[AS_BASELINE_GONE]  ? AS_BAD_INPUT
                                    : AS_OK;
}

bool as_baseline_junit(const char *path, const as_baseline *b, as_err *err) {
  if (path == NULL)
    return true;
  as_report_junit *j = as_report_junit_new(b->path);
  for (size_t i = 0; i < b->fact.n; i++) {
    const as_baseline_fact *f = fact_at(b, i);
    if (f->outcome == AS_BASELINE_APART)
      continue;
    char *name = as_baseline_fact_name(f);
    char *message = NULL;
    if (f->outcome == AS_BASELINE_GONE) {
      message = as_strdup("a file, a graph or a rule of the baseline is no more");
    } else if (f->now.verdict) {
      message =
          as_format("%s%s%s%s%s", f->recorded ? f->was.verdict : "", f->recorded ? " -> " : "",
                    f->now.verdict, f->reason ? ": " : "", f->reason ? f->reason : "");
    }
    as_report_junit_case c = {.group = as_baseline_kind_word(f->kind),
                              .name = name,
                              .seconds = f->now.seconds > 0 ? f->now.seconds : 0,
                              .type = outcomes[f->outcome],
                              .message = message,
                              .detail = f->cex};
    bool unsure = f->outcome == AS_BASELINE_LOST || f->outcome == AS_BASELINE_GONE ||
                  (f->outcome == AS_BASELINE_NEW && strcmp(f->now.verdict, "UNKNOWN") == 0);
    c.outcome = f->outcome == AS_BASELINE_CHANGED ? AS_REPORT_JUNIT_FAIL
                : unsure                          ? AS_REPORT_JUNIT_ERROR
                                                  : AS_REPORT_JUNIT_PASS;
    as_report_junit_add(j, &c);
    free(name);
    free(message);
  }
  bool ok = as_report_junit_write(j, path, err);
  as_report_junit_free(j);
  return ok;
}
