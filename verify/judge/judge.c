/* The order of a judgement, and what it comes to. */
#include "judge_int.h"
#include "src/base/file.h"
#include "src/base/pool.h"
#include "src/base/stats.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What the prover may do: steps, and work in its own units of about 10 ns.  At first, before a
 * counterexample is looked for in earnest: most of what is proved takes less, and most of what is
 * wrong falls right after.  For a case that is refuted: that both say yes must never be, and must
 * not stay unseen.  For a rule: of those of this tree and of the thousand of bench/rule_file.py the
 * hardest one that is proved needs nine tenths of the steps, all others less than a third, and the
 * tree's none a fourth of the work; what is not proved within it costs as much as hundreds of
 * others.
 */
typedef struct {
  uint32_t max_steps; /* of each way; 0: the policy's, as in all three */
  uint32_t all_steps;
  uint64_t work;
} effort;

static const effort at_first = {0, 6000, 20000000};
static const effort where_refuted = {0, 4000, 6000000};
static const effort for_a_rule = {60000, 0, 250000000};
static const effort of_the_policy = {0, 0, 0};

/* so many definitions are proved with the effort as it stands; of more, it is as much larger */
enum { DEFINITIONS_AT_FIRST = 4 };

static const struct {
  const char *word;
  const char *text;
} reasons[] = {

#define REASON_ROW(id, word, text) {word, text},
    AS_REASONS(REASON_ROW)
#undef REASON_ROW
};

const char *as_reason_word(as_reason reason) {
  return reasons[reason].word;
}

void judge_because(as_verdict *verdict, as_reason reason, const char *detail) {
  free(verdict->why);
  verdict->reason = reason;
  verdict->why = as_format(reasons[reason].text, detail ? detail : "");
}

/* ---- the claim */
/* the checker's message as ours.  It brings the line of text along; ours is shown by as_err_at */
static void claim_unreadable(const ck_msg *msg, const as_judged *judged, as_verdict *verdict) {
  const ck_text *in = NULL;
  if (msg->file && strcmp(msg->file, judged->given.name) == 0)
    in = &judged->given;
  if (msg->file && strcmp(msg->file, judged->candidate.name) == 0)
    in = &judged->candidate;
  const char *text = msg->text ? msg->text : "the claim cannot be read";
  if (msg->file && in)
    as_err_at(&verdict->err, msg->file, in->text, in->len, msg->line, msg->col, "%.*s",
              (int)strcspn(text, "\n"), text);
  else if (msg->file)
    as_err_at(&verdict->err, msg->file, NULL, 0, msg->line, msg->col, "%s", text);
  else
    as_err_set(&verdict->err, AS_BAD_INPUT, "%s", text);
  verdict->absurd = msg->absurd;
}

void judge_unreadable(as_verdict *verdict) {
  char *words = as_err_format(&verdict->err);
  verdict->answer = AS_ANSWER_UNREADABLE;
  judge_because(verdict, AS_REASON_UNREADABLE, words);
  free(words);
}

void judge_blank(char *copy, const char *whole, const char *part, size_t len) {
  char *at = copy + (part - whole);
  for (size_t i = 0; i < len; i++) {
    if (at[i] != '\n')
      at[i] = ' ';
  }
}

/* The text of a file of rules without its other rules, place by place: only the definitions and
 * this rule are a claim's, and reading all others for each would cost their square.  Definitions
 * that are ill-formed are left out as well.  malloc'ed. */
static char *without_other_rules(const as_judged *judged) {
  const char *whole = judged->given.text;
  char *text = as_malloc(judged->given.len + 1);
  memcpy(text, whole, judged->given.len);
  text[judged->given.len] = 0;
  for (uint32_t i = 0; i < as_rulefile_count(judged->rules); i++) {
    size_t len;
    const char *rule = as_rulefile_text(judged->rules, i, &len);
    if (i != judged->rule && rule >= whole && rule + len <= whole + judged->given.len)
      judge_blank(text, whole, rule, len);
  }
  for (uint32_t i = 0; i < as_rulefile_defects(judged->rules); i++) {
    as_rule_defect defect = as_rulefile_defect(judged->rules, i);
    judge_blank(text, whole, defect.text, defect.len);
  }
  return text;
}

