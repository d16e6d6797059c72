/* The one lexer of .sem, .tp and .mug (docs/language.md), and what their parsers share: a cursor,
 * messages, names, sizes. May include: base, ir/size.h.  Called by sem_parse.c, expr_parse.c,
 * tp_parse.c, mug_parse.c. */
#ifndef AS_IR_LEX_H
#define AS_IR_LEX_H
#include "size.h"
#include "src/base/err.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  AS_T_END,
  AS_T_NL,
  AS_T_NAME,
  AS_T_NUMBER,
  AS_T_STRING,
  AS_T_LE = 256,
  AS_T_GE,
  AS_T_NE,
  AS_T_DOTS,
  AS_T_ARROW /* other symbols: their character */
} as_tkind;

typedef struct {
  int kind;
  const char *s;
  uint32_t len;
  int line;
  int col;
} as_token; /* s: a NAME's text is a string in `mem`, otherwise within the file */

typedef struct as_lexed {
  const char *file;
  const char *text;
  size_t len; /* borrowed */
  as_vec tok; /* of as_token, the last is AS_T_END, after a AS_T_NL */
  size_t at;
  int depth;     /* cursor; nesting, bounded */
  as_arena *mem; /* names */
  as_err *err;
} as_lexed;

/* false with err when the text is not lexically well-formed; names live in mem (borrowed) */
bool as_lex(as_lexed *lexed, const char *file, const char *text, size_t len, as_arena *mem,
            as_err *err);
void as_lexed_clear(as_lexed *lexed);

static inline const as_token *as_tok(const as_lexed *lexed) {
  return &((const as_token *)lexed->tok.data)[lexed->at];
}

static inline const as_token *as_tok_next(const as_lexed *lexed) {
  return as_tok(lexed)->kind == AS_T_END ? as_tok(lexed) : as_tok(lexed) + 1;
}

static inline bool as_tok_is(const as_lexed *lexed, int kind) {
  return as_tok(lexed)->kind == kind;
}

bool as_tok_word(const as_lexed *lexed, const char *word); /* the next token is this name */
bool as_tok_take(as_lexed *lexed, int kind);               /* takes it if it is next */
bool as_tok_take_word(as_lexed *lexed, const char *word);
bool as_tok_want(as_lexed *lexed, int kind, const char *what); /* takes it, or reports */
bool as_tok_want_end(as_lexed *lexed);                         /* of the line */
const char *as_tok_new_name(as_lexed *lexed,
                            const char *what); /* a NAME that is not reserved; NULL with err */
bool as_lex_fail(as_lexed *lexed, const as_token *t, const char *fmt, ...)
    __attribute__((format(printf, 3, 4))); /* false */
bool as_lex_enter(as_lexed *lexed); /* one level of nesting deeper, false with err when too deep */
bool as_word_reserved(const char *word);
bool as_tok_number(as_lexed *lexed, mpq_t out); /* takes a NUMBER */
char *as_tok_text(const as_token *t);           /* for messages, malloc'ed */

/* size expressions: `look` gives the size of a name, AS_SIZE_BAD if there is none; result
 * AS_SIZE_BAD with err */
typedef as_size as_size_look(void *ctx, const char *name);
as_size as_parse_size(as_lexed *lexed, as_sizes *sizes, as_size_look *look, void *ctx);
bool as_parse_rel(as_lexed *lexed, as_sizes *sizes, as_size_look *look, void *ctx, as_size *lhs,
                  as_rel *rel, as_size *rhs);
bool as_tok_rel(as_lexed *lexed, as_rel *rel,
                bool *swap); /* takes = != < <= > >=; the last two are turned around */
const char *as_rel_text(as_rel rel);
/* exact decimal when the denominator allows, otherwise p/q; malloc'ed */
char *as_print_number(const mpq_t v);
void as_add_number(as_str *out, const mpq_t value); /* the same, to a text */

/* closest of the candidates given one by one, by edit distance */
typedef struct {
  const char *word;
  const char *best;
  unsigned dist;
} as_nearest;

void as_nearest_try(as_nearest *n, const char *candidate);
#endif
