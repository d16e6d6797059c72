/* Tile programs of block form (proofs/CLAIM.md section 6.1).  Each is read as the block graphs that
 * it is: parallel loops are the grid, a `for` is the loop, what is carried is a sum, and positions
 * say which tile of a tensor is meant.  All else that the language has is refused.
 *
 * Names are looked up here, as far as what is visible in a tile program differs from what is
 * visible in a block: so no two that are visible are the same. */
#include "ck_tree.h"
#include <stdlib.h>

typedef enum {
  SIZE,
  INPUT,
  TENSOR,
  AXIS, /* the variable of a parallel loop, of the loop; a lane */
  LOOP,
  LANE,
  TILE,
  ZEROS,  /* made to be carried */
  CARRIED /* seen by its own `next` alone */
} name_kind;

typedef struct name {
  struct name *up;
  const ck_token *at;
  name_kind kind;
  int grid;        /* of an axis */
  ck_expr *extent; /* of an axis, a loop, a lane */
  ck_list dims;    /* of a tensor, of zeros and what begins with them: ck_part */
  bool done;       /* zeros: carried; a carried tile: its next was read */
} name;

typedef struct {
  ck_parser p;
  ck_graph *g;
  ck_kernel *k;
  name *names; /* visible here, the latest first */
} reader;

static name *find(const reader *r, const ck_token *at) {
  name *known = r->names;
  while (known && strcmp(known->at->text, at->text) != 0)
    known = known->up;
  return known;
}

bool ck_is_tile_word(const ck_token *word) {
  static const char *const words[] = {"tile", "inout", "scratch",  "for",  "to",   "step",
                                      "next", "carry", "parallel", "make", "over", "else"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (ck_token_is(word, words[i]))
      return true;
  }
  return false;
}

static name *enter(reader *r, const ck_token *at, name_kind kind) {
  if (ck_is_tile_word(at))
    ck_refuse(r->p.job, at, "this word is reserved in a tile program");
  if (find(r, at))
    ck_refuse(r->p.job, at, "%s is already defined", at->text);
  name *made = ck_keep(r->p.job, sizeof *made);
  *made = (name){.up = r->names, .at = at, .kind = kind};
  r->names = made;
  return made;
}

static name *new_name(reader *r, name_kind kind) {
  return enter(r, ck_new_name(&r->p), kind);
}

/* the NAME at the cursor, of that kind; NULL: refused */
static name *known(reader *r, name_kind kind, const char *what) {
  const ck_token *at = ck_new_name(&r->p);
  name *found = find(r, at);
  if (found && found->kind == kind)
    return found;
  ck_refuse(r->p.job, at, "%s is not %s here", at->text, what);
  return NULL;
}

/* = 0 */
static void zero(reader *r) {
  ck_expect(&r->p, "=");
  if (r->p.at->kind == CK_T_NUMBER && strcmp(r->p.at->text, "0") == 0)
    r->p.at++;
  else
    ck_wrong(&r->p, "0 expected");
}

/* = 0 to extent */
static void range(reader *r, name *variable) {
  zero(r);
  ck_expect(&r->p, "to");
  variable->extent = ck_parse_expr(&r->p, CK_SIZE);
  ck_line_end(&r->p);
}

static ck_line *new_line(reader *r, ck_list *to, ck_line_kind kind) {
  ck_line *line = ck_add(r->p.job, to, sizeof *line);
  line->at = r->p.at;
  line->kind = kind;
  return line;
}

/* --- lanes and positions */
static void lanes(reader *r, ck_list *tile) {
  ck_expect(&r->p, "[");
  if (ck_accept(&r->p, "]"))
    return;
  do {
    ck_part *axis = ck_add(r->p.job, tile, sizeof *axis);
    name *lane = new_name(r, LANE);
    axis->at = lane->at;
    axis->name = lane->at->text;
    ck_expect(&r->p, "<");
    lane->extent = axis->value = ck_parse_expr(&r->p, CK_SIZE);
  } while (ck_goes_on(&r->p, "]"));
}

