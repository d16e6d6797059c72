/* From a kernel to the text of a tile program: names, statements, declarations. */
#include "ttir_lift.h"
#include "src/tile/tile.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool ttir_refuse(ttir_lift *lift, const as_ttir_op *op, const char *why) {
  return as_err_set(lift->err, AS_UNKNOWN, "%s:%d: %s: %s", lift->file, op->line, op->name, why);
}

bool ttir_keeps_nan(ttir_lift *lift, const as_ttir_op *op, const ttir_lifted *of) {
  bool number = of->value && of->value->sort == TTIR_REAL;
  return !lift->launch->no_nan || !number || !ttir_is_partial(of->value) ||
         ttir_refuse(lift, op, "of what may be no number (NaN) this makes one, or a truth");
}

void ttir_fail(ttir_lift *lift, const char *why) {
  if (!lift->failed)
    ttir_refuse(lift, lift->now, why);
  lift->failed = true;
}

void ttir_happens(ttir_lift *lift, ttir_event_kind kind, const as_ttir_op *op, uint32_t argument,
                  ttir_node *position, ttir_node *mask, const as_ttir_type *type) {
  ttir_event event = {
      kind,           ttir_role_of(op) == TTIR_UPDATES, op, argument, position, mask, {0}, {0},
      lift->n_around, ttir_ids_of(position, mask)};
  if (type)
    event.type = *type;
  memcpy(event.around, lift->around, sizeof event.around);
  as_vec_push(&lift->events, &event);
}

/* Lanes that touch one place without a barrier between may do so in any order: refused where that
 * is not ruled out, unless the order of the text is asked for.  Number i <= k of the events. */
static bool is_ordered(ttir_lift *lift, size_t i, size_t k, uint64_t *left) {
  const as_ttir_op *op = AS_VEC_AT(&lift->events, ttir_event, k).op;
  /* that each lane of a store has a place of its own a proof asks of a candidate; of a sum into
   * memory, of which the sums before are loaded for all lanes at once, it must be seen */
  bool own_lanes = lift->launch->given || ttir_role_of(op) == TTIR_UPDATES;
  if (lift->launch->in_order ||
      ttir_are_in_order(lift->kernel, &lift->events, i, k, own_lanes, left))
    return true;
  char *text =
      as_format("a place that another thread may touch in line %d, with no barrier between",
                AS_VEC_AT(&lift->events, ttir_event, i).op->line);
  ttir_refuse(lift, op, text);
  free(text);
  return false;
}

static bool are_ordered(ttir_lift *lift) {
  uint64_t left = (uint64_t)1 << 23; /* of a whole kernel: seconds */
  for (size_t k = 0; k < lift->events.n; k++) {
    for (size_t i = 0; i <= k; i++) {
      if (!is_ordered(lift, i, k, &left))
        return false;
    }
  }
  return true;
}

bool ttir_is_truth(const as_ttir_type *type) {
  return type->kind == AS_TTIR_INT && type->bits == 1;
}

const as_ttir_type *ttir_type_of(const ttir_lift *lift, uint32_t value) {
  return &lift->kernel->value[value].type;
}

ttir_lifted *ttir_operand(ttir_lift *lift, const as_ttir_op *op, uint32_t i) {
  return &lift->value[op->operand[i]];
}

bool ttir_result(ttir_lift *lift, const as_ttir_op *op, ttir_node *value) {
  lift->value[op->result[0]] = (ttir_lifted){.value = value, .known = true};
  return true;
}

/* ---- names */

/* Functions keep their names, and lanes, counters and program ids theirs: a letter or `pid`, then
 * digits. */
static bool is_taken(const char *name) {
  static const char *const functions[] = {"abs", "exp", "log", "sqrt", "inv"};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (strcmp(name, functions[i]) == 0)
      return true;
  }
  size_t letters = strncmp(name, "pid", 3) == 0 ? 3 : name[0] == 'i' || name[0] == 'k' ? 1 : 0;
  bool numbered = letters > 0 && name[letters] &&
                  strspn(name + letters, "0123456789") == strlen(name + letters);
  return numbered || as_tile_word_reserved(name);
}

