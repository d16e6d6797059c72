/* Programs, muGraphs and rules. */
#include "ck_tree.h"

/* --- expressions of tensors */
enum { MAX_ARGUMENTS = 8 };

static ck_expression *infix(ck_parser *p, int level);

static ck_expression *expression(ck_parser *p, ck_expression_kind kind, const ck_token *at) {
  ck_expression *x = ck_keep(p->job, sizeof *x);
  x->kind = kind;
  x->at = at;
  return x;
}

static ck_expression *operator_call(ck_parser *p, const char *op, const ck_token *at,
                                    ck_expression *first, ck_expression *second) {
  ck_expression *x = expression(p, CK_X_CALL, at);
  x->op = op;
  x->arguments = first;
  first->next = second;
  return x;
}

/* [n, ..]: axes */
static void axes(ck_parser *p, ck_attribute *a) {
  do {
    bool negative = ck_accept(p, "-");
    long axis = ck_small_number(p);
    if (a->n_axes == MAX_ARGUMENTS || axis >= MAX_ARGUMENTS)
      ck_refuse(p->job, p->at, "more than %d axes", MAX_ARGUMENTS);
    a->axes[a->n_axes++] = negative ? -axis : axis;
  } while (ck_list_goes_on(p, "]"));
}

/* name = a number, also one that is not whole, or a size expression, or a list */
static ck_attribute *attribute(ck_parser *p, bool first) {
  ck_attribute *a = ck_keep(p->job, sizeof *a);
  a->at = ck_new_name(p);
  a->name = a->at->text;
  ck_expect(p, "=");
  const ck_token *number = p->at + ck_at(p, "-");
  if (first && ck_accept(p, "[")) {
    axes(p, a);
  } else if (number->kind == CK_T_NUMBER && !number->whole) {
    a->negative = ck_accept(p, "-");
    a->number = p->at++;
  } else {
    a->size = ck_parse_size(p);
  }
  return a;
}

/* op(.., keepdims = 1) is op_keep(..) */
static bool keeps_axes(ck_parser *p, ck_expression *x) {
  if (!ck_accept(p, "keepdims"))
    return false;
  ck_expect(p, "=");
  long keeps = ck_small_number(p);
  if (keeps > 1)
    ck_refuse(p->job, p->at, "0 or 1 expected");
  if (keeps == 1)
    x->op = ck_keep_text(p->job, "%s_keep", x->op);
  return true;
}

static ck_expression *call(ck_parser *p) {
  ck_expression *x = expression(p, CK_X_CALL, p->at);
  ck_expression **end = &x->arguments;
  ck_attribute **end_attributes = &x->attributes;
  uint32_t n = 0;
  uint32_t n_attributes = 0;
  x->op = ck_called_name(p)->text;
  ck_expect(p, "(");
  if (ck_accept(p, ")"))
    return x;
  do {
    if (n == MAX_ARGUMENTS || n_attributes == MAX_ARGUMENTS)
      ck_refuse(p->job, p->at, "more than %d arguments", MAX_ARGUMENTS);
    if (p->at->kind == CK_T_NAME && ck_token_is(p->at + 1, "=")) {
      n_attributes++;
      if (keeps_axes(p, x))
        continue;
      *end_attributes = attribute(p, !x->attributes);
      end_attributes = &(*end_attributes)->next;
    } else if (n_attributes) {
      ck_refuse(p->job, p->at, "tensors come before attributes");
    } else {
      *end = infix(p, 0);
      end = &(*end)->next;
      n++;
    }
  } while (ck_list_goes_on(p, ")"));
  const ck_attribute *list = x->attributes && x->attributes->n_axes ? x->attributes : NULL;
  if (list && (list->next || n != 1 || strcmp(list->name, "axis") != 0))
    ck_refuse(p->job, list->at, "axis = [..] is the only attribute, of one tensor");
  return x;
}

