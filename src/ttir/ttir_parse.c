/* Reads the text of TTIR.  Operations are read by their shape, not by their names: operands, words,
 * attributes, types, regions; what they mean is the lifting's business. */
#include "src/base/id.h"
#include "src/base/intern.h"
#include "src/base/str.h"
#include "ttir.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NESTED = 32, MOST_PER_OP = 4096 };

typedef struct {
  uint32_t name;  /* in the table of names */
  uint32_t first; /* its values have consecutive numbers */
  uint32_t count;
} binding;

typedef struct {
  as_ttir_kernel *kernel;
  const char *file;
  const char *text;
  size_t len;
  size_t at;
  int line;
  size_t line_start;
  uint32_t value_capacity;
  binding *bound;
  uint32_t n_bound;
  uint32_t bound_capacity;
  as_intern names;
  uint32_t *current; /* by name: its binding, or AS_NONE */
  uint32_t current_capacity;
  uint32_t depth;
  as_err *err;
} reader;

/* lists that grow while one operation is read */
typedef struct {
  uint32_t operand[MOST_PER_OP];
  uint32_t n_operand;
  const char *word[64];
  uint32_t n_word;
  as_ttir_attribute attribute[64];
  uint32_t n_attribute;
  as_ttir_type type[MOST_PER_OP];
  uint32_t n_type;
  uint32_t arrow; /* types before `->` or `to`; n_type where there is none */
  bool has_arrow;
} draft;

static bool fail(reader *in, const char *what) {
  return as_err_at(in->err, in->file, in->text, in->len, in->line,
                   (int)(in->at - in->line_start) + 1, "%s", what);
}

static int peek(const reader *in) {
  return in->at < in->len ? (unsigned char)in->text[in->at] : -1;
}

static void advance(reader *in) {
  if (in->at < in->len && in->text[in->at] == '\n') {
    in->line++;
    in->line_start = in->at + 1;
  }
  in->at++;
}

static bool looking_at(const reader *in, const char *word) {
  size_t n = strlen(word);
  return in->len - in->at >= n && memcmp(in->text + in->at, word, n) == 0;
}

static bool is_word_char(int c) {
  return c >= 0 && (isalnum(c) || c == '_' || c == '.' || c == '$');
}

/* past a bracket that is open, to the one that closes it; strings are looked through */
static bool skip_brackets(reader *in) {
  int depth = 0;
  do {
    int c = peek(in);
    if (c < 0)
      return fail(in, "the text ends inside of brackets");
    if (c == '"') {
      advance(in);
      while (peek(in) >= 0 && peek(in) != '"')
        advance(in);
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      depth++;
    } else if (c == ')' || c == ']' || c == '}' || (c == '>' && in->text[in->at - 1] != '-')) {
      depth--;
    }
    advance(in);
  } while (depth > 0);
  return true;
}

/* blanks, comments and locations; line ends too if `lines` */
static bool skip(reader *in, bool lines) {
  for (;;) {
    int c = peek(in);
    if (c == ' ' || c == '\t' || c == '\r' || (lines && c == '\n')) {
      advance(in);
    } else if (looking_at(in, "//") || (c == '#' && lines)) {
      while (peek(in) >= 0 && peek(in) != '\n')
        advance(in);
    } else if (looking_at(in, "loc(")) {
      in->at += 3;
      if (!skip_brackets(in))
        return false;
    } else {
      return true;
    }
  }
}

static bool accept(reader *in, const char *symbol, bool lines) {
  if (!skip(in, lines) || !looking_at(in, symbol))
    return false;
  in->at += strlen(symbol);
  return true;
}

static bool expect(reader *in, const char *symbol, bool lines) {
  if (accept(in, symbol, lines))
    return true;
  if (in->err->text)
    return false;
  return as_err_at(in->err, in->file, in->text, in->len, in->line,
                   (int)(in->at - in->line_start) + 1, "`%s` is expected here", symbol);
}

static const char *copy(reader *in, size_t from, size_t to) {
  char *text = as_arena_alloc(in->kernel->mem, to - from + 1);
  memcpy(text, in->text + from, to - from);
  return text;
}

