#include "verify_text.h"
#include "src/base/mem.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- tokens */
static const char *behind_comment(const char *at) {
  bool line = at[1] == '/';
  for (at += 2; *at; at++) {
    if (line ? *at == '\n' : *at == '*' && at[1] == '/')
      return line ? at : at + 2;
  }
  return at;
}

static const char *behind_string(const char *at) {
  char quote = *at++;
  for (; *at && *at != quote; at++)
    at += *at == '\\' && at[1];
  return *at ? at + 1 : at;
}

/* a directive, with the lines that it goes on in */
static const char *behind_directive(const char *at) {
  while (*at && *at != '\n')
    at += *at == '\\' && at[1] ? 2 : 1;
  return at;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

void lv_tokens(const char *text, as_vec *tokens) {
  as_vec_init(tokens, sizeof(lv_token));
  bool fresh = true; /* nothing stands before on the line */
  for (const char *at = text; *at;) {
    if (*at == '\n' || isspace((unsigned char)*at)) {
      fresh = fresh || *at == '\n';
      at++;
    } else if (*at == '/' && (at[1] == '/' || at[1] == '*')) {
      at = behind_comment(at);
    } else if (*at == '"' || *at == '\'') {
      at = behind_string(at);
    } else if (*at == '#' && fresh) {
      at = behind_directive(at);
    } else {
      lv_token token = {.kind = LV_T_SIGN, .text = at, .n = 1, .sign = *at};
      while (is_word(*at) && is_word(at[token.n]))
        token.n++;
      if (is_word(*at))
        token.kind = isdigit((unsigned char)*at) ? LV_T_NUMBER : LV_T_WORD;
      if (token.kind == LV_T_NUMBER)
        token.number = strtol(at, NULL, 0);
      if (token.kind != LV_T_SIGN)
        token.sign = 0;
      as_vec_push(tokens, &token);
      at += token.n;
      fresh = false;
    }
  }
}

bool lv_is(const lv_token *token, const char *word) {
  return token->n == strlen(word) && memcmp(token->text, word, token->n) == 0;
}

static bool begins(const lv_token *token, const char *word) {
  return token->n >= strlen(word) && memcmp(token->text, word, strlen(word)) == 0;
}

static bool is_sign(const lv_token *token, char sign) {
  return token->kind == LV_T_SIGN && token->sign == sign;
}

/* --- statements: what is written of what is read */
typedef struct {
  as_vec writes; /* of uint32_t: places */
  as_vec reads;
} step;

typedef struct {
  const lv_token *token; /* all */
  lv_function *out;
  as_vec scope; /* of uint32_t: places of variables that can be named, a UINT32_MAX where a block
                   begins */
  as_vec
      control;  /* of uint32_t: what decides whether a statement is executed; blocks as in scope */
  as_vec steps; /* of step */
} reading;

enum { BLOCK = UINT32_MAX };

static lv_place *place_at(const reading *of, uint32_t id) {
  return &AS_VEC_AT(&of->out->place, lv_place, id);
}

static uint32_t new_place(reading *of, lv_place_kind kind, long number, const lv_token *name) {
  lv_place place = {
      .kind = kind, .number = number, .name = name ? name->text : NULL, .n = name ? name->n : 0};
  as_vec_push(&of->out->place, &place);
  return (uint32_t)of->out->place.n - 1;
}

static uint32_t memory(reading *of, lv_place_kind kind, long number) {
  for (uint32_t i = 0; i < of->out->place.n; i++) {
    if (place_at(of, i)->kind == kind && place_at(of, i)->number == number)
      return i;
  }
  if (kind == LV_SHARED && number > of->out->most_shared)
    of->out->most_shared = number;
  return new_place(of, kind, number, NULL);
}

/* the variable of that name, BLOCK: there is none */
static uint32_t variable(const reading *of, const lv_token *name) {
  for (size_t i = of->scope.n; i-- > 0;) {
    uint32_t id = AS_VEC_AT(&of->scope, uint32_t, i);
    if (id != BLOCK && place_at(of, id)->n == name->n &&
        memcmp(place_at(of, id)->name, name->text, name->n) == 0)
      return id;
  }
  return BLOCK;
}

static void push(as_vec *ids, uint32_t id) {
  for (size_t i = 0; i < ids->n; i++) {
    if (AS_VEC_AT(ids, uint32_t, i) == id)
      return;
  }
  as_vec_push(ids, &id);
}

/* behind what is in brackets; at: where they open */
static size_t closed(const reading *of, size_t at, size_t end) {
  int depth = 0;
  for (; at < end; at++) {
    const lv_token *token = &of->token[at];
    depth += is_sign(token, '(') || is_sign(token, '[') || is_sign(token, '{');
    depth -= is_sign(token, ')') || is_sign(token, ']') || is_sign(token, '}');
    if (depth == 0)
      return at + 1;
  }
  return end;
}

/* A place in memory that tokens name: a.in[N], a.out[N], a.ws + N, or shared memory from a byte on.
 * Gives behind it; *id BLOCK: it is none. */
static size_t name_memory(reading *of, size_t at, size_t end, uint32_t *id) {
  const lv_token *token = of->token + at;
  *id = BLOCK;
  if (lv_is(token, "a") && at + 2 < end && is_sign(token + 1, '.')) {
    bool many = at + 4 < end && token[4].kind == LV_T_NUMBER;
    if (lv_is(token + 2, "ws")) {
      bool placed = at + 4 < end && is_sign(token + 3, '+') && many;
      *id = memory(of, LV_WORK, placed ? token[4].number : -1);
      return at + (placed ? 5 : 3);
    }
    if (many && (lv_is(token + 2, "in") || lv_is(token + 2, "out"))) {
      *id = memory(of, lv_is(token + 2, "in") ? LV_INPUT : LV_OUTPUT, token[4].number);
      return at + 6;
    }
    return at + 3;
  }
  if (lv_is(token, "s0")) {
    *id = memory(of, LV_SHARED, -1);
    return at + 1;
  }
  if (!lv_is(token, "sm") || at + 1 >= end)
    return at;
  bool placed = is_sign(token + 1, ',') && at + 2 < end && token[2].kind == LV_T_NUMBER &&
                (at + 3 == end || !is_sign(token + 3, '*'));
  *id = memory(of, LV_SHARED, placed ? token[2].number : -1);
  return at + (placed ? 3 : 1);
}

static bool is_type(const lv_token *token) {
  static const char *const type[] = {"float", "int",      "unsigned", "long", "double",
                                     "bool",  "size_t",   "char",     "void", "short",
                                     "auto",  "uint16_t", "uint32_t"};
  for (size_t i = 0; i < sizeof type / sizeof *type; i++) {
    if (lv_is(token, type[i]))
      return true;
  }
  return false;
}

/* Is it a word of the language, or a name of the prelude's? */
static bool is_known(const lv_token *token) {
  static const char *const known[] = {"const",  "true",   "false", "INFINITY", "NAN",    "NULL",
                                      "sizeof", "signed", "break", "continue", "return", "volatile",
                                      "else",   "struct", "a",     "sm",       "s0"};
  static const char *const prefix[] = {"as_", "AS_", "at_", "AT_", "__", "uint", "int", "CU"};
  bool found = is_type(token);
  for (size_t i = 0; i < sizeof known / sizeof *known && !found; i++)
    found = lv_is(token, known[i]);
  for (size_t i = 0; i < sizeof prefix / sizeof *prefix && !found; i++)
    found = begins(token, prefix[i]);
  return found;
}

/* Is it a name that stands for nothing?  Functions are the compiler's to find. */
static bool is_unknown(const reading *of, size_t at, size_t end) {
  const lv_token *next = at + 1 < end ? &of->token[at + 1] : NULL;
  bool calls = next && (is_sign(next, '(') || is_sign(next, '<') || is_sign(next, ':'));
  return !calls && !is_known(&of->token[at]);
}

/* what the tokens read: variables, and memory */
static void collect(reading *of, size_t begin, size_t end, as_vec *ids) {
  for (size_t at = begin; at < end;) {
    const lv_token *token = &of->token[at];
    uint32_t id = BLOCK;
    bool member = at > begin && is_sign(token - 1, '.');
    size_t behind = token->kind == LV_T_WORD && !member ? name_memory(of, at, end, &id) : at;
    if (behind == at && token->kind == LV_T_WORD && !member) {
      id = variable(of, token);
      behind = at + 1;
      if (id == BLOCK && of->out->unknown == NULL && is_unknown(of, at, end))
        of->out->unknown = token;
    }
    if (id != BLOCK)
      push(ids, id);
    if (id != BLOCK && place_at(of, id)->points)
      push(ids, place_at(of, id)->points - 1);
    at = behind > at ? behind : at + 1;
  }
}

static void note_read(reading *of, uint32_t id) {
  lv_place *place = place_at(of, id);
  place->read = true;
  place->read_first = place->read_first || !place->written;
}

static step *new_step(reading *of) {
  step made;
  as_vec_init(&made.writes, sizeof(uint32_t));
  as_vec_init(&made.reads, sizeof(uint32_t));
  as_vec_push(&of->steps, &made);
  return &AS_VEC_AT(&of->steps, step, of->steps.n - 1);
}

static void finish_step(reading *of, step *made) {
  for (size_t i = 0; i < made->reads.n; i++)
    note_read(of, AS_VEC_AT(&made->reads, uint32_t, i));
  for (size_t i = 0; i < made->writes.n; i++)
    place_at(of, AS_VEC_AT(&made->writes, uint32_t, i))->written = true;
  for (size_t i = 0; i < of->control.n; i++) {
    uint32_t id = AS_VEC_AT(&of->control, uint32_t, i);
    if (id != BLOCK)
      push(&made->reads, id);
  }
}

/* Does a variable's name end a type here, and a definition begin? */
static bool is_declared(const reading *of, size_t begin, size_t at, size_t end) {
  const lv_token *token = &of->token[at];
  if (token->kind != LV_T_WORD || at == begin || is_type(token) || lv_is(token, "const"))
    return false;
  size_t before = at - 1;
  while (before > begin && (is_sign(&of->token[before], '*') || is_sign(&of->token[before], '&') ||
                            lv_is(&of->token[before], "const")))
    before--;
  bool opens =
      at + 1 == end || strchr("=;[,)({", of->token[at + 1].sign ? of->token[at + 1].sign : ' ');
  return opens && is_type(&of->token[before]);
}

static uint32_t declare(reading *of, const lv_token *name, bool constant) {
  uint32_t id = new_place(of, LV_VARIABLE, 0, name);
  place_at(of, id)->constant = constant;
  as_vec_push(&of->scope, &id);
  return id;
}

/* the end of a part that commas divide, outside of brackets */
static size_t part_end(const reading *of, size_t at, size_t end) {
  while (at < end && !is_sign(&of->token[at], ',')) {
    bool opens = is_sign(&of->token[at], '(') || is_sign(&of->token[at], '[') ||
                 is_sign(&of->token[at], '{');
    at = opens ? closed(of, at, end) : at + 1;
  }
  return at;
}

/* `=` that assigns, outside of brackets; end: there is none */
static size_t assignment(const reading *of, size_t at, size_t end) {
  for (; at < end; at++) {
    const lv_token *token = &of->token[at];
    if (is_sign(token, '(') || is_sign(token, '[') || is_sign(token, '{')) {
      at = closed(of, at, end) - 1;
      continue;
    }
    if (!is_sign(token, '='))
      continue;
    bool relation = (at + 1 < end && is_sign(token + 1, '=')) ||
                    (at > 0 && token[-1].kind == LV_T_SIGN && strchr("=!<>", token[-1].sign));
    if (!relation)
      return at;
    at += at + 1 < end && is_sign(token + 1, '=');
  }
  return end;
}

/* the first place in memory among what a variable is made of: what it points to */
static void aim(reading *of, uint32_t id, const as_vec *reads) {
  for (size_t i = 0; i < reads->n; i++) {
    uint32_t target = AS_VEC_AT(reads, uint32_t, i);
    const lv_place *place = place_at(of, target);
    uint32_t points = place->kind == LV_VARIABLE ? place->points : target + 1;
    if (points && place_at(of, points - 1)->kind != LV_SHARED) {
      place_at(of, id)->points = points;
      return;
    }
  }
}

/* a definition of a pointer reads nothing of what it points to */
static bool is_pointer(const reading *of, size_t begin, size_t end) {
  for (size_t at = begin; at + 1 < end; at++) {
    if (is_sign(&of->token[at], '*') && is_sign(&of->token[at + 1], ')'))
      return true;
    if (of->token[at].kind == LV_T_WORD && begins(&of->token[at], "as_place_"))
      return true;
  }
  return false;
}

static void drop_memory(const reading *of, as_vec *ids) {
  size_t kept = 0;
  for (size_t i = 0; i < ids->n; i++) {
    uint32_t id = AS_VEC_AT(ids, uint32_t, i);
    if (place_at(of, id)->kind == LV_VARIABLE)
      AS_VEC_AT(ids, uint32_t, kept++) = id;
  }
  ids->n = kept;
}

static void definitions(reading *of, size_t begin, size_t end) {
  for (size_t at = begin; at + 1 < end; at++) {
    if (lv_is(&of->token[at], "s0") && is_sign(&of->token[at + 1], '='))
      return; /* shared memory itself, which is so named */
  }
  bool constant = lv_is(&of->token[begin], "const");
  bool pointers = false;
  size_t at = begin;
  while (at < end && !is_declared(of, begin, at, end)) {
    pointers = pointers || is_sign(&of->token[at], '*');
    at++;
  }
  while (at < end) {
    size_t to = part_end(of, at, end);
    size_t value = assignment(of, at, to);
    step *made = new_step(of);
    if (value < to)
      collect(of, value + 1, to, &made->reads);
    uint32_t id = declare(of, &of->token[at], constant);
    bool calls = value < to && to - value > 2 && is_sign(&of->token[value + 2], '(') &&
                 of->token[value + 1].kind == LV_T_WORD && begins(&of->token[value + 1], "as_ld");
    if (value < to && !calls && (pointers || is_pointer(of, value, to))) {
      aim(of, id, &made->reads);
      drop_memory(of, &made->reads);
    }
    if (value < to)
      push(&made->writes, id);
    finish_step(of, made);
    at = to + 1;
    while (at < end && !is_declared(of, begin, at, end) && of->token[at].kind != LV_T_WORD)
      at++;
  }
}

/* names of functions that change no data */
static bool is_order(const lv_token *name) {
  static const char *const order[] = {"AS_SMEM",
                                      "as_sync",
                                      "as_cp_commit",
                                      "as_cp_wait",
                                      "at_mbarrier",
                                      "at_fence",
                                      "at_grid",
                                      "at_syncwarp",
                                      "at_bulk_commit",
                                      "at_bulk_wait",
                                      "at_cp_async_commit",
                                      "at_cp_async_wait",
                                      "at_registers",
                                      "at_wgmma_fence",
                                      "at_wgmma_commit",
                                      "at_wgmma_wait",
                                      "at_barrier",
                                      "static_assert"};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    if (begins(name, order[i]))
      return true;
  }
  return false;
}

