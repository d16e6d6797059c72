/* Statements: operator specifications, programs, muGraphs, rules. */
#include "ck_tree.h"

static bool definition_begins(const ck_parser *p) {
  return p->at->kind == CK_T_END || ck_at(p, "rule") || ck_at(p, "op") || ck_at(p, "func");
}

/* --- operator specifications */
static ck_decl *formal(ck_parser *p, ck_list *to) {
  ck_decl *f = ck_add(p->job, to, sizeof *f);
  f->at = ck_new_name(p);
  return f;
}

/* tensors with their shapes; after a semicolon attributes with their defaults */
static void formals(ck_parser *p, ck_operator *op) {
  bool more = true;
  ck_expect(p, "(");
  if (!ck_at(p, ")") && !ck_at(p, ";")) {
    do
      ck_parse_parts(p, &formal(p, &op->tensors)->parts, CK_SHAPE);
    while (ck_accept(p, ","));
  }
  for (more = ck_accept(p, ";"); more; more = ck_accept(p, ",")) {
    ck_decl *f = formal(p, &op->attributes);
    if (ck_accept(p, "="))
      f->value = ck_parse_number(p);
  }
  ck_expect(p, ")");
}

/* let name[indices] = body, or out[indices] = body; gives whether it is out */
static bool definition(ck_parser *p, ck_list *to) {
  ck_decl *d = ck_add(p->job, to, sizeof *d);
  bool out = ck_at(p, "out");
  if (!out)
    ck_expect(p, "let");
  d->at = out ? p->at++ : ck_new_name(p);
  ck_parse_parts(p, &d->parts, CK_LEFT);
  ck_expect(p, "=");
  d->value = ck_parse_expr(p, CK_BODY);
  ck_line_end(p);
  return out;
}

static void operator_body(ck_parser *p, ck_operator *op) {
  formals(p, op);
  ck_expect(p, "->");
  ck_parse_parts(p, &op->result, CK_RESULT);
  ck_line_end(p);
  while (ck_accept(p, "require")) {
    ck_parse_relations(p, &op->requires, CK_SIZE, false);
    ck_line_end(p);
  }
  while (p->at->kind != CK_T_END && !definition(p, &op->lets))
    ;
}

static void function_body(ck_parser *p, ck_operator *op) {
  ck_expect(p, "(");
  do
    formal(p, &op->tensors);
  while (ck_goes_on(p, ")"));
  if (!ck_accept(p, "builtin")) {
    ck_expect(p, "=");
    op->body = ck_parse_expr(p, CK_BODY);
  }
  ck_line_end(p);
}

static void pass_over_line(ck_parser *p) {
  while (p->at->kind != CK_T_LINE_END)
    p->at++;
  p->at++;
}

ck_list ck_parse_operators(ck_job *job, const ck_token *from_here, const char *wanted,
                           const ck_token **rule) {
  ck_parser p = {.job = job, .at = from_here};
  ck_list all = {.first = NULL};
  while (p.at->kind != CK_T_END) {
    const ck_token *from = p.at;
    bool function = ck_at(&p, "func");
    if (wanted && ck_accept(&p, "rule")) {
      if (ck_at(&p, wanted) && *rule)
        ck_refuse(job, p.at, "rule %s is defined twice", wanted);
      if (ck_at(&p, wanted))
        *rule = p.at;
      do
        pass_over_line(&p);
      while (!definition_begins(&p));
    } else if (ck_accept(&p, "func") || ck_accept(&p, "op")) {
      ck_operator *op = ck_add(job, &all, sizeof *op);
      op->function = function;
      op->from = from->from;
      op->at = function ? ck_new_name(&p) : ck_called_name(&p);
      (function ? function_body : operator_body)(&p, op);
      op->to = p.at[-2].end;
    } else {
      ck_wrong(&p, "'func', 'op' (or in a file of rules 'rule') expected");
    }
  }
  return all;
}

/* --- declarations */
static void size_line(ck_parser *p, ck_list *to, bool group, bool integer) {
  ck_size_line *s = ck_add(p->job, to, sizeof *s);
  s->at = ck_new_name(p);
  s->integer = integer;
  s->name = group ? ck_keep_text(p->job, "..%s", s->at->text) : s->at->text;
  if (group || integer)
    return;
  s->bounded = ck_accept(p, ">=");
  s->least = s->bounded ? ck_small_number(p) : 0;
  s->stated = ck_accept(p, "=") || ck_accept(p, "<=");
  s->value = s->stated ? ck_small_number(p) : 0;
}

static bool accept_type(ck_parser *p, ck_decl *x, const char *const *types, int n) {
  for (int i = 0; i < n; i++) {
    if (ck_accept(p, types[i])) {
      x->type = types[i];
      return true;
    }
  }
  return false;
}

