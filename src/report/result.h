/* Result directories: files are collected in memory and appear together, by one rename.  May
 * include: base.  Called by the commands that leave something behind. */
#ifndef AS_REPORT_RESULT_H
#define AS_REPORT_RESULT_H
#include "src/base/err.h"
#include "src/base/vec.h"

typedef struct {
  char *name;
  char *data;
  size_t n;
} as_report_file;

typedef struct {
  as_vec file; /* of as_report_file */
} as_report_dir;

void as_report_dir_init(as_report_dir *r);
void as_report_dir_add(as_report_dir *r, const char *name, const char *data, size_t n); /* copies */
bool as_report_dir_has(const as_report_dir *r, const char *name);
/* whether a directory may be made (or, with force, replaced) there */
bool as_report_dir_place(const char *dir, bool force, as_err *err);
/* report.json of a directory (json_t *, the caller's); NULL: it has none that can be read */
void *as_report_dir_json(const char *dir);
bool as_report_dir_write(const as_report_dir *r, const char *dir, bool force, as_err *err);
void as_report_dir_clear(as_report_dir *r);
#endif