/* functions whose first argument is a place in memory that they write, and read nothing of */
static bool is_store(const lv_token *name) {
  static const char *const store[] = {"as_stg", "as_sts",      "as_cp_async", "as_put",
                                      "at_st",  "at_cp_async", "at_bulk"};
  for (size_t i = 0; i < sizeof store / sizeof *store; i++) {
    if (begins(name, store[i]))
      return true;
  }
  return false;
}

/* what a store's first argument names; shared memory by `sm` and the argument behind it */
static void stored_to(reading *of, size_t open, size_t first, step *made) {
  as_vec named;
  as_vec_init(&named, sizeof(uint32_t));
  collect(of, open, first, &named);
  for (size_t i = 0; i < named.n; i++) {
    uint32_t id = AS_VEC_AT(&named, uint32_t, i);
    const lv_place *place = place_at(of, id);
    if (place->kind != LV_VARIABLE)
      push(&made->writes, id);
    else if (!place->points)
      push(&made->reads, id);
  }
  as_vec_clear(&named);
}

static void call(reading *of, size_t at, size_t open, size_t end) {
  const lv_token *name = &of->token[at];
  if (is_order(name))
    return;
  if (begins(name, "part"))
    as_vec_push(&of->out->calls, &name);
  step *made = new_step(of);
  size_t close = closed(of, open, end) - 1;
  size_t first = part_end(of, open + 1, close);
  if (is_store(name)) {
    if (lv_is(&of->token[open + 1], "sm"))
      first = part_end(of, first + 1, close);
    stored_to(of, open + 1, first, made);
    collect(of, first, close, &made->reads);
  } else {
    collect(of, open + 1, close, &made->reads);
    for (size_t i = 0; i < made->reads.n; i++) {
      uint32_t id = AS_VEC_AT(&made->reads, uint32_t, i);
      const lv_place *place = place_at(of, id);
      if (place->kind == LV_VARIABLE && !place->constant && !place->points)
        push(&made->writes, id);
    }
    if (begins(name, "as_ld") || begins(name, "at_ld") || begins(name, "as_of")) {
      /* what is loaded was not read before */
      as_vec target;
      as_vec_init(&target, sizeof(uint32_t));
      collect(of, open + 1, first, &target);
      for (size_t i = 0; i < target.n; i++)
        place_at(of, AS_VEC_AT(&target, uint32_t, i))->written = true;
      as_vec_clear(&target);
    }
  }
  finish_step(of, made);
}

