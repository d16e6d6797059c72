/* The definitions that a claim can need, out of all that are known: reading them all for each of a
 * thousand rules takes longer than most of the rules.  What each definition names is looked up once
 * for all claims of a file. */
#include "judge_int.h"
#include "src/base/hash.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/base/str.h"
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
  const char *text; /* up to the next definition of its file, or the next rule */
  size_t len;
  word name;
  uint32_t source; /* number of the file of specifications; their number: the file of rules */
  as_vec needs;    /* of uint32_t: the definitions of the names in it */
} definition;

struct judge_definitions {
  const as_source *source; /* of the library, borrowed */
  uint32_t n_source;
  char *rules;    /* the text of the file of rules without its defects; NULL: none */
  size_t n_rules; /* its length */
  as_vec list;    /* of definition, in the order of their files */
  as_index by_name;
};

/* which of them a claim can need */
typedef struct {
  const judge_definitions *definitions;
  bool *wanted;
} selection;

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

static uint64_t hash_of(const word *name) {
  return as_hash(name->text, name->len, 0);
}

static definition *at(const judge_definitions *definitions, uint32_t i) {
  return &AS_VEC_AT(&definitions->list, definition, i);
}

/* ---- taking files apart */
typedef enum { BEGINS_NOTHING, BEGINS_DEFINITION, BEGINS_RULE } beginning;

/* what a line begins; *behind: where its first word ends */
static beginning begun_by(const char *line, size_t len, size_t *behind, bool *blank) {
  word first;
  *behind = 0;
  *blank = !next_word(line, len, behind, &first);
  if (*blank)
    return BEGINS_NOTHING;
  if (is_word(&first, "op") || is_word(&first, "func"))
    return BEGINS_DEFINITION;
  return is_word(&first, "rule") ? BEGINS_RULE : BEGINS_NOTHING;
}

/* Definitions begin with `op` or `func` at the beginning of a line, and end where the next one or a
 * rule begins.  false: what stands before the first is neither blank nor a comment, and `head` says
 * that nothing else may stand there. */
static bool take_apart(judge_definitions *definitions, const char *text, size_t length,
                       uint32_t number, bool head) {
  definition *open = NULL;
  const char *end = text + length;
  bool any = head;
  for (const char *line = text; line < end;) {
    const char *line_end = memchr(line, '\n', (size_t)(end - line));
    const char *next = line_end ? line_end + 1 : end;
    size_t len = (size_t)(next - line);
    size_t behind;
    bool blank;
    beginning begins = begun_by(line, len, &behind, &blank);
    if (begins != BEGINS_NOTHING && open) {
      open->len = (size_t)(line - open->text);
      open = NULL;
    }
    if (begins == BEGINS_DEFINITION) {
      definition found = {.text = line, .len = (size_t)(end - line), .source = number};
      if (!next_word(line, len, &behind, &found.name))
        return false;
      as_vec_init(&found.needs, sizeof(uint32_t));
      open = as_vec_push(&definitions->list, &found);
      any = true;
    } else if (!blank && !any) {
      return false;
    }
    line = next;
  }
  return true;
}

/* ---- what they name */
/* the definitions of that name, of an operator and of a function: calls `found` with each */
typedef void (*finder)(void *into, uint32_t number);

static void find(const judge_definitions *definitions, const word *name, finder found, void *into) {
  as_index_walk walk = as_index_start(&definitions->by_name, hash_of(name));
  for (uint32_t i; (i = as_index_next(&walk)) != AS_NONE;) {
    if (same_word(&at(definitions, i)->name, name))
      found(into, i);
  }
}

static void find_words(const judge_definitions *definitions, const char *text, size_t len,
                       finder found, void *into) {
  size_t from = 0;
  word name;
  while (next_word(text, len, &from, &name))
    find(definitions, &name, found, into);
}

static void note_need(void *into, uint32_t number) {
  as_vec_push(into, &number);
}

static void note_needs(judge_definitions *definitions) {
  for (uint32_t i = 0; i < definitions->list.n; i++)
    as_index_add(&definitions->by_name, hash_of(&at(definitions, i)->name), i);
  for (uint32_t i = 0; i < definitions->list.n; i++) {
    definition *here = at(definitions, i);
    find_words(definitions, here->text, here->len, note_need, &here->needs);
  }
}

judge_definitions *judge_definitions_new(const as_oplib *lib, char *rules, size_t n_rules) {
  judge_definitions *definitions = as_calloc(1, sizeof *definitions);
  definitions->source = as_oplib_sources(lib, &definitions->n_source);
  definitions->rules = rules;
  definitions->n_rules = n_rules;
  as_vec_init(&definitions->list, sizeof(definition));
  uint32_t n = definitions->n_source;
  bool apart = rules == NULL || take_apart(definitions, rules, n_rules, n, true);
  for (uint32_t i = 0; i < n && apart; i++) {
    const as_source *source = &definitions->source[i];
    apart = take_apart(definitions, source->text, source->len, i, false);
  }
  if (apart) {
    note_needs(definitions);
    return definitions;
  }
  judge_definitions_free(definitions);
  return NULL;
}

