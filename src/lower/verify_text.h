/* What a printed kernel does with memory, read from its text alone: a tokenizer of the part of C++
 * that the printers write, and the flow of data from statement to statement.  Nothing of the plan
 * is looked at, so that a fault in planning shows as well as one in printing.  Used by verify.c. */
#ifndef AS_LOWER_VERIFY_TEXT_H
#define AS_LOWER_VERIFY_TEXT_H
#include "src/base/err.h"
#include "src/base/vec.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { LV_T_WORD, LV_T_NUMBER, LV_T_SIGN } lv_token_kind;

typedef struct {
  lv_token_kind kind;
  const char *text; /* in the text that was read */
  uint32_t n;
  char sign;   /* of a sign: its only character */
  long number; /* of an integer */
} lv_token;

/* comments, strings and lines of the preprocessor left out; tokens: of lv_token, initialised here
 */
void lv_tokens(const char *text, as_vec *tokens);
bool lv_is(const lv_token *token, const char *word);

typedef enum {
  LV_VARIABLE,
  LV_INPUT,  /* number: which */
  LV_OUTPUT, /* number: which */
  LV_WORK,   /* number: bytes of the workspace in front of it */
  LV_SHARED  /* number: the first byte that is named, -1: none */
} lv_place_kind;

typedef struct {
  lv_place_kind kind;
  long number;
  const char *name; /* of a variable: in the text */
  uint32_t n;
  bool constant;   /* a variable that calls do not change */
  bool parameter;  /* .. that the caller gives */
  uint32_t points; /* .. to a place in memory, and 1; 0: to none */
  bool written;
  bool read_first; /* in the order of the text: before anything is written */
  bool read;
  uint64_t *from; /* bits: the places in memory and parameters that reach it */
} lv_place;

typedef struct {
  const char *name; /* in the text */
  uint32_t n;
  long threads;            /* of a kernel; -1: it is a part of one */
  as_vec place;            /* of lv_place */
  as_vec parameter;        /* of uint32_t: places of the parameters, in order */
  as_vec calls;            /* of const lv_token *: names of parts that it calls, in order */
  uint32_t words;          /* of each set of bits */
  const lv_token *unknown; /* the first name that nothing declares; NULL: there is none */
  long most_shared;        /* the greatest number of a place in shared memory; -1: it has none */
} lv_function;

/* Reads the function whose name is token `at`, and whose body is tokens begin to end, exclusive, of
 * the braces' inside.  *out: initialised here, cleared by the caller in any case. */
void lv_flow(const as_vec *tokens, size_t at, size_t begin, size_t end, lv_function *out);
void lv_function_clear(lv_function *function);
/* the place of that kind and number; NULL: the function names none */
lv_place *lv_find(const lv_function *function, lv_place_kind kind, long number);
#endif
