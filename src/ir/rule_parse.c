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
} span; /* tokens of a rule: the word `rule`, and the first one after it */

struct as_rulefile {
  as_lexed X;
  as_arena *names;
  as_oplib *lib;
  as_vec rule;
  as_vec use; /* of span, char * */
};

static const char *const expect_words[] = {NULL, "proved", "refuted", "unknown", "vacuous"};

const char *as_expect_word(as_expect e) {
  return expect_words[e];
}

static bool definition_word(const as_lexed *X) {
  return as_tok_word(X, "rule") || as_tok_word(X, "op") || as_tok_word(X, "func");
}

static void skip_line(as_lexed *X) {
  while (!as_tok_is(X, AS_T_NL) && !as_tok_is(X, AS_T_END))
    X->at++;
  as_tok_take(X, AS_T_NL);
}

static bool scan(as_rulefile *f) {
  as_lexed *X = &f->X;
  while (as_tok_take_word(X, "use")) {
    char *path = NULL;
    if (!as_gp_use(X, f->lib, &path))
      return false;
    as_vec_push(&f->use, &path);
  }
  while (!as_tok_is(X, AS_T_END)) {
    if (as_tok_word(X, "rule")) {
      span s = {X->at, 0, as_tok_next(X)->kind == AS_T_NAME ? as_tok_next(X)->s : ""};
      do
        skip_line(X);
      while (!definition_word(X) && !as_tok_is(X, AS_T_END));
      s.end = X->at;
      as_vec_push(&f->rule, &s);
    } else if (definition_word(X)) {
      if (!as_sem_definition(X, f->lib))
        return false;
    } else {
      return as_lex_fail(X, as_tok(X),
                         as_tok_word(X, "use") ? "`use` stands before everything else"
                                               : "expected `rule`, `op` or `func`");
    }
  }
  return true;
}

as_rulefile *as_rulefile_open(const char *file, const char *text, size_t len, as_oplib *lib,
                              as_err *err) {
  as_rulefile *f = as_calloc(1, sizeof *f);
  f->names = as_arena_new();
  f->lib = lib;
  as_vec_init(&f->rule, sizeof(span));
  as_vec_init(&f->use, sizeof(char *));
  if (as_lex(&f->X, file, text, len, f->names, err) && scan(f)) {
    f->X.err = NULL;
    return f;
  }
  as_rulefile_free(f);
  return NULL;
}

void as_rulefile_free(as_rulefile *f) {
  if (f == NULL)
    return;
  for (size_t i = 0; i < f->use.n; i++)
    free(AS_VEC_AT(&f->use, char *, i));
  as_vec_clear(&f->use);
  as_vec_clear(&f->rule);
  as_lexed_clear(&f->X);
  as_arena_free(f->names);
  free(f);
}

uint32_t as_rulefile_count(const as_rulefile *f) {
  return (uint32_t)f->rule.n;
}

const char *as_rulefile_name(const as_rulefile *f, uint32_t i) {
  return AS_VEC_AT(&f->rule, span, i).name;
}

const char *const *as_rulefile_uses(const as_rulefile *f, uint32_t *n) {
  *n = (uint32_t)f->use.n;
  return f->use.data;
}

const char *as_rulefile_text(const as_rulefile *f, uint32_t i, size_t *len) {
  const span *s = &AS_VEC_AT(&f->rule, span, i);
  size_t last = s->end;
  while (last > s->at + 1 && AS_VEC_AT(&f->X.tok, as_token, last - 1).kind == AS_T_NL)
    last--;
  const as_token *t[2] = {&AS_VEC_AT(&f->X.tok, as_token, s->at),
                          &AS_VEC_AT(&f->X.tok, as_token, last - 1)};
  const char *at[2];
  const char *line = f->X.text;
  int n = 1;
  for (int k = 0; k < 2; k++) {
    for (; n < t[k]->line; n++)
      line = memchr(line, '\n', (size_t)(f->X.text + f->X.len - line)) + 1;
    at[k] = line + t[k]->col - 1;
  }
  *len = (size_t)(at[1] - at[0]) + t[1]->len;
  return at[0];
}