/* the same text, but for blanks and parentheses that change nothing */
static bool same(const ck_expr *a, const ck_expr *b) {
  if (!a || !b || a->kind != b->kind)
    return a == b;
  if (a->kind == CK_X_NAME || a->kind == CK_X_NUMBER)
    return strcmp(a->at->text, b->at->text) == 0;
  bool plain = a->kind == CK_X_ADD || a->kind == CK_X_SUB || a->kind == CK_X_MUL;
  return plain && same(a->left, b->left) && same(a->right, b->right);
}

/* the variable that x is, of this kind; else NULL */
static const name *variable(const reader *r, const ck_expr *x, name_kind kind) {
  const name *found = x->kind == CK_X_NAME ? find(r, x->at) : NULL;
  return found && found->kind == kind ? found : NULL;
}

static void divide(reader *r, ck_line *line, const ck_expr *x, int grid, uint32_t axis) {
  ck_map *m = ck_add(r->p.job, &line->map, sizeof *m);
  *m = (ck_map){.next = m->next, .at = x->at, .grid = grid, .axis = (long)axis};
}

/* which tile of the axis: v, l, or v * L + l where L is the extent of the loop l */
static bool tile_number(reader *r, ck_line *line, const ck_expr *x, uint32_t axis) {
  bool both = x->kind == CK_X_ADD && x->left->kind == CK_X_MUL;
  const name *l = variable(r, both ? x->right : x, LOOP);
  const name *v = variable(r, both ? x->left->left : x, AXIS);
  if (both && (!l || !v || !same(x->left->right, l->extent)))
    return false;
  if (v)
    divide(r, line, x, v->grid, axis);
  if (l)
    divide(r, line, x, CK_LOOP, axis);
  return v || l;
}

/* i, or n * s + i, where s is the extent of the lane i and n says which tile it is */
static void position(reader *r, ck_line *line, const ck_expr *x, const ck_part *lane,
                     uint32_t axis) {
  bool whole = x->kind != CK_X_ADD;
  const ck_expr *last = whole ? x : x->right;
  bool fits = lane && last->kind == CK_X_NAME && strcmp(last->at->text, lane->name) == 0;
  if (fits && !whole) {
    const ck_expr *start = x->left;
    fits = start->kind == CK_X_MUL && same(start->right, lane->value) &&
           tile_number(r, line, start->left, axis);
  }
  if (!fits) {
    ck_refuse(r->p.job, x->at,
              "axis %u: not a tile of the grid or the loop, from lane to lane in their order",
              axis);
  }
}

/* [e, ..], for the lanes of the line */
static void place(reader *r, ck_line *line) {
  const ck_part *lane = line->tile.first;
  uint32_t axis = 0;
  ck_expect(&r->p, "[");
  if (!ck_accept(&r->p, "]")) {
    do {
      const ck_expr *x = ck_parse_expr(&r->p, CK_SIZE);
      if (!ck_refused(r->p.job))
        position(r, line, x, lane, axis++);
      lane = lane ? lane->next : NULL;
    } while (ck_goes_on(&r->p, "]"));
  }
  if (lane)
    ck_refuse(r->p.job, lane->at, "more lanes than positions");
}

/* --- statements of a kernel */
/* NAME lanes = TENSOR place; of a tensor that is an input or was stored before */
static void load(reader *r) {
  ck_line *line = new_line(r, &r->k->lines, CK_L_LOAD);
  line->name = ck_new_name(&r->p);
  name *before = r->names;
  lanes(r, &line->tile);
  ck_expect(&r->p, "=");
  line->source = ck_new_name(&r->p);
  place(r, line);
  r->names = before;
  enter(r, line->name, TILE);
}

/* TENSOR place = TILE over lanes, where lanes are read first: what stands before speaks of them */
static void store(reader *r) {
  ck_line *line = new_line(r, &r->k->lines, CK_L_STORE);
  name *before = r->names;
  const name *to = known(r, TENSOR, "a tensor that can be stored to");
  const ck_token *at = r->p.at;
  while (r->p.at->kind != CK_T_LINE_END && r->p.at->kind != CK_T_END && !ck_at(&r->p, "over"))
    r->p.at++;
  ck_expect(&r->p, "over");
  lanes(r, &line->tile);
  const ck_token *behind = r->p.at;
  if (ck_refused(r->p.job) || !to)
    return;
  r->p.at = at;
  place(r, line);
  ck_expect(&r->p, "=");
  const name *tile = known(r, TILE, "a tile");
  ck_expect(&r->p, "over");
  if (ck_refused(r->p.job) || !tile)
    return;
  r->p.at = behind;
  r->names = before;
  line->name = to->at;
  line->source = tile->at;
  line->whole = to->dims;
  line->shaped = true;
}

