/* .rule files, docs/language.md. */
#include "expr_parse.h"
#include "oplib_int.h"
#include "rule.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  size_t at;
  size_t end;
  const char *name;
  const char *text; /* from the word `rule` to the rule's last token */
  size_t len;
} span; /* tokens of a rule: the word `rule`, and the first one after it */

struct as_rulefile {
  as_lexed lexed;
  as_arena *names;
  as_oplib *lib;
  as_vec rules;       /* of span */
  as_vec defects;     /* of span, and */
  as_vec defects_why; /* of as_err: what is neither a rule nor a definition that can be read */
  as_vec use;         /* of char * */
};

static const char *const expect_words[] = {NULL, "proved", "refuted", "unknown", "vacuous"};

const char *as_expect_word(as_expect expect) {
  return expect_words[expect];
}

static bool definition_word(const as_lexed *lexed) {
  return as_tok_word(lexed, "rule") || as_tok_word(lexed, "op") || as_tok_word(lexed, "func");
}

static void skip_line(as_lexed *lexed) {
  while (!as_tok_is(lexed, AS_T_NL) && !as_tok_is(lexed, AS_T_END))
    lexed->at++;
  as_tok_take(lexed, AS_T_NL);
}

/* up to the next line that begins a definition or a rule */
static void skip_to_definition(as_lexed *lexed) {
  do
    skip_line(lexed);
  while (!definition_word(lexed) && !as_tok_is(lexed, AS_T_END));
}

/* What begins here, and is neither a rule nor a definition that can be read, does not stop the
 * others. */
static void keep_defect(as_rulefile *file, size_t from, as_err *why) {
  as_lexed *lexed = &file->lexed;
  lexed->at = from;
  lexed->depth = 0;
  bool named = definition_word(lexed) && as_tok_next(lexed)->kind == AS_T_NAME;
  span s = {from, 0, named ? as_tok_next(lexed)->s : "", NULL, 0};
  skip_to_definition(lexed);
  s.end = lexed->at;
  as_vec_push(&file->defects, &s);
  as_vec_push(&file->defects_why, why);
}

static bool definition(as_rulefile *file) {
  as_lexed *lexed = &file->lexed;
  size_t ops = file->lib->op.n;
  size_t funcs = file->lib->func.n;
  if (definition_word(lexed)) {
    bool ok = as_sem_definition(lexed, file->lib);
    if (!ok) {
      file->lib->op.n = ops;
      file->lib->func.n = funcs;
    }
    return ok;
  }
  return as_lex_fail(lexed, as_tok(lexed),
                     as_tok_word(lexed, "use") ? "`use` stands before everything else"
                                               : "expected `rule`, `op` or `func`");
}

static bool scan(as_rulefile *file) {
  as_lexed *lexed = &file->lexed;
  while (as_tok_take_word(lexed, "use")) {
    char *path = NULL;
    if (!as_gp_use(lexed, file->lib, &path))
      return false;
    as_vec_push(&file->use, &path);
  }
  as_err *err = lexed->err;
  while (!as_tok_is(lexed, AS_T_END)) {
    size_t from = lexed->at;
    if (as_tok_word(lexed, "rule")) {
      span s = {from, 0, as_tok_next(lexed)->kind == AS_T_NAME ? as_tok_next(lexed)->s : "", NULL,
                0};
      skip_to_definition(lexed);
      s.end = lexed->at;
      as_vec_push(&file->rules, &s);
      continue;
    }
    as_err why;
    as_err_init(&why);
    lexed->err = &why;
    if (!definition(file))
      keep_defect(file, from, &why);
  }
  lexed->err = err;
  return true;
}

