/* The cache of results, as `assay optimize` uses it.  May include: search, cache, verify/judge, ir,
 * target, base. */
#ifndef AS_OPTIMIZE_KEPT_H
#define AS_OPTIMIZE_KEPT_H
#include "search/search.h"
#include "src/cache/cache.h"
#include "verify/judge/job.h"
#include <jansson.h>

typedef struct {
  char *dir; /* NULL: no cache is used */
  char key[AS_CACHE_KEY];
  bool hit;
  bool renamed;  /* the entry was made for other names: proved anew */
  char *refused; /* why an entry that is there is not used */
} as_kept;

/* The key of a job; options: words for all options that the result depends on. */
void as_kept_key(const char *options, const as_policy *policy, const as_job *job,
                 const as_target *target, char key[AS_CACHE_KEY]);
/* dir: NULL, or the folder */
void as_kept_open(const char *dir, const char *key, as_kept *kept);
void as_kept_clear(as_kept *kept);
/* A candidate from the cache as the search would have found it, judged again by the policy: its
 * certificate is replayed, or for other names it is proved anew.  false: there is none that can be
 * used; where there is a damaged one, that is said on standard error. */
bool as_kept_find(as_kept *kept, const as_job *job, const as_policy *policy,
                  as_search_result *found);
/* what was taken from the cache is not used after all */
void as_kept_refuse(as_kept *kept, const char *why);
/* keeps the candidate that was chosen, unless a limit in time struck or another was preferred */
void as_kept_keep(const as_kept *kept, const as_job *job, const as_search_result *found,
                  const as_candidate *chosen);
json_t *as_kept_json(const as_kept *kept); /* for report.json; the caller's */
#endif