/* NAME lanes = 0, which a loop is to carry */
static void zeros(reader *r) {
  const ck_token *at = ck_new_name(&r->p);
  name *before = r->names;
  ck_list dims = {.first = NULL};
  lanes(r, &dims);
  zero(r);
  r->names = before;
  enter(r, at, ZEROS)->dims = dims;
}

/* every name in an expression is that of a size or a tile, of an operator or an attribute */
static void visible(reader *r, const ck_token *from, const ck_token *to) {
  for (const ck_token *at = from; at < to; at++) {
    bool called = ck_token_is(at + 1, "(") || ck_token_is(at + 1, "=");
    if (ck_token_is(at, "["))
      ck_refuse(r->p.job, at, "a tile program takes no parts of tiles");
    if (at->kind != CK_T_NAME || called || ck_is_reserved(at))
      continue;
    const name *found = find(r, at);
    if (!found || (found->kind != TILE && found->kind != SIZE))
      ck_refuse(r->p.job, at, "%s is no tile and no size here", at->text);
  }
}

static void let(reader *r) {
  ck_line *line = new_line(r, &r->k->lines, CK_L_DEFINE);
  line->name = ck_new_name(&r->p);
  ck_expect(&r->p, "=");
  const ck_token *from = r->p.at;
  line->value = ck_parse_expr(&r->p, CK_TENSOR);
  visible(r, from, r->p.at);
  enter(r, line->name, TILE);
}

static void computes(reader *r) {
  if (ck_accept(&r->p, "load"))
    load(r);
  else
    let(r);
  ck_line_end(&r->p);
}

/* --- the loop */
/* NAME = ZEROS */
static void carry(reader *r) {
  const ck_token *at = ck_new_name(&r->p);
  ck_expect(&r->p, "=");
  name *from = known(r, ZEROS, "a tile made of zeros");
  ck_line_end(&r->p);
  if (!from)
    return;
  from->done = true;
  enter(r, at, CARRIED)->dims = from->dims;
}

/* NAME = NAME + TILE */
static void next(reader *r) {
  ck_line *line = new_line(r, &r->k->lines, CK_L_ACCUMULATE);
  name *sum = known(r, CARRIED, "carried by this loop");
  ck_expect(&r->p, "=");
  const name *again = known(r, CARRIED, "carried by this loop");
  ck_expect(&r->p, "+");
  const name *tile = known(r, TILE, "a tile");
  ck_line_end(&r->p);
  if (!sum || !tile)
    return;
  if (again != sum || sum->done)
    ck_refuse(r->p.job, line->at, "each carried tile becomes itself and another one, once");
  sum->done = true;
  line->name = sum->at;
  line->source = tile->at;
  line->tile = sum->dims;
  line->shaped = true;
}

/* What is computed in the loop is not known behind it; what it carries is. */
static void loop(reader *r) {
  name *outside = r->names;
  name *inside;
  if (r->k->loop)
    ck_refuse(r->p.job, r->p.at, "a kernel has one loop");
  name *l = new_name(r, LOOP);
  range(r, l);
  r->k->loop = l->at;
  r->k->loop_extent = l->extent;
  name *before = r->names;
  while (ck_accept(&r->p, "carry"))
    carry(r);
  inside = r->names;
  while (ck_before(&r->p, "end") && !ck_at(&r->p, "next"))
    computes(r);
  while (ck_accept(&r->p, "next"))
    next(r);
  ck_expect(&r->p, "end");
  ck_line_end(&r->p);
  r->names = outside;
  for (name *c = inside; c != before && !ck_refused(r->p.job); c = c->up) {
    if (!c->done)
      ck_refuse(r->p.job, c->at, "%s is carried and has no next", c->at->text);
    enter(r, c->at, TILE);
  }
}

