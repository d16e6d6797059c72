/* Parts of a program: axis classes by following every operator's indices; the plans (which classes
 * blocks and the loop divide); the operators worth trying; the abstract expressions of the part's
 * own tensors. */
#include "sg.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t root(uint8_t *p, uint8_t c) {
  while (p[c] != c)
    c = p[c];
  return c;
}

static uint32_t position(const sg_part *p, uint32_t node) {
  for (uint32_t i = 0; i < p->n; i++) {
    if (p->tensor[i] == node)
      return i;
  }
  return AS_NONE;
}

static bool fresh_axes(sg_part *p, uint8_t *parent, const as_node *nd, bool rigid, sg_axes *out) {
  out->rank = nd->rank;
  for (uint32_t i = 0; i < nd->rank; i++) {
    long v;
    if (as_size_is_const(p->g->sizes, nd->dim[i], &v) && v == 1) {
      out->ax[i] = SG_UNIT;
      continue;
    }
    if (p->n_cls == AX_MAX_CLASS)
      return false;
    parent[p->n_cls] = (uint8_t)p->n_cls;
    p->cls[p->n_cls] = (sg_class){.extent = nd->dim[i], .rigid = rigid};
    out->ax[i] = SG_LABEL(p->n_cls, 0);
    p->n_cls++;
  }
  return true;
}

static void gather(sg_part *p, const as_graph *g, const uint32_t *nodes, uint32_t n) {
  uint32_t total = n;
  for (uint32_t i = 0; i < n; i++)
    total += g->node[nodes[i]].nargs;
  p->g = g;
  p->tensor = as_malloc((total + 1) * sizeof *p->tensor);
  p->output = as_malloc((n + 1) * sizeof *p->output);
  p->axes = as_calloc(total + 1, sizeof *p->axes);
  for (int consts = 0; consts < 2; consts++) {
    for (uint32_t i = 0; i < n; i++) {
      for (uint32_t j = 0; j < g->node[nodes[i]].nargs; j++) {
        uint32_t a = g->node[nodes[i]].arg[j];
        bool own = false;
        for (uint32_t k = 0; k < n; k++)
          own |= nodes[k] == a;
        if (!own && (g->node[a].kind == AS_N_CONST) == consts && position(p, a) == AS_NONE)
          p->tensor[p->n++] = a;
      }
    }
    if (!consts)
      p->n_input = p->n;
  }
  p->n_leaf = p->n;
  for (uint32_t i = 0; i < n; i++)
    p->tensor[p->n++] = nodes[i];
}

static bool infer(sg_part *p, uint8_t *parent) {
  sg_ctx C = {.part = p, .parent = parent, .sizes = p->g->sizes, .strict_ones = true};
  for (uint32_t i = 0; i < p->n; i++) {
    const as_node *nd = &p->g->node[p->tensor[i]];
    if (i < p->n_leaf) {
      if (!fresh_axes(p, parent, nd, false, &p->axes[i]))
        return false;
      continue;
    }
    sg_axes arg[AS_MAX_ARGS];
    ax_id none;
    for (uint32_t j = 0; j < nd->nargs; j++)
      arg[j] = p->axes[position(p, nd->arg[j])];
    if (sg_apply(&C, nd->op, nd->attr, nd->nargs, arg, NULL, &p->axes[i], &none))
      continue;
    for (uint32_t j = 0; j < nd->nargs; j++) {
      for (uint32_t k = 0; k < arg[j].rank; k++) {
        if (arg[j].ax[k] != SG_UNIT)
          p->cls[SG_CLASS(arg[j].ax[k])].rigid = true;
      }
    }
    if (!fresh_axes(p, parent, nd, true, &p->axes[i]))
      return false;
  }
  return true;
}