static void simple(reading *of, size_t begin, size_t end);

/* the bracket that opens the arguments of a call, of which the tokens are all; end: they are none
 */
static size_t whole_call(const reading *of, size_t begin, size_t end) {
  size_t open = begin + 1;
  int depth = 0; /* of a template's arguments */
  if (begin >= end || of->token[begin].kind != LV_T_WORD)
    return end;
  while (open < end && (depth || is_sign(&of->token[open], '<'))) {
    depth += is_sign(&of->token[open], '<');
    depth -= is_sign(&of->token[open], '>');
    open++;
  }
  bool is = open < end && is_sign(&of->token[open], '(') && closed(of, open, end) == end;
  return is ? open : end;
}

/* an expression, or several that commas divide */
static void expression(reading *of, size_t begin, size_t end) {
  size_t open = whole_call(of, begin, end);
  if (open < end) {
    call(of, begin, open, end);
    return;
  }
  size_t to = part_end(of, begin, end);
  if (to < end) {
    simple(of, begin, to);
    simple(of, to + 1, end);
    return;
  }
  size_t equals = assignment(of, begin, end);
  const lv_token *token = &of->token[begin];
  if (equals < end || is_sign(token, '+') || is_sign(token, '-') ||
      (end - begin > 2 && is_sign(&of->token[end - 1], '+') && is_sign(&of->token[end - 2], '+'))) {
    step *made = new_step(of);
    as_vec target;
    as_vec_init(&target, sizeof(uint32_t));
    collect(of, begin, equals < end ? equals : end, &target);
    collect(of, equals < end ? equals : begin, end, &made->reads);
    bool joins = equals < end && equals > begin && of->token[equals - 1].kind == LV_T_SIGN &&
                 strchr("+-*/|&^", of->token[equals - 1].sign);
    for (size_t i = joins || equals == end ? 0 : 1; i < target.n; i++)
      push(&made->reads, AS_VEC_AT(&target, uint32_t, i));
    if (target.n)
      push(&made->writes, AS_VEC_AT(&target, uint32_t, 0));
    as_vec_clear(&target);
    finish_step(of, made);
    return;
  }
}