static const char *word(reader *in) {
  size_t from = in->at;
  while (is_word_char(peek(in)))
    in->at++;
  return copy(in, from, in->at);
}

/* a value's name may have a minus in it: `%c-1_i32` */
static const char *value_name(reader *in) {
  size_t from = in->at;
  while (is_word_char(peek(in)) ||
         (peek(in) == '-' && in->at + 1 < in->len && in->text[in->at + 1] != '>'))
    in->at++;
  return copy(in, from, in->at);
}

static const char *quoted(reader *in) {
  size_t from = ++in->at;
  while (peek(in) >= 0 && peek(in) != '"' && peek(in) != '\n')
    in->at++;
  if (peek(in) != '"') {
    fail(in, "a string without its end");
    return NULL;
  }
  return copy(in, from, in->at++);
}

/* ---- types */

static bool scalar_type(reader *in, as_ttir_type *type) {
  if (accept(in, "!tt.ptr<", false)) {
    as_ttir_type to = {0};
    if (!scalar_type(in, &to) || !expect(in, ">", false))
      return false;
    type->kind = AS_TTIR_POINTER;
    type->bits = to.bits;
    type->brain = to.brain;
    type->floating = to.kind == AS_TTIR_FLOAT;
    return to.kind == AS_TTIR_INT || to.kind == AS_TTIR_FLOAT ||
           fail(in, "a pointer to something that is no number");
  }
  size_t start = in->at;
  const char *name = word(in);
  if (strcmp(name, "index") == 0) {
    type->bits = 64;
    return true;
  }
  size_t letters = strncmp(name, "bf", 2) == 0 ? 2 : 1;
  char *end;
  unsigned long bits = strtoul(name + (strlen(name) > letters ? letters : 0), &end, 10);
  bool known =
      (name[0] == 'i' || name[0] == 'f' || letters == 2) && *end == 0 && bits > 0 && bits <= 64;
  if (!known) {
    in->at = start;
    return fail(in, "a type that is not known");
  }
  type->kind = name[0] == 'i' ? AS_TTIR_INT : AS_TTIR_FLOAT;
  type->bits = (uint32_t)bits;
  type->brain = letters == 2;
  return true;
}

static bool tensor_type(reader *in, as_ttir_type *type) {
  while (isdigit(peek(in))) {
    int64_t extent = 0;
    while (isdigit(peek(in)) && extent < INT64_MAX / 16)
      extent = extent * 10 + (in->text[in->at++] - '0');
    if (peek(in) != 'x' || type->rank == AS_TTIR_MAX_RANK)
      return fail(in, "a tensor's extents are not in order, or too many");
    in->at++;
    type->dim[type->rank++] = extent;
  }
  if (peek(in) == '-' || peek(in) == '?')
    return fail(in, "a tensor with an extent that is negative or not known");
  if (!scalar_type(in, type))
    return false;
  if (accept(in, ",", false)) { /* a layout, in texts of a later stage: it has no meaning */
    while (peek(in) >= 0 && peek(in) != '>' && peek(in) != '\n')
      in->at++;
  }
  return expect(in, ">", false);
}

static bool read_type(reader *in, as_ttir_type *type) {
  memset(type, 0, sizeof *type);
  if (!skip(in, false))
    return false;
  if (accept(in, "tensor<", false))
    return tensor_type(in, type);
  bool descriptor = accept(in, "!tt.tensordesc<", false);
  if (descriptor || accept(in, "<", false)) { /* the second form: of make_tensor_descriptor */
    bool bare = isdigit(peek(in));            /* `<8x8xf32>`, without the word */
    if (bare ? !tensor_type(in, type) : !read_type(in, type) || !expect(in, ">", false))
      return false;
    if (type->kind == AS_TTIR_POINTER || type->kind == AS_TTIR_DESCRIPTOR)
      return fail(in, "a descriptor of something that is no tensor of numbers");
    type->floating = type->kind == AS_TTIR_FLOAT;
    type->kind = AS_TTIR_DESCRIPTOR;
    return true;
  }
  return scalar_type(in, type);
}