/* classes that were united get one number; numbers in order of first appearance */
static void compact(sg_part *p, uint8_t *parent) {
  uint8_t to[AX_MAX_CLASS];
  sg_class old[AX_MAX_CLASS];
  uint32_t n = 0;
  memcpy(old, p->cls, sizeof old);
  memset(to, 255, sizeof to);
  for (uint32_t c = 0; c < p->n_cls; c++) {
    uint8_t r = root(parent, (uint8_t)c);
    if (to[r] == 255) {
      to[r] = (uint8_t)n;
      p->cls[n++] = old[r];
    }
    to[c] = to[r];
  }
  for (uint32_t c = 0; c < p->n_cls; c++) {
    if (old[c].rigid)
      p->cls[to[c]].rigid = true;
  }
  p->n_cls = n;
  for (uint32_t i = 0; i < p->n; i++) {
    for (uint32_t k = 0; k < p->axes[i].rank; k++) {
      if (p->axes[i].ax[k] != SG_UNIT)
        p->axes[i].ax[k] = SG_LABEL(to[SG_CLASS(p->axes[i].ax[k])], 0);
    }
  }
}

/* a common order of axes: each class after those that precede it in some tensor, where the tensors
 * agree */
static void order_classes(sg_part *p) {
  bool done[AX_MAX_CLASS] = {false};
  for (uint32_t k = 0; k < p->n_cls; k++) {
    uint32_t best = AS_NONE;
    uint32_t least = AS_NONE;
    for (uint32_t c = 0; c < p->n_cls; c++) {
      uint32_t before = 0;
      if (done[c])
        continue;
      for (uint32_t i = 0; i < p->n; i++) {
        for (uint32_t a = 0; a < p->axes[i].rank; a++) {
          if (p->axes[i].ax[a] == SG_LABEL(c, 0)) {
            for (uint32_t b = 0; b < a; b++)
              before += p->axes[i].ax[b] != SG_UNIT && !done[SG_CLASS(p->axes[i].ax[b])];
          }
        }
      }
      if (before < least) {
        least = before;
        best = c;
      }
    }
    done[best] = true;
    p->cls[best].rank = k;
  }
}

uint32_t *sg_last_use(const as_graph *g) {
  uint32_t *last = as_calloc(g->n + 1, sizeof *last);
  for (uint32_t u = 0; u < g->n; u++) {
    for (uint32_t j = 0; j < g->node[u].nargs; j++)
      last[g->node[u].arg[j]] = u;
  }
  for (uint32_t j = 0; j < g->n_output; j++)
    last[g->output[j]] = AS_NONE;
  return last;
}

bool sg_part_init(sg_part *p, const as_graph *g, const uint32_t *nodes, uint32_t n,
                  const uint32_t *last_use) {
  uint8_t parent[AX_MAX_CLASS];
  memset(p, 0, sizeof *p);
  gather(p, g, nodes, n);
  if (!infer(p, parent)) {
    sg_part_clear(p);
    return false;
  }
  compact(p, parent);
  for (uint32_t i = p->n_leaf; i < p->n; i++) {
    uint32_t last = last_use[p->tensor[i]];
    if (last == 0 || last > nodes[n - 1])
      p->output[p->n_output++] = i;
  }
  for (uint32_t i = 0; i < p->n; i++) {
    for (uint32_t k = 0; k < p->axes[i].rank; k++) {
      if (p->axes[i].rank > p->max_rank)
        p->max_rank = p->axes[i].rank;
      if (p->axes[i].ax[k] != SG_UNIT && i < p->n_input)
        p->cls[SG_CLASS(p->axes[i].ax[k])].in_inputs = true;
    }
  }
  for (uint32_t c = 0; c < p->n_cls; c++) {
    p->cls[c].in_outputs = p->n_output > 0;
    for (uint32_t o = 0; o < p->n_output; o++) {
      uint32_t times = 0;
      for (uint32_t k = 0; k < p->axes[p->output[o]].rank; k++)
        times += p->axes[p->output[o]].ax[k] == SG_LABEL(c, 0);
      if (times != 1)
        p->cls[c].in_outputs = false;
    }
  }
  order_classes(p);
  return true;
}

void sg_part_clear(sg_part *p) {
  free(p->tensor);
  free(p->output);
  free(p->axes);
  memset(p, 0, sizeof *p);
}