static void clear_message(ck_msg *msg) {
  free(msg->text);
  free(msg->file);
  *msg = (ck_msg){0};
}

/* from the definitions that the texts can need; NULL: what is wrong is asked of them all
 */
static ck_claim *read_pruned(const as_judged *judged, ck_terms *terms) {
  judge_definitions *own = NULL;
  const judge_definitions *definitions = judged->definitions;
  if (definitions == NULL) {
    char *alone = judged->rules ? without_other_rules(judged) : NULL;
    definitions = own = judge_definitions_new(judged->lib, alone, judged->given.len);
  }
  if (definitions == NULL)
    return NULL;
  judge_texts texts = judge_pruned(definitions, judged);
  ck_msg msg = {0};
  ck_claim *claim =
      ck_claim_listed(terms, &texts.given, &judged->candidate, texts.specification,
                      as_oplib_known_to_all(judged->lib), texts.n_specification, NULL, &msg);
  clear_message(&msg);
  judge_texts_clear(&texts);
  judge_definitions_free(own);
  return claim;
}

static ck_claim *read_whole(const as_judged *judged, const ck_text *given, ck_terms *terms,
                            ck_msg *msg) {
  uint32_t n;
  const as_source *source = as_oplib_sources(judged->lib, &n);
  ck_text *specification = as_calloc(n + 1, sizeof *specification);
  for (uint32_t i = 0; i < n; i++)
    specification[i] = (ck_text){source[i].name, source[i].text, source[i].len};
  uint32_t known = as_oplib_known_to_all(judged->lib);
  ck_claim *claim =
      ck_claim_listed(terms, given, &judged->candidate, specification, known, n, NULL, msg);
  free(specification);
  return claim;
}

static ck_claim *state_claim(const as_judged *judged, ck_terms *terms, ck_msg *msg) {
  bool texts = judged->given.text && judged->candidate.text;
  ck_claim *claim = texts ? read_pruned(judged, terms) : NULL;
  if (claim)
    return claim;
  ck_text given = judged->given;
  char *alone = judged->rules && given.text ? without_other_rules(judged) : NULL;
  if (alone)
    given.text = alone;
  claim = read_whole(judged, &given, terms, msg);
  free(alone);
  return claim;
}

static ck_claim *read_claim(const as_judged *judged, ck_terms *terms, ck_msg *msg) {
  double start = as_now();
  as_stats_add(AS_STAT_CLAIMS, 1);
  ck_claim *claim = state_claim(judged, terms, msg);
  as_stats_stage(AS_STAGE_CLAIM, as_now() - start);
  return claim;
}

static void take_relied(const ck_claim *claim, as_verdict *verdict) {
  verdict->relied = as_calloc(claim->n_relied + 1, sizeof *verdict->relied);
  for (uint32_t i = 0; i < claim->n_relied; i++) {
    verdict->relied[i].name = as_strdup(claim->relied[i].name);
    memcpy(verdict->relied[i].sha256, claim->relied[i].sha256, sizeof verdict->relied[i].sha256);
  }
  verdict->n_relied = claim->n_relied;
}

bool as_judge_read(const as_judged *judged, as_verdict *verdict) {
  if (verdict->claim)
    return true;
  ck_msg msg = {0};
  ck_terms *terms = ck_terms_new();
  ck_claim *claim = read_claim(judged, terms, &msg);
  if (verdict->shadowing == NULL)
    verdict->shadowing = as_oplib_shadowing(judged->lib);
  if (claim) {
    verdict->terms = terms;
    verdict->claim = claim;
    verdict->theorem = as_strdup(claim->theorem ? claim->theorem : "");
    take_relied(claim, verdict);
  } else {
    claim_unreadable(&msg, judged, verdict);
    judge_unreadable(verdict);
    ck_terms_free(terms);
  }
  clear_message(&msg);
  return claim != NULL;
}