/* behind what makes a type one of pointers or references: `*`, `*const`, `&` */
static size_t behind_pointer(const reading *of, size_t at, size_t end) {
  while (at < end && (is_sign(&of->token[at], '*') || is_sign(&of->token[at], '&') ||
                      lv_is(&of->token[at], "const")))
    at++;
  return at;
}

static void simple(reading *of, size_t begin, size_t end) {
  while (begin < end && is_sign(&of->token[begin], '[')) /* [[maybe_unused]] */
    begin = closed(of, begin, end);
  if (begin >= end || lv_is(&of->token[begin], "return"))
    begin++;
  if (begin >= end)
    return;
  bool unused =
      end - begin > 2 && is_sign(&of->token[begin], '(') && lv_is(&of->token[begin + 1], "void");
  if (unused)
    return;
  for (size_t at = begin; at < end && of->token[at].kind == LV_T_WORD; at++) {
    if (is_declared(of, begin, at, end)) {
      definitions(of, begin, end);
      return;
    }
    size_t name = behind_pointer(of, at + 1, end);
    if (name > at + 1 && name < end && is_type(&of->token[at]) &&
        is_declared(of, begin, name, end)) {
      definitions(of, begin, end);
      return;
    }
  }
  expression(of, begin, end);
}

/* --- blocks */
static void open_block(reading *of, const as_vec *control) {
  uint32_t mark = BLOCK;
  as_vec_push(&of->scope, &mark);
  as_vec_push(&of->control, &mark);
  for (size_t i = 0; i < control->n; i++)
    as_vec_push(&of->control, &AS_VEC_AT(control, uint32_t, i));
}