/* where they stand in the text: one walk over its lines for all of them, in their order */
static void place_spans(const as_rulefile *file, const as_vec *spans) {
  const char *line = file->lexed.text;
  const char *end = file->lexed.text + file->lexed.len;
  int n = 1;
  for (size_t i = 0; i < spans->n; i++) {
    span *s = &AS_VEC_AT(spans, span, i);
    size_t last = s->end;
    while (last > s->at + 1 && AS_VEC_AT(&file->lexed.tok, as_token, last - 1).kind == AS_T_NL)
      last--;
    const as_token *token[2] = {&AS_VEC_AT(&file->lexed.tok, as_token, s->at),
                                &AS_VEC_AT(&file->lexed.tok, as_token, last - 1)};
    const char *at[2];
    for (int k = 0; k < 2; k++) {
      for (; n < token[k]->line; n++)
        line = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
      at[k] = line + token[k]->col - 1;
    }
    s->text = at[0];
    s->len = (size_t)(at[1] - at[0]) + token[1]->len;
  }
}

as_rulefile *as_rulefile_open(const char *file, const char *text, size_t len, as_oplib *lib,
                              as_err *err) {
  as_rulefile *f = as_calloc(1, sizeof *f);
  f->names = as_arena_new();
  f->lib = lib;
  as_oplib_read_as(lib, AS_READ_GIVEN);
  as_vec_init(&f->rules, sizeof(span));
  as_vec_init(&f->defects, sizeof(span));
  as_vec_init(&f->defects_why, sizeof(as_err));
  as_vec_init(&f->use, sizeof(char *));
  if (as_lex(&f->lexed, file, text, len, f->names, err) && scan(f)) {
    f->lexed.err = NULL;
    place_spans(f, &f->rules);
    place_spans(f, &f->defects);
    return f;
  }
  as_rulefile_free(f);
  return NULL;
}

void as_rulefile_free(as_rulefile *file) {
  if (file == NULL)
    return;
  for (size_t i = 0; i < file->use.n; i++)
    free(AS_VEC_AT(&file->use, char *, i));
  for (size_t i = 0; i < file->defects.n; i++)
    as_err_clear(&AS_VEC_AT(&file->defects_why, as_err, i));
  as_vec_clear(&file->defects);
  as_vec_clear(&file->defects_why);
  as_vec_clear(&file->use);
  as_vec_clear(&file->rules);
  as_lexed_clear(&file->lexed);
  as_arena_free(file->names);
  free(file);
}

uint32_t as_rulefile_count(const as_rulefile *file) {
  return (uint32_t)file->rules.n;
}

const char *as_rulefile_name(const as_rulefile *file, uint32_t i) {
  return AS_VEC_AT(&file->rules, span, i).name;
}

const char *const *as_rulefile_uses(const as_rulefile *file, uint32_t *n) {
  *n = (uint32_t)file->use.n;
  return file->use.data;
}

const char *as_rulefile_text(const as_rulefile *file, uint32_t i, size_t *len) {
  const span *s = &AS_VEC_AT(&file->rules, span, i);
  *len = s->len;
  return s->text;
}

uint32_t as_rulefile_defects(const as_rulefile *file) {
  return (uint32_t)file->defects.n;
}

as_rule_defect as_rulefile_defect(const as_rulefile *file, uint32_t i) {
  const span *s = &AS_VEC_AT(&file->defects, span, i);
  return (as_rule_defect){s->name, s->text, s->len, &AS_VEC_AT(&file->defects_why, as_err, i)};
}

/* --- one rule */
typedef struct {
  as_gparser parser; /* its graph is the one being built */
  as_rule *rule;
  as_lexed lexed; /* the file's tokens, with a cursor of our own */
  as_vec type;
  as_vec name[2];
  as_vec assumption;
} rule_reader;

static char *keep(rule_reader *reader, const char *text) {
  return as_arena_strdup(reader->rule->mem, text);
}

static int find_group(const as_rule *rule, const char *name) {
  for (uint32_t i = 0; i < rule->n_group; i++) {
    if (strcmp(rule->group[i], name) == 0)
      return (int)i;
  }
  return -1;
}