void judge_definitions_free(judge_definitions *definitions) {
  if (definitions == NULL)
    return;
  for (uint32_t i = 0; i < definitions->list.n; i++)
    as_vec_clear(&at(definitions, i)->needs);
  as_vec_clear(&definitions->list);
  as_index_clear(&definitions->by_name);
  free(definitions->rules);
  free(definitions);
}

/* ---- what one claim can need */
static void want(void *into, uint32_t number) {
  selection *chosen = into;
  if (chosen->wanted[number])
    return;
  chosen->wanted[number] = true;
  const as_vec *needs = &at(chosen->definitions, number)->needs;
  for (size_t i = 0; i < needs->n; i++)
    want(chosen, AS_VEC_AT(needs, uint32_t, i));
}

static void want_words(selection *chosen, const char *text, size_t len) {
  find_words(chosen->definitions, text, len, want, chosen);
}

/* blanks in the place of text[from..to); lines stay */
static void add_gap(as_str *out, const char *text, size_t from, size_t to) {
  const char *end = text + to;
  const char *line = text + from;
  for (const char *next; line < end && (next = memchr(line, '\n', (size_t)(end - line)));) {
    as_str_addn(out, "\n", 1);
    line = next + 1;
  }
  for (; line < end; line++)
    as_str_addn(out, " ", 1);
}

static void add_part(as_str *out, const char *text, size_t *done, size_t from, size_t len) {
  add_gap(out, text, *done, from);
  as_str_addn(out, text + from, len);
  *done = from + len;
}

/* the file of rules with one rule and the definitions chosen, line by line where they were; what
 * stands before all definitions and rules (`use`) stays */
static char *pruned_rules(const selection *chosen, const as_judged *judged) {
  const judge_definitions *definitions = chosen->definitions;
  const char *text = definitions->rules;
  size_t rule_len;
  const char *rule = as_rulefile_text(judged->rules, judged->rule, &rule_len);
  size_t rule_at = (size_t)(rule - judged->given.text);
  size_t first = (size_t)(as_rulefile_text(judged->rules, 0, &(size_t){0}) - judged->given.text);
  as_str out;
  as_str_init(&out);
  size_t done = 0;
  bool head = true;
  bool placed = false;
  for (uint32_t i = 0; i < definitions->list.n; i++) {
    const definition *here = at(definitions, i);
    if (here->source != definitions->n_source)
      continue;
    size_t from = (size_t)(here->text - text);
    if (head)
      add_part(&out, text, &done, 0, from < first ? from : first);
    head = false;
    if (!placed && rule_at < from) {
      add_part(&out, text, &done, rule_at, rule_len);
      placed = true;
    }
    if (chosen->wanted[i])
      add_part(&out, text, &done, from, here->len);
  }
  if (head)
    add_part(&out, text, &done, 0, first);
  if (!placed)
    add_part(&out, text, &done, rule_at, rule_len);
  as_str_addn(&out, "\n", 1);
  return as_str_take(&out);
}

static char *pruned_source(const selection *chosen, uint32_t source) {
  const judge_definitions *definitions = chosen->definitions;
  as_str out;
  as_str_init(&out);
  for (uint32_t i = 0; i < definitions->list.n; i++) {
    const definition *here = at(definitions, i);
    if (here->source == source && chosen->wanted[i])
      as_str_addn(&out, here->text, here->len);
  }
  return as_str_take(&out);
}

judge_texts judge_pruned(const judge_definitions *definitions, const as_judged *judged) {
  uint32_t n = definitions->n_source;
  selection chosen = {definitions, as_calloc(definitions->list.n + 1, sizeof(bool))};
  judge_texts texts = {.given = judged->given,
                       .specification = as_calloc(n + 1, sizeof *texts.specification),
                       .pruned = as_calloc(n + 1, sizeof *texts.pruned),
                       .n_specification = n};
  for (size_t i = 0; i < sizeof called_by_signs / sizeof *called_by_signs; i++)
    want_words(&chosen, called_by_signs[i], strlen(called_by_signs[i]));
  if (definitions->rules) {
    size_t len;
    const char *rule = as_rulefile_text(judged->rules, judged->rule, &len);
    want_words(&chosen, rule, len);
    texts.alone = pruned_rules(&chosen, judged);
    texts.given.text = texts.alone;
    texts.given.len = strlen(texts.alone);
  } else {
    want_words(&chosen, judged->given.text, judged->given.len);
    want_words(&chosen, judged->candidate.text, judged->candidate.len);
  }
  for (uint32_t i = 0; i < n; i++) {
    char *text = pruned_source(&chosen, i);
    texts.pruned[i] = text;
    texts.specification[i] = (ck_text){definitions->source[i].name, text, strlen(text)};
  }
  free(chosen.wanted);
  return texts;
}

void judge_texts_clear(judge_texts *texts) {
  for (uint32_t i = 0; i < texts->n_specification; i++)
    free(texts->pruned[i]);
  free(texts->pruned);
  free(texts->specification);
  free(texts->alone);
}
