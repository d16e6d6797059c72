/* The user's texts as tokens (docs/language.md, lexical rules), what a text can make large,
 * messages that show the place, and the memory of all that is read.  Includes ck_claim.h for the
 * form of messages.  Used by the parser and the elaboration. */
#pragma once
#include "ck_claim.h"

/* Limits (proofs/CLAIM.md section 1).  What is beyond one is refused, by its words. */
#define CK_LIMITS(LIMIT)                                                                           \
  LIMIT(TEXT, 1 << 20, "bytes in a text")                                                          \
  LIMIT(TOKEN, 100, "characters in a name, number or sign")                                        \
  LIMIT(BRACKETS, 100, "brackets within each other")                                               \
  LIMIT(NESTING, 100, "expressions within each other")                                             \
  LIMIT(DIGITS, 12, "digits where a number is least, stated or of an axis")                        \
  LIMIT(EXPONENT, 1000, "powers of ten in a number")                                               \
  LIMIT(FILES, 64, "files used")                                                                   \
  LIMIT(AXES, 8, "axes of a tensor")                                                               \
  LIMIT(ARGUMENTS, 8, "arguments or attributes of a call")                                         \
  LIMIT(PARTS, 10, "parts of a shape")                                                             \
  LIMIT(LETS, 16, "definitions in an operator")                                                    \
  LIMIT(NAMES, 64, "names in an operator")                                                         \
  LIMIT(SIZES, 512, "sizes")                                                                       \
  LIMIT(INPUTS, 512, "inputs")                                                                     \
  LIMIT(OUTPUTS, 512, "outputs")                                                                   \
  LIMIT(STORES, 64, "stores in a kernel")                                                          \
  LIMIT(RELATIONS, 1024, "relations between sizes")                                                \
  LIMIT(TENSORS, 20000, "tensors of a side")                                                       \
  LIMIT(OBLIGATIONS, 20000, "obligations of a side")                                               \
  LIMIT(CONDITIONS, 96, "conditions around one place")                                             \
  LIMIT(STEPS, 100000, "steps to expand one call")                                                 \
  LIMIT(STATED_VALUE, 100000, "nodes of a value at the stated sizes")                              \
  LIMIT(DEPTH, 1000, "expressions within each other, functions and definitions written out")       \
  LIMIT(TERMS, 8000000, "terms")                                                                   \
  LIMIT(HYPOTHESES, 20000000, "hypotheses, those of all goals counted")                            \
  LIMIT(THEOREM, 1 << 24, "bytes in the theorem")

#define CK_LIMIT_NUMBER(name, most, words) CK_LIMIT_##name,
#define CK_LIMIT_VALUE(name, most, words) CK_MAX_##name = most,

typedef enum { CK_LIMITS(CK_LIMIT_NUMBER) CK_N_LIMITS } ck_limit;

enum { CK_LIMITS(CK_LIMIT_VALUE) };

typedef enum {
  CK_T_END,
  CK_T_LINE_END,
  CK_T_NAME,
  CK_T_NUMBER,
  CK_T_STRING,
  CK_T_SIGN
} ck_token_kind;
typedef struct ck_file ck_file;

typedef struct ck_token {
  ck_token_kind kind;
  bool whole;       /* of a number: it has neither point nor exponent */
  const char *text; /* ended by a zero byte */
  const char *from;
  const char *end;             /* its place in the file's text */
  const struct ck_token *mate; /* the bracket that closes this one, else NULL */
  const ck_file *file;
  int line;
  int column; /* from 1 */
} ck_token;

/* Who knows the definitions of a file: all, who reads the given program, the candidate. */
typedef enum { CK_UNUSED, CK_LIBRARY = 1, CK_OF_GIVEN = 2, CK_OF_CANDIDATE = 4 } ck_users;

struct ck_file {
  struct ck_file *next;
  bool known;     /* its definitions are */
  unsigned users; /* of ck_users */
  const char *name;
  const char *text;
  size_t length;
  ck_token *tokens;
  const ck_token *end; /* the first CK_T_END; a few more follow it */
  char sha256[65];
};

/* A piece of work on texts, with the memory of all that it makes.  Once it is refused it stays so:
 * what is made of it after that is thrown away. */
typedef struct {
  ck_msg *message; /* its text is the reason, once it is refused */
  void *memory;
} ck_job;

static inline bool ck_refused(const ck_job *job) {
  return job->message->text != NULL;
}

/* Refuses, and gives CK_BAD.  The first reason counts; later ones may follow from it. */
ck_id ck_refuse(ck_job *job, const ck_token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool ck_within(ck_job *job, const ck_token *at, ck_limit limit, uint64_t n); /* or refuses */
void *ck_keep(ck_job *job, size_t bytes);                                    /* zeroed */
ck_id *ck_keep_ids(ck_job *job, const ck_id *x, uint32_t n);                 /* a copy */
void ck_keep_none(void *memory); /* frees all that was kept */
const char *ck_keep_text(ck_job *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A list in the order of the text.  Its members begin with the pointer to the next one. */
typedef struct {
  void *first;
  void *last;
  uint32_t n;
} ck_list;

void ck_link(ck_list *list, void *member);
void *ck_add(ck_job *job, ck_list *list, size_t bytes); /* a new member, zeroed */
#define CK_EACH(type, x, list) for (const type *x = (list).first; x; x = x->next)

char *ck_read_file(const char *name, size_t most,
                   size_t *length);         /* malloc'ed; at most so many bytes; NULL and errno */
void ck_tokens(ck_job *job, ck_file *file); /* fills tokens, end and sha256 */
bool ck_token_is(const ck_token *token, const char *text); /* the name or sign of this text */
bool ck_is_reserved(const ck_token *token);

void ck_sha256(const void *data, size_t length, char hex[65]);