/* sizes, integers, groups and tensors share one space of names */
static const as_token *fresh_name(rule_reader *reader, const char *what) {
  const as_token *token = as_tok(&reader->lexed);
  if (as_tok_new_name(&reader->lexed, what) == NULL)
    return NULL;
  if (find_group(reader->rule, token->s) < 0 &&
      !as_name_taken(reader->parser.graph, AS_NONE, token->s))
    return token;
  as_lex_fail(&reader->lexed, token, "`%s` is already defined", token->s);
  return NULL;
}

static bool declare(rule_reader *reader, const as_token *token, const char *name, long least) {
  as_err inner;
  as_err_init(&inner);
  return as_graph_declare(reader->rule->decl, name, least, -1, NULL, &inner) ||
         as_gp_report(&reader->parser, token, &inner);
}

static bool ints(rule_reader *reader) {
  do {
    const as_token *token = fresh_name(reader, "the name of an integer");
    if (token == NULL || !declare(reader, token, token->s, AS_SIZE_NO_LEAST))
      return false;
  } while (as_tok_take(&reader->lexed, ','));
  return as_tok_want_end(&reader->lexed);
}

static bool axes(rule_reader *reader, const int *ranks) {
  as_rule *rule = reader->rule;
  do {
    const as_token *token = fresh_name(reader, "the name of a group of axes");
    if (token == NULL)
      return false;
    if (rule->n_group == AS_MAX_GROUPS)
      return as_lex_fail(&reader->lexed, token, "more than %d groups of axes", AS_MAX_GROUPS);
    uint32_t i = rule->n_group++;
    rule->group[i] = keep(reader, token->s);
    rule->rank[i] = ranks ? ranks[i] : -1;
    for (int k = 0; k < rule->rank[i]; k++) {
      char *name = as_format("%s.%d", token->s, k);
      bool ok = declare(reader, token, name, 0);
      free(name);
      if (!ok)
        return false;
    }
  } while (as_tok_take(&reader->lexed, ','));
  return as_tok_want_end(&reader->lexed);
}

static bool dim(rule_reader *reader, as_size *extent, uint32_t *n) {
  as_lexed *lexed = &reader->lexed;
  const as_token *token = as_tok(lexed);
  bool group = as_tok_take(lexed, AS_T_DOTS);
  long more = 1;
  int i = -1;
  if (group) {
    const as_token *name = as_tok(lexed);
    if (!as_tok_want(lexed, AS_T_NAME, "the name of a group of axes"))
      return false;
    if ((i = find_group(reader->rule, name->s)) < 0) {
      return as_lex_fail(lexed, name, "`%s` is no group of axes (`axes %s` declares one)", name->s,
                         name->s);
    }
    if (reader->rule->rank[i] >= 0)
      more = reader->rule->rank[i];
  }
  if (*n + more > AS_MAX_RANK)
    return as_lex_fail(lexed, token, "more than %d axes", AS_MAX_RANK);
  if (!group) {
    extent[*n] = as_gp_size(&reader->parser);
    return extent[(*n)++] != AS_SIZE_BAD;
  }
  char *name = as_format("..%s", reader->rule->group[i]);
  if (reader->rule->rank[i] < 0) {
    extent[*n] = as_size_sym(reader->rule->sizes, name);
    as_size_set_least(reader->rule->sizes, extent[(*n)++], 0);
  }
  for (int k = 0; k < reader->rule->rank[i]; k++) {
    char *axis = as_format("%s.%d", reader->rule->group[i], k);
    extent[(*n)++] = as_size_find(reader->rule->sizes, axis);
    free(axis);
  }
  free(name);
  return true;
}

