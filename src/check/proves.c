/* The certificate of a result directory against the texts that lie there. */
#include "check.h"
#include "src/base/file.h"
#include "src/report/judged.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

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

static bool says(const json_t *report, const char *key, const char *otherwise, const char *word) {
  const char *said = json_string_value(json_object_get(report, key));
  said = said ? said : otherwise;
  return said && word ? strcmp(said, word) == 0 : said == word;
}

/* the first kernel that is not as recorded; NULL: all are */
static const char *planned_otherwise(const json_t *recorded, const as_lowered *lowered) {
  static const char *const keys[] = {"name", "route", "blocks", "warps", "shared_bytes"};
  json_t *made = as_report_kernels_json(lowered);
  const char *name = json_array_size(recorded) == lowered->n_kernel ? NULL : "how many there are";
  for (uint32_t i = 0; i < lowered->n_kernel && name == NULL; i++) {
    const json_t *was = json_array_get(recorded, i);
    const json_t *is = json_array_get(made, i);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
      json_t *said = json_object_get(was, keys[k]);
      if (said && !json_equal(said, json_object_get(is, keys[k])))
        name = lowered->kernel[i].name;
    }
  }
  json_decref(made);
  return name;
}

bool as_check_planned(const char *dir, const as_target *target, const as_lowered *lowered,
                      as_err *err) {
  json_t *report = as_report_dir_json(dir);
  const json_t *recorded = json_object_get(report, "kernels");
  bool same = says(report, "arch", NULL, target->arch) &&
              says(report, "library", as_library_use_word(AS_LIBRARY_NEVER),
                   as_library_use_word(target->library)) &&
              says(report, "tf32", NULL, target->rounded);
  const char *name = recorded && same ? planned_otherwise(recorded, lowered) : NULL;
  if (name)
    as_err_set(err, AS_INTERNAL,
               "%s: kernels are not planned as they were when this result was certified and tried "
               "(%s), so nothing is handed out; optimize the program again",
               dir, name);
  json_decref(report);
  return name == NULL;
}