/* --- kernels */
/* Parallel loops directly in each other, up to three, are the grid axes x, y, z. */
static void grid(reader *r) {
  ck_map *g = ck_add(r->p.job, &r->k->grid, sizeof *g);
  name *v = new_name(r, AXIS);
  v->grid = g->grid = (int)r->k->grid.n - 1;
  g->at = v->at;
  if (g->grid == CK_LOOP) {
    ck_refuse(r->p.job, v->at, "more than three parallel loops within each other");
    r->p.at = r->p.at->file->end;
    return;
  }
  range(r, v);
  g->extent = v->extent;
  if (ck_accept(&r->p, "parallel")) {
    grid(r);
  } else {
    while (ck_before(&r->p, "end")) {
      if (ck_accept(&r->p, "for")) {
        loop(r);
      } else if (ck_accept(&r->p, "make")) {
        zeros(r);
        ck_line_end(&r->p);
      } else if (ck_accept(&r->p, "store")) {
        store(r);
        ck_line_end(&r->p);
      } else {
        computes(r);
      }
    }
  }
  r->k->end = r->p.at;
  ck_expect(&r->p, "end");
  ck_line_end(&r->p);
}

static void kernel(reader *r) {
  name *outside = r->names;
  ck_line *line = new_line(r, &r->g->lines, CK_L_KERNEL);
  ck_expect(&r->p, "parallel");
  r->k = line->kernel = ck_keep(r->p.job, sizeof *r->k);
  r->k->at = line->at;
  grid(r);
  for (const name *n = r->names; n != outside; n = n->up) {
    if (n->kind == ZEROS && !n->done)
      ck_refuse(r->p.job, n->at, "%s is carried by no loop", n->at->text);
  }
  r->names = outside;
}

/* --- declarations */
/* NAME : type dims [= number]; what it holds at the start is overwritten before it is read */
static const ck_token *tensor(reader *r) {
  name *made = new_name(r, TENSOR);
  ck_expect(&r->p, ":");
  if (!ck_accept(&r->p, "f16") && !ck_accept(&r->p, "bf16") && !ck_accept(&r->p, "f32"))
    ck_wrong(&r->p, "f16, bf16 or f32 expected");
  ck_parse_parts(&r->p, &made->dims, CK_DIMS);
  if (ck_accept(&r->p, "="))
    ck_parse_number(&r->p);
  ck_line_end(&r->p);
  return made->at;
}

static void input(reader *r) {
  ck_line *line = new_line(r, &r->g->lines, CK_L_INPUTS);
  enter(r, r->p.at, INPUT);
  ck_parse_input(&r->p, &line->items);
  ck_line_end(&r->p);
}

static void sizes(reader *r) {
  ck_line *line = new_line(r, &r->g->lines, CK_L_SIZES);
  ck_parse_about_sizes(&r->p, line);
  ck_line_end(&r->p);
  if (line->kind == CK_L_SIZES) {
    CK_EACH(ck_size_line, size, line->items)
      enter(r, size->at, SIZE);
  }
}

static void read_blocks(ck_parser *p, ck_graph *g) {
  reader r = {.p = *p, .g = g};
  ck_list outputs = {.first = NULL};
  while (r.p.at->kind != CK_T_END && !ck_at(&r.p, "parallel")) {
    if (ck_at(&r.p, "sizes") || ck_at(&r.p, "where")) {
      sizes(&r);
    } else if (ck_accept(&r.p, "input")) {
      input(&r);
    } else if (ck_accept(&r.p, "scratch")) {
      tensor(&r);
    } else {
      ck_expect(&r.p, "output");
      ck_line *line = new_line(&r, &outputs, CK_L_OUTPUT);
      line->name = tensor(&r);
    }
  }
  while (r.p.at->kind != CK_T_END)
    kernel(&r);
  for (ck_line *line = outputs.first, *following; line; line = following) {
    following = line->next;
    line->next = NULL;
    ck_link(&g->lines, line);
  }
  *p = r.p;
}

bool ck_parse_block_form(ck_parser *p, ck_graph *g) {
  ck_msg why = {0};
  ck_job trial = {&why, p->job->memory};
  ck_parser q = {.job = &trial, .at = p->at};
  ck_graph read = *g;
  read_blocks(&q, &read);
  p->job->memory = trial.memory;
  free(why.text);
  free(why.file);
  if (why.text)
    return false;
  *g = read;
  p->at = q.at;
  return true;
}