bool sg_program_exprs(const sg_ctx *C, ax_id *expr, sg_axes *axes) {
  const sg_part *p = C->part;
  for (uint32_t i = 0; i < p->n; i++) {
    const as_node *nd = &p->g->node[p->tensor[i]];
    axes[i] = p->axes[i];
    if (i < p->n_input) {
      uint64_t dep = 0;
      for (uint32_t k = 0; k < axes[i].rank; k++) {
        if (axes[i].ax[k] != SG_UNIT)
          dep |= 3ull << (2 * SG_CLASS(axes[i].ax[k]));
      }
      expr[i] = ax_tensor(C->A, i, dep);
      continue;
    }
    if (i < p->n_leaf) {
      expr[i] = ax_const(C->A, nd->value);
      if (expr[i] == AX_BAD)
        return false;
      continue;
    }
    sg_axes arg[AS_MAX_ARGS];
    sg_axes out;
    ax_id e[AS_MAX_ARGS];
    for (uint32_t j = 0; j < nd->nargs; j++) {
      uint32_t a = position(p, nd->arg[j]);
      arg[j] = axes[a];
      e[j] = expr[a];
    }
    if (sg_apply(C, nd->op, nd->attr, nd->nargs, arg, e, &out, &expr[i]))
      continue;
    bool split = false; /* elements addressed by arithmetic: opaque, and only on whole axes */
    for (uint32_t j = 0; j < nd->nargs; j++) {
      for (uint32_t k = 0; k < arg[j].rank; k++) {
        split |=
            C->plan && arg[j].ax[k] != SG_UNIT && C->plan->mode[SG_CLASS(arg[j].ax[k])] != SG_WHOLE;
      }
    }
    if (split)
      return false;
    char head[48];
    snprintf(head, sizeof head, "%.30s.%u", nd->op->name, i);
    expr[i] = ax_opaque(C->A, head, e, nd->nargs);
    if (expr[i] == AX_BAD)
      return false;
  }
  return true;
}

/* --- plans */
static bool class_repeats(const sg_part *p, uint32_t c) {
  for (uint32_t i = 0; i < p->n; i++) {
    uint32_t times = 0;
    for (uint32_t k = 0; k < p->axes[i].rank; k++)
      times += p->axes[i].ax[k] == SG_LABEL(c, 0);
    if (times > 1)
      return true;
  }
  return false;
}

/* every input has the class and two more axes: nothing is shared between its indices, so a block
 * takes one */
static bool is_batch(const sg_part *p, uint32_t c) {
  for (uint32_t i = 0; i < p->n_input; i++) {
    bool has = false;
    uint32_t others = 0;
    for (uint32_t k = 0; k < p->axes[i].rank; k++) {
      has |= p->axes[i].ax[k] == SG_LABEL(c, 0);
      others += p->axes[i].ax[k] != SG_LABEL(c, 0) && p->axes[i].ax[k] != SG_UNIT;
    }
    if (!has || others < 2)
      return false;
  }
  return p->n_input > 0;
}

static bool plan_fits(const sg_part *p, const sg_plan *plan) {
  sg_ctx C = {.part = p, .plan = plan, .sizes = p->g->sizes, .strict_ones = true, .A = ax_new()};
  ax_id *e = as_calloc(p->n + 1, sizeof *e);
  sg_axes *ax = as_calloc(p->n + 1, sizeof *ax);
  for (uint32_t c = 0; c < p->n_cls; c++)
    C.whole[c] = C.tile[c] = C.loop[c] = AX_ONE;
  bool ok = sg_program_exprs(&C, e, ax);
  free(e);
  free(ax);
  ax_free(C.A);
  return ok;
}