/* --- one rule */
typedef struct {
  as_gparser P; /* its graph is the one being built */
  as_rule *r;
  as_lexed X; /* the file's tokens, with a cursor of our own */
  as_vec type;
  as_vec name[2];
  as_vec assumption;
} reader;

static bool end_of_line(as_lexed *X) {
  return as_tok_want(X, AS_T_NL, "the end of the line");
}

static char *keep(reader *R, const char *s) {
  return as_arena_strdup(R->r->mem, s);
}

static int find_group(const as_rule *r, const char *name) {
  for (uint32_t i = 0; i < r->n_group; i++) {
    if (strcmp(r->group[i], name) == 0)
      return (int)i;
  }
  return -1;
}

/* sizes, integers, groups and tensors share one space of names */
static const as_token *fresh_name(reader *R, const char *what) {
  const as_token *t = as_tok(&R->X);
  if (as_tok_new_name(&R->X, what) == NULL)
    return NULL;
  if (find_group(R->r, t->s) < 0 && !as_name_taken(R->P.g, AS_NONE, t->s))
    return t;
  as_lex_fail(&R->X, t, "`%s` is already defined", t->s);
  return NULL;
}

static bool declare(reader *R, const as_token *t, const char *name, long least) {
  as_err inner;
  as_err_init(&inner);
  return as_graph_declare(R->r->decl, name, least, -1, NULL, &inner) ||
         as_gp_report(&R->P, t, &inner);
}

static bool ints(reader *R) {
  do {
    const as_token *t = fresh_name(R, "the name of an integer");
    if (t == NULL || !declare(R, t, t->s, AS_SIZE_NO_LEAST))
      return false;
  } while (as_tok_take(&R->X, ','));
  return end_of_line(&R->X);
}

static bool axes(reader *R, const int *ranks) {
  as_rule *r = R->r;
  do {
    const as_token *t = fresh_name(R, "the name of a group of axes");
    if (t == NULL)
      return false;
    if (r->n_group == AS_MAX_GROUPS)
      return as_lex_fail(&R->X, t, "more than %d groups of axes", AS_MAX_GROUPS);
    uint32_t i = r->n_group++;
    r->group[i] = keep(R, t->s);
    r->rank[i] = ranks ? ranks[i] : -1;
    for (int k = 0; k < r->rank[i]; k++) {
      char *name = as_format("%s.%d", t->s, k);
      bool ok = declare(R, t, name, 0);
      free(name);
      if (!ok)
        return false;
    }
  } while (as_tok_take(&R->X, ','));
  return end_of_line(&R->X);
}

static bool dim(reader *R, as_size *d, uint32_t *n) {
  as_lexed *X = &R->X;
  const as_token *t = as_tok(X);
  bool group = as_tok_take(X, AS_T_DOTS);
  long more = 1;
  int i = -1;
  if (group) {
    const as_token *name = as_tok(X);
    if (!as_tok_want(X, AS_T_NAME, "the name of a group of axes"))
      return false;
    if ((i = find_group(R->r, name->s)) < 0) {
      return as_lex_fail(X, name, "`%s` is no group of axes (`axes %s` declares one)", name->s,
                         name->s);
    }
    if (R->r->rank[i] >= 0)
      more = R->r->rank[i];
  }
  if (*n + more > AS_MAX_RANK)
    return as_lex_fail(X, t, "more than %d axes", AS_MAX_RANK);
  if (!group) {
    d[*n] = as_gp_size(&R->P);
    return d[(*n)++] != AS_SIZE_BAD;
  }
  char *name = as_format("..%s", R->r->group[i]);
  if (R->r->rank[i] < 0) {
    d[*n] = as_size_sym(R->r->sizes, name);
    as_size_set_least(R->r->sizes, d[(*n)++], 0);
  }
  for (int k = 0; k < R->r->rank[i]; k++) {
    char *axis = as_format("%s.%d", R->r->group[i], k);
    d[(*n)++] = as_size_find(R->r->sizes, axis);
    free(axis);
  }
  free(name);
  return true;
}