/* ---- proof and replay */
/* the certificate as written, against a claim read from the texts once more, in terms of its own */
static void replay(const as_judged *judged, as_verdict *verdict) {
  double start = as_now();
  ck_terms *terms = ck_terms_new();
  ck_msg msg = {0};
  ck_claim *claim = read_claim(judged, terms, &msg);
  as_stats_add(AS_STAT_REPLAYS, 1);
  if (claim) {
    verdict->checked = ck_cert_check(terms, claim->goals, claim->n_goals, verdict->proof.cert,
                                     verdict->proof.cert_len, &verdict->usage, &verdict->check_why);
  } else {
    verdict->check_why = as_strdup(msg.text ? msg.text : "the claim cannot be read");
  }
  ck_claim_free(claim);
  ck_terms_free(terms);
  clear_message(&msg);
  verdict->check_seconds = as_now() - start;
  as_stats_stage(AS_STAGE_REPLAY, verdict->check_seconds);
}

/* a certificate that somebody brought: nothing is known of how it was found */
static void take_certificate(const as_judged *judged, as_verdict *verdict) {
  as_proof_result *proof = &verdict->proof;
  proof->verdict = AS_PROVED;
  proof->goals = verdict->claim->n_goals;
  replay(judged, verdict);
  proof->steps = verdict->usage.steps;
  proof->terms = verdict->usage.terms;
  proof->goals_proved = verdict->checked ? proof->goals : 0;
}

static uint64_t least_set(uint64_t one, uint64_t other) {
  return one == 0 ? other : other == 0 || one < other ? one : other;
}

/* stop: as_prove_opts.  true: limits below the policy's were set, and more effort may give a proof;
 * which of them struck does not matter, since the prover goes other ways where it has less */
static bool find_proof(effort most, const as_policy *policy, const atomic_bool *stop,
                       as_verdict *verdict) {
  double start = as_now();
  as_prove_opts limits = {.max_steps = most.max_steps ? most.max_steps : policy->max_steps,
                          .all_steps = (uint32_t)least_set(most.all_steps, policy->all_steps),
                          .all_work = least_set(most.work, policy->all_work),
                          .until = policy->until,
                          .stop = stop};
  as_proof_result *proof = &verdict->proof;
  as_proof_result_clear(proof);
  as_prove_claim(verdict->terms, verdict->claim, &limits, proof);
  double seconds = as_now() - start;
  verdict->prove_seconds += seconds;
  as_stats_stage(most.all_steps ? AS_STAGE_PROVE_FIRST : AS_STAGE_PROVE, seconds);
  bool own = limits.all_steps == policy->all_steps && limits.all_work == policy->all_work;
  return proof->verdict != AS_PROVED && !own;
}

/* Programs of many operators are proved operator by operator: what each takes does not depend on
 * how many there are. */
static effort first_effort(const ck_claim *claim) {
  effort most = at_first;
  uint32_t times = 1 + claim->n_definitions / DEFINITIONS_AT_FIRST;
  most.all_steps *= times;
  most.work *= times;
  return most;
}

/* the same, and the replay of what is found */
static bool prove(const as_judged *judged, effort most, const as_policy *policy,
                  as_verdict *verdict) {
  if (verdict->proof.cert) {
    take_certificate(judged, verdict);
    return false;
  }
  bool more = find_proof(most, policy, NULL, verdict);
  if (verdict->proof.verdict == AS_PROVED)
    replay(judged, verdict);
  return more;
}

static void without_proof(as_verdict *verdict) {
  verdict->answer = AS_ANSWER_UNKNOWN;
  if (verdict->proof.verdict != AS_PROVED)
    judge_because(verdict, AS_REASON_NO_PROOF,
                  verdict->proof.reason ? verdict->proof.reason : "no proof was found");
  else
    judge_because(verdict, AS_REASON_REJECTED,
                  verdict->check_why ? verdict->check_why : "the checker rejects the proof");
}