/* one item of t[..]: `none`, [start]:[stop][:step], or a bare colon, which leaves its axis alone */
static ck_expression *item(ck_parser *p, ck_expression *t, uint32_t axis) {
  const ck_token *at = p->at;
  ck_expression *x = expression(p, CK_X_ITEM, at);
  x->arguments = t;
  x->axis = axis;
  if (ck_accept(p, "none")) {
    x->none = true;
    return x;
  }
  if (!ck_at(p, ":"))
    x->start = ck_parse_size(p);
  ck_expect(p, ":");
  if (!ck_at(p, ":") && !ck_at(p, ",") && !ck_at(p, "]"))
    x->stop = ck_parse_size(p);
  if (ck_accept(p, ":"))
    x->step = ck_parse_size(p);
  return x;
}

static ck_expression *postfix(ck_parser *p) {
  ck_expression *x;
  if (p->at->kind == CK_T_NUMBER) {
    x = expression(p, CK_X_NUMBER, p->at++);
  } else if (p->at->kind == CK_T_NAME && ck_token_is(p->at + 1, "(")) {
    x = call(p);
  } else if (ck_accept(p, "(")) {
    x = infix(p, 0);
    ck_expect(p, ")");
  } else {
    x = expression(p, CK_X_NAME, ck_new_name(p));
  }
  while (ck_accept(p, "[")) {
    uint32_t axis = 0;
    do
      x = item(p, x, axis++);
    while (ck_list_goes_on(p, "]"));
  }
  return x;
}

/* level 0: + -, 1: * / @, 2: what binds tighter */
static ck_expression *infix(ck_parser *p, int level) {
  static const struct {
    int level;
    const char *sign;
    const char *op;
  } signs[] = {
      {0, "+", "add"}, {0, "-", "sub"}, {1, "*", "mul"}, {1, "/", "div"}, {1, "@", "matmul"}};

  enum { N_SIGNS = sizeof signs / sizeof *signs };

  const ck_token *at = p->at;
  ck_expression *x;
  bool minus = level == 2 && ck_accept(p, "-");
  bool number = minus && p->at->kind == CK_T_NUMBER && !ck_token_is(p->at + 1, "[");
  bool nests = level == 0 || minus; /* a parenthesis, an argument, a sign */
  if (nests)
    ck_nest(p);
  if (level < 2)
    x = infix(p, level + 1);
  else if (minus && !number)
    x = operator_call(p, "neg", at, infix(p, 2), NULL);
  else
    x = postfix(p);
  x->negative |= number;
  for (size_t i = 0; i < N_SIGNS;) {
    at = p->at;
    if (signs[i].level != level || !ck_accept(p, signs[i].sign)) {
      i++;
      continue;
    }
    x = operator_call(p, signs[i].op, at, x, infix(p, level + 1));
    i = 0;
  }
  p->nesting -= nests;
  return x;
}

/* --- declarations */
static ck_size_line *size_lines(ck_parser *p, bool group, bool integer) {
  ck_size_line *first = NULL;
  ck_size_line **end = &first;
  do {
    ck_size_line *s = *end = ck_keep(p->job, sizeof *s);
    end = &s->next;
    s->at = p->at;
    s->group = group;
    s->integer = integer;
    const char *name = ck_new_name(p)->text;
    s->name = group ? ck_keep_text(p->job, "..%s", name) : name;
    if (group || integer)
      continue;
    s->bounded = ck_accept(p, ">=");
    s->least = s->bounded ? ck_small_number(p) : 0;
    s->stated = ck_accept(p, "=");
    s->value = s->stated ? ck_small_number(p) : 0;
  } while (ck_accept(p, ","));
  return first;
}

static ck_dim *dims(ck_parser *p) {
  ck_dim *first = NULL;
  ck_dim **end = &first;
  ck_expect(p, "[");
  if (ck_accept(p, "]"))
    return NULL;
  do {
    ck_dim *d = *end = ck_keep(p->job, sizeof *d);
    end = &d->next;
    d->at = p->at;
    if (ck_accept(p, ".."))
      d->group = ck_keep_text(p->job, "..%s", ck_new_name(p)->text);
    else
      d->size = ck_parse_size(p);
  } while (ck_list_goes_on(p, "]"));
  return first;
}

