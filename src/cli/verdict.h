/* Steps of a judgement that programs (verdict.c) and rules (rule_verdict.c) share.  Private to
 * src/cli. */
#ifndef AS_CLI_VERDICT_H
#define AS_CLI_VERDICT_H
#include "cli.h"

typedef struct {
  ck_text *text;
  uint32_t n;
} cli_texts; /* the specifications of a library, as texts; owned */

bool cli_sem_texts(const as_oplib *lib, cli_texts *t, as_err *err);
void cli_texts_clear(cli_texts *t);
bool cli_bad_claim(const ck_msg *msg, const ck_text *spec, const ck_text *cand,
                   as_err *err); /* the checker's message as ours; false */
/* reads the claim and takes over into v what it says; NULL with err; sem: filled, cleared by the
 * caller in any case */
ck_claim *cli_take_claim(ck_terms *T, const as_oplib *lib, const ck_text *spec, const ck_text *cand,
                         cli_texts *sem, cli_verdicts *v, as_err *err);
/* the written certificate, read and replayed in a table of its own: v->checked, check_why, usage,
 * check_seconds */
void cli_replay(const ck_text *spec, const ck_text *cand, const cli_texts *sem, cli_verdicts *v);
void cli_ask_solvers(const cli_opts *o, ck_terms *T, const ck_claim *claim, cli_verdicts *v);
#endif
