/* Tile programs of any form (docs/tile.md section 1) as trees.  A load is a tile made of an element
 * of a tensor, or of a choice between that and the value of what is masked out. */
#include "ck_tree.h"

static ck_line *new_line(ck_parser *p, ck_list *to, ck_line_kind kind) {
  ck_line *line = ck_add(p->job, to, sizeof *line);
  line->at = p->at;
  line->kind = kind;
  return line;
}

static const ck_token *new_name(ck_parser *p) {
  static const char *const words[] = {"tile", "inout", "scratch",  "for",  "to",   "step",
                                      "next", "carry", "parallel", "make", "over", "else"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (ck_at(p, words[i]))
      ck_refuse(p->job, p->at, "this word is reserved in a tile program");
  }
  return ck_new_name(p);
}

/* [NAME < extent, ..] */
static void lanes(ck_parser *p, ck_list *to) {
  ck_expect(p, "[");
  if (ck_accept(p, "]"))
    return;
  do {
    ck_part *lane = ck_add(p->job, to, sizeof *lane);
    lane->at = new_name(p);
    lane->name = lane->at->text;
    ck_expect(p, "<");
    lane->value = ck_parse_expr(p, CK_BODY);
  } while (ck_goes_on(p, "]"));
}

static ck_expr *place(ck_parser *p) {
  ck_expr *x = ck_parse_access(p);
  x->of_tensor = true;
  return x;
}

/* a name or number that no text can have at this place */
static ck_expr *made(ck_parser *p, ck_expr_kind kind, const char *text) {
  ck_expr *x = ck_keep(p->job, sizeof *x);
  ck_token *at = ck_keep(p->job, sizeof *at);
  *at = *p->at;
  at->text = text;
  *x = (ck_expr){.kind = kind, .at = at};
  return x;
}

static void load(ck_parser *p, ck_line *line) {
  line->name = new_name(p);
  lanes(p, &line->tile);
  ck_expect(p, "=");
  line->value = place(p);
  if (!ck_accept(p, "where"))
    return;
  ck_expr *condition = ck_parse_condition(p);
  ck_expr *other = ck_accept(p, "else") ? ck_parse_expr(p, CK_BODY) : NULL;
  if (!other) {
    other = made(p, CK_X_NAME, "$none");
    line->computed = ck_choice(p, condition, made(p, CK_X_NUMBER, "1"), made(p, CK_X_NUMBER, "0"));
  }
  line->value = ck_choice(p, condition, line->value, other);
}

static ck_expr *joined(ck_parser *p, ck_expr_kind kind, ck_expr *left, ck_expr *right) {
  ck_expr *x = made(p, kind, "=");
  x->op = CK_EQ;
  x->left = left;
  x->right = right;
  return x;
}

static ck_expr *unless_masked(ck_parser *p, ck_expr *mask, ck_expr *x) {
  return mask ? ck_choice(p, mask, x, made(p, CK_X_NUMBER, "0")) : x;
}

/* the conditions under which it is this place, $p0, $p1, .., from this axis on, and then what else
 */
static ck_expr *is_here(ck_parser *p, const ck_part *index, uint32_t axis, ck_expr *mask) {
  if (!index)
    return mask;
  ck_expr *place = made(p, CK_X_NAME, ck_keep_text(p->job, "$p%u", axis));
  ck_expr *same = joined(p, CK_X_RELATION, index->value, place);
  ck_expr *rest = is_here(p, index->next, axis + 1, mask);
  return rest ? joined(p, CK_X_AND, same, rest) : same;
}

static void store(ck_parser *p, ck_line *line) {
  line->place = place(p);
  ck_expect(p, "=");
  line->value = ck_parse_expr(p, CK_BODY);
  if (ck_accept(p, "over"))
    lanes(p, &line->tile);
  ck_expr *mask = ck_accept(p, "where") ? ck_parse_condition(p) : NULL;
  ck_within(p->job, line->at, CK_LIMIT_AXES, line->place->indices.n);
  if (ck_refused(p->job))
    return;
  line->touched = unless_masked(p, mask, line->place);
  line->computed = unless_masked(p, mask, line->value);
  ck_expr *here = is_here(p, line->place->indices.first, 0, mask);
  line->stored = here ? ck_choice(p, here, line->value, made(p, CK_X_NAME, "$s")) : line->value;
}