/* of programs NAME : type dims; of rules NAME dims [int|bool] */
static ck_input *input(ck_parser *p, bool rule) {
  ck_input *x = ck_keep(p->job, sizeof *x);
  x->at = ck_new_name(p);
  x->name = x->at->text;
  x->type = "";
  if (!rule) {
    ck_expect(p, ":");
    if (!ck_at(p, "f16") && !ck_at(p, "bf16") && !ck_at(p, "f32") && !ck_at(p, "int"))
      ck_refuse(p->job, p->at, "f16, bf16, f32 or int expected");
    x->type = p->at++->text;
  }
  x->dims = dims(p);
  if (rule && (ck_at(p, "int") || ck_at(p, "bool")))
    x->type = p->at++->text;
  return x;
}

static ck_expression *number(ck_parser *p, const char *digits) {
  return expression(p, CK_X_NUMBER, ck_written(p, digits));
}

/* the truth value of a relation */
static ck_expression *truth(ck_parser *p, const ck_assumption *a) {
  static const char *const ops[] = {"equal", "not_equal", "less_equal", "less"};
  return operator_call(p, ops[a->op - CK_EQ], a->at, a->swapped ? a->right : a->left,
                       a->swapped ? a->left : a->right);
}

static ck_assumption *one_assumption(ck_parser *p) {
  ck_assumption *a = ck_keep(p->job, sizeof *a);
  a->at = p->at;
  a->left = infix(p, 0);
  a->op = ck_relation_sign(p, &a->swapped);
  a->right = infix(p, 0);
  return a;
}

/* a or b or ..: 0 < logical_or(logical_or(a, b), ..), of truth values */
static ck_assumption *assumption(ck_parser *p) {
  ck_assumption *a = one_assumption(p);
  if (!ck_at(p, "or"))
    return a;
  ck_expression *any = truth(p, a);
  while (ck_accept(p, "or"))
    any = operator_call(p, "logical_or", a->at, any, truth(p, one_assumption(p)));
  *a = (ck_assumption){.at = a->at, .op = CK_LT, .left = number(p, "0"), .right = any};
  return a;
}

/* --- block graphs */
static int grid_axis(const ck_parser *p) {
  return ck_at(p, "x")      ? 0
         : ck_at(p, "y")    ? 1
         : ck_at(p, "z")    ? 2
         : ck_at(p, "loop") ? CK_LOOP
                            : -1;
}

/* NAME dims = TENSOR map */
static void tile(ck_parser *p, ck_line *line) {
  bool store = line->kind == CK_L_STORE;
  ck_map **end = &line->map;
  line->name = ck_new_name(p);
  line->dims = dims(p);
  ck_expect(p, "=");
  line->source = ck_new_name(p);
  while (p->at->kind != CK_T_LINE_END) {
    ck_map *m = *end = ck_keep(p->job, sizeof *m);
    end = &m->next;
    m->at = p->at;
    m->grid = grid_axis(p);
    if (m->grid < 0 || (m->grid == CK_LOOP && store)) {
      ck_refuse(p->job, p->at,
                store ? "grid axis expected: x y z" : "grid axis or loop expected: x y z loop");
    }
    p->at++;
    ck_expect(p, "->");
    m->at_axis = p->at;
    m->axis = ck_small_number(p);
  }
}

/* NAME [, NAME] = how TENSOR .. */
static void accumulation(ck_parser *p, ck_line *line) {
  line->name = ck_new_name(p);
  if (ck_accept(p, ","))
    line->running = ck_new_name(p);
  ck_expect(p, "=");
  if (ck_accept(p, "max"))
    line->how = CK_K_MAX;
  else if (!line->running && ck_accept(p, "concat"))
    line->how = CK_K_CONCAT;
  else if (!line->running && ck_accept(p, "sum"))
    line->how = CK_K_SUM;
  else
    ck_refuse(p->job, p->at, line->running ? "'max' expected" : "sum, max or concat expected");
  line->source = ck_new_name(p);
  if (line->how == CK_K_CONCAT) {
    ck_expect(p, "axis");
    line->axis = ck_small_number(p);
  }
  if (line->how == CK_K_SUM && ck_accept(p, "rescale"))
    line->rescale = ck_new_name(p);
}