static char *cleaned(const char *wish) {
  enum { MOST_LETTERS = 60 };

  char *name = as_format("%s%.*s", wish[0] >= '0' && wish[0] <= '9' ? "v" : "", MOST_LETTERS, wish);
  for (char *at = name; *at; at++) {
    bool fine = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_' ||
                (*at >= '0' && *at <= '9');
    if (!fine)
      *at = '_';
  }
  return name;
}

const char *ttir_fresh(ttir_lift *lift, const char *wish) {
  char *base = cleaned(wish);
  char *name = as_strdup(base);
  for (int k = 2; is_taken(name) || as_intern_find(&lift->names, name) != AS_NONE; k++) {
    free(name);
    name = as_format("%s_%d", base, k);
  }
  as_intern_string(&lift->names, name);
  const char *kept = as_arena_strdup(lift->mem, name);
  free(name);
  free(base);
  return kept;
}

const char *ttir_counter(ttir_lift *lift) {
  char *name = as_format("k%u", lift->n_counters++);
  const char *kept = as_arena_strdup(lift->mem, name);
  free(name);
  return kept;
}

/* ---- statements */

void ttir_line(ttir_lift *lift, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = as_format_va(format, arguments);
  va_end(arguments);
  as_str_printf(&lift->out, "%*s%s\n", 2 * lift->depth, "", text);
  free(text);
}

const as_ttir_type *ttir_extents(const ttir_lift *lift, const as_ttir_type *type) {
  return type->rank == 0 && lift->over ? lift->over : type;
}

void ttir_own_lanes(ttir_lift *lift, const as_ttir_type *type, ttir_node *lane[AS_TTIR_MAX_RANK]) {
  for (uint32_t i = 0; i < type->rank; i++)
    lane[i] = type->dim[i] == 1 ? ttir_integer(lift->mem, 0)
                                : ttir_lane(lift->mem, i, 0, type->dim[i] - 1);
}

ttir_node *ttir_element(ttir_lift *lift, ttir_sort sort, const char *name,
                        const as_ttir_type *type) {
  ttir_node *lane[AS_TTIR_MAX_RANK];
  ttir_own_lanes(lift, type, lane);
  return ttir_tile(lift->mem, sort, name, type->rank, lane);
}

ttir_lifted ttir_view_lifted(ttir_lift *lift, const ttir_lifted *of, ttir_node *const *lane) {
  ttir_lifted view = *of;
  view.value = ttir_view(lift->mem, of->value, lane);
  view.low = ttir_view(lift->mem, of->low, lane);
  view.high = ttir_view(lift->mem, of->high, lane);
  return view;
}

const char *ttir_over(ttir_lift *lift, const as_ttir_type *type) {
  as_str text;
  as_str_init(&text);
  as_str_add(&text, "[");
  for (uint32_t i = 0; i < type->rank; i++)
    as_str_printf(&text, "%si%u < %lld", i ? ", " : "", i, (long long)type->dim[i]);
  as_str_add(&text, "]");
  char *whole = as_str_take(&text);
  const char *kept = as_arena_strdup(lift->mem, whole);
  free(whole);
  return kept;
}

ttir_node *ttir_make(ttir_lift *lift, const char *wish, const as_ttir_type *type,
                     const ttir_node *node) {
  type = ttir_extents(lift, type);
  const char *name = ttir_fresh(lift, wish);
  bool fixed = !node || node->kind == TTIR_N_TRUE;
  bool truth = !node || node->sort == TTIR_TRUTH;
  const char *text = fixed ? (node ? "1" : "0") : ttir_print(lift->mem, node);
  ttir_line(lift, truth && !fixed ? "make %s%s = if(%s, 1, 0)" : "make %s%s = %s", name,
            ttir_over(lift, type), text);
  ttir_node *tile = ttir_element(lift, node ? node->sort : TTIR_TRUTH, name, type);
  tile->absent = ttir_reads_absent(node);
  if (node && node->sort == TTIR_INTEGER) {
    tile->lo = node->lo;
    tile->hi = node->hi;
  }
  return tile;
}