static bool tensors(rule_reader *reader) {
  as_lexed *lexed = &reader->lexed;
  do {
    as_size extent[AS_MAX_RANK];
    uint32_t n = 0;
    const as_token *token = fresh_name(reader, "the name of a tensor");
    if (token == NULL || !as_tok_want(lexed, '[', "`[`"))
      return false;
    if (!as_tok_is(lexed, ']')) {
      do
        if (!dim(reader, extent, &n))
          return false;
      while (as_tok_take(lexed, ','));
    }
    if (!as_tok_want(lexed, ']', "`]` or `,`"))
      return false;
    as_rule_type type = as_tok_take_word(lexed, "int")    ? AS_R_INT
                        : as_tok_take_word(lexed, "bool") ? AS_R_BOOL
                                                          : AS_R_REAL;
    as_err inner;
    as_err_init(&inner);
    if (as_graph_input(reader->rule->decl, token->s, AS_F32, extent, n, &inner) == AS_NONE)
      return as_gp_report(&reader->parser, token, &inner);
    as_vec_push(&reader->type, &type);
  } while (as_tok_take(lexed, ','));
  return as_tok_want_end(lexed);
}

static bool declarations(rule_reader *reader, const int *ranks, as_vec *assumes) {
  as_lexed *lexed = &reader->lexed;
  for (;;) {
    const as_token *token = as_tok(lexed);
    bool ok = true;
    if (as_tok_take_word(lexed, "sizes")) {
      for (const as_token *other = as_tok(lexed); other->kind != AS_T_NL && ok; other++) {
        if (other->kind == AS_T_NAME && (find_group(reader->rule, other->s) >= 0 ||
                                         as_name_taken(reader->parser.graph, AS_NONE, other->s)))
          ok = as_lex_fail(lexed, other, "`%s` is already defined", other->s);
      }
      ok = ok && as_gp_sizes(&reader->parser);
    } else if (as_tok_take_word(lexed, "ints")) {
      ok = ints(reader);
    } else if (as_tok_take_word(lexed, "axes")) {
      ok = axes(reader, ranks);
    } else if (as_tok_take_word(lexed, "tensor")) {
      ok = tensors(reader);
    } else if (as_tok_take_word(lexed, "where")) {
      ok = as_gp_where(&reader->parser, false);
    } else if (as_tok_take_word(lexed, "assume")) { /* read when every tensor is known */
      as_vec_push(assumes, &lexed->at);
      skip_line(lexed);
    } else if (as_tok_word(lexed, "lhs")) {
      return true;
    } else {
      ok = as_lex_fail(lexed, token, "expected sizes, ints, axes, tensor, where, assume or lhs");
    }
    if (!ok)
      return false;
  }
}

/* expr rel expr, with the larger side last */
static bool compared(rule_reader *reader, as_assumption *assumption, bool *swapped) {
  as_lexed *lexed = &reader->lexed;
  assumption->lhs = as_gp_expr(&reader->parser);
  if (assumption->lhs == AS_NONE || !as_tok_rel(lexed, &assumption->rel, swapped))
    return false;
  assumption->rhs = as_gp_expr(&reader->parser);
  return assumption->rhs != AS_NONE;
}

/* of each element whether the relation holds: 1 or 0; then the larger side comes last */
static as_node_id truth(rule_reader *reader, const as_token *token, const as_assumption *relation,
                        bool swapped) {
  static const char *const ops[] = {[AS_REL_EQ] = "equal",
                                    [AS_REL_NE] = "not_equal",
                                    [AS_REL_LE] = "less_equal",
                                    [AS_REL_LT] = "less"};
  as_node_id lesser = swapped ? relation->rhs : relation->lhs;
  as_node_id larger = swapped ? relation->lhs : relation->rhs;
  return as_gp_apply(&reader->parser, token, ops[relation->rel], "or", lesser, larger);
}

/* a relation of elements; of several that `or` joins 0 < logical_or(.., ..) of their truth values
 */