static void close_to_mark(as_vec *ids) {
  while (ids->n && AS_VEC_AT(ids, uint32_t, ids->n - 1) != BLOCK)
    ids->n--;
  if (ids->n)
    ids->n--;
}

static void close_block(reading *of) {
  close_to_mark(&of->scope);
  close_to_mark(&of->control);
}

/* the parts of a head of a loop or condition: what it declares and changes, and what decides */
static void head(reading *of, size_t begin, size_t end, as_vec *control) {
  for (size_t at = begin; at < end;) {
    size_t to = at;
    while (to < end && !is_sign(&of->token[to], ';')) {
      bool opens = is_sign(&of->token[to], '(') || is_sign(&of->token[to], '[');
      to = opens ? closed(of, to, end) : to + 1;
    }
    bool decides = at > begin ? to < end : to == end; /* the only part, or the middle one */
    if (decides) {
      collect(of, at, to, control);
      for (size_t i = 0; i < control->n; i++)
        note_read(of, AS_VEC_AT(control, uint32_t, i));
    } else {
      simple(of, at, to);
    }
    at = to + 1;
  }
}

static size_t statement(reading *of, size_t at, size_t end);

static size_t block(reading *of, size_t at, size_t end) {
  size_t close = closed(of, at, end) - 1;
  for (at++; at < close;)
    at = statement(of, at, close);
  return close + 1;
}