/* a truth becomes a tile only if it is heavy; NULL and constants stay */
static ttir_node *settled_truth(ttir_lift *lift, const char *name, const as_ttir_type *type,
                                ttir_node *truth) {
  enum { HEAVY = 40 };

  if (!truth || truth->weight <= HEAVY)
    return truth;
  return ttir_is_partial(truth) ? ttir_keep(lift, name, type, truth)
                                : ttir_make(lift, name, type, truth);
}

void ttir_settle(ttir_lift *lift, uint32_t value, uint32_t weight) {
  ttir_lifted *lifted = &lift->value[value];
  const as_ttir_value *of = &lift->kernel->value[value];
  lifted->low = settled_truth(lift, of->name, &of->type, lifted->low);
  lifted->high = settled_truth(lift, of->name, &of->type, lifted->high);
  if (!lifted->value || lifted->value->weight <= weight)
    return;
  bool whole = lift->read[value] || !ttir_is_partial(lifted->value);
  lifted->value = whole ? ttir_make(lift, of->name, &of->type, lifted->value)
                        : ttir_keep(lift, of->name, &of->type, lifted->value);
}

/* What is used again, or would be printed at great length, gets a name.  Integers and truths, which
 * make positions and masks, later than reals, so that these stay in sight; truths, by which places
 * are taken apart, only where they are long. */
static void settle_results(ttir_lift *lift, const as_ttir_op *op) {
  for (uint32_t i = 0; i < op->n_result; i++) {
    const as_ttir_value *of = &lift->kernel->value[op->result[i]];
    bool real = of->type.kind == AS_TTIR_FLOAT;
    bool again = of->uses > 1;
    uint32_t weight = real ? (again ? 3 : 60) : again && !ttir_is_truth(&of->type) ? 40 : 120;
    if (lift->value[op->result[i]].known && of->type.kind != AS_TTIR_DESCRIPTOR)
      ttir_settle(lift, op->result[i], weight);
  }
}

/* ---- operations */

/* NULL: there is none */
static const ttir_row *row_of(const char *name) {
  const ttir_row *const tables[] = {ttir_elementwise, ttir_structural};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    for (const ttir_row *row = tables[i]; row->name; row++) {
      if (strcmp(row->name, name) == 0)
        return row;
    }
  }
  return NULL;
}

ttir_role ttir_role_of(const as_ttir_op *op) {
  const ttir_row *row = row_of(op->name);
  return row ? row->role : TTIR_OTHER;
}

bool ttir_is_lane_wise(ttir_role role) {
  return role == TTIR_LANE_WISE || role == TTIR_CHOOSES;
}

bool ttir_lift_region(ttir_lift *lift, const as_ttir_region *region) {
  for (uint32_t i = 0; i < region->n_op; i++) {
    const as_ttir_op *op = region->op[i];
    const ttir_row *row = row_of(op->name);
    if (!row)
      return ttir_refuse(lift, op, "this operation has no meaning here");
    if (!ttir_fits(lift, op, row))
      return false;
    for (uint32_t k = 0; k < op->n_operand; k++) {
      if (!ttir_operand(lift, op, k)->known)
        return ttir_refuse(lift, op, "an operand of it has no meaning here");
    }
    lift->now = op;
    if (!row->lift(lift, op, row->code))
      return false;
    lift->now = op;
    settle_results(lift, op);
    if (lift->failed)
      return false;
  }
  return true;
}

/* ---- the launch */

const as_ttir_argument *ttir_launched(const ttir_lift *lift, const char *name) {
  for (uint32_t i = 0; i < lift->launch->n_argument; i++) {
    if (strcmp(lift->launch->argument[i].name, name) == 0)
      return &lift->launch->argument[i];
  }
  return NULL;
}