static bool one_assumption(rule_reader *reader) {
  as_lexed *lexed = &reader->lexed;
  as_gparser *parser = &reader->parser;
  const as_token *token = as_tok(lexed);
  as_assumption assumption;
  bool swapped;
  if (!compared(reader, &assumption, &swapped))
    return false;
  bool several = as_tok_word(lexed, "or");
  as_node_id any = several ? truth(reader, token, &assumption, swapped) : AS_NONE;
  while (as_tok_take_word(lexed, "or")) {
    as_assumption other;
    bool other_swapped;
    as_node_id also = AS_NONE;
    if (any != AS_NONE && compared(reader, &other, &other_swapped))
      also = truth(reader, token, &other, other_swapped);
    if (also == AS_NONE)
      return false;
    any = as_gp_apply(parser, token, "logical_or", "or", any, also);
  }
  if (several) {
    mpq_t zero;
    mpq_init(zero);
    assumption =
        (as_assumption){.lhs = as_graph_const(parser->graph, zero), .rel = AS_REL_LT, .rhs = any};
    mpq_clear(zero);
  } else if (swapped) {
    as_node_id larger = assumption.lhs;
    assumption.lhs = assumption.rhs;
    assumption.rhs = larger;
  }
  if (assumption.rhs == AS_NONE)
    return false;
  assumption.larger = as_gp_apply(parser, token, "sub", "-", assumption.rhs, assumption.lhs);
  if (assumption.larger == AS_NONE || !as_graph_output(parser->graph, assumption.lhs, NULL) ||
      !as_graph_output(parser->graph, assumption.rhs, NULL) ||
      !as_graph_output(parser->graph, assumption.larger, NULL))
    return false;
  as_vec_push(&reader->assumption, &assumption);
  return true;
}

static bool assumptions(rule_reader *reader, const as_vec *at) {
  as_lexed *lexed = &reader->lexed;
  size_t after = lexed->at;
  reader->parser.graph = reader->rule->assume = as_graph_copy(reader->rule->decl);
  for (size_t i = 0; i < at->n; i++) {
    lexed->at = AS_VEC_AT(at, size_t, i);
    do {
      if (!one_assumption(reader))
        return false;
    } while (as_tok_take(lexed, ','));
    if (!as_tok_want_end(lexed))
      return false;
  }
  lexed->at = after;
  return true;
}

static bool output(rule_reader *reader, const as_token *token, const char *name, as_node_id id,
                   as_vec *names) {
  as_err inner;
  as_err_init(&inner);
  for (size_t i = 0; i < names->n; i++)
    if (strcmp(AS_VEC_AT(names, char *, i), name) == 0)
      return as_lex_fail(&reader->lexed, token, "`%s` is an output twice", name);
  char *own = keep(reader, name);
  as_vec_push(names, &own);
  return as_graph_output(reader->parser.graph, id, &inner) ||
         as_gp_report(&reader->parser, token, &inner);
}

static bool statement(rule_reader *reader, as_vec *names) {
  as_lexed *lexed = &reader->lexed;
  bool out = as_tok_take_word(lexed, "output");
  const as_token *token = as_tok(lexed);
  as_node_id id;
  if (token->kind == AS_T_NAME && as_tok_next(lexed)->kind == '=') {
    if (find_group(reader->rule, token->s) >= 0)
      return as_lex_fail(lexed, token, "`%s` is already defined", token->s);
    lexed->at += 2;
    id = as_gp_define(&reader->parser, token);
  } else if (out) {
    id = as_gp_ref(&reader->parser, AS_NONE);
  } else {
    return as_lex_fail(lexed, token, "expected NAME = ... or output");
  }
  return id != AS_NONE && (!out || output(reader, token, token->s, id, names)) &&
         as_tok_want_end(lexed);
}

static bool one_side(rule_reader *reader, as_graph **graph, const char *word, as_vec *names) {
  as_lexed *lexed = &reader->lexed;
  if (!as_tok_take_word(lexed, word))
    return as_lex_fail(lexed, as_tok(lexed), "expected `%s`", word);
  const as_token *token = as_tok(lexed);
  reader->parser.graph = *graph = as_graph_copy(reader->rule->decl);
  if (!as_tok_take(lexed, AS_T_NL)) {
    uint32_t before = reader->parser.graph->n;
    as_node_id id = as_gp_expr(&reader->parser);
    if (id == AS_NONE || !as_tok_want_end(lexed))
      return false;
    as_err inner;
    as_err_init(&inner);
    if (id >= before && !as_node_is_number(&reader->parser.graph->node[id]) &&
        !as_graph_rename(reader->parser.graph, id, "out", &inner))
      return as_gp_report(&reader->parser, token, &inner);
    return output(reader, token, "out", id, names);
  }
  while (!as_tok_word(lexed, "rhs") && !as_tok_word(lexed, "expect") &&
         !as_tok_is(lexed, AS_T_END) && !definition_word(lexed)) {
    if (!statement(reader, names))
      return false;
  }
  return names->n > 0 || as_lex_fail(lexed, token, "this side has no output");
}