static bool tensors(reader *R) {
  as_lexed *X = &R->X;
  do {
    as_size d[AS_MAX_RANK];
    uint32_t n = 0;
    const as_token *t = fresh_name(R, "the name of a tensor");
    if (t == NULL || !as_tok_want(X, '[', "`[`"))
      return false;
    if (!as_tok_is(X, ']')) {
      do
        if (!dim(R, d, &n))
          return false;
      while (as_tok_take(X, ','));
    }
    if (!as_tok_want(X, ']', "`]` or `,`"))
      return false;
    as_rule_type type = as_tok_take_word(X, "int")    ? AS_R_INT
                        : as_tok_take_word(X, "bool") ? AS_R_BOOL
                                                      : AS_R_REAL;
    as_err inner;
    as_err_init(&inner);
    if (as_graph_input(R->r->decl, t->s, AS_F32, d, n, &inner) == AS_NONE)
      return as_gp_report(&R->P, t, &inner);
    as_vec_push(&R->type, &type);
  } while (as_tok_take(X, ','));
  return end_of_line(X);
}

static bool declarations(reader *R, const int *ranks, as_vec *assumes) {
  as_lexed *X = &R->X;
  for (;;) {
    const as_token *t = as_tok(X);
    bool ok = true;
    if (as_tok_take_word(X, "sizes")) {
      for (const as_token *u = as_tok(X); u->kind != AS_T_NL && ok; u++) {
        if (u->kind == AS_T_NAME &&
            (find_group(R->r, u->s) >= 0 || as_name_taken(R->P.g, AS_NONE, u->s)))
          ok = as_lex_fail(X, u, "`%s` is already defined", u->s);
      }
      ok = ok && as_gp_sizes(&R->P);
    } else if (as_tok_take_word(X, "ints")) {
      ok = ints(R);
    } else if (as_tok_take_word(X, "axes")) {
      ok = axes(R, ranks);
    } else if (as_tok_take_word(X, "tensor")) {
      ok = tensors(R);
    } else if (as_tok_take_word(X, "where")) {
      ok = as_gp_where(&R->P, false);
    } else if (as_tok_take_word(X, "assume")) { /* read when every tensor is known */
      as_vec_push(assumes, &X->at);
      skip_line(X);
    } else if (as_tok_word(X, "lhs")) {
      return true;
    } else {
      ok = as_lex_fail(X, t, "expected sizes, ints, axes, tensor, where, assume or lhs");
    }
    if (!ok)
      return false;
  }
}

static bool assumptions(reader *R, const as_vec *at) {
  as_lexed *X = &R->X;
  size_t after = X->at;
  R->P.g = R->r->assume = as_graph_copy(R->r->decl);
  for (size_t i = 0; i < at->n; i++) {
    X->at = AS_VEC_AT(at, size_t, i);
    do {
      const as_token *t = as_tok(X);
      as_assumption a;
      bool swap;
      a.lhs = as_gp_expr(&R->P);
      if (a.lhs == AS_NONE || !as_tok_rel(X, &a.rel, &swap))
        return false;
      a.rhs = as_gp_expr(&R->P);
      if (a.rhs == AS_NONE)
        return false;
      if (swap) {
        as_node_id x = a.lhs;
        a.lhs = a.rhs;
        a.rhs = x;
      }
      a.larger = as_gp_sub(&R->P, t, a.rhs, a.lhs);
      if (a.larger == AS_NONE || !as_graph_output(R->P.g, a.lhs, NULL) ||
          !as_graph_output(R->P.g, a.rhs, NULL) || !as_graph_output(R->P.g, a.larger, NULL))
        return false;
      as_vec_push(&R->assumption, &a);
    } while (as_tok_take(X, ','));
    if (!end_of_line(X))
      return false;
  }
  X->at = after;
  return true;
}

static bool output(reader *R, const as_token *t, const char *name, as_node_id id, as_vec *names) {
  as_err inner;
  as_err_init(&inner);
  for (size_t i = 0; i < names->n; i++)
    if (strcmp(AS_VEC_AT(names, char *, i), name) == 0)
      return as_lex_fail(&R->X, t, "`%s` is an output twice", name);
  char *own = keep(R, name);
  as_vec_push(names, &own);
  return as_graph_output(R->P.g, id, &inner) || as_gp_report(&R->P, t, &inner);
}