/* The claim of a tile program is about its text, and what is lowered is the block graph that was
 * read from it.  So that nothing is lowered that is not proved, that graph, as printed, is proved
 * against the program as well.  To be called when the claim of the text itself is proved. */
static void prove_block_graph(const as_judged *tile, const as_policy *policy, as_verdict *verdict) {
  char *name = as_format("the block graph of %s", tile->candidate.name);
  char *text = as_print_mug(tile->graph);
  as_judged block = *tile;
  block.candidate = (ck_text){name, text, strlen(text)};
  block.tile = false;
  as_verdict of_block;
  as_verdict_init(&of_block);
  if (as_judge_read(&block, &of_block)) {
    prove(&block, of_the_policy, policy, &of_block);
    if (!of_block.checked)
      without_proof(&of_block);
  }
  if (!of_block.checked)
    verdict->block_why = as_strdup(of_block.why);
  as_verdict_clear(&of_block);
  free(text);
  free(name);
}

/* ---- solvers */
static bool wanted(const as_policy *policy, int solver) {
  return policy->ask[solver] || policy->agree[solver];
}

/* no more than is left of the time for all */
static unsigned solver_milliseconds(const as_policy *policy) {
  double seconds = policy->solver_seconds;
  double left = policy->until > 0 ? policy->until - as_now() : seconds;
  if (left < seconds)
    seconds = left > 0.001 ? left : 0.001;
  return (unsigned)(seconds * 1000);
}

static void ask_solvers(const as_policy *policy, as_verdict *verdict) {
  bool any = policy->keep_queries;
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++)
    any = any || wanted(policy, i);
  if (!any)
    return;
  double start = as_now();
  as_err err;
  as_err_init(&err);
  as_smt_set set;
  as_status written =
      as_smt_obligations(verdict->terms, verdict->claim->goals, verdict->claim->n_goals,
                         verdict->proof.cert, verdict->proof.cert_len, &set, &err);
  if (written == AS_OK) {
    verdict->queries_written = true;
    verdict->n_queries = set.n;
    if (policy->keep_queries)
      verdict->queries_text = as_smt_text(&set);
    for (int i = 0; i < AS_SMT_N_SOLVERS; i++) {
      as_opinion *opinion = &verdict->opinion[i];
      as_smt_opts limits = {.total_ms = solver_milliseconds(policy)};
      opinion->asked = wanted(policy, i);
      if (opinion->asked)
        as_smt_ask((as_smt_solver)i, &set, &limits, &opinion->result);
    }
    as_smt_set_clear(&set);
  } else {
    verdict->queries_disputed = written == AS_NO;
    verdict->queries_why = as_err_format(&err);
  }
  as_err_clear(&err);
  as_stats_stage(AS_STAGE_SOLVERS, as_now() - start);
}

/* ---- what it comes to */
/* why a checked proof is not enough for the policy; false: it is */
static bool objection(const as_judged *judged, const as_policy *policy, as_verdict *verdict) {
  if (verdict->block_why) {
    judge_because(verdict, AS_REASON_BLOCK_GRAPH, verdict->block_why);
    return true;
  }
  if (verdict->queries_disputed) {
    judge_because(verdict, AS_REASON_DISPUTED, verdict->queries_why);
    return true;
  }
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++) {
    const as_opinion *opinion = &verdict->opinion[i];
    if (opinion->asked && opinion->result.verdict == AS_SMT_DISAGREES) {
      judge_because(verdict, AS_REASON_DISPUTED, opinion->result.reason);
      return true;
    }
  }
  bool same = verdict->field_ran && verdict->field.verdict == AS_OK;
  if (policy->field && !judged->rules && !same) {
    judge_because(verdict, AS_REASON_FIELD_REQUIRED, NULL);
    return true;
  }
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++) {
    const as_opinion *opinion = &verdict->opinion[i];
    if (policy->agree[i] && !(opinion->asked && opinion->result.verdict == AS_SMT_AGREES)) {
      judge_because(verdict, AS_REASON_SOLVER_REQUIRED, as_smt_solver_name((as_smt_solver)i));
      return true;
    }
  }
  return false;
}