/* a right side that is ill-formed at any sizes is no error of the text: the rule is wrong, or
 * vacuous from right to left */
static bool side(rule_reader *reader, as_graph **graph, const char *word, as_vec *names) {
  as_lexed *lexed = &reader->lexed;
  as_err *err = lexed->err;
  as_err own;
  as_err_init(&own);
  lexed->err = &own;
  bool ok = one_side(reader, graph, word, names);
  lexed->err = err;
  if (ok)
    return true;
  if (own.status != AS_NO || strcmp(word, "rhs") != 0) {
    if (own.status == AS_NO)
      own.status = AS_BAD_INPUT;
    if (err && err->status == AS_OK)
      *err = own;
    else
      as_err_clear(&own);
    return false;
  }
  reader->rule->ill_formed = keep(reader, own.text);
  as_err_clear(&own);
  while (!as_tok_is(lexed, AS_T_NL))
    lexed->at++;
  for (as_tok_take(lexed, AS_T_NL);
       !as_tok_word(lexed, "expect") && !as_tok_is(lexed, AS_T_END) && !definition_word(lexed);)
    skip_line(lexed);
  as_graph_free(*graph);
  reader->parser.graph = *graph = as_graph_copy(reader->rule->decl);
  names->n = 0;
  return true;
}

/* the right side's outputs in the order of the left side's */
static bool same_outputs(rule_reader *reader, const as_token *token) {
  as_rule *rule = reader->rule;
  const as_vec *a = &reader->name[0];
  const as_vec *b = &reader->name[1];
  rule->n_output = (uint32_t)a->n;
  rule->output = as_arena_alloc(rule->mem, (a->n + 1) * sizeof *rule->output);
  memcpy(rule->output, a->data, a->n * sizeof *rule->output);
  if (rule->ill_formed)
    return true;
  if (a->n != b->n)
    return as_lex_fail(&reader->lexed, token, "the two sides have %zu and %zu outputs", a->n, b->n);
  for (uint32_t i = 0; i < rule->n_output; i++) {
    uint32_t k = i;
    while (k < b->n && strcmp(AS_VEC_AT(b, char *, k), rule->output[i]) != 0)
      k++;
    if (k == b->n)
      return as_lex_fail(&reader->lexed, token, "the right side has no output `%s`",
                         rule->output[i]);
    char *name = AS_VEC_AT(b, char *, i);
    as_node_id id = rule->rhs->output[i];
    AS_VEC_AT(b, char *, i) = AS_VEC_AT(b, char *, k);
    AS_VEC_AT(b, char *, k) = name;
    rule->rhs->output[i] = rule->rhs->output[k];
    rule->rhs->output[k] = id;
  }
  return true;
}

static bool expectation(rule_reader *reader) {
  as_lexed *lexed = &reader->lexed;
  if (!as_tok_take_word(lexed, "expect"))
    return true;
  for (as_expect expect = AS_EXPECT_PROVED; expect <= AS_EXPECT_VACUOUS; expect++) {
    if (as_tok_take_word(lexed, expect_words[expect]))
      reader->rule->expect = expect;
  }
  if (reader->rule->expect == AS_EXPECT_NOTHING)
    return as_lex_fail(lexed, as_tok(lexed), "expected proved, refuted, unknown or vacuous");
  return as_tok_want_end(lexed);
}