/* `a, b`, `(a, b) -> c`, `a * b -> c`, `a to b` */
static bool read_types(reader *in, draft *of) {
  int depth = 0;
  for (;;) {
    if (!skip(in, false))
      return false;
    if (accept(in, "->", false) || looking_at(in, "to ")) {
      if (looking_at(in, "to "))
        in->at += 3;
      of->arrow = of->n_type;
      of->has_arrow = true;
    } else if (accept(in, "(", false)) {
      depth++;
    } else if (depth > 0 && accept(in, ")", false)) {
      depth--;
    } else if (accept(in, ",", false) || accept(in, "*", false)) {
      continue;
    } else if (peek(in) < 0 || strchr("\n{}:", peek(in))) {
      return depth == 0 || fail(in, "a list of types without its end");
    } else if (of->n_type == MOST_PER_OP) {
      return fail(in, "more types than an operation may have");
    } else if (!read_type(in, &of->type[of->n_type++])) {
      return false;
    }
  }
}

/* ---- values */

static uint32_t new_value(reader *in, const char *name, const as_ttir_type *type) {
  as_ttir_kernel *kernel = in->kernel;
  if (kernel->n_value == in->value_capacity) {
    in->value_capacity = in->value_capacity ? 2 * in->value_capacity : 256;
    kernel->value = as_realloc(kernel->value, in->value_capacity * sizeof *kernel->value);
  }
  kernel->value[kernel->n_value] = (as_ttir_value){.name = name, .type = *type};
  return kernel->n_value++;
}

static bool bind(reader *in, const char *name, uint32_t first, uint32_t count) {
  uint32_t id = as_intern_string(&in->names, name);
  while (id >= in->current_capacity) {
    uint32_t capacity = in->current_capacity ? 2 * in->current_capacity : 256;
    in->current = as_realloc(in->current, capacity * sizeof *in->current);
    for (uint32_t i = in->current_capacity; i < capacity; i++)
      in->current[i] = AS_NONE;
    in->current_capacity = capacity;
  }
  if (in->current[id] != AS_NONE)
    return fail(in, "a value is defined a second time");
  if (in->n_bound == in->bound_capacity) {
    in->bound_capacity = in->bound_capacity ? 2 * in->bound_capacity : 256;
    in->bound = as_realloc(in->bound, in->bound_capacity * sizeof *in->bound);
  }
  in->current[id] = in->n_bound;
  in->bound[in->n_bound++] = (binding){id, first, count};
  return true;
}

/* `%name` or `%name#2`, defined before */
static bool read_use(reader *in, uint32_t *value) {
  if (!expect(in, "%", false))
    return false;
  const char *name = value_name(in);
  uint32_t part = 0;
  bool numbered = peek(in) == '#';
  if (numbered) {
    in->at++;
    while (isdigit(peek(in)) && part < MOST_PER_OP)
      part = part * 10 + (uint32_t)(in->text[in->at++] - '0');
  }
  uint32_t id = as_intern_find(&in->names, name);
  bool known = id != AS_NONE && in->current[id] != AS_NONE;
  const binding *found = known ? &in->bound[in->current[id]] : NULL;
  if (!found || part >= found->count)
    return as_err_at(in->err, in->file, in->text, in->len, in->line,
                     (int)(in->at - in->line_start) + 1, "`%%%s` is not defined here", name);
  *value = found->first + part;
  in->kernel->value[*value].uses++;
  return true;
}

static bool add_operand(reader *in, draft *of) {
  if (of->n_operand == MOST_PER_OP)
    return fail(in, "more operands than an operation may have");
  return read_use(in, &of->operand[of->n_operand++]);
}

/* ---- attributes */

static bool keep_attribute(reader *in, draft *of, const char *key, const char *text) {
  if (of->n_attribute == sizeof of->attribute / sizeof *of->attribute)
    return fail(in, "more attributes than an operation may have");
  of->attribute[of->n_attribute++] = (as_ttir_attribute){key, text};
  return true;
}