/* of programs NAME : type dims; of rules NAME dims [int|bool] */
static void input(ck_parser *p, ck_list *to, bool rule) {
  static const char *const types[] = {"f16", "bf16", "f32", "int", "bool"};
  ck_decl *x = formal(p, to);
  x->type = "";
  if (!rule) {
    ck_expect(p, ":");
    if (!accept_type(p, x, types, 4))
      ck_wrong(p, "f16, bf16, f32 or int expected");
  }
  ck_parse_parts(p, &x->parts, CK_DIMS);
  if (rule)
    accept_type(p, x, types + 3, 2);
}

/* --- block graphs */
/* x y z, and if wanted loop, which begin the member */
static ck_map *mapped(ck_parser *p, ck_list *to, bool loop) {
  static const char *const words[] = {"x", "y", "z", "loop"};
  ck_map *m = ck_add(p->job, to, sizeof *m);
  int n = loop ? CK_LOOP + 1 : CK_LOOP;
  m->at = p->at;
  while (m->grid < n && !ck_accept(p, words[m->grid]))
    m->grid++;
  if (m->grid == n)
    ck_wrong(p, loop ? "grid axis or loop expected: x y z loop" : "grid axis expected: x y z");
  return m;
}

void ck_parse_type(ck_parser *p) {
  if (!ck_accept(p, "f16") && !ck_accept(p, "bf16") && !ck_accept(p, "f32"))
    ck_wrong(p, "f16, bf16 or f32 expected");
}

/* NAME, where typed [: TYPE]: in memory, of which a claim about real numbers says nothing */
static void named(ck_parser *p, ck_line *line, bool typed) {
  line->name = ck_new_name(p);
  if (typed && ck_accept(p, ":"))
    ck_parse_type(p);
}

