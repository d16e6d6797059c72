/* Text of one block graph: asynchronous loads into a ring of tiles, statements level by level,
 * accumulators through the loop, stores. */
#include "emit.h"
#include "fault.h"
#include "live.h"
#include <stdlib.h>
#include <string.h>

static const char *const names8[] = {"i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "k"};

char *lo_smem_offset(const lo_value *value, const lo_smem *shared, char *const *idx) {
  as_str row;
  as_str_init(&row);
  as_str_add(&row, "0");
  for (int i = 0; i + 1 < value->rank; i++) {
    if (!strcmp(row.s, "0")) {
      as_str_clear(&row);
      as_str_init(&row);
      as_str_add(&row, idx[i]);
      continue;
    }
    char *longer = as_format("(%s * %ld + %s)", row.s, value->dim[i], idx[i]);
    as_str_clear(&row);
    as_str_init(&row);
    as_str_add(&row, longer);
    free(longer);
  }
  const char *col = value->rank ? idx[value->rank - 1] : "0";
  char *result;
  if (shared->order == LL_SWIZZLE) {
    result = as_format("(%s) * %ld + as_swz((%s), (%s), %d, %d, %d)", row.s, shared->row_stride,
                       row.s, col, shared->swizzle_shift, shared->swizzle_mask, 16 / shared->elem);
  } else if (!strcmp(row.s, "0")) {
    result = as_strdup(col);
  } else {
    result = as_format("(%s) * %ld + (%s)", row.s, shared->row_stride, col);
  }
  as_str_clear(&row);
  return result;
}

/* a value's number in its kernel: the text does not depend on how many values the rest of the
 * program has */
static unsigned number(const lo_text *text, uint32_t id) {
  unsigned i = 0;
  while (i < text->unit->n && text->unit->val[i] != id)
    i++;
  return i;
}

static void read_smem(lo_text *text, as_str *out, uint32_t id, lx *const *idx, int n_index) {
  const lo_value *value = &text->job->value[id];
  char *index_text[8];
  for (int i = 0; i < n_index; i++)
    index_text[i] = lo_index(text, idx[i]);
  char *offset = lo_smem_offset(value, &value->shared, index_text);
  const lo_smem *shared = &value->shared;
  if (shared->slabs > 1) {
    as_str_printf(out, "as_lds_sum<%d>(sm, %ld + %d * (%s), %ld)", shared->slabs, shared->offset,
                  shared->elem, offset, shared->bytes);
  } else if (shared->stages > 1) {
    as_str_printf(out, "as_lds_%s(sm, %ld + slot * %ld + %d * (%s))", lo_dtype_name(shared->type),
                  shared->offset, shared->bytes, shared->elem, offset);
  } else {
    as_str_printf(out, "as_lds_%s(sm, %ld + %d * (%s))", lo_dtype_name(shared->type),
                  shared->offset, shared->elem, offset);
  }
  free(offset);
  for (int i = 0; i < n_index; i++)
    free(index_text[i]);
}

/* of the tensors in global memory only those of integers are read in place */
static void read_value(lo_text *text, as_str *out, uint32_t id, lx *const *idx, int n_index) {
  if (text->job->value[id].place == LP_GLOBAL)
    lo_read_global(text, out, id, idx, n_index);
  else
    read_smem(text, out, id, idx, n_index);
}

/* i0.. from a flat text over value's axes, the last divided by vec; the expressions that follow are
 * over these */
static void decode(lo_text *text, const lo_value *value, const char *flat, long vec) {
  long below = 1;
  lo_axes(text, value);
  for (int i = value->rank; i-- > 0;) {
    bool vector = i == value->rank - 1 && vec > 1;
    long extent = vector ? value->dim[i] / vec : value->dim[i];
    const char *name = vector ? "v0" : names8[i];
    const char *type = lo_index_type(value->dim[i]);
    if (extent == 1)
      lo_line(text, "const int %s = 0;", name);
    else if (i == 0)
      lo_line(text, "const %s %s = (%s)(%s / %ld);", type, name, type, flat, below);
    else
      lo_line(text, "const %s %s = (%s)(%s / %ld %% %ld);", type, name, type, flat, below, extent);
    lo_line(text, "(void)%s;", name);
    below *= extent;
  }
}

/* e over 0..count-1, thread by thread; the number of rounds is a constant, so that they unroll and
 * their reads overlap */
static void each(lo_text *text, long count, int threads) {
  long rounds = (count + threads - 1) / threads;
  const char *type = lo_index_type(count + threads);
  lo_line(text, "#pragma unroll%s", rounds > 16 ? " 8" : "");
  lo_line(text, "for (%s n_ = 0; n_ < %ld; n_++) {", type, rounds);
  text->indent++;
  lo_line(text, "const %s e = tid + n_ * %d;", type, threads);
  if (count % threads && !LO_FAULT(LO_FAULT_PREDICATION))
    lo_line(text, "if (e >= %ld) break;", count);
}

static void close(lo_text *text) {
  text->indent--;
  lo_line(text, "}");
}

static char *at_vars(lo_text *text, const lo_value *value, const lo_smem *shared) {
  (void)text;
  char *index_text[8] = {0};
  for (int i = 0; i < value->rank; i++)
    index_text[i] = (char *)(uintptr_t)(value->dim[i] == 1 ? "0" : names8[i]);
  return lo_smem_offset(value, shared, index_text);
}

/* own value of v at its own indices */
static lx *self(lo_job *job, uint32_t id) {
  lx *index[8];
  const lo_value *value = &job->value[id];
  for (int i = 0; i < value->rank; i++)
    index[i] = lx_var(job, i);
  return lx_ref(job, value->kind == LV_RUN ? value->of : id, value->rank, index);
}

static void emit_map(lo_text *text, uint32_t id, bool sixteen) {
  lo_value *value = &text->job->value[id];
  const lo_smem *shared = sixteen ? &value->shared16 : &value->shared;
  const lx *body = sixteen && value->kind != LV_MAP ? self(text->job, id)
                   : value->kind == LV_MAP          ? value->body
                                                    : NULL;
  int vec = sixteen && value->rank && value->dim[value->rank - 1] % 2 == 0 ? 2 : 1;
  long count = lo_elems(value) / vec;
  long threads = 32L * text->unit->warps;
  long rounds = (count + threads - 1) / threads;
  bool held = rounds > 1 && rounds * vec <= 32; /* all values first, then all stores: reads of
                                                   shared memory do not move across writes */
  const char *last = value->rank ? names8[value->rank - 1] : "i0";
  const char *type = lo_index_type(value->rank ? value->dim[value->rank - 1] : 1);
  lo_line(text, "{ /* %s */", value->name);
  text->indent++;
  if (held)
    lo_line(text, "float h[%ld][%d];", rounds, vec);
  each(text, count, (int)threads);
  decode(text, value, "e", vec);
  if (!held)
    lo_line(text, "float h[1][%d];", vec);
  if (vec > 1) {
    lo_line(text, "#pragma unroll");
    lo_line(text, "for (int j = 0; j < 2; j++) {");
    text->indent++;
    lo_line(text, "const %s %s = v0 * 2 + j;", type, last);
  }
  char *body_text = lo_expr(text, body);
  lo_line(text, "h[%s][%s] = %s;", held ? "n_" : "0", vec > 1 ? "j" : "0", body_text);
  free(body_text);
  if (vec > 1)
    close(text);
  if (held) {
    close(text);
    each(text, count, (int)threads);
    decode(text, value, "e", vec);
  }
  if (vec > 1)
    lo_line(text, "const %s %s = v0 * 2;", type, last);
  char *offset = at_vars(text, value, shared);
  if (vec > 1) {
    lo_line(text, "as_sts2_%s(sm, %ld + 2 * (%s), h[%s][0], h[%s][1]);",
            lo_dtype_name(shared->type), shared->offset, offset, held ? "n_" : "0",
            held ? "n_" : "0");
  } else {
    lo_line(text, "as_sts_%s(sm, %ld + %d * (%s), h[%s][0]);", lo_dtype_name(shared->type),
            shared->offset, shared->elem, offset, held ? "n_" : "0");
  }
  free(offset);
  close(text);
  close(text);
}

static const char *identity(lo_red red) {
  return red == LO_SUM    ? "0.0f"
         : red == LO_PROD ? "1.0f"
         : red == LO_MAX  ? "-INFINITY"
                          : "INFINITY";
}

static char *joined(lo_red red, const char *left, const char *right) {
  return red == LO_SUM ? as_format("%s + %s", left, right)
         : red == LO_PROD
             ? as_format("%s * %s", left, right)
             : as_format("%s(%s, %s)", red == LO_MAX ? "as_maxf" : "as_minf", left, right);
}

/* new value of accumulator `acc` at i0.. from x, when the reduction that feeds it ends: the running
 * maximum and its rescaling factor */
static void update_max(lo_text *text, uint32_t acc) {
  const lo_value *max_acc = &text->job->value[acc];
  char *offset = at_vars(text, max_acc, &max_acc->shared);
  lo_line(text, "const float was = as_lds_f32(sm, %ld + 4 * (%s)), now = as_maxf(was, x);",
          max_acc->shared.offset, offset);
  lo_line(text, "as_sts_f32(sm, %ld + 4 * (%s), now);", max_acc->shared.offset, offset);
  free(offset);
  if (!max_acc->need_alpha || LO_FAULT(LO_FAULT_RESCALE))
    return;
  offset = at_vars(text, max_acc, &max_acc->alpha);
  lo_line(text, "as_sts_f32(sm, %ld + 4 * (%s), as_rescale(was, now));", max_acc->alpha.offset,
          offset);
  free(offset);
}

static char *alpha_text(lo_text *text, uint32_t acc) {
  const lo_value *running = &text->job->value[text->job->value[acc].run];
  char *offset = at_vars(text, running, &running->alpha);
  char *result = as_format("as_lds_f32(sm, %ld + 4 * (%s))", running->alpha.offset, offset);
  free(offset);
  return result;
}

static void red_shape(const lo_text *text, const lo_value *value, long *outs, long *groups,
                      long *rounds) {
  *outs = lo_elems(value);
  *groups = 32L * text->unit->warps / value->group;
  *rounds = (*outs + *groups - 1) / *groups;
}

static void red_open(lo_text *text, const lo_value *value) {
  long outs;
  long groups;
  long rounds;
  red_shape(text, value, &outs, &groups, &rounds);
  lo_line(text, "const int g = tid %% %d, og = tid / %d;", value->group, value->group);
  lo_line(text, "#pragma unroll%s", rounds > 16 ? " 4" : "");
  lo_line(text, "for (%s q = 0; q < %ld; q++) {", lo_index_type(outs + groups), rounds);
  text->indent++;
  lo_line(text, "const %s o = og + q * %ld;", lo_index_type(outs + groups), groups);
}

static void red_shuffle(lo_text *text, const lo_value *value) {
  char *join = joined(value->red, "x", "as_shfl_xor(x, d)");
  if (value->group > 1) {
    lo_line(text, "#pragma unroll");
    lo_line(text, "for (int d = %d; d > 0; d >>= 1) x = %s;", value->group / 2, join);
  }
  free(join);
}

static void emit_red(lo_text *text, uint32_t id) {
  lo_value *value = &text->job->value[id];
  bool lanes = value->place == LP_LANES;
  long outs;
  long groups;
  long rounds;
  red_shape(text, value, &outs, &groups, &rounds);
  lo_line(text, "{ /* %s */", value->name);
  text->indent++;
  red_open(text, value);
  lo_line(text, "float x = %s;", identity(value->red));
  if (outs < groups * rounds)
    lo_line(text, "if (o < %ld) {", outs);
  else
    lo_line(text, "{");
  text->indent++;
  decode(text, value, "o", 1);
  long steps = (value->extent + value->group - 1) / value->group;
  lo_line(text, "#pragma unroll%s", steps > 16 ? " 8" : "");
  const char *type = lo_index_type(value->extent + value->group);
  lo_line(text, "for (%s s_ = 0; s_ < %ld; s_++) {", type, steps);
  text->indent++;
  lo_line(text, "const %s %s = g + s_ * %d;", type, names8[value->rank], value->group);
  if (value->extent % value->group)
    lo_line(text, "if (%s >= %ld) break;", names8[value->rank], value->extent);
  if (value->extent == 1) /* the element is read at 0 */
    lo_line(text, "(void)%s;", names8[value->rank]);
  char *body = lo_expr(text, value->body);
  char *join = joined(value->red, "x", body);
  lo_line(text, "x = %s;", join);
  free(body);
  free(join);
  close(text);
  if (lanes) {
    if (text->job->value[value->fused_acc].acc == AS_ACC_RESCALE) {
      char *alpha = alpha_text(text, value->fused_acc);
      lo_line(text, "part%u[q] = part%u[q] * %s + x;", number(text, id), number(text, id), alpha);
      free(alpha);
    } else {
      lo_line(text, "part%u[q] += x;", number(text, id));
    }
    close(text);
    close(text);
    close(text);
    return;
  }
  close(text);
  red_shuffle(text, value);
  lo_line(text, "if (g == 0 && o < %ld) {", outs);
  text->indent++;
  decode(text, value, "o", 1);
  if (value->need32) {
    char *offset = at_vars(text, value, &value->shared);
    lo_line(text, "as_sts_f32(sm, %ld + 4 * (%s), x);", value->shared.offset, offset);
    free(offset);
  }
  if (value->fused_acc != LO_NONE)
    update_max(text, value->fused_acc);
  close(text);
  close(text);
  close(text);
}

/* Where a running maximum begins: below every finite score.  Scores that are all minus infinity so
 * far then weigh exp(-infinity) = 0, and not exp(-infinity + infinity). */
#define LO_LOWEST "-3.402823466e38f"

/* accumulators in shared memory: each element belongs to one thread */
const lo_acc_row *lo_acc_row_of(as_acc_kind kind) {
  static const lo_acc_row rows[] = {
      [AS_ACC_SUM] = {"0.0f", "+"},
      [AS_ACC_MAX] = {"-INFINITY", NULL},
      [AS_ACC_RESCALE] = {"0.0f", "+"},
      [AS_ACC_CONCAT] = {"0.0f", NULL},
  };
  return kind < sizeof rows / sizeof *rows && rows[kind].first ? &rows[kind] : NULL;
}

static void emit_acc(lo_text *text, uint32_t id) {
  lo_value *value = &text->job->value[id];
  const lo_value *summand = &text->job->value[value->of];
  lo_line(text, "{ /* %s */", value->name);
  text->indent++;
  each(text, lo_elems(summand), 32 * text->unit->warps);
  decode(text, summand, "e", 1);
  char *body_text = lo_expr(text, value->body);
  lo_line(text, "const float x = %s;", body_text);
  free(body_text);
  if (value->acc == AS_ACC_MAX) {
    update_max(text, id);
  } else if (value->acc == AS_ACC_CONCAT) {
    char *index_text[8];
    char *moved = as_format("(l * %ld + %s)", summand->dim[value->axis], names8[value->axis]);
    for (int i = 0; i < value->rank; i++)
      index_text[i] = i == value->axis ? moved : (char *)names8[i];
    char *offset = lo_smem_offset(value, &value->shared, index_text);
    lo_line(text, "as_sts_f32(sm, %ld + 4 * (%s), x);", value->shared.offset, offset);
    free(offset);
    free(moved);
  } else {
    char *offset = at_vars(text, value, &value->shared);
    char *alpha = value->acc == AS_ACC_RESCALE ? alpha_text(text, id) : NULL;
    lo_line(text, "const int at = %ld + 4 * (%s);", value->shared.offset, offset);
    lo_line(text, "as_sts_f32(sm, at, as_lds_f32(sm, at)%s%s %s x);", alpha ? " * " : "",
            alpha ? alpha : "", lo_acc_row_of(value->acc)->joins);
    free(offset);
    free(alpha);
  }
  close(text);
  close(text);
}

static void emit_finish(lo_text *text, uint32_t id) {
  lo_value *value = &text->job->value[id];
  lo_value *summand = &text->job->value[value->of];
  lo_line(text, "{ /* %s */", value->name);
  text->indent++;
  if (value->place == LP_FRAG) {
    char *fragment = as_format("acc%u", number(text, value->of));
    lo_emit_mma_store(text, value->of, fragment);
    free(fragment);
    close(text);
    return;
  }
  long outs = lo_elems(summand);
  red_open(text, summand);
  lo_line(text, "float x = part%u[q];", number(text, value->of));
  red_shuffle(text, summand);
  lo_line(text, "if (g == 0 && o < %ld) {", outs);
  text->indent++;
  decode(text, value, "o", 1);
  char *offset = at_vars(text, value, &value->shared);
  lo_line(text, "as_sts_f32(sm, %ld + 4 * (%s), x);", value->shared.offset, offset);
  free(offset);
  close(text);
  close(text);
  close(text);
}

static void emit_product(lo_text *text, uint32_t id) {
  lo_value *value = &text->job->value[id];
  char *fragment = as_format("acc%u", number(text, id));
  lo_line(text, "{ /* %s */", value->name);
  text->indent++;
  if (value->place == LP_FRAG) {
    if (text->job->value[value->fused_acc].acc == AS_ACC_RESCALE) {
      lo_line(text, "{");
      text->indent++;
      lo_emit_mma_rescale(text, id, text->job->value[value->fused_acc].run, fragment);
      close(text);
    }
    lo_emit_mma(text, id, fragment);
  } else {
    lo_emit_mma_decl(text, id, fragment);
    lo_line(text, "{");
    text->indent++;
    lo_emit_mma(text, id, fragment);
    close(text);
    if (value->need32)
      lo_emit_mma_store(text, id, fragment);
  }
  close(text);
  free(fragment);
}

/* `if (` index < what is left `&& ..) {` for the axes along which a tile is cut off; false: none */
static bool open_inside(lo_text *text, const uint32_t *cut, int rank) {
  as_str inside;
  as_str_init(&inside);
  for (int axis = 0; axis < rank; axis++) {
    if (cut[axis] == 0)
      continue;
    char *left = lo_cut_text(text->job, lo_cut_row(text->job, cut[axis]));
    as_str_printf(&inside, "%s%s < %s", inside.n ? " && " : "", names8[axis], left);
    free(left);
  }
  bool any = inside.n > 0;
  if (any)
    lo_line(text, "if (%s) {", inside.s);
  text->indent += any;
  as_str_clear(&inside);
  return any;
}

/* Does a row end where only the launch says?  Then elements are copied one by one. */
static bool stops_within(const lo_job *job, const uint32_t *cut, int rank, const lo_value *tensor) {
  if (lo_live_last(tensor))
    return true;
  const lo_cut *row = rank > 0 && cut[rank - 1] ? lo_cut_row(job, cut[rank - 1]) : NULL;
  return row && (row->live || row->whole_live);
}

static void emit_load(lo_text *text, uint32_t id) {
  const lo_value *value = &text->job->value[id];
  const lo_value *tensor = &text->job->value[value->source];
  const lo_smem *shared = &value->shared;
  int threads = 32 * text->unit->warps;
  long cols = value->rank ? value->dim[value->rank - 1] : 1;
  long vec = 0;
  for (long bytes = 16; bytes >= 4 && !vec; bytes /= 2) {
    if (cols * shared->elem % bytes == 0 && lo_rows_aligned(tensor, shared->elem, bytes) &&
        shared->row_stride * shared->elem % bytes == 0 &&
        (bytes == shared->elem || !stops_within(text->job, value->cut, value->rank, tensor)))
      vec = bytes / shared->elem;
  }
  char *base_pointer = lo_global_pointer(text->job, value->source);
  char *base =
      lo_tile_base(text, value, tensor, value->grid_axis, value->slower_axes, value->by_loop);
  long count = lo_elems(value) / (vec ? vec : 1);
  lo_line(text, "{ /* %s */", value->name);
  text->indent++;
  lo_line(text, "const size_t base = %s;", base);
  each(text, count, threads);
  decode(text, value, "e", vec > 1 ? vec : 1);
  if (vec > 1)
    lo_line(text, "const %s %s = v0 * %ld;", lo_index_type(cols), names8[value->rank - 1], vec);
  char *address = lo_tile_offset(text, value, tensor);
  char *offset = at_vars(text, value, shared);
  char *target = shared->stages > 1
                     ? as_format("%ld + slot * %ld + %d * (%s)", shared->offset, shared->bytes,
                                 shared->elem, offset)
                     : as_format("%ld + %d * (%s)", shared->offset, shared->elem, offset);
  bool cut = open_inside(text, value->cut, value->rank);
  if (vec)
    lo_line(text, "as_cp_async<%ld>(sm, %s, %s, (%s) * %d);", vec * shared->elem, target,
            base_pointer, address, shared->elem);
  else
    lo_line(text, "as_sts_raw16(sm, %s, as_ldg_raw16(%s, %s));", target, base_pointer, address);
  if (cut) {
    text->indent--;
    lo_line(text, "} else {");
    text->indent++;
    lo_line(text, "as_sts_zero<%ld>(sm, %s);", vec ? vec * shared->elem : 2, target);
    close(text);
  }
  free(address);
  free(offset);
  free(target);
  free(base_pointer);
  free(base);
  close(text);
  close(text);
}

static void emit_store(lo_text *text, const lo_store *store) {
  const lo_value *tile = &text->job->value[store->val];
  const lo_value *tensor = &text->job->value[store->target];
  int threads = 32 * text->unit->warps;
  long cols = tile->rank ? tile->dim[tile->rank - 1] : 1;
  long gcols = tensor->rank ? tensor->dim[tensor->rank - 1] : 1;
  long vec = tensor->dtype == AS_F32 ? 4 : 8;
  long elements = lo_elems(tile);
  if (stops_within(text->job, store->cut, tile->rank, tensor))
    vec = 1;
  while (vec > 1 && (cols % vec || gcols % vec || (vec > 2 && elements / vec < threads)))
    vec /= 2;
  char *base_pointer = lo_global_pointer(text->job, store->target);
  char *base = lo_tile_base(text, tile, tensor, store->grid_axis, store->slower_axes, NULL);
  lo_line(text, "{ /* store %s */", tensor->name);
  text->indent++;
  lo_line(text, "const size_t base = %s;", base);
  each(text, elements / vec, threads);
  decode(text, tile, "e", vec);
  lo_line(text, "float r[%ld];", vec);
  const char *last = tile->rank ? names8[tile->rank - 1] : NULL;
  if (vec > 1) {
    lo_line(text, "#pragma unroll");
    lo_line(text, "for (int j = 0; j < %ld; j++) {", vec);
    text->indent++;
    lo_line(text, "const %s %s = v0 * %ld + j;", lo_index_type(cols), last, vec);
  }
  char *body_text = lo_expr(text, store->body);
  lo_line(text, "r[%s] = %s;", vec > 1 ? "j" : "0", body_text);
  free(body_text);
  if (vec > 1) {
    close(text);
    lo_line(text, "const %s %s = v0 * %ld;", lo_index_type(cols), last, vec);
  }
  char *address = lo_tile_offset(text, tile, tensor);
  bool cut = open_inside(text, store->cut, tile->rank);
  lo_line(text, "as_stg_%s<%ld>(%s, %s, r);", lo_dtype_name(tensor->dtype), vec, base_pointer,
          address);
  if (cut)
    close(text);
  free(address);
  free(base_pointer);
  free(base);
  close(text);
  close(text);
}

static void emit_stmt(lo_text *text, const lo_stmt *stmt) {
  if (lo_elems(&text->job->value[stmt->val]) == 0)
    return;
  switch (stmt->kind) {
  case LS_MAP:
    emit_map(text, stmt->val, false);
    break;
  case LS_MAP16:
    emit_map(text, stmt->val, true);
    break;
  case LS_RED:
    emit_red(text, stmt->val);
    break;
  case LS_MMA:
    emit_product(text, stmt->val);
    break;
  case LS_ACC:
    emit_acc(text, stmt->val);
    break;
  case LS_FINISH:
    emit_finish(text, stmt->val);
    break;
  }
}

static void emit_phase(lo_text *text, lo_phase phase) {
  const lo_unit *unit = text->unit;
  const lo_job *job = text->job;
  for (int level = 0; level < unit->levels[phase]; level++) {
    if (level)
      lo_barrier(text, NULL);
    for (int writes = 0; writes < 2;
         writes++) /* those that only read shared memory first: their reads overlap */
    {
      for (uint32_t i = 0; i < unit->n_stmt; i++) {
        const lo_stmt *stmt = &unit->stmt[i];
        bool reads_only = (stmt->kind == LS_RED && job->value[stmt->val].place == LP_LANES) ||
                          (stmt->kind == LS_MMA && job->value[stmt->val].place == LP_FRAG);
        if (stmt->phase == phase && stmt->level == level && reads_only != writes)
          emit_stmt(text, stmt);
      }
    }
    if (phase == LO_POST) {
      for (uint32_t i = 0; i < unit->n_store; i++) {
        if (unit->store[i].level == level && lo_elems(&job->value[unit->store[i].val]) > 0)
          emit_store(text, &unit->store[i]);
      }
    }
  }
}

/* the accumulator's first value, in shared memory */
static void clear_accumulator(lo_text *text, const lo_value *value) {
  each(text, lo_elems(value), 32 * text->unit->warps);
  decode(text, value, "e", 1);
  char *offset = at_vars(text, value, &value->shared);
  lo_line(text, "as_sts_f32(sm, %ld + 4 * (%s), %s);", value->shared.offset, offset,
          value->need_alpha ? LO_LOWEST : lo_acc_row_of(value->acc)->first);
  free(offset);
  close(text);
}

static void declare(lo_text *text) {
  lo_unit *unit = text->unit;
  for (uint32_t i = 0; i < unit->n; i++) {
    const lo_value *value = &text->job->value[unit->val[i]];
    if (!value->live || lo_elems(value) == 0)
      continue;
    if (value->kind == LV_RED && value->place == LP_FRAG) {
      char *fragment = as_format("acc%u", i);
      lo_emit_mma_decl(text, unit->val[i], fragment);
      free(fragment);
    }
    if (value->kind == LV_RED && value->place == LP_LANES) {
      long outs;
      long groups;
      long rounds;
      red_shape(text, value, &outs, &groups, &rounds);
      lo_line(text, "float part%u[%ld] = {};", i, rounds);
    }
    if (value->kind == LV_ACC && value->place == LP_SMEM && value->acc != AS_ACC_CONCAT)
      clear_accumulator(text, value);
  }
}

static bool any_load(const lo_text *text, lo_phase phase) {
  for (uint32_t i = 0; i < text->unit->n; i++) {
    const lo_value *value = &text->job->value[text->unit->val[i]];
    if (value->live && value->kind == LV_LOAD && value->phase == phase)
      return true;
  }
  return false;
}

static void emit_loads(lo_text *text, lo_phase phase) {
  for (uint32_t i = 0; i < text->unit->n; i++) {
    const lo_value *value = &text->job->value[text->unit->val[i]];
    if (value->live && value->kind == LV_LOAD && value->phase == phase && lo_elems(value) > 0)
      emit_load(text, text->unit->val[i]);
  }
}

/* the type of the loop's counter, which runs ahead of the iteration by the ring's depth */
static const char *loop_type(const lo_unit *unit) {
  return lo_index_type(unit->loop + unit->stages);
}

static void emit_loop(lo_text *text, bool ring) {
  lo_unit *unit = text->unit;
  int stages = unit->stages;
  const char *type = loop_type(unit);
  char *rounds = lo_rounds_text(text->job, unit);
  lo_line(text, "for (%s l0 = 0; l0 < %s; l0++) {", type, rounds);
  text->indent++;
  lo_line(text, "const %s l = l0;", type);
  lo_line(text, "const int slot = (int)(l0 %% %d);", stages);
  lo_line(text, "(void)l; (void)slot;");
  if (ring && stages > 1)
    lo_line(text, "as_cp_wait<%d>();", LO_FAULT(LO_FAULT_PIPELINING) ? stages - 1 : stages - 2);
  if (ring && stages == 1) {
    lo_barrier(text, "the last iteration's readers are done");
    lo_line(text, "issue(l, 0);");
    lo_line(text, "as_cp_commit();");
    lo_line(text, "as_cp_wait<0>();");
  }
  lo_barrier(text, NULL);
  if (ring && stages > 1) {
    lo_line(text, "if (l0 + %d < %s) issue(l0 + %d, (int)((l0 + %d) %% %d));", stages - 1, rounds,
            stages - 1, stages - 1, stages);
    lo_line(text, "as_cp_commit();");
  }
  free(rounds);
  emit_phase(text, LO_BODY);
  close(text);
}

/* the copies that each iteration needs, as a function of the iteration and its place in the ring */
static void define_issue(lo_text *text) {
  lo_line(text, "auto issue = [&](%s l, int slot) {", loop_type(text->unit));
  text->indent++;
  lo_line(text, "(void)l; (void)slot;");
  emit_loads(text, LO_BODY);
  text->indent--;
  lo_line(text, "};");
}

static void fill_ring(lo_text *text) {
  char *rounds = lo_rounds_text(text->job, text->unit);
  for (int i = 0; i + 1 < text->unit->stages; i++) {
    if (i < text->unit->loop && text->unit->loop_live)
      lo_line(text, "if (%d < %s) issue(%d, %d);", i, rounds, i, i);
    else if (i < text->unit->loop)
      lo_line(text, "issue(%d, %d);", i, i);
    lo_line(text, "as_cp_commit();");
  }
  free(rounds);
}

static void emit_body(lo_text *text) {
  lo_unit *unit = text->unit;
  bool loops = unit->levels[LO_BODY] > 0 && unit->loop > 0;
  bool ring = loops && any_load(text, LO_BODY);
  bool ahead = ring && unit->stages > 1;
  lo_line(text, "AS_SMEM(sm);");
  lo_line(text, "const int tid = as_tid(), lane = tid & 31, warp = tid >> 5;");
  lo_line(text, "const unsigned bid = as_bid();");
  char *across = lo_blocks_text(text->job, unit, 0);
  char *down = lo_blocks_text(text->job, unit, 1);
  char *both = unit->grid_live[0] || unit->grid_live[1]
                   ? as_format("(%s * %s)", across, down)
                   : as_format("%ldu", unit->grid[0] * unit->grid[1]);
  lo_line(text, "const unsigned bx = bid %% %s, by = bid / %s %% %s, bz = bid / %s;", across,
          across, down, both);
  free(across);
  free(down);
  free(both);
  lo_line(text, "(void)lane; (void)warp; (void)bx; (void)by; (void)bz; (void)sm;");
  if (ring)
    define_issue(text);
  emit_loads(text, LO_PRE);
  lo_line(text, "as_cp_commit();");
  if (ahead)
    fill_ring(text);
  declare(text);
  if (unit->levels[LO_PRE]) {
    lo_line(text, "as_cp_wait<%d>();", ahead ? unit->stages - 1 : 0);
    lo_barrier(text, NULL);
    emit_phase(text, LO_PRE);
  } else if (!ring) { /* no iteration waits for what is loaded once */
    lo_line(text, "as_cp_wait<0>();");
  }
  if (loops)
    emit_loop(text, ring);
  lo_barrier(text, NULL);
  emit_phase(text, LO_POST);
  lo_line(text, "as_cp_wait<0>();");
}

bool lo_emit_block(lo_job *job, lo_unit *unit, as_str *out) {
  lo_text writer = {.job = job, .unit = unit, .out = out, .ref = read_value, .var = names8};
  lo_text *text = &writer;
  lo_line(text, "AS_KERNEL(%d) k%u_%s(as_args a)", 32 * unit->warps, (unsigned)(unit - job->unit),
          unit->name);
  lo_line(text, "{");
  text->indent++;
  if (unit->blocks > 0)
    emit_body(text);
  else
    lo_line(text, "(void)a; /* no blocks: it is not launched */");
  text->indent--;
  lo_line(text, "}\n");
  free(writer.memo);
  return true;
}