static void assignment(ck_parser *p, ck_line *line) {
  line->kind = CK_L_DEFINE;
  line->name = ck_new_name(p);
  ck_expect(p, "=");
  line->expression = infix(p, 0);
}

static ck_line *new_line(ck_parser *p, ck_line ***end) {
  ck_line *line = **end = ck_keep(p->job, sizeof *line);
  *end = &line->next;
  line->at = p->at;
  return line;
}

static ck_line *block_lines(ck_parser *p) {
  ck_line *first = NULL;
  ck_line **end = &first;
  while (!ck_at(p, "end")) {
    ck_line *line = new_line(p, &end);
    if (ck_accept(p, "load")) {
      line->kind = CK_L_LOAD;
      tile(p, line);
    } else if (ck_accept(p, "acc")) {
      line->kind = CK_L_ACCUMULATE;
      accumulation(p, line);
    } else if (ck_accept(p, "store")) {
      line->kind = CK_L_STORE;
      tile(p, line);
    } else {
      assignment(p, line);
    }
    line->at_end = p->at;
    ck_line_end(p);
  }
  return first;
}

static ck_kernel *kernel(ck_parser *p) {
  ck_kernel *k = ck_keep(p->job, sizeof *k);
  ck_grid **end = &k->grid;
  bool declared[CK_LOOP] = {false};
  k->at = ck_new_name(p);
  ck_line_end(p);
  if (ck_accept(p, "grid")) {
    do {
      ck_grid *g = *end = ck_keep(p->job, sizeof *g);
      end = &g->next;
      g->at = p->at;
      g->axis = grid_axis(p);
      if (g->axis < 0 || g->axis == CK_LOOP)
        ck_refuse(p->job, p->at, "grid axis expected: x y z");
      if (declared[g->axis])
        ck_refuse(p->job, p->at, "declared twice");
      declared[g->axis] = true;
      p->at++;
      ck_expect(p, "=");
      g->extent = ck_parse_size(p);
    } while (ck_accept(p, ","));
    ck_line_end(p);
  }
  if (ck_accept(p, "loop")) {
    k->loop = ck_new_name(p);
    ck_expect(p, "=");
    k->loop_extent = ck_parse_size(p);
    ck_line_end(p);
  }
  k->lines = block_lines(p);
  k->end = p->at;
  ck_expect(p, "end");
  return k;
}

/* --- files */
typedef enum { PROGRAM, MUGRAPH, RULE } text_kind;

/* a line of sizes or of relations between them, and whether there is one */
static bool about_sizes(ck_parser *p, text_kind kind, ck_line *line) {
  bool integers = kind == RULE && ck_at(p, "ints");
  bool groups = kind == RULE && ck_at(p, "axes");
  if (integers || groups || ck_at(p, "sizes")) {
    p->at++;
    line->kind = CK_L_SIZES;
    line->sizes = size_lines(p, groups, integers);
    return true;
  }
  if (!ck_accept(p, "where"))
    return false;
  line->kind = CK_L_WHERE;
  line->relations = ck_parse_relations(p, true);
  return true;
}

static void statement(ck_parser *p, text_kind kind, ck_line *line) {
  if (kind == MUGRAPH && ck_accept(p, "kernel")) {
    line->kind = CK_L_KERNEL;
    line->kernel = kernel(p);
  } else if (kind == PROGRAM && ck_accept(p, "input")) {
    line->kind = CK_L_INPUTS;
    line->inputs = input(p, false);
  } else if (kind != MUGRAPH && ck_accept(p, "output")) {
    line->output = true;
    if (p->at[1].kind == CK_T_LINE_END) {
      line->kind = CK_L_OUTPUT;
      line->name = ck_new_name(p);
    } else {
      assignment(p, line);
    }
  } else {
    assignment(p, line);
  }
}