/* NAME dims = TENSOR map */
static void tile(ck_parser *p, ck_line *line) {
  named(p, line, line->kind == CK_L_STORE);
  ck_parse_parts(p, &line->tile, CK_TILE);
  ck_expect(p, "=");
  line->source = ck_new_name(p);
  while (p->at->kind > CK_T_LINE_END) {
    ck_map *m = mapped(p, &line->map, line->kind == CK_L_LOAD);
    ck_expect(p, "->");
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
  else if (line->running || !ck_accept(p, "sum"))
    ck_wrong(p, line->running ? "'max' expected" : "sum, max or concat expected");
  line->source = ck_new_name(p);
  if (line->how == CK_K_CONCAT) {
    ck_expect(p, "axis");
    line->axis = ck_small_number(p);
  }
  if (line->how == CK_K_SUM && ck_accept(p, "rescale"))
    line->rescale = ck_new_name(p);
}

/* typed: in a program, or at the kernel level of a muGraph, where a type may stand behind the name:
 * real numbers have none */
static void assignment(ck_parser *p, ck_line *line, bool typed) {
  line->kind = CK_L_DEFINE;
  named(p, line, typed);
  ck_expect(p, "=");
  line->value = ck_parse_expr(p, CK_TENSOR);
}

static ck_line *new_line(ck_parser *p, ck_list *to) {
  ck_line *line = ck_add(p->job, to, sizeof *line);
  line->at = p->at;
  return line;
}

static void block_line(ck_parser *p, ck_line *line) {
  if (ck_accept(p, "acc")) {
    line->kind = CK_L_ACCUMULATE;
    accumulation(p, line);
  } else if (ck_at(p, "load") || ck_at(p, "store")) {
    line->kind = ck_at(p, "load") ? CK_L_LOAD : CK_L_STORE;
    p->at++;
    tile(p, line);
  } else {
    assignment(p, line, false);
  }
  ck_line_end(p);
}

static ck_kernel *kernel(ck_parser *p) {
  ck_kernel *k = ck_keep(p->job, sizeof *k);
  bool declared[CK_LOOP + 1] = {false};
  k->at = ck_new_name(p);
  ck_line_end(p);
  if (ck_accept(p, "grid")) {
    do {
      ck_map *g = mapped(p, &k->grid, false);
      if (declared[g->grid])
        ck_refuse(p->job, g->at, "declared twice");
      declared[g->grid] = true;
      ck_expect(p, "=");
      g->extent = ck_parse_expr(p, CK_SIZE);
    } while (ck_accept(p, ","));
    ck_line_end(p);
  }
  if (ck_accept(p, "loop")) {
    k->loop = ck_new_name(p);
    ck_expect(p, "=");
    k->loop_extent = ck_parse_expr(p, CK_SIZE);
    ck_line_end(p);
  }
  while (ck_before(p, "end"))
    block_line(p, new_line(p, &k->lines));
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
  if (ck_accept(p, "where")) {
    line->kind = CK_L_WHERE;
    ck_parse_relations(p, &line->items, CK_SIZE, true);
    return true;
  }
  if (!integers && !groups && !ck_at(p, "sizes"))
    return false;
  p->at++;
  line->kind = CK_L_SIZES;
  do
    size_line(p, &line->items, groups, integers);
  while (ck_accept(p, ","));
  return true;
}

bool ck_parse_about_sizes(ck_parser *p, ck_line *line) {
  return about_sizes(p, PROGRAM, line);
}

void ck_parse_input(ck_parser *p, ck_list *to) {
  input(p, to, false);
}

static void statement(ck_parser *p, text_kind kind, ck_line *line) {
  if (kind == MUGRAPH && ck_accept(p, "kernel")) {
    line->kind = CK_L_KERNEL;
    line->kernel = kernel(p);
  } else if (kind == PROGRAM && ck_accept(p, "input")) {
    line->kind = CK_L_INPUTS;
    input(p, &line->items, false);
  } else {
    line->output = kind != MUGRAPH && ck_accept(p, "output");
    if (line->output && p->at[1].kind == CK_T_LINE_END) {
      line->kind = CK_L_OUTPUT;
      line->name = ck_new_name(p);
    } else {
      assignment(p, line, kind != RULE);
    }
  }
}

const ck_token *ck_parse_uses(ck_job *job, const ck_file *file, const ck_token **uses,
                              uint32_t *n) {
  ck_parser p = {.job = job, .at = file->tokens};
  while (ck_accept(&p, "use")) {
    if (p.at->kind != CK_T_STRING)
      ck_wrong(&p, "the name of a file expected, in quotes");
    else if (ck_within(job, p.at, CK_LIMIT_FILES, *n + 1))
      uses[(*n)++] = p.at++;
    ck_line_end(&p);
  }
  return p.at;
}

ck_graph *ck_parse_graph(ck_job *job, const ck_token *from, bool candidate) {
  ck_parser p = {.job = job, .at = from};
  ck_graph *g = ck_keep(job, sizeof *g);
  bool head = true;
  g->at = p.at;
  g->mugraph = candidate && ck_at(&p, "mugraph");
  g->tile = ck_at(&p, "tile");
  ck_expect(&p, g->mugraph ? "mugraph" : g->tile ? "tile" : "program");
  g->name = ck_new_name(&p)->text;
  ck_line_end(&p);
  if (g->tile)
    ck_parse_tile(&p, g);
  while (p.at->kind != CK_T_END) {
    ck_line *line = new_line(&p, &g->lines);
    text_kind kind = g->mugraph ? MUGRAPH : PROGRAM;
    if (!(head || kind == PROGRAM) || !about_sizes(&p, kind, line)) {
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
  g->at = p->at;
  if (p->at->kind != CK_T_LINE_END) {
    ck_line *line = new_line(p, &g->lines);
    line->kind = CK_L_DEFINE;
    line->output = true;
    line->value = ck_parse_expr(p, CK_TENSOR);
    ck_line_end(p);
  } else {
    p->at++;
    while (!ck_at(p, "rhs") && !ck_at(p, "expect") && !definition_begins(p)) {
      statement(p, RULE, new_line(p, &g->lines));
      ck_line_end(p);
    }
  }
  g->end = p->at;
}

static void rule_declaration(ck_parser *p, ck_line *line) {
  if (about_sizes(p, RULE, line))
    return;
  if (ck_accept(p, "tensor")) {
    line->kind = CK_L_INPUTS;
    do
      input(p, &line->items, true);
    while (ck_accept(p, ","));
  } else if (ck_accept(p, "assume")) {
    line->kind = CK_L_ASSUME;
    ck_parse_relations(p, &line->items, CK_TENSOR, true);
  } else {
    ck_wrong(p, "sizes, ints, axes, tensor, where, assume or lhs expected");
  }
}

static void expectation(ck_parser *p) { /* for tests: nothing that is claimed */
  if (!ck_accept(p, "expect"))
    return;
  if (!ck_accept(p, "proved") && !ck_accept(p, "refuted") && !ck_accept(p, "unknown") &&
      !ck_accept(p, "vacuous"))
    ck_wrong(p, "proved, refuted, unknown or vacuous expected");
  ck_line_end(p);
}

ck_rule *ck_parse_rule(ck_job *job, const ck_token *name) {
  ck_parser p = {.job = job, .at = name + 1};
  ck_rule *r = ck_keep(job, sizeof *r);
  r->at = name;
  r->from = name[-1].from;
  ck_line_end(&p);
  while (ck_before(&p, "lhs")) {
    rule_declaration(&p, new_line(&p, &r->declarations.lines));
    ck_line_end(&p);
  }
  ck_expect(&p, "lhs");
  side_of_rule(&p, &r->left);
  ck_expect(&p, "rhs");
  side_of_rule(&p, &r->right);
  expectation(&p);
  if (!definition_begins(&p))
    ck_wrong(&p, "'rule', 'op' or 'func' expected");
  r->to = p.at[-2].end;
  return r;
}
