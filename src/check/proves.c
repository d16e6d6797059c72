/* The certificate of a result directory against the texts that lie there. */
#include "check.h"
#include "src/base/file.h"
#include <stdlib.h>

as_kernels_of as_check_texts(const as_job *job) {
  return (as_kernels_of){
      .program = job->program, .graph = job->graph, .tile = {job->tile[0], job->tile[1]}};
}

bool as_check_proves(const as_judged *judged, const char *dir, const char *certificate,
                     as_err *err) {
  if (!as_exists(certificate))
    return as_err_set(err, AS_BAD_INPUT, "%s: has no certificate, so nothing of it is run", dir);
  size_t length;
  char *cert = as_read_file(certificate, &length, err);
  if (cert == NULL)
    return false;
  as_policy policy;
  as_policy_init(&policy);
  as_policy_ask_nobody(&policy);
  policy.field = false; /* the checker's word is what is asked for */
  as_verdict verdict;
  as_verdict_init(&verdict);
  as_judge_certificate(judged, &policy, cert, length, &verdict);
  bool certified = verdict.certified;
  if (!certified)
    as_err_set(err, AS_NO,
               "%s: its certificate does not prove that this candidate refines this program, so "
               "nothing of it is run: %s",
               dir, verdict.why ? verdict.why : "the claim cannot be read");
  as_verdict_clear(&verdict);
  free(cert);
  return certified;
}