/* Sizes keep their names, so these may be none that the text has for something else. */
static bool name_sizes(ttir_lift *lift) {
  for (uint32_t i = 0; i < lift->launch->n_size; i++) {
    const char *name = lift->launch->size[i].name;
    if (is_taken(name))
      return as_err_set(lift->err, AS_BAD_INPUT,
                        "a size of the launch is called `%s`, as lanes, counters, instances or "
                        "functions are: another name is needed",
                        name);
    as_intern_string(&lift->names, name);
  }
  return true;
}

/* The number that an argument is, as one of its type.  NULL: refused. */
static ttir_node *argument_in_range(ttir_lift *lift, const as_ttir_value *of, ttir_node *value) {
  int64_t most = ttir_most_of(of->type.bits);
  if (value->lo <= most && value->hi >= -most - 1)
    return ttir_in_type(lift, NULL, value, of->type.bits);
  as_err_set(lift->err, AS_BAD_INPUT, "`%s` is an integer of %u bits, which the launch's is beyond",
             of->name, of->type.bits);
  return NULL;
}

/* an integer or a truth that the launch says, or that is a size of its name; false: refused */
static bool integer_argument(ttir_lift *lift, const as_ttir_value *of,
                             const as_ttir_argument *given, ttir_node **result) {
  const char *said = given && given->value  ? given->value
                     : given && given->rank ? given->dim[0]
                                            : of->name;
  ttir_node *value = ttir_size(lift, said, of->name);
  bool truth = ttir_is_truth(&of->type);
  value = value && !truth ? argument_in_range(lift, of, value) : value;
  if (!value)
    return false;
  ttir_node *zero = ttir_integer(lift->mem, 0);
  *result = truth ? ttir_not(lift->mem, ttir_compare(lift->mem, TTIR_N_EQUAL, value, zero)) : value;
  return true;
}

/* the kernel's arguments, as values */
static bool lift_arguments(ttir_lift *lift) {
  const as_ttir_region *body = &lift->kernel->body;
  if (!name_sizes(lift))
    return false;
  for (uint32_t i = 0; i < body->n_argument; i++) {
    const as_ttir_value *of = &lift->kernel->value[body->argument[i]];
    const as_ttir_argument *given = ttir_launched(lift, of->name);
    ttir_lifted *lifted = &lift->value[body->argument[i]];
    lifted->known = true;
    lifted->argument = i;
    if (of->type.kind == AS_TTIR_POINTER) {
      lift->tensor[i] = ttir_fresh(lift, of->name);
      if (!given && of->uses > 0)
        return as_err_set(lift->err, AS_BAD_INPUT, "the launch does not say the extents of `%s`",
                          of->name);
      lifted->value = ttir_integer(lift->mem, 0);
    } else if (of->type.kind == AS_TTIR_INT) {
      as_intern_string(&lift->names, of->name);
      lifted->known = given || of->uses > 0; /* else the launch need not say it */
      if (!lifted->known)
        continue;
      if (!integer_argument(lift, of, given, &lifted->value))
        return false;
    } else {
      as_intern_string(&lift->names, of->name);
      lifted->value = ttir_tile(lift->mem, TTIR_REAL, ttir_fresh(lift, of->name), 0, NULL);
    }
  }
  return true;
}

/* ---- the whole program */

static const char *type_word(const as_ttir_type *type) {
  bool floating = type->kind == AS_TTIR_POINTER ? type->floating : type->kind == AS_TTIR_FLOAT;
  return !floating ? "int" : type->bits == 16 ? (type->brain ? "bf16" : "f16") : "f32";
}

/* the same of results that are never loaded: whole numbers are real numbers too */
static const char *real_word(const as_ttir_type *type) {
  return type->floating ? type_word(type) : "f32";
}