static size_t controlled(reading *of, size_t at, size_t end) {
  as_vec control;
  as_vec_init(&control, sizeof(uint32_t));
  size_t behind = at + 1;
  if (!lv_is(&of->token[at], "else") && behind < end) {
    behind = closed(of, at + 1, end);
    head(of, at + 2, behind - 1, &control);
  }
  open_block(of, &control);
  as_vec_clear(&control);
  behind = behind < end ? statement(of, behind, end) : end;
  close_block(of);
  return behind;
}

/* a function of the kernel's own: its statements count where they stand */
static size_t lambda(reading *of, size_t at, size_t end) {
  as_vec none = {.n = 0};
  open_block(of, &none);
  while (at < end && !is_sign(&of->token[at], '{')) {
    if (is_declared(of, at - 1, at, end)) /* the call gives it */
      place_at(of, declare(of, &of->token[at], true))->written = true;
    at++;
  }
  at = block(of, at, end);
  close_block(of);
  return at < end && is_sign(&of->token[at], ';') ? at + 1 : at;
}

static size_t statement(reading *of, size_t at, size_t end) {
  const lv_token *token = &of->token[at];
  as_vec none = {.n = 0};
  if (is_sign(token, '{')) {
    open_block(of, &none);
    at = block(of, at, end);
    close_block(of);
    return at;
  }
  if (lv_is(token, "if") || lv_is(token, "for") || lv_is(token, "while") || lv_is(token, "else"))
    return controlled(of, at, end);
  size_t to = at;
  while (to < end && !is_sign(&of->token[to], ';')) {
    if (is_sign(&of->token[to], '[') && to + 1 < end && is_sign(&of->token[to + 1], '&')) {
      place_at(of, declare(of, &of->token[at + 1], true))->written = true;
      return lambda(of, to, end);
    }
    bool opens = is_sign(&of->token[to], '(') || is_sign(&of->token[to], '[') ||
                 is_sign(&of->token[to], '{');
    to = opens ? closed(of, to, end) : to + 1;
  }
  simple(of, at, to);
  return to + 1;
}

/* --- what reaches what */
/* Where the byte that an access begins with is not a number in front, any of them may be meant. */
static bool is_one_memory(const reading *of) {
  for (uint32_t i = 0; i < of->out->place.n; i++) {
    const lv_place *place = place_at(of, i);
    if (place->kind == LV_SHARED && place->number < 0 && (place->read || place->written))
      return true;
  }
  return false;
}

