/* The definitions that a claim can need, out of all that are known: reading them all for each of a
 * thousand rules takes longer than most of the rules. */
#include "judge_int.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* what the signs of tensor expressions call */
static const char *const called_by_signs[] = {"add",    "sub", "mul",   "div",
                                              "matmul", "neg", "slice", "expand_dims"};

typedef struct {
  const char *text;
  size_t len;
} word;

typedef struct {
  const char *text; /* up to the next definition of its file */
  size_t len;
  word name;
  uint32_t source;
  bool wanted;
} definition;

static bool letter(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/* the next name at or behind *at, and *at behind it; false: there is none */
static bool next_word(const char *text, size_t len, size_t *at, word *found) {
  size_t i = *at;
  while (i < len && !letter(text[i])) {
    if (text[i] == '#') {
      const char *end = memchr(text + i, '\n', len - i);
      i = end ? (size_t)(end - text) : len;
    } else {
      i++;
    }
  }
  size_t from = i;
  while (i < len && letter(text[i]))
    i++;
  *at = i;
  *found = (word){text + from, i - from};
  return i > from;
}

static bool same_word(const word *a, const word *b) {
  return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

static bool is_word(const word *name, const char *text) {
  return same_word(name, &(word){text, strlen(text)});
}

/* Definitions begin with `op` or `func` at the beginning of a line; what stands before the first is
 * blank or a comment, or the file is not taken apart. */
static bool take_apart(const as_source *source, uint32_t number, as_vec *definitions) {
  size_t first = definitions->n;
  for (const char *line = source->text; line && *line;) {
    word name;
    size_t at = 0;
    const char *end = strchr(line, '\n');
    size_t len = end ? (size_t)(end - line) : strlen(line);
    bool any = next_word(line, len, &at, &name);
    if (any && (is_word(&name, "op") || is_word(&name, "func"))) {
      definition found = {.text = line, .source = number};
      if (!next_word(line, len, &at, &found.name))
        return false;
      as_vec_push(definitions, &found);
    } else if (any && definitions->n == first) {
      return false;
    }
    line = end ? end + 1 : NULL;
  }
  for (size_t i = first; i < definitions->n; i++) {
    definition *here = &AS_VEC_AT(definitions, definition, i);
    const char *end = i + 1 < definitions->n ? AS_VEC_AT(definitions, definition, i + 1).text
                                             : source->text + source->len;
    here->len = (size_t)(end - here->text);
  }
  return true;
}

/* the definitions of that name, of an operator and of a function, and all that they name */
static void want(const as_vec *definitions, const word *name);

static void want_words(const as_vec *definitions, const char *text, size_t len) {
  size_t at = 0;
  word name;
  while (next_word(text, len, &at, &name))
    want(definitions, &name);
}

static void want(const as_vec *definitions, const word *name) {
  for (size_t i = 0; i < definitions->n; i++) {
    definition *here = &AS_VEC_AT(definitions, definition, i);
    if (here->wanted || !same_word(&here->name, name))
      continue;
    here->wanted = true;
    want_words(definitions, here->text, here->len);
  }
}

char **judge_pruned(const as_source *source, uint32_t n, const char *text, size_t len) {
  as_vec definitions;
  as_vec_init(&definitions, sizeof(definition));
  bool apart = true;
  for (uint32_t i = 0; i < n && apart; i++)
    apart = take_apart(&source[i], i, &definitions);
  char **pruned = apart ? as_calloc(n + 1, sizeof *pruned) : NULL;
  if (apart) {
    for (size_t i = 0; i < sizeof called_by_signs / sizeof *called_by_signs; i++)
      want(&definitions, &(word){called_by_signs[i], strlen(called_by_signs[i])});
    want_words(&definitions, text, len);
    for (uint32_t i = 0; i < n; i++) {
      pruned[i] = as_malloc(source[i].len + 1);
      pruned[i][0] = 0;
    }
    for (size_t i = 0; i < definitions.n; i++) {
      const definition *here = &AS_VEC_AT(&definitions, definition, i);
      char *into = pruned[here->source];
      size_t used = strlen(into);
      if (here->wanted) {
        memcpy(into + used, here->text, here->len);
        into[used + here->len] = 0;
      }
    }
  }
  as_vec_clear(&definitions);
  return pruned;
}