static void make(ck_parser *p, ck_line *line) {
  line->name = new_name(p);
  lanes(p, &line->tile);
  ck_expect(p, "=");
  line->value = ck_parse_expr(p, CK_BODY);
}

/* NAME = expression, in which a name is a tile's as a whole */
static void expression(ck_parser *p, ck_line *line) {
  line->name = new_name(p);
  ck_expect(p, "=");
  const ck_token *at = p->at;
  line->value = ck_parse_expr(p, CK_TENSOR);
  for (; at < p->at; at++) {
    if (ck_token_is(at, "["))
      ck_refuse(p->job, at, "a tile program takes no parts of tiles");
  }
}

/* NAME : type dims [= number] */
static void tensor(ck_parser *p, ck_line *line) {
  line->name = new_name(p);
  ck_expect(p, ":");
  ck_parse_type(p);
  ck_parse_parts(p, &line->tile, CK_DIMS);
  if (ck_accept(p, "="))
    line->value = ck_parse_number(p);
}

static void statements(ck_parser *p, ck_list *to);

/* NAME = from to bound [step step], then what it carries, the body, and what is carried on */
static void loop(ck_parser *p, ck_line *line) {
  line->name = new_name(p);
  ck_expect(p, "=");
  line->from = ck_parse_expr(p, CK_BODY);
  ck_expect(p, "to");
  line->to = ck_parse_expr(p, CK_BODY);
  if (ck_accept(p, "step"))
    line->step = ck_parse_expr(p, CK_BODY);
  ck_line_end(p);
  while (ck_accept(p, "carry")) {
    if (ck_at(p, "int"))
      ck_wrong(p, "no claim is made of tiles of integers that a loop carries");
    expression(p, new_line(p, &line->lines, CK_L_CARRY));
    ck_line_end(p);
  }
  statements(p, &line->lines);
  while (ck_accept(p, "next")) {
    expression(p, new_line(p, &line->lines, CK_L_NEXT));
    ck_line_end(p);
  }
  ck_expect(p, "end");
}

static void statement(ck_parser *p, ck_list *to) {
  ck_line *line = new_line(p, to, CK_L_DEFINE);
  bool parallel = ck_accept(p, "parallel");
  if (parallel || ck_accept(p, "for")) {
    line->kind = CK_L_LOOP;
    line->parallel = parallel;
    loop(p, line);
  } else if (ck_accept(p, "load")) {
    line->kind = CK_L_MAKE;
    load(p, line);
  } else if (ck_accept(p, "make")) {
    line->kind = CK_L_MAKE;
    make(p, line);
  } else if (ck_accept(p, "store")) {
    line->kind = CK_L_PUT;
    store(p, line);
  } else if (ck_accept(p, "scratch")) {
    line->kind = CK_L_TENSOR;
    tensor(p, line);
  } else {
    expression(p, line);
  }
  ck_line_end(p);
}

static void statements(ck_parser *p, ck_list *to) {
  if (++p->nesting > CK_MAX_NESTING)
    ck_within(p->job, p->at, CK_LIMIT_NESTING, p->nesting);
  while (ck_before(p, "end") && !ck_at(p, "next") && !ck_refused(p->job))
    statement(p, to);
  p->nesting--;
}

/* input and inout are given; inout and output are results */
static bool declaration(ck_parser *p, ck_list *to) {
  ck_line *line = new_line(p, to, CK_L_TENSOR);
  if (ck_parse_about_sizes(p, line)) {
    ck_line_end(p);
    return true;
  }
  line->output = ck_at(p, "inout") || ck_at(p, "output");
  if (ck_accept(p, "input") || ck_accept(p, "inout")) {
    line->kind = CK_L_INPUTS;
    line->name = p->at;
    ck_parse_input(p, &line->items);
  } else if (ck_accept(p, "output") || ck_accept(p, "scratch")) {
    line->kind = CK_L_TENSOR;
    tensor(p, line);
  } else {
    return false;
  }
  ck_line_end(p);
  return true;
}

void ck_parse_tile(ck_parser *p, ck_graph *g) {
  bool declares = true;
  while (p->at->kind != CK_T_END) {
    ck_list one = {.first = NULL};
    declares = declares && declaration(p, &one);
    if (!declares) {
      one = (ck_list){.first = NULL};
      statement(p, &one);
    }
    ck_link(&g->lines, one.first);
  }
}
