/* Certified results kept between runs: a folder of files, each found by a hash of all that the
 * result depends on.  May include: ir, base.  Called by `assay optimize`, which judges what it gets
 * from here as if somebody else had written it.
 *
 * The key of a job is the SHA-256 of the program without its names (wiring, attributes, sizes and
 * their values), the text of every specification that is read, and words of the caller for the
 * rest: which build of assay, target, options.  So a renamed program has the same key, and a
 * changed specification another. */
#ifndef AS_CACHE_H
#define AS_CACHE_H
#include "src/ir/graph.h"

enum { AS_CACHE_KEY = 65 }; /* 64 hexadecimal digits and a NUL */

/* ASSAY_CACHE, or `assay` in XDG_CACHE_HOME or in ~/.cache; malloc'ed, NULL: ASSAY_CACHE is set to
 * nothing, or none of them is set */
char *as_cache_default(void);

void as_cache_key(const as_graph *program, const char *rest, char key[AS_CACHE_KEY]);

typedef struct {
  char *candidate;   /* text of a muGraph in the names of the program that is asked for */
  char *certificate; /* its certificate; NULL where the entry was made for other names: the claim is
                        another text, and is to be proved anew */
  char *about;       /* what the caller said of the search that found it: a JSON object */
} as_cache_entry;    /* owned */

typedef enum {
  AS_CACHE_NOTHING, /* no entry */
  AS_CACHE_FOUND,
  AS_CACHE_DAMAGED /* an entry that is not used: err says why */
} as_cache_answer;

/* entry: cleared by as_cache_entry_clear in any case */
as_cache_answer as_cache_find(const char *dir, const char *key, const as_graph *program,
                              as_cache_entry *entry, as_err *err);
void as_cache_entry_clear(as_cache_entry *entry);

/* Writes an entry, in the place of one that was there; makes the folder.  about: a JSON object. */
bool as_cache_keep(const char *dir, const char *key, const as_graph *program,
                   const as_cache_entry *entry, as_err *err);
char *as_cache_path(const char *dir, const char *key); /* of the entry; malloc'ed */
#endif