static bool add_attribute(reader *in, draft *of, const char *key, bool braced) {
  skip(in, false);
  size_t from = in->at;
  int depth = 0;
  for (;;) {
    int c = peek(in);
    bool closes = c == '}' || c == '>' || c == ')' || c == ']';
    if (c < 0 || c == '\n')
      break;
    if (depth == 0 && (c == ',' || closes || (!braced && c == ' ')))
      break;
    if (c == '"') {
      if (!quoted(in))
        return false;
      continue;
    }
    depth += c == '{' || c == '<' || c == '(' || c == '[';
    depth -= closes;
    in->at++;
  }
  size_t to = in->at;
  while (to > from && in->text[to - 1] == ' ')
    to--;
  return keep_attribute(in, of, key, copy(in, from, to));
}

/* after `{`; one that says nothing but its name is kept as well */
static bool read_attributes(reader *in, draft *of) {
  while (!accept(in, "}", false)) {
    if (!skip(in, false) || !is_word_char(peek(in)))
      return in->err->text ? false : fail(in, "an attribute's name is expected here");
    const char *key = word(in);
    bool fine =
        accept(in, "=", false) ? add_attribute(in, of, key, true) : keep_attribute(in, of, key, "");
    if (!fine)
      return false;
    accept(in, ",", false);
  }
  return true;
}

/* ---- operations */

static as_ttir_op *read_op(reader *in);

static void leave_scope(reader *in, uint32_t from) {
  for (uint32_t i = from; i < in->n_bound; i++)
    in->current[in->bound[i].name] = AS_NONE;
  in->n_bound = from;
}

/* the operations of a region, up to and with its `}` */
static bool read_ops(reader *in, as_ttir_region *region) {
  uint32_t capacity = 0;
  as_ttir_op **ops = NULL;
  if (++in->depth > MOST_NESTED)
    return fail(in, "regions are nested too deep");
  bool fine = true;
  region->from = region->from ? region->from : in->at;
  while (fine && !accept(in, "}", true)) {
    if (in->err->text || peek(in) < 0) {
      fine = in->err->text ? false : fail(in, "the text ends inside of a region");
      break;
    }
    if (region->n_op == capacity) {
      capacity = capacity ? 2 * capacity : 16;
      ops = as_realloc(ops, capacity * sizeof *ops);
    }
    as_ttir_op *op = read_op(in);
    fine = op != NULL;
    if (op)
      ops[region->n_op++] = op;
  }
  in->depth--;
  region->to = in->at - 1;
  if (fine) {
    region->op = as_arena_alloc(in->kernel->mem, (region->n_op + 1) * sizeof *ops);
    if (ops)
      memcpy(region->op, ops, region->n_op * sizeof *ops);
  }
  free(ops);
  return fine;
}

/* `(%a: f32, %b: f32)`, of a block or a kernel; the values are new */
static bool read_arguments(reader *in, as_ttir_region *region) {
  uint32_t argument[256];
  while (!accept(in, ")", true)) {
    as_ttir_type type;
    if (!expect(in, "%", true))
      return false;
    const char *name = value_name(in);
    if (!expect(in, ":", false) || !read_type(in, &type))
      return false;
    if (region->n_argument == sizeof argument / sizeof *argument)
      return fail(in, "more arguments than a block may have");
    if (accept(in, "{", false)) {
      in->at--;
      if (!skip_brackets(in))
        return false;
    }
    uint32_t value = new_value(in, name, &type);
    if (!bind(in, name, value, 1))
      return false;
    argument[region->n_argument++] = value;
    if (!skip(in, false))
      return false;
    accept(in, ",", true);
  }
  region->argument = as_arena_alloc(in->kernel->mem, (region->n_argument + 1) * sizeof *argument);
  memcpy(region->argument, argument, region->n_argument * sizeof *argument);
  return true;
}

/* a region after its `{`; the names in it end with it */
static bool read_region(reader *in, as_ttir_op *op) {
  if (op->n_region == AS_TTIR_MAX_REGIONS)
    return fail(in, "more regions than an operation may have");
  as_ttir_region *region = &op->region[op->n_region++];
  uint32_t outer = in->n_bound;
  region->from = in->at;
  if (accept(in, "^", true)) {
    word(in);
    if (!expect(in, "(", false) || !read_arguments(in, region) || !expect(in, ":", false))
      return false;
  }
  bool fine = read_ops(in, region);
  leave_scope(in, outer);
  return fine;
}

