/* A job: the texts of a program with its candidate, or of a file of rules, each read once, together
 * with what they parse to.  May include: base, ir, judge.h.  Called by the commands. */
#ifndef AS_JOB_H
#define AS_JOB_H
#include "judge.h"

typedef struct {
  char *name; /* the path, or what messages call it */
  char *text; /* ended by a NUL */
  size_t len;
} as_job_text; /* owned */

typedef struct {
  as_oplib *lib; /* owned, as all is */
  as_sizes *sizes;
  as_job_text given; /* the program, or the file of rules */
  as_job_text candidate;
  as_graph *program;
  as_graph *graph; /* the candidate's: a muGraph of the program (also where the text is a tile
                      program of block form), or a program of its own */
  /* Set before texts are read where tile programs of any form are taken.  They have no graph: where
   * a side is one, the texts alone are judged, `program` may be NULL and `graph` is. */
  bool any_tile;
  struct as_tile_program *tile[2]; /* of the given program and of the candidate, or NULL */
  as_rulefile *rules;
  struct judge_definitions *definitions; /* of the rules' file and its library */
} as_job;

/* takes the library, which its program may add to; NULL: a job without one, as after a failure */
void as_job_init(as_job *job, as_oplib *lib);
void as_job_clear(as_job *job);
/* Each reads the file of that path, or standard input where it is `-`, and parses it.  false with
 * err. */
bool as_job_read_program(as_job *job, const char *path, as_err *err);
bool as_job_read_candidate(as_job *job, const char *path, as_err *err);
bool as_job_read_rules(as_job *job, const char *path, as_err *err); /* at least one rule */
/* the same where definitions of the file may be ill-formed (as_rulefile_defects): its other rules
 * are judged without them */
bool as_job_read_rules_with_defects(as_job *job, const char *path, as_err *err);
/* the file's text with blanks in the place of its defects: what its rules are judged by.
 * malloc'ed, as long as the text */
char *as_job_sound_rules(const as_job *job);
/* a text that is no file: takes `text` in any case */
bool as_job_take_program(as_job *job, const char *name, char *text, size_t len, as_err *err);
bool as_job_take_candidate(as_job *job, const char *name, char *text, size_t len, as_err *err);

/* what as_judge is to look at; borrows from the job */
as_judged as_job_judged(const as_job *job);
/* rule i of its file, by that name (NAME or NAME.reverse), which is borrowed as well */
as_judged as_job_judged_rule(const as_job *job, uint32_t i, bool reverse, const char *name);
/* the number of the rule called NAME or NAME.reverse, and which way; the number of rules: none */
uint32_t as_job_rule_named(const as_job *job, const char *name, bool *reverse);
char *as_job_rule_name(const as_job *job, uint32_t i, bool reverse); /* malloc'ed */
#endif
