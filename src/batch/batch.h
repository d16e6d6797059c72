/* Many claims for one command: the rules of files, or the candidates of another program's file.
 * Each is judged on its own, told in a line, and shown in a page, JSON, JUnit XML and a result
 * directory; what is certified can be written in another program's format.
 * Includes verify/judge, import, base.  Called by the commands. */
#ifndef AS_BATCH_BATCH_H
#define AS_BATCH_BATCH_H
#include "export.h"
#include "verify/judge/job.h"

/* how a batch is judged and what is left of it; all of it borrowed */
typedef struct {
  const as_policy *policy;
  unsigned threads;
  bool forward; /* the directions in which rules are judged */
  bool backward;
  bool json;
  bool quiet;
  bool verbose;
  bool stats;
  const char *out; /* the result directory; NULL: none */
  bool force;
  const char *junit; /* NULL: none */
} as_batch_how;

/* The rules of those files, by several threads, told in the order of the files.  Specifications are
 * the library's; solvers are asked only where the policy demands their agreement.  Gives the exit
 * status; says what is wrong itself. */
int as_batch_rules(const as_batch_how *how, const as_oplib *library, const char *const *path,
                   uint32_t n);

/* The candidates of the file `path`, which another program wrote in that format, against the
 * program that `given` has read.  written NULL: nothing is exported.  The same. */
int as_batch_graphs(const as_batch_how *how, const as_job *given, const as_import_format *format,
                    const char *path, as_batch_export *written);

#endif