/* `"tt.reduce"(%a) <{axis = 1 : i32}> ({ .. }) : (..) -> ..`, after the name */
static bool read_generic(reader *in, as_ttir_op *op, draft *of) {
  if (!expect(in, "(", false))
    return false;
  while (!accept(in, ")", false)) {
    if (!add_operand(in, of))
      return false;
    accept(in, ",", false);
  }
  if (accept(in, "<{", false) && (!read_attributes(in, of) || !expect(in, ">", false)))
    return false;
  if (accept(in, "(", false)) {
    do {
      if (!expect(in, "{", true) || !read_region(in, op))
        return false;
    } while (accept(in, ",", false));
    if (!expect(in, ")", false))
      return false;
  }
  return expect(in, ":", false) && read_types(in, of);
}

/* `%i = %lo to %hi step %s iter_args(%a = %x) -> (T) : i32 {`: operands lo, hi, step, initial
 * values; the region's arguments are the variable and what is carried */
static bool read_for(reader *in, as_ttir_op *op, draft *of) {
  const char *name[256];
  uint32_t count = 0;
  if (!expect(in, "%", false))
    return false;
  name[count++] = value_name(in);
  if (!expect(in, "=", false) || !add_operand(in, of) || !expect(in, "to", false) ||
      !add_operand(in, of) || !expect(in, "step", false) || !add_operand(in, of))
    return false;
  if (accept(in, "iter_args(", false)) {
    while (!accept(in, ")", false)) {
      if (count == sizeof name / sizeof *name)
        return fail(in, "more values than a loop may carry");
      if (!expect(in, "%", false))
        return false;
      name[count++] = value_name(in);
      if (!expect(in, "=", false) || !add_operand(in, of))
        return false;
      accept(in, ",", false);
    }
  }
  if (accept(in, "->", false)) {
    of->has_arrow = true;
    if (!read_types(in, of))
      return false;
  }
  as_ttir_type counter = in->kernel->value[of->operand[0]].type;
  if (accept(in, ":", false) && !read_type(in, &counter))
    return false;
  if (!expect(in, "{", false))
    return false;
  as_ttir_region *region = &op->region[op->n_region++];
  region->n_argument = count;
  region->argument = as_arena_alloc(in->kernel->mem, count * sizeof *region->argument);
  uint32_t outer = in->n_bound;
  for (uint32_t i = 0; i < count; i++) {
    const as_ttir_type *type = i ? &in->kernel->value[of->operand[i + 2]].type : &counter;
    as_ttir_type own = *type;
    region->argument[i] = new_value(in, name[i], &own);
    if (!bind(in, name[i], region->argument[i], 1))
      return false;
  }
  bool fine = read_ops(in, region);
  leave_scope(in, outer);
  return fine;
}

static bool read_if(reader *in, as_ttir_op *op, draft *of) {
  if (!add_operand(in, of))
    return false;
  if (accept(in, "->", false)) {
    of->has_arrow = true;
    if (!read_types(in, of))
      return false;
  }
  if (!expect(in, "{", false) || !read_region(in, op))
    return false;
  return !accept(in, "else", false) || (expect(in, "{", false) && read_region(in, op));
}