static bool statement(reader *R, as_vec *names) {
  as_lexed *X = &R->X;
  bool out = as_tok_take_word(X, "output");
  const as_token *t = as_tok(X);
  as_node_id id;
  if (t->kind == AS_T_NAME && as_tok_next(X)->kind == '=') {
    if (find_group(R->r, t->s) >= 0)
      return as_lex_fail(X, t, "`%s` is already defined", t->s);
    X->at += 2;
    id = as_gp_define(&R->P, t);
  } else if (out) {
    id = as_gp_ref(&R->P, AS_NONE);
  } else {
    return as_lex_fail(X, t, "expected NAME = ... or output");
  }
  return id != AS_NONE && (!out || output(R, t, t->s, id, names)) && end_of_line(X);
}

static bool one_side(reader *R, as_graph **g, const char *word, as_vec *names) {
  as_lexed *X = &R->X;
  if (!as_tok_take_word(X, word))
    return as_lex_fail(X, as_tok(X), "expected `%s`", word);
  const as_token *t = as_tok(X);
  R->P.g = *g = as_graph_copy(R->r->decl);
  if (!as_tok_take(X, AS_T_NL)) {
    uint32_t before = R->P.g->n;
    as_node_id id = as_gp_expr(&R->P);
    if (id == AS_NONE || !end_of_line(X))
      return false;
    as_err inner;
    as_err_init(&inner);
    if (id >= before && !as_node_is_number(&R->P.g->node[id]) &&
        !as_graph_rename(R->P.g, id, "out", &inner))
      return as_gp_report(&R->P, t, &inner);
    return output(R, t, "out", id, names);
  }
  while (!as_tok_word(X, "rhs") && !as_tok_word(X, "expect") && !as_tok_is(X, AS_T_END) &&
         !definition_word(X)) {
    if (!statement(R, names))
      return false;
  }
  return names->n > 0 || as_lex_fail(X, t, "this side has no output");
}

/* a right side that is ill-formed at any sizes is no error of the text: the rule is wrong, or
 * vacuous from right to left */
static bool side(reader *R, as_graph **g, const char *word, as_vec *names) {
  as_lexed *X = &R->X;
  as_err *err = X->err;
  as_err own;
  as_err_init(&own);
  X->err = &own;
  bool ok = one_side(R, g, word, names);
  X->err = err;
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
  R->r->ill_formed = keep(R, own.text);
  as_err_clear(&own);
  while (!as_tok_is(X, AS_T_NL))
    X->at++;
  for (as_tok_take(X, AS_T_NL);
       !as_tok_word(X, "expect") && !as_tok_is(X, AS_T_END) && !definition_word(X);)
    skip_line(X);
  as_graph_free(*g);
  R->P.g = *g = as_graph_copy(R->r->decl);
  names->n = 0;
  return true;
}

/* the right side's outputs in the order of the left side's */
static bool same_outputs(reader *R, const as_token *t) {
  as_rule *r = R->r;
  const as_vec *a = &R->name[0];
  const as_vec *b = &R->name[1];
  r->n_output = (uint32_t)a->n;
  r->output = as_arena_alloc(r->mem, (a->n + 1) * sizeof *r->output);
  memcpy(r->output, a->data, a->n * sizeof *r->output);
  if (r->ill_formed)
    return true;
  if (a->n != b->n)
    return as_lex_fail(&R->X, t, "the two sides have %zu and %zu outputs", a->n, b->n);
  for (uint32_t i = 0; i < r->n_output; i++) {
    uint32_t k = i;
    while (k < b->n && strcmp(AS_VEC_AT(b, char *, k), r->output[i]) != 0)
      k++;
    if (k == b->n)
      return as_lex_fail(&R->X, t, "the right side has no output `%s`", r->output[i]);
    char *name = AS_VEC_AT(b, char *, i);
    as_node_id id = r->rhs->output[i];
    AS_VEC_AT(b, char *, i) = AS_VEC_AT(b, char *, k);
    AS_VEC_AT(b, char *, k) = name;
    r->rhs->output[i] = r->rhs->output[k];
    r->rhs->output[k] = id;
  }
  return true;
}