/* all of shared memory is one place: what is written of it is, and what reaches it does */
static void make_one(reading *of) {
  lv_place *first = NULL;
  for (uint32_t i = 0; i < of->out->place.n; i++) {
    lv_place *place = place_at(of, i);
    if (place->kind != LV_SHARED)
      continue;
    first = first ? first : place;
    first->written = first->written || place->written;
    for (uint32_t k = 0; k < of->out->words; k++)
      first->from[k] |= place->from[k];
  }
  for (uint32_t i = 0; first && i < of->out->place.n; i++) {
    lv_place *place = place_at(of, i);
    if (place->kind == LV_SHARED) {
      place->written = first->written;
      memcpy(place->from, first->from, of->out->words * sizeof *place->from);
    }
  }
}

static void spread(reading *of) {
  lv_function *out = of->out;
  bool one = is_one_memory(of);
  out->words = (uint32_t)out->place.n / 64 + 1;
  for (uint32_t i = 0; i < out->place.n; i++) {
    lv_place *place = place_at(of, i);
    place->from = as_calloc(out->words, sizeof *place->from);
    if (place->kind == LV_INPUT || place->kind == LV_WORK || place->kind == LV_OUTPUT ||
        place->parameter)
      place->from[i / 64] |= UINT64_C(1) << i % 64;
  }
  for (bool more = true; more;) {
    more = false;
    if (one)
      make_one(of);
    for (size_t s = 0; s < of->steps.n; s++) {
      const step *now = &AS_VEC_AT(&of->steps, step, s);
      for (size_t w = 0; w < now->writes.n; w++) {
        lv_place *to = place_at(of, AS_VEC_AT(&now->writes, uint32_t, w));
        for (size_t r = 0; r < now->reads.n; r++) {
          const lv_place *from = place_at(of, AS_VEC_AT(&now->reads, uint32_t, r));
          for (uint32_t k = 0; k < out->words; k++) {
            more = more || (from->from[k] & ~to->from[k]) != 0;
            to->from[k] |= from->from[k];
          }
        }
      }
    }
  }
}

static void read_parameters(reading *of, size_t at, size_t begin) {
  for (; at < begin; at++) {
    const lv_token *token = &of->token[at];
    bool last = at + 1 < begin && (is_sign(token + 1, ',') || is_sign(token + 1, ')'));
    if (token->kind != LV_T_WORD || !last)
      continue;
    uint32_t id = declare(of, token, true);
    place_at(of, id)->parameter = place_at(of, id)->written = true;
    as_vec_push(&of->out->parameter, &id);
  }
}

void lv_flow(const as_vec *tokens, size_t at, size_t begin, size_t end, lv_function *out) {
  memset(out, 0, sizeof *out);
  reading of = {.token = tokens->data, .out = out};
  as_vec_init(&out->place, sizeof(lv_place));
  as_vec_init(&out->parameter, sizeof(uint32_t));
  as_vec_init(&out->calls, sizeof(const lv_token *));
  as_vec_init(&of.scope, sizeof(uint32_t));
  as_vec_init(&of.control, sizeof(uint32_t));
  as_vec_init(&of.steps, sizeof(step));
  out->name = of.token[at].text;
  out->n = of.token[at].n;
  out->most_shared = -1;
  read_parameters(&of, at + 2, begin);
  for (size_t i = begin; i < end;)
    i = statement(&of, i, end);
  spread(&of);
  for (size_t i = 0; i < of.steps.n; i++) {
    as_vec_clear(&AS_VEC_AT(&of.steps, step, i).writes);
    as_vec_clear(&AS_VEC_AT(&of.steps, step, i).reads);
  }
  as_vec_clear(&of.steps);
  as_vec_clear(&of.scope);
  as_vec_clear(&of.control);
}

void lv_function_clear(lv_function *function) {
  for (size_t i = 0; i < function->place.n; i++)
    free(AS_VEC_AT(&function->place, lv_place, i).from);
  as_vec_clear(&function->place);
  as_vec_clear(&function->parameter);
  as_vec_clear(&function->calls);
}

lv_place *lv_find(const lv_function *function, lv_place_kind kind, long number) {
  for (size_t i = 0; i < function->place.n; i++) {
    lv_place *place = &AS_VEC_AT(&function->place, lv_place, i);
    if (place->kind == kind && place->number == number)
      return place;
  }
  return NULL;
}