/* all other operations, to the end of their line */
static bool read_line(reader *in, as_ttir_op *op, draft *of) {
  for (;;) {
    if (!skip(in, false))
      return false;
    int c = peek(in);
    if (c == '\n' || c < 0 || c == '}')
      return true;
    if (c == '%') {
      if (!add_operand(in, of))
        return false;
    } else if (c == ':') {
      in->at++;
      return read_types(in, of);
    } else if (c == '{') {
      in->at++;
      if (!read_attributes(in, of))
        return false;
    } else if (c == '"') {
      op->literal = quoted(in);
      if (!op->literal)
        return false;
    } else if (looking_at(in, "dense<")) {
      in->at += strlen("dense<");
      size_t from = in->at;
      while (peek(in) >= 0 && peek(in) != '>' && peek(in) != '\n')
        in->at++;
      op->literal = copy(in, from, in->at);
      if (!expect(in, ">", false))
        return false;
    } else if (isdigit(c) || c == '-') {
      size_t from = in->at++;
      while (is_word_char(peek(in)) ||
             ((peek(in) == '-' || peek(in) == '+') && tolower(in->text[in->at - 1]) == 'e'))
        in->at++;
      op->literal = copy(in, from, in->at);
    } else if (is_word_char(c)) {
      const char *name = word(in);
      if (accept(in, "=", false)) {
        if (!add_attribute(in, of, name, false))
          return false;
      } else if (of->n_word == sizeof of->word / sizeof *of->word) {
        return fail(in, "more words than an operation may have");
      } else {
        of->word[of->n_word++] = name;
      }
    } else if (strchr(",[]()", c)) {
      in->at++;
    } else {
      return fail(in, "this is no part of an operation");
    }
  }
}

/* the type of the only result of an operation that does not say it after an arrow */
static bool result_type(const as_ttir_op *op, const draft *of, as_ttir_type *type) {
  bool last = strcmp(op->name, "arith.select") == 0 || as_ends_with(op->name, "descriptor");
  if (of->n_type == 0) {
    bool truth =
        op->literal && (strcmp(op->literal, "true") == 0 || strcmp(op->literal, "false") == 0);
    *type = (as_ttir_type){.kind = AS_TTIR_INT, .bits = 1};
    return truth;
  }
  *type = of->type[last ? of->n_type - 1 : 0];
  if (strncmp(op->name, "arith.cmp", strlen("arith.cmp")) == 0) {
    type->kind = AS_TTIR_INT;
    type->bits = 1;
  } else if (strcmp(op->name, "tt.load") == 0) {
    type->kind = type->floating ? AS_TTIR_FLOAT : AS_TTIR_INT;
    type->floating = false;
  }
  return true;
}

/* the names on the left of `=`; NULL where there are none */
typedef struct {
  const char *name[64];
  uint32_t count[64];
  uint32_t n;
  uint32_t values;
} left_side;

static bool read_left(reader *in, left_side *left) {
  do {
    if (left->n == sizeof left->name / sizeof *left->name || !expect(in, "%", false))
      return in->err->text ? false : fail(in, "more results than an operation may have");
    left->name[left->n] = value_name(in);
    uint32_t count = 1;
    if (peek(in) == ':') {
      in->at++;
      count = (uint32_t)strtoul(word(in), NULL, 10);
      if (count == 0 || count > MOST_PER_OP)
        return fail(in, "a number of results that cannot be");
    }
    left->count[left->n++] = count;
    left->values += count;
  } while (accept(in, ",", false));
  return expect(in, "=", false);
}

static bool define_results(reader *in, as_ttir_op *op, const draft *of, const left_side *left) {
  op->n_result = left->values;
  op->result = as_arena_alloc(in->kernel->mem, (left->values + 1) * sizeof *op->result);
  uint32_t said = of->has_arrow ? of->n_type - of->arrow : 0;
  bool halves = said == 1 && strcmp(op->name, "tt.split") == 0; /* both of one type, said once */
  if (of->has_arrow ? said != left->values && !halves : left->values > 1)
    return fail(in, "an operation has other results than its types say");
  uint32_t k = 0;
  for (uint32_t i = 0; i < left->n; i++) {
    for (uint32_t part = 0; part < left->count[i]; part++, k++) {
      as_ttir_type type;
      if (of->has_arrow)
        type = of->type[of->arrow + (halves ? 0 : k)];
      else if (!result_type(op, of, &type))
        return fail(in, "an operation without the type of its result");
      op->result[k] = new_value(in, left->name[i], &type);
    }
    if (!bind(in, left->name[i], op->result[k - left->count[i]], left->count[i]))
      return false;
  }
  return true;
}

static void *kept(reader *in, const void *items, size_t size, uint32_t n) {
  void *to = as_arena_alloc(in->kernel->mem, size * n + 1);
  if (n)
    memcpy(to, items, size * n);
  return to;
}