sg_plan *sg_plans(const sg_part *p, uint32_t *n) {
  uint32_t grid[AX_MAX_CLASS];
  uint32_t ng = 0;
  uint32_t cap = 16;
  sg_plan *out = as_malloc(cap * sizeof *out);
  *n = 0;
  for (uint32_t c = 0; c < p->n_cls; c++) {
    if (!p->cls[c].rigid && p->cls[c].in_outputs && !class_repeats(p, c) && ng < 6)
      grid[ng++] = c;
  }
  for (uint32_t mask = 0; mask < 1u << ng; mask++) {
    if (__builtin_popcount(mask) > 3)
      continue;
    for (int loop = -1; loop < (int)p->n_cls; loop++) {
      sg_plan q = {.loop = loop};
      for (uint32_t i = 0; i < ng; i++) {
        if (mask >> i & 1) {
          q.mode[grid[i]] = is_batch(p, grid[i]) ? SG_GRID_ONE : SG_GRID;
          q.grid[q.n_grid++] = grid[i];
        }
      }
      if (loop >= 0 && (q.mode[loop] != SG_WHOLE || p->cls[loop].rigid || !p->cls[loop].in_inputs ||
                        class_repeats(p, (uint32_t)loop)))
        continue;
      if (loop >= 0)
        q.mode[loop] = SG_LOOP;
      if (!plan_fits(p, &q))
        continue;
      if (*n == cap)
        out = as_realloc(out, (cap *= 2) * sizeof *out);
      out[(*n)++] = q;
    }
  }
  return out;
}

/* --- vocabulary */
/* an integer attribute has one form, the one that graphs keep */
static void settle(as_attr *a, as_sizes *S) {
  if (a->is_size || mpz_cmp_ui(mpq_denref(a->num), 1) || !mpz_fits_slong_p(mpq_numref(a->num)))
    return;
  a->is_size = true;
  a->size = as_size_int(S, mpz_get_si(mpq_numref(a->num)));
}

static void inst_set(sg_inst *in, const as_opdef *op, const as_attr *attr) {
  memset(in, 0, sizeof *in);
  in->op = op;
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++) {
    as_attr_init(&in->attr[i]);
    if (i < op->nattrs)
      as_attr_set(&in->attr[i], &attr[i]);
  }
  in->pointwise = sg_op_is_pointwise(op);
  in->broadcasts = sg_op_broadcasts(op);
  const as_expr *b = op->let[op->nlet - 1].body;
  in->commutes =
      in->broadcasts && op->nargs == 2 && op->nlet == 1 &&
      (b->kind == AS_E_ADD || b->kind == AS_E_MUL || b->kind == AS_E_MAX2 || b->kind == AS_E_MIN2);
  const as_expr *r = b->kind == AS_E_SUM ? b->kid[1] : b;
  if (op->nargs == 2 && op->nlet == 1 && r->n == 2 && r->kid[0]->kind == AS_E_ACCESS &&
      r->kid[1]->kind == AS_E_ACCESS && strcmp(r->kid[0]->name, r->kid[1]->name)) {
    in->adds = r->kind == AS_E_ADD || r->kind == AS_E_SUB;
    in->linear = in->adds || r->kind == AS_E_MUL;
    in->divides = r->kind == AS_E_FDIV && !strcmp(r->kid[0]->name, op->arg[0].name);
  }
}

bool sg_attr_same(const as_attr *a, const as_attr *b) {
  return a->is_size == b->is_size &&
         (a->is_size ? a->size == b->size : mpq_equal(a->num, b->num) != 0);
}

static void vocab_add(sg_vocab *v, const as_opdef *op, as_attr *attr, as_sizes *S) {
  for (uint32_t j = 0; j < op->nattrs; j++)
    settle(&attr[j], S);
  for (uint32_t i = 0; i < v->n; i++) {
    uint32_t j = 0;
    if (v->inst[i].op != op)
      continue;
    while (j < op->nattrs && sg_attr_same(&v->inst[i].attr[j], &attr[j]))
      j++;
    if (j == op->nattrs)
      return;
  }
  v->inst = as_realloc(v->inst, (v->n + 1) * sizeof *v->inst);
  inst_set(&v->inst[v->n++], op, attr);
}