/* Of a rule, instances must have been met that show that it says anything at all. */
static void conclude(const as_judged *judged, const as_policy *policy, as_verdict *verdict) {
  uint64_t met = verdict->tally.defined + verdict->tally.open;
  verdict->certified = false;
  verdict->policy = *policy;
  free(verdict->why);
  verdict->why = NULL;
  verdict->reason = AS_REASON_NONE;
  if (verdict->cex_found) {
    verdict->answer = AS_ANSWER_REFUTED;
    verdict->conflict = verdict->checked;
    judge_because(verdict, verdict->conflict ? AS_REASON_CONFLICT : AS_REASON_COUNTEREXAMPLE, NULL);
  } else if (judged->rules && met == 0) {
    verdict->answer = AS_ANSWER_VACUOUS;
    judge_because(verdict, AS_REASON_NO_INSTANCE, NULL);
  } else if (!verdict->checked) {
    without_proof(verdict);
  } else if (judged->rules && verdict->tally.defined == 0) {
    verdict->answer = AS_ANSWER_UNKNOWN;
    judge_because(verdict, AS_REASON_NOT_SEEN_DEFINED, NULL);
  } else {
    verdict->certified = !objection(judged, policy, verdict);
    /* a rule is called proved only where nothing is held against it */
    verdict->answer = verdict->certified || !judged->rules ? AS_ANSWER_PROVED : AS_ANSWER_UNKNOWN;
  }
}

/* ---- the two kinds of cases */
static bool hopeless(const as_policy *policy, const as_verdict *verdict) {
  return policy->stop_early &&
         (verdict->field.verdict == AS_NO || (policy->field && verdict->field.verdict != AS_OK));
}

/* A candidate of which the checker does not read a claim (its relations restrain the program's
 * sizes, say) is still a program at the sizes that satisfy its relations: where it differs there,
 * it is wrong, and that is the answer.  Where no difference is found it stays unreadable. */
static void refute_unread(const as_judged *judged, const as_policy *policy, as_verdict *verdict) {
  if (judged->program == NULL || judged->graph == NULL || policy->stop_early)
    return;
  judge_refute_program(judged, policy, policy->first_turn ? JUDGE_QUICK : JUDGE_THOROUGH, verdict);
  if (!verdict->cex_found) {
    verdict->unfinished = policy->first_turn;
    return;
  }
  as_err_clear(&verdict->err);
  conclude(judged, policy, verdict);
}

typedef struct {
  const as_judged *judged;
  const as_policy *policy;
  as_verdict *verdict;
  atomic_bool stop; /* the test has decided: no proof is wanted */
} trial_and_proof;

enum { PROOF, TRIAL, N_BESIDE };

/* They read the same claim and graphs, and write to members of their own of the verdict. */
static void do_one(void *arg, size_t which) {
  trial_and_proof *work = arg;
  if (which == PROOF) {
    find_proof(of_the_policy, work->policy, &work->stop, work->verdict);
    return;
  }
  judge_random_test(work->judged, work->policy, work->verdict);
  if (hopeless(work->policy, work->verdict))
    atomic_store(&work->stop, true);
}

/* The random test and the proof beside each other.  A proof that the test makes useless is thrown
 * away, however far it came, so that the verdict is that of one after the other.  Whether it is. */
static bool try_and_prove(const as_judged *judged, const as_policy *policy, as_verdict *verdict) {
  trial_and_proof work = {judged, policy, verdict, false};
  as_parallel(policy->threads, N_BESIDE, do_one, &work);
  bool give_up = hopeless(policy, verdict);
  if (give_up) {
    as_proof_result_clear(&verdict->proof);
    verdict->prove_seconds = 0;
    return true;
  }
  as_prove_count(&verdict->proof);
  if (verdict->proof.verdict == AS_PROVED)
    replay(judged, verdict);
  return false;
}