static bool read_body(reader *in, as_ttir_op *op, draft *of) {
  if (!skip(in, true))
    return false;
  op->line = in->line;
  if (peek(in) == '"') {
    op->name = quoted(in);
    return op->name && read_generic(in, op, of);
  }
  if (!is_word_char(peek(in)))
    return fail(in, "an operation is expected here");
  op->name = word(in);
  if (strcmp(op->name, "scf.for") == 0)
    return read_for(in, op, of);
  if (strcmp(op->name, "scf.if") == 0)
    return read_if(in, op, of);
  if (strcmp(op->name, "scf.while") == 0)
    return as_err_at(in->err, in->file, in->text, in->len, in->line, 1,
                     "scf.while: a loop that ends when its data say so has no closed form");
  return read_line(in, op, of);
}

static as_ttir_op *read_op(reader *in) {
  as_ttir_op *op = as_arena_alloc(in->kernel->mem, sizeof *op);
  draft *of = as_malloc(sizeof *of); /* large: only its counts are cleared */
  of->n_operand = of->n_word = of->n_attribute = of->n_type = of->arrow = 0;
  of->has_arrow = false;
  left_side left = {.n = 0};
  bool fine = skip(in, true);
  op->from = in->at;
  if (fine && peek(in) == '%')
    fine = read_left(in, &left);
  fine = fine && read_body(in, op, of);
  if (fine) {
    op->n_operand = of->n_operand;
    op->operand = kept(in, of->operand, sizeof *of->operand, of->n_operand);
    op->n_word = of->n_word;
    op->word = kept(in, of->word, sizeof *of->word, of->n_word);
    op->n_attribute = of->n_attribute;
    op->attribute = kept(in, of->attribute, sizeof *of->attribute, of->n_attribute);
    if (!op->literal && strcmp(op->name, "arith.constant") == 0 && of->n_word > 0)
      op->literal = of->word[0]; /* `true`, `false` */
    fine = define_results(in, op, of, &left);
  }
  op->to = in->at;
  free(of);
  return fine ? op : NULL;
}

/* ---- the module */

static bool read_kernel(reader *in) {
  while (!accept(in, "tt.func", true)) { /* `module {`, aliases of locations, attributes */
    if (in->err->text || peek(in) < 0)
      return in->err->text ? false : fail(in, "there is no `tt.func` in this text");
    while (peek(in) >= 0 && peek(in) != '\n')
      advance(in);
  }
  accept(in, "public", false);
  accept(in, "private", false);
  if (!expect(in, "@", false))
    return false;
  in->kernel->name = word(in);
  if (!expect(in, "(", false) || !read_arguments(in, &in->kernel->body))
    return false;
  if (accept(in, "attributes", false)) {
    if (!expect(in, "{", false))
      return false;
    in->at--;
    if (!skip_brackets(in))
      return false;
  }
  if (!expect(in, "{", false) || !read_ops(in, &in->kernel->body))
    return false;
  while (skip(in, true) && (peek(in) == '}' || peek(in) == '{'))
    in->at++;
  if (looking_at(in, "tt.func"))
    return fail(in, "a module of one kernel is read; this one has several functions");
  return !in->err->text && (peek(in) < 0 || fail(in, "text after the end of the module"));
}

as_ttir_kernel *as_ttir_parse(const char *file, const char *text, size_t len, as_err *err) {
  as_ttir_kernel *kernel = as_calloc(1, sizeof *kernel);
  kernel->mem = as_arena_new();
  reader in = {.kernel = kernel, .file = file, .text = text, .len = len, .line = 1, .err = err};
  as_intern_init(&in.names, NULL);
  bool fine = read_kernel(&in);
  free(in.bound);
  free(in.current);
  as_intern_clear(&in.names);
  if (fine)
    return kernel;
  as_ttir_free(kernel);
  return NULL;
}

void as_ttir_free(as_ttir_kernel *kernel) {
  if (!kernel)
    return;
  as_arena_free(kernel->mem);
  free(kernel->value);
  free(kernel);
}
