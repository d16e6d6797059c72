/* The user's texts as tokens (docs/language.md, lexical rules), messages that show the place, and
 * the memory of all that is read. Includes ck_claim.h for the form of messages.  Used by the parser
 * and the elaboration. */
#pragma once
#include "ck_claim.h"
#include <setjmp.h>

/* What a text can make large.  Each bound refuses, by its name (proofs/CLAIM.md section 1). */
enum {
  CK_MAX_TEXT = 1 << 20, /* bytes of one text */
  CK_MAX_TOKEN = 100,    /* characters of a name, number or sign */
  CK_MAX_NESTING = 100,  /* of brackets, and of expressions */
};

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

struct ck_file {
  const char *name;
  const char *text;
  size_t length;
  ck_token *tokens; /* more than one CK_T_END follow the last one */
  char sha256[65];
};

/* A piece of work on texts.  All that it makes lies in its memory or in a table of terms, so that
 * nothing half made is lost when ck_refuse leaves by longjmp. */
typedef struct {
  jmp_buf refused;
  ck_msg *message; /* the reason, once it is refused */
  void *memory;
} ck_job;

_Noreturn void ck_refuse(ck_job *job, const ck_token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void *ck_keep(ck_job *job, size_t bytes); /* zeroed */
void ck_keep_none(void *memory);          /* frees all that was kept */
const char *ck_keep_text(ck_job *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

char *ck_read_file(const char *name, size_t most,
                   size_t *length);         /* malloc'ed; at most so many bytes; NULL and errno */
void ck_tokens(ck_job *job, ck_file *file); /* fills tokens and sha256 */
bool ck_token_is(const ck_token *token, const char *text); /* the name or sign of this text */
bool ck_is_reserved(const ck_token *token);

void ck_sha256(const void *data, size_t length, char hex[65]);