static bool declare_pointer(ttir_lift *lift, as_str *text, uint32_t i) {
  const as_ttir_value *of = &lift->kernel->value[lift->kernel->body.argument[i]];
  const as_ttir_argument *given = ttir_launched(lift, of->name);
  if (!given)
    return true; /* nothing uses it */
  bool whole = lift->stored[i] && !lift->loaded[i] && lift->launch->writes_all;
  bool from_zero = lift->updated[i] && given->zero;
  bool changed = lift->stored[i] || lift->updated[i];
  as_str_printf(text, "%s %s: %s[",
                whole || from_zero ? "output"
                : changed          ? "inout"
                                   : "input",
                lift->tensor[i], whole || from_zero ? real_word(&of->type) : type_word(&of->type));
  for (uint32_t k = 0; k < given->rank; k++) {
    ttir_node *extent = ttir_extent(lift, given->dim[k], of->name);
    if (!extent)
      return false;
    as_str_printf(text, "%s%s", k ? ", " : "", extent->text);
  }
  as_str_add(text, from_zero ? "] = 0\n" : "]\n");
  return true;
}

static bool declare(ttir_lift *lift, const char *relations, as_str *text) {
  char *name = cleaned(lift->kernel->name);
  as_str_printf(text, "tile %s\n", name);
  free(name);
  for (uint32_t i = 0; i < lift->launch->n_size; i++) {
    const as_ttir_size *size = &lift->launch->size[i];
    as_str_printf(text, "sizes %s", size->name);
    if (size->least != 1 && size->most == 0)
      as_str_printf(text, " >= %lld", (long long)size->least);
    as_str_printf(text, " = %lld\n", (long long)size->value);
  }
  for (uint32_t i = 0; i < lift->launch->n_where; i++)
    as_str_printf(text, "where %s\n", lift->launch->where[i]);
  as_str_add(text, relations);
  const as_ttir_region *body = &lift->kernel->body;
  for (uint32_t i = 0; i < body->n_argument; i++) {
    const as_ttir_value *of = &lift->kernel->value[body->argument[i]];
    if (of->type.kind == AS_TTIR_FLOAT)
      as_str_printf(text, "input %s_given: %s[]\n", of->name, type_word(&of->type));
    if (of->type.kind == AS_TTIR_POINTER && !declare_pointer(lift, text, i))
      return false;
  }
  return true;
}

/* Numbers that are arguments are tensors without axes: loaded once, in each instance. */
static void load_numbers(ttir_lift *lift) {
  const as_ttir_region *body = &lift->kernel->body;
  for (uint32_t i = 0; i < body->n_argument; i++) {
    const as_ttir_value *of = &lift->kernel->value[body->argument[i]];
    if (of->type.kind == AS_TTIR_FLOAT)
      ttir_line(lift, "load %s[] = %s_given[]", lift->value[body->argument[i]].value->text,
                of->name);
  }
}

static bool updates(const as_ttir_region *region) {
  for (uint32_t i = 0; i < region->n_op; i++) {
    const as_ttir_op *op = region->op[i];
    if (ttir_role_of(op) == TTIR_UPDATES)
      return true;
    for (uint32_t k = 0; k < op->n_region; k++) {
      if (updates(&op->region[k]))
        return true;
    }
  }
  return false;
}

/* Where instances add to a tensor they are taken in one order, which may hide that others meet: so
 * nothing is stored otherwise, and nothing read of what is added to. */
static bool check_updates(ttir_lift *lift) {
  for (uint32_t i = 0; lift->update && i < lift->kernel->body.n_argument; i++) {
    if (lift->stored[i])
      return ttir_refuse(lift, lift->update, "beside stores, whose order instances leave open");
    if (lift->updated[i] && lift->loaded[i])
      return ttir_refuse(lift, lift->update, "of what is loaded too");
  }
  return true;
}