/* the same, one after the other; without a graph nothing is tried */
static bool try_then_prove(const as_judged *judged, const as_policy *policy, as_verdict *verdict) {
  bool runs = judged->program != NULL; /* else who gives the texts has compared them */
  if (runs)
    judge_random_test(judged, policy, verdict);
  bool give_up = runs && hopeless(policy, verdict);
  if (!give_up)
    prove(judged, of_the_policy, policy, verdict);
  return give_up;
}

/* Of a case that the first turn has not decided: no more is done in it. */
static bool ends_here(const as_policy *policy, as_verdict *verdict) {
  verdict->unfinished = policy->first_turn;
  return policy->first_turn;
}

/* The prover and the search for a counterexample in turns, the cheap parts of both first, so that
 * neither waits for all of the other's effort.  Parts are measured by what is done in them, not by
 * a clock, and one follows the other: a verdict is the same in every run. */
static void judge_in_turns(const as_judged *judged, const as_policy *policy, as_verdict *verdict) {
  judge_random_test(judged, policy, verdict);
  bool differs = verdict->field.verdict == AS_NO;
  if (differs)
    judge_refute_program(judged, policy, JUDGE_THOROUGH, verdict);
  if (verdict->cex_found) {
    prove(judged, where_refuted, policy, verdict);
    return;
  }
  bool more = prove(judged, first_effort(verdict->claim), policy, verdict);
  if (verdict->checked)
    return;
  judge_refute_program(judged, policy, JUDGE_QUICK, verdict);
  if (verdict->cex_found || ends_here(policy, verdict))
    return;
  if (more)
    prove(judged, of_the_policy, policy, verdict);
  if (!verdict->checked)
    judge_refute_program(judged, policy, JUDGE_THOROUGH, verdict);
}

static void judge_program(const as_judged *judged, const as_policy *policy, as_verdict *verdict) {
  if (!as_judge_read(judged, verdict)) {
    refute_unread(judged, policy, verdict);
    return;
  }
  bool runs = judged->program != NULL;
  bool give_up = false;
  if (runs && !policy->stop_early && !verdict->proof.cert) {
    judge_in_turns(judged, policy, verdict);
  } else {
    bool beside = runs && policy->threads > 1 && !verdict->proof.cert;
    give_up =
        beside ? try_and_prove(judged, policy, verdict) : try_then_prove(judged, policy, verdict);
    if (runs && !policy->stop_early && (!verdict->checked || verdict->field.verdict == AS_NO))
      judge_refute_program(judged, policy, JUDGE_THOROUGH, verdict);
  }
  if (verdict->checked && judged->tile && judged->graph)
    prove_block_graph(judged, policy, verdict);
  if (verdict->checked)
    ask_solvers(policy, verdict);
  conclude(judged, policy, verdict);
  if (give_up && verdict->answer == AS_ANSWER_UNKNOWN)
    judge_because(verdict, AS_REASON_FIELD_REQUIRED, NULL);
}

/* In turns with a search for a counterexample, as a program's candidate.  false: UNREADABLE. */
static bool prove_rule(const as_judged *judged, const as_policy *policy, as_verdict *verdict) {
  bool more = prove(judged, first_effort(verdict->claim), policy, verdict);
  if (verdict->checked || ends_here(policy, verdict) || !more)
    return true;
  if (!judge_rule_trial(judged, policy, JUDGE_BETWEEN, verdict))
    return false;
  if (!verdict->cex_found)
    prove(judged, for_a_rule, policy, verdict);
  return true;
}

/* A cheap search for a counterexample comes first, and a thorough one where there is no proof, or
 * no instance yet.  What contradicts itself in constants the checker does not read at all: where no
 * instance is found either, it is vacuous. */
