/* What parsing and printing both read off a row.  Private to src/options. */
#ifndef AS_OPTIONS_ROW_H
#define AS_OPTIONS_ROW_H
#include "options.h"

enum { AS_OPTION_NAME = 32 };

/* the name as it is typed: dashes for underscores */
void as_option_name(const as_option *row, char name[AS_OPTION_NAME]);
/* the words that a row allows, each followed by `after` but the last one; malloc'ed */
char *as_option_words(const as_options *all, const as_option *row, const char *after);
/* the help of a command; negative: of all */
void as_options_help(const as_options *all, int command);

static inline bool as_option_is_for(const as_option *row, int command) {
  return (row->commands >> command & 1) != 0;
}

#endif