/* an attribute that counts axes in a pattern */
static bool counts_axes(const as_opdef *op, uint32_t a) {
  for (uint32_t i = 0; i < op->nargs; i++) {
    for (uint32_t j = 0; j < op->arg[i].n; j++) {
      const as_expr *e = op->arg[i].dim[j].count;
      if (e && e->kind == AS_E_NAME && !strcmp(e->name, op->attr[a]))
        return true;
    }
  }
  return false;
}

/* all axes for the attributes that count axes (negative: from the end) */
static void add_axes(sg_vocab *v, const as_opdef *op, as_attr *attr, uint32_t at, uint32_t max_rank,
                     as_sizes *S) {
  while (at < op->nattrs && !counts_axes(op, at))
    at++;
  if (at >= op->nattrs) {
    vocab_add(v, op, attr, S);
    return;
  }
  for (long axis = -1; axis >= -(long)max_rank; axis--) {
    attr[at].is_size = true;
    attr[at].size = as_size_int(S, axis);
    add_axes(v, op, attr, at + 1, max_rank, S);
  }
}

static bool only_moves(const as_opdef *op) {
  const as_expr *b = op->let[op->nlet - 1].body;
  return b->kind == AS_E_ACCESS || b->kind == AS_E_IF || b->kind == AS_E_NUM;
}

void sg_vocab_init(sg_vocab *v, const sg_part *p) {
  memset(v, 0, sizeof *v);
  for (uint32_t i = p->n_leaf; i < p->n;
       i++) { /* the program's own calls first, as they are written */
    const as_node *nd = &p->g->node[p->tensor[i]];
    as_attr attr[AS_MAX_ATTRS];
    for (uint32_t j = 0; j < AS_MAX_ATTRS; j++) {
      as_attr_init(&attr[j]);
      as_attr_set(&attr[j], &nd->attr[j]);
    }
    vocab_add(v, nd->op, attr, p->g->sizes);
    for (uint32_t j = 0; j < AS_MAX_ATTRS; j++)
      as_attr_clear(&attr[j]);
  }
  uint32_t own = v->n;
  for (uint32_t i = 0; i < own;
       i++) { /* the same operators along other axes (attributes as called) */
    as_attr attr[AS_MAX_ATTRS];
    const as_opdef *op = v->inst[i].op;
    for (uint32_t j = 0; j < AS_MAX_ATTRS; j++) {
      as_attr_init(&attr[j]);
      as_attr_set(&attr[j], &v->inst[i].attr[j]);
    }
    if (!only_moves(op))
      add_axes(v, op, attr, 0, p->max_rank, p->g->sizes);
    for (uint32_t j = 0; j < AS_MAX_ATTRS; j++)
      as_attr_clear(&attr[j]);
  }
  for (uint32_t i = 0; i < as_oplib_count(p->g->lib); i++) {
    const as_opdef *op = as_oplib_nth(p->g->lib, i);
    as_attr attr[AS_MAX_ATTRS];
    bool known = op->nargs >= 1 && op->nargs <= 2 && op->nlet == 1 && !op->nreq && !only_moves(op);
    for (uint32_t j = 0; j < AS_MAX_ATTRS; j++)
      as_attr_init(&attr[j]);
    for (uint32_t j = 0; j < op->nattrs; j++) {
      if (op->attr_has_default[j])
        as_attr_set(&attr[j], &op->attr_default[j]);
      else if (!counts_axes(op, j))
        known = false;
    }
    if (known)
      add_axes(v, op, attr, 0, p->max_rank, p->g->sizes);
    for (uint32_t j = 0; j < AS_MAX_ATTRS; j++)
      as_attr_clear(&attr[j]);
  }
}

void sg_vocab_clear(sg_vocab *v) {
  for (uint32_t i = 0; i < v->n; i++) {
    for (uint32_t j = 0; j < AS_MAX_ATTRS; j++)
      as_attr_clear(&v->inst[i].attr[j]);
  }
  free(v->inst);
  memset(v, 0, sizeof *v);
}
