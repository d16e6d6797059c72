/* Order: a cheap search for a counterexample, the prover, the checker; a thorough search where
 * there is no proof, or no instance yet.  A rule that is refuted goes to the prover all the same,
 * with little effort: that both say yes must never be, and must not stay unseen. */
#include "rule_verdict.h"
#include "proofs/explain/outline.h"
#include "verdict.h"
#include <stdlib.h>
#include <string.h>

const char *const cli_rule_words[] = {"PROVED", "REFUTED", "UNKNOWN", "VACUOUS", "ERROR"};

bool cli_rules_open(const cli_opts *o, const char *path, cli_rules *s, as_err *err) {
  *s = (cli_rules){.path = path};
  if (!cli_load(o, NULL, NULL, &s->c, err) || (s->text = as_read_file(path, &s->len, err)) == NULL)
    return false;
  s->file = as_rulefile_open(path, s->text, s->len, s->c.lib, err);
  return s->file != NULL && (as_rulefile_count(s->file) > 0 ||
                             as_err_set(err, AS_BAD_INPUT, "%s: holds no rules", path));
}

void cli_rules_close(cli_rules *s) {
  as_rulefile_free(s->file);
  cli_case_clear(&s->c);
  free(s->text);
}

void cli_rule_clear(cli_rule_verdict *r) {
  if (r->has_cex)
    as_rule_cex_clear(&r->cex);
  cli_verdicts_clear(&r->v);
  free(r->name);
  free(r->error);
  free(r->cex_words);
  memset(r, 0, sizeof *r);
}

typedef struct {
  const cli_opts *o;
  const cli_rules *s;
  uint32_t i;
  bool reverse;
  cli_rule_verdict *r;
  as_err err;
} judge;

/* false: nothing more is to be done, the rule is refuted or cannot be judged */
static bool no_counterexample(judge *J, as_rule_budget b) {
  cli_rule_verdict *r = J->r;
  b.seed += J->o->seed;
  as_rule_cex cex;
  as_status s = as_rule_refute(J->s->file, J->i, J->reverse, &b, &cex, &r->tally, &J->err);
  if (s == AS_UNKNOWN)
    return true;
  if (s == AS_NO) {
    r->answer = CLI_RULE_REFUTED;
    r->has_cex = true;
    r->cex = cex;
    r->cex_words = as_rule_cex_print(&cex, "    ");
  } else {
    r->answer = CLI_RULE_BAD;
    r->conflict = s == AS_INTERNAL;
    r->error = as_err_format(&J->err);
  }
  return false;
}

/* false where the claim cannot be read: the reader of the checker is the one that counts */
static bool prove(judge *J, uint32_t max_steps) {
  cli_rule_verdict *r = J->r;
  ck_text spec = {J->s->path, J->s->text, J->s->len};
  ck_text cand = {r->name, "", 0};
  cli_texts sem = {0};
  ck_terms *T = ck_terms_new();
  ck_claim *claim = cli_take_claim(T, J->s->c.lib, &spec, &cand, &sem, &r->v, &J->err);
  if (claim) {
    double t0 = as_now();
    as_prove_claim(T, claim, max_steps ? &(as_prove_opts){.max_steps = max_steps} : NULL,
                   &r->v.proof);
    r->v.prove_seconds = as_now() - t0;
    if (r->v.proof.verdict == AS_PROVED)
      cli_replay(&spec, &cand, &sem, &r->v);
    if (r->v.checked && (strstr(J->o->require, "z3") || strstr(J->o->require, "cvc5"))) {
      cli_opts asked = *J->o;
      asked.solvers = "none"; /* those that are required are asked all the same */
      cli_ask_solvers(&asked, T, claim, &r->v);
    }
    as_explain_outline *out =
        r->v.checked && J->o->out
            ? as_explain_new(T, claim, r->v.proof.cert, r->v.proof.cert_len, false, NULL)
            : NULL;
    if (out)
      r->v.outline = as_explain_html(out);
    as_explain_free(out);
  } else if (!r->has_cex) {
    r->answer = CLI_RULE_BAD;
    r->error = as_err_format(&J->err);
  }
  ck_claim_free(claim);
  ck_terms_free(T);
  cli_texts_clear(&sem);
  return claim != NULL;
}