static bool lift_body(ttir_lift *lift) {
  const char *loop = updates(&lift->kernel->body) ? "for" : "parallel";
  int open = 0;
  for (int axis = 0; axis < 3; axis++) {
    const char *extent = lift->launch->grid[axis];
    if (!extent || strcmp(extent, "1") == 0)
      continue;
    ttir_node *count = ttir_size(lift, extent, "the grid");
    if (!count)
      return false;
    ttir_line(lift, "%s pid%d = 0 to %s", loop, axis, count->text);
    lift->depth++;
    open++;
  }
  if (open == 0) { /* one instance is a kernel too */
    ttir_line(lift, "parallel pid0 = 0 to 1");
    lift->depth++;
    open++;
  }
  load_numbers(lift);
  if (!ttir_lift_region(lift, &lift->kernel->body) || !check_updates(lift))
    return false;
  while (open-- > 0) {
    lift->depth--;
    ttir_line(lift, "end");
  }
  return true;
}

ttir_node *ttir_grid(ttir_lift *lift, int axis) {
  const char *extent = lift->launch->grid[axis];
  return ttir_size(lift, extent ? extent : "1", "the grid");
}

/* how a kernel is read, and what that shows */
typedef struct {
  const ttir_mask
      *known;      /* of masks of stores, by value: what an earlier reading has seen; or NULL */
  ttir_mask *seen; /* what this one sees */
} reading;

static char *lifted_text(const as_ttir_kernel *kernel, const char *file,
                         const as_ttir_launch *launch, reading *how, char **relations,
                         as_err *err) {
  const ttir_mask *known = how->known;
  ttir_lift lift = {.kernel = kernel, .launch = launch, .file = file, .err = err};
  lift.mask = how->seen;
  lift.mem = as_arena_new();
  lift.read = ttir_all_read(lift.mem, kernel, known);
  lift.value = as_calloc(kernel->n_value + 1, sizeof *lift.value);
  lift.loaded = as_calloc(kernel->body.n_argument + 1, sizeof *lift.loaded);
  lift.stored = as_calloc(kernel->body.n_argument + 1, sizeof *lift.stored);
  lift.updated = as_calloc(kernel->body.n_argument + 1, sizeof *lift.updated);
  lift.tensor = as_calloc(kernel->body.n_argument + 1, sizeof *lift.tensor);
  lift.guard = ttir_true(lift.mem);
  as_str_init(&lift.out);
  as_vec_init(&lift.required, sizeof(ttir_required));
  as_vec_init(&lift.events, sizeof(ttir_event));
  as_intern_init(&lift.names, NULL);
  as_str text;
  as_str_init(&text);
  as_str required;
  as_str_init(&required);
  as_str_add(&required, "");
  bool fine = lift_arguments(&lift) && lift_body(&lift) && (!known || are_ordered(&lift));
  if (fine)
    ttir_write_relations(&lift, &required);
  *relations = as_str_take(&required);
  fine = fine && declare(&lift, *relations, &text);
  if (fine)
    as_str_add(&text, lift.out.s ? lift.out.s : "");
  as_vec_clear(&lift.required);
  as_str_clear(&lift.out);
  as_intern_clear(&lift.names);
  free(lift.value);
  free(lift.loaded);
  free(lift.stored);
  free(lift.updated);
  as_vec_clear(&lift.events);
  free(lift.tensor);
  as_arena_free(lift.mem);
  char *whole = as_str_take(&text);
  if (fine)
    return whole;
  free(whole);
  return NULL;
}

/* Which masks always hold, and so which lanes are read, is known when all has been read once. */
char *as_ttir_lift(const as_ttir_kernel *kernel, const char *file, const as_ttir_launch *launch,
                   char **relations, as_err *err) {
  size_t n = (size_t)kernel->n_value + 1;
  ttir_mask *masks = as_calloc(2 * n, sizeof *masks);
  reading how = {.known = NULL, .seen = masks};
  char *text = lifted_text(kernel, file, launch, &how, relations, err);
  if (text) {
    free(text);
    free(*relations);
    how = (reading){.known = masks, .seen = masks + n};
    text = lifted_text(kernel, file, launch, &how, relations, err);
  }
  free(masks);
  return text;
}