static bool body(rule_reader *reader, const span *s, const as_rulefile *file, uint32_t index,
                 const int *ranks, as_vec *assumes) {
  as_lexed *lexed = &reader->lexed;
  as_rule *rule = reader->rule;
  const as_token *token = as_tok(lexed);
  rule->line = token->line;
  rule->col = token->col;
  lexed->at++;
  const as_token *at = as_tok(lexed);
  const char *name = as_tok_new_name(lexed, "the rule's name");
  if (name == NULL)
    return false;
  rule->name = keep(reader, name);
  for (uint32_t i = 0; i < index; i++) {
    if (strcmp(as_rulefile_name(file, i), name) == 0)
      return as_lex_fail(lexed, at, "rule `%s` twice", name);
  }
  if (!as_tok_want_end(lexed))
    return false;
  for (size_t i = s->at; i < s->end; i++) {
    const as_token *other = &AS_VEC_AT(&lexed->tok, as_token, i);
    if (other->kind == AS_T_NAME)
      as_names_put(rule->decl, AS_SCOPE_TAKEN, other->s, 0);
  }
  as_names_put(rule->decl, AS_SCOPE_TAKEN, "out", 0); /* a side on one line is called so */
  if (!declarations(reader, ranks, assumes) || !assumptions(reader, assumes) ||
      !side(reader, &rule->lhs, "lhs", &reader->name[0]))
    return false;
  const as_token *right = as_tok(lexed);
  if (!side(reader, &rule->rhs, "rhs", &reader->name[1]) || !same_outputs(reader, right) ||
      !expectation(reader))
    return false;
  return lexed->at == s->end || as_lex_fail(lexed, as_tok(lexed), "expected the end of the rule");
}

as_rule *as_rule_read(const as_rulefile *file, uint32_t i, const int *ranks, as_err *err) {
  const span *s = &AS_VEC_AT(&file->rules, span, i);
  as_rule *rule = as_calloc(1, sizeof *rule);
  rule->mem = as_arena_new();
  rule->group = as_arena_alloc(rule->mem, AS_MAX_GROUPS * sizeof *rule->group);
  rule->sizes = as_sizes_new();
  rule->decl = as_graph_new(rule->sizes, file->lib, NULL, file->lexed.file);
  rule->decl->open = true;
  rule_reader reader = {.rule = rule, .lexed = file->lexed};
  reader.lexed.at = s->at;
  reader.lexed.err = err;
  reader.parser = (as_gparser){.lexed = &reader.lexed, .graph = rule->decl, .block = AS_NONE};
  as_vec assumes;
  as_vec_init(&assumes, sizeof(size_t));
  as_vec_init(&reader.type, sizeof(as_rule_type));
  as_vec_init(&reader.name[0], sizeof(char *));
  as_vec_init(&reader.name[1], sizeof(char *));
  as_vec_init(&reader.assumption, sizeof(as_assumption));
  bool ok = body(&reader, s, file, i, ranks, &assumes);
  rule->type = as_arena_alloc(rule->mem, (reader.type.n + 1) * sizeof *rule->type);
  if (reader.type.n)
    memcpy(rule->type, reader.type.data, reader.type.n * sizeof *rule->type);
  rule->n_assumption = (uint32_t)reader.assumption.n;
  rule->assumption =
      as_arena_alloc(rule->mem, (reader.assumption.n + 1) * sizeof *rule->assumption);
  if (reader.assumption.n)
    memcpy(rule->assumption, reader.assumption.data,
           reader.assumption.n * sizeof *rule->assumption);
  as_vec_clear(&assumes);
  as_vec_clear(&reader.type);
  as_vec_clear(&reader.name[0]);
  as_vec_clear(&reader.name[1]);
  as_vec_clear(&reader.assumption);
  if (ok)
    return rule;
  as_rule_free(rule);
  return NULL;
}

void as_rule_free(as_rule *rule) {
  if (rule == NULL)
    return;
  as_graph_free(rule->lhs);
  as_graph_free(rule->rhs);
  as_graph_free(rule->assume);
  as_graph_free(rule->decl);
  as_sizes_free(rule->sizes);
  as_arena_free(rule->mem);
  free(rule);
}