static bool expectation(reader *R) {
  as_lexed *X = &R->X;
  if (!as_tok_take_word(X, "expect"))
    return true;
  for (as_expect e = AS_EXPECT_PROVED; e <= AS_EXPECT_VACUOUS; e++) {
    if (as_tok_take_word(X, expect_words[e]))
      R->r->expect = e;
  }
  if (R->r->expect == AS_EXPECT_NOTHING)
    return as_lex_fail(X, as_tok(X), "expected proved, refuted, unknown or vacuous");
  return end_of_line(X);
}

static bool body(reader *R, const span *s, const as_rulefile *f, uint32_t index, const int *ranks,
                 as_vec *assumes) {
  as_lexed *X = &R->X;
  as_rule *r = R->r;
  const as_token *t = as_tok(X);
  r->line = t->line;
  r->col = t->col;
  X->at++;
  const as_token *at = as_tok(X);
  const char *name = as_tok_new_name(X, "the rule's name");
  if (name == NULL)
    return false;
  r->name = keep(R, name);
  for (uint32_t i = 0; i < index; i++) {
    if (strcmp(as_rulefile_name(f, i), name) == 0)
      return as_lex_fail(X, at, "rule `%s` twice", name);
  }
  if (!end_of_line(X))
    return false;
  for (size_t i = s->at; i < s->end; i++) {
    const as_token *u = &AS_VEC_AT(&X->tok, as_token, i);
    if (u->kind == AS_T_NAME)
      as_names_put(r->decl, AS_SCOPE_TAKEN, u->s, 0);
  }
  as_names_put(r->decl, AS_SCOPE_TAKEN, "out", 0); /* a side on one line is called so */
  if (!declarations(R, ranks, assumes) || !assumptions(R, assumes) ||
      !side(R, &r->lhs, "lhs", &R->name[0]))
    return false;
  const as_token *right = as_tok(X);
  if (!side(R, &r->rhs, "rhs", &R->name[1]) || !same_outputs(R, right) || !expectation(R))
    return false;
  return X->at == s->end || as_lex_fail(X, as_tok(X), "expected the end of the rule");
}

as_rule *as_rule_read(const as_rulefile *f, uint32_t i, const int *ranks, as_err *err) {
  const span *s = &AS_VEC_AT(&f->rule, span, i);
  as_rule *r = as_calloc(1, sizeof *r);
  r->mem = as_arena_new();
  r->group = as_arena_alloc(r->mem, AS_MAX_GROUPS * sizeof *r->group);
  r->sizes = as_sizes_new();
  r->decl = as_graph_new(r->sizes, f->lib, NULL, f->X.file);
  r->decl->open = true;
  reader R = {.r = r, .X = f->X};
  R.X.at = s->at;
  R.X.err = err;
  R.P = (as_gparser){&R.X, r->decl, AS_NONE};
  as_vec assumes;
  as_vec_init(&assumes, sizeof(size_t));
  as_vec_init(&R.type, sizeof(as_rule_type));
  as_vec_init(&R.name[0], sizeof(char *));
  as_vec_init(&R.name[1], sizeof(char *));
  as_vec_init(&R.assumption, sizeof(as_assumption));
  bool ok = body(&R, s, f, i, ranks, &assumes);
  r->type = as_arena_alloc(r->mem, (R.type.n + 1) * sizeof *r->type);
  if (R.type.n)
    memcpy(r->type, R.type.data, R.type.n * sizeof *r->type);
  r->n_assumption = (uint32_t)R.assumption.n;
  r->assumption = as_arena_alloc(r->mem, (R.assumption.n + 1) * sizeof *r->assumption);
  if (R.assumption.n)
    memcpy(r->assumption, R.assumption.data, R.assumption.n * sizeof *r->assumption);
  as_vec_clear(&assumes);
  as_vec_clear(&R.type);
  as_vec_clear(&R.name[0]);
  as_vec_clear(&R.name[1]);
  as_vec_clear(&R.assumption);
  if (ok)
    return r;
  as_rule_free(r);
  return NULL;
}

void as_rule_free(as_rule *r) {
  if (r == NULL)
    return;
  as_graph_free(r->lhs);
  as_graph_free(r->rhs);
  as_graph_free(r->assume);
  as_graph_free(r->decl);
  as_sizes_free(r->sizes);
  as_arena_free(r->mem);
  free(r);
}