static void judge_rule(const as_judged *judged, const as_policy *policy, as_verdict *verdict) {
  if (!judge_rule_trial(judged, policy, JUDGE_QUICK, verdict))
    return;
  if (verdict->cex_found) {
    if (as_judge_read(judged, verdict))
      prove(judged, where_refuted, policy, verdict);
    as_err_clear(&verdict->err);
    conclude(judged, policy, verdict);
    return;
  }
  if (!as_judge_read(judged, verdict)) {
    if (verdict->absurd && judge_rule_unmet(verdict) &&
        judge_rule_trial(judged, policy, JUDGE_THOROUGH, verdict) && !verdict->cex_found &&
        judge_rule_unmet(verdict)) {
      verdict->answer = AS_ANSWER_VACUOUS;
      verdict->reason = AS_REASON_ABSURD;
      as_err_clear(&verdict->err);
    }
    return;
  }
  bool going = prove_rule(judged, policy, verdict);
  bool found = verdict->checked;
  if (going && !verdict->cex_found && !verdict->unfinished)
    going = judge_rule_trial(judged, policy, found ? JUDGE_AGAIN : JUDGE_THOROUGH, verdict);
  if (going && found && !verdict->cex_found &&
      (judge_rule_unmet(verdict) || verdict->tally.filled == 0))
    going = judge_rule_trial(judged, policy, JUDGE_THOROUGH, verdict);
  if (!going)
    return;
  if (verdict->checked && !verdict->cex_found)
    ask_solvers(policy, verdict);
  conclude(judged, policy, verdict);
}

/* reads the rule for what it says of itself; false: it cannot be judged, or is answered */
static bool open_rule(const as_judged *judged, as_verdict *verdict) {
  as_rule *rule = as_rule_read(judged->rules, judged->rule, NULL, &verdict->err);
  if (rule == NULL) {
    judge_unreadable(verdict);
    return false;
  }
  verdict->expect = judged->reverse ? AS_EXPECT_NOTHING : rule->expect;
  bool answered = rule->ill_formed && judged->reverse;
  if (answered) {
    verdict->answer = AS_ANSWER_VACUOUS;
    judge_because(verdict, AS_REASON_STARTS_ILL_FORMED, rule->ill_formed);
  }
  as_rule_free(rule);
  return !answered;
}

static bool is_expected(as_answer answer, as_expect expect) {
  static const as_answer wanted_answer[] = {[AS_EXPECT_PROVED] = AS_ANSWER_PROVED,
                                            [AS_EXPECT_REFUTED] = AS_ANSWER_REFUTED,
                                            [AS_EXPECT_UNKNOWN] = AS_ANSWER_UNKNOWN,
                                            [AS_EXPECT_VACUOUS] = AS_ANSWER_VACUOUS};
  return expect == AS_EXPECT_NOTHING || answer == wanted_answer[expect];
}

void as_judge(const as_judged *judged, const as_policy *policy, as_verdict *verdict) {
  double start = as_now();
  if (judged->rules == NULL) {
    judge_program(judged, policy, verdict);
  } else if (open_rule(judged, verdict)) {
    judge_rule(judged, policy, verdict);
  }
  if (verdict->answer == AS_ANSWER_PROVED)
    judge_implied(verdict);
  verdict->surprise = !is_expected(verdict->answer, verdict->expect);
  verdict->seconds = as_now() - start;
}

void as_judge_certificate(const as_judged *judged, const as_policy *policy, const char *cert,
                          size_t len, as_verdict *verdict) {
  verdict->proof.cert = as_malloc(len + 1);
  memcpy(verdict->proof.cert, cert, len);
  verdict->proof.cert[len] = 0;
  verdict->proof.cert_len = len;
  as_judge(judged, policy, verdict);
}

void as_judge_ask(const as_judged *judged, const as_policy *policy, as_verdict *verdict) {
  if (verdict->checked && verdict->claim)
    ask_solvers(policy, verdict);
  conclude(judged, policy, verdict);
}

as_status as_verdict_status(const as_verdict *verdict) {
  if (verdict->conflict)
    return AS_INTERNAL;
  switch (verdict->answer) {
  case AS_ANSWER_PROVED:
    return verdict->certified ? AS_OK : AS_UNKNOWN;
  case AS_ANSWER_REFUTED:
    return AS_NO;
  case AS_ANSWER_UNREADABLE:
    return AS_BAD_INPUT;
  default:
    return AS_UNKNOWN;
  }
}