const ck_token *ck_parse_uses(ck_job *job, const ck_file *file, const ck_token **uses,
                              uint32_t most, uint32_t *n) {
  ck_parser p = {.job = job, .at = file->tokens};
  *n = 0;
  while (ck_accept(&p, "use")) {
    if (p.at->kind != CK_T_STRING)
      ck_refuse(job, p.at, "the name of a file expected, in quotes");
    if (*n == most)
      ck_refuse(job, p.at, "more than %u files are used", (unsigned)most);
    uses[(*n)++] = p.at++;
    ck_line_end(&p);
  }
  return p.at;
}

ck_graph *ck_parse_graph(ck_job *job, const ck_token *from, bool candidate) {
  ck_parser p = {.job = job, .at = from};
  ck_graph *g = ck_keep(job, sizeof *g);
  ck_line **end = &g->lines;
  bool head = true;
  g->at = p.at;
  g->mugraph = candidate && ck_at(&p, "mugraph");
  ck_expect(&p, g->mugraph ? "mugraph" : "program");
  g->name = ck_new_name(&p)->text;
  ck_line_end(&p);
  while (p.at->kind != CK_T_END) {
    ck_line *line = new_line(&p, &end);
    text_kind kind = g->mugraph ? MUGRAPH : PROGRAM;
    if (!(head || !g->mugraph) || !about_sizes(&p, kind, line)) {
      head = false;
      statement(&p, kind, line);
    }
    ck_line_end(&p);
  }
  g->end = p.at;
  return g;
}

/* an expression on the line of `lhs` or `rhs`: the output `out`; or statements on the lines after
 * it */
static void side_of_rule(ck_parser *p, ck_graph *g) {
  ck_line **end = &g->lines;
  g->at = p->at;
  if (p->at->kind != CK_T_LINE_END) {
    ck_line *line = new_line(p, &end);
    line->kind = CK_L_DEFINE;
    line->output = true;
    line->expression = infix(p, 0);
    ck_line_end(p);
  } else {
    p->at++;
    while (!ck_at(p, "rhs") && !ck_at(p, "expect") && !ck_definition_begins(p)) {
      statement(p, RULE, new_line(p, &end));
      ck_line_end(p);
    }
  }
  g->end = p->at;
}

static void rule_declaration(ck_parser *p, ck_line *line) {
  if (about_sizes(p, RULE, line))
    return;
  if (ck_accept(p, "tensor")) {
    ck_input **end = &line->inputs;
    line->kind = CK_L_INPUTS;
    do {
      *end = input(p, true);
      end = &(*end)->next;
    } while (ck_accept(p, ","));
  } else if (ck_accept(p, "assume")) {
    ck_assumption **end = &line->assumptions;
    line->kind = CK_L_ASSUME;
    do {
      *end = assumption(p);
      end = &(*end)->next;
    } while (ck_accept(p, ","));
  } else {
    ck_refuse(p->job, p->at, "sizes, ints, axes, tensor, where, assume or lhs expected");
  }
}

static void expectation(ck_parser *p) { /* for tests: nothing that is claimed */
  static const char *const words[] = {"proved", "refuted", "unknown", "vacuous"};
  if (!ck_accept(p, "expect"))
    return;
  size_t i = 0;
  while (i < sizeof words / sizeof *words && !ck_accept(p, words[i]))
    i++;
  if (i == sizeof words / sizeof *words)
    ck_refuse(p->job, p->at, "proved, refuted, unknown or vacuous expected");
  ck_line_end(p);
}

ck_rule *ck_parse_rule(ck_job *job, const ck_token *name) {
  ck_parser p = {.job = job, .at = name + 1};
  ck_rule *r = ck_keep(job, sizeof *r);
  ck_line **end = &r->declarations.lines;
  r->name = name;
  r->from = name[-1].from;
  ck_line_end(&p);
  while (!ck_at(&p, "lhs")) {
    rule_declaration(&p, new_line(&p, &end));
    ck_line_end(&p);
  }
  r->declarations.end = p.at;
  ck_expect(&p, "lhs");
  side_of_rule(&p, &r->left);
  ck_expect(&p, "rhs");
  side_of_rule(&p, &r->right);
  expectation(&p);
  if (!ck_definition_begins(&p))
    ck_refuse(job, p.at, "'rule', 'op' or 'func' expected");
  r->to = p.at[-2].end;
  return r;
}