/* why a proof is not enough for what --require demands; NULL: it is */
static const char *objection(const judge *J) {
  const cli_verdicts *v = &J->r->v;
  if (v->smt_disputes)
    return v->smt_why;
  if (v->z3_asked && v->z3.verdict == AS_SMT_DISAGREES)
    return v->z3.reason;
  if (v->cvc5_asked && v->cvc5.verdict == AS_SMT_DISAGREES)
    return v->cvc5.reason;
  if (strstr(J->o->require, "z3") && !(v->z3_asked && v->z3.verdict == AS_SMT_AGREES))
    return "z3 was required to agree and did not";
  if (strstr(J->o->require, "cvc5") && !(v->cvc5_asked && v->cvc5.verdict == AS_SMT_AGREES))
    return "cvc5 was required to agree and did not";
  return NULL;
}

static void decide(judge *J) {
  cli_rule_verdict *r = J->r;
  if (!no_counterexample(J, as_rule_quick)) {
    if (r->has_cex)
      r->conflict = prove(J, 4000) && r->v.checked;
    return;
  }
  if (!prove(J, 0)) {
    /* what contradicts itself in constants the checker does not read at all */
    bool false_there =
        r->error && (strstr(r->error, "but false") || strstr(r->error, "this is false"));
    if (!false_there || r->tally.defined + r->tally.open != 0 ||
        !no_counterexample(J, as_rule_thorough) || r->tally.defined + r->tally.open != 0)
      return;
    r->answer = CLI_RULE_VACUOUS;
    r->v.reason = r->error;
    r->error = NULL;
    return;
  }
  bool proved = r->v.proof.verdict == AS_PROVED && r->v.checked;
  as_rule_budget again = as_rule_quick; /* a proof does not stop us from looking: at other
                                           instances, and somewhat larger ones */
  again.top++;
  again.seed += 100;
  if (!no_counterexample(J, proved ? again : as_rule_thorough)) {
    r->conflict = r->conflict || (proved && r->has_cex);
    return;
  }
  if (proved && (r->tally.defined + r->tally.open == 0 || r->tally.filled == 0) &&
      !no_counterexample(J, as_rule_thorough)) {
    r->conflict = r->conflict || r->has_cex;
    return;
  }
  const char *why = NULL;
  if (r->tally.defined + r->tally.open == 0) {
    r->answer = CLI_RULE_VACUOUS;
    why = "no sizes and inputs were found at which what the rule starts from is well formed and "
          "defined";
  } else if (proved && r->tally.defined == 0) {
    why = "a proof, but at no instance is it known that what the rule starts from is defined: it "
          "may say nothing";
  } else if (proved && (why = objection(J)) == NULL) {
    r->answer = CLI_RULE_PROVED;
    r->v.certified = true;
  } else if (!proved) {
    const as_proof_result *p = &r->v.proof;
    why = p->verdict != AS_PROVED ? (p->reason ? p->reason : "no proof was found")
          : r->v.check_why        ? r->v.check_why
                                  : "the checker rejects the proof";
  }
  if (why)
    r->v.reason = as_strdup(why);
}

void cli_rule_judge(const cli_opts *o, const cli_rules *s, uint32_t i, bool reverse,
                    cli_rule_verdict *r) {
  memset(r, 0, sizeof *r);
  cli_verdicts_init(&r->v);
  r->answer = CLI_RULE_UNKNOWN;
  r->name = as_format("%s%s", as_rulefile_name(s->file, i), reverse ? ".reverse" : "");
  judge J = {.o = o, .s = s, .i = i, .reverse = reverse, .r = r};
  as_err_init(&J.err);
  double t0 = as_now();
  as_rule *rule = as_rule_read(s->file, i, NULL, &J.err);
  if (rule) {
    r->expect = reverse ? AS_EXPECT_NOTHING : rule->expect;
    if (rule->ill_formed && reverse) {
      r->answer = CLI_RULE_VACUOUS;
      r->v.reason =
          as_format("what the rule starts from is ill-formed at any sizes: %s", rule->ill_formed);
    } else {
      decide(&J);
    }
    as_rule_free(rule);
  } else {
    r->answer = CLI_RULE_BAD;
    r->error = as_err_format(&J.err);
  }
  r->surprise = r->expect != AS_EXPECT_NOTHING && (int)r->answer != (int)r->expect - 1;
  r->seconds = as_now() - t0;
  as_err_clear(&J.err);
}
