#include "verify.h"
#include "depend.h"
#include "trial.h"
#include "verify_text.h"
#include <stdlib.h>
#include <string.h>

/* a tensor in memory, of the whole program */
typedef struct {
  lv_place_kind kind;
  long number;
  bool written;
  uint64_t *from; /* bits: the program's inputs that reach it */
} tensor;

typedef struct {
  lo_job *job;
  const as_lowered *lowered;
  as_vec tokens;
  as_vec function;     /* of lv_function */
  as_vec used;         /* of uint32_t, by function: how often it is launched or called */
  as_vec tensor;       /* of tensor */
  size_t launch_begin; /* tokens of the launcher's body */
  size_t launch_end;
  uint32_t words;
} program;

__attribute__((format(printf, 2, 3))) static bool wrong(program *of, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  char *why = as_format_va(fmt, args);
  va_end(args);
  as_err_set(of->job->err, AS_INTERNAL, "the kernels as they are printed are refused: %s", why);
  free(why);
  return false;
}

static const lv_token *token_at(const program *of, size_t at) {
  return &AS_VEC_AT(&of->tokens, lv_token, at);
}

static bool is_sign(const program *of, size_t at, char sign) {
  return at < of->tokens.n && token_at(of, at)->kind == LV_T_SIGN && token_at(of, at)->sign == sign;
}

static size_t behind(const program *of, size_t at) {
  int depth = 0;
  for (; at < of->tokens.n; at++) {
    depth += is_sign(of, at, '(') || is_sign(of, at, '[') || is_sign(of, at, '{');
    depth -= is_sign(of, at, ')') || is_sign(of, at, ']') || is_sign(of, at, '}');
    if (depth == 0)
      return at + 1;
  }
  return at;
}

/* --- the functions of the text */
static bool begins(const lv_token *token, const char *word) {
  return token->n >= strlen(word) && memcmp(token->text, word, strlen(word)) == 0;
}

/* name: the token of a function's name; gives behind its body */
static size_t read_function(program *of, size_t name, long threads) {
  size_t body = behind(of, name + 1);
  if (!is_sign(of, body, '{'))
    return body;
  size_t end = behind(of, body);
  lv_function made;
  uint32_t never = 0;
  lv_flow(&of->tokens, name, body + 1, end - 1, &made);
  made.threads = threads;
  as_vec_push(&of->function, &made);
  as_vec_push(&of->used, &never);
  return end;
}

static bool read_functions(program *of) {
  for (size_t at = 0; at + 1 < of->tokens.n;) {
    const lv_token *token = token_at(of, at);
    if (begins(token, "AS_KERNEL")) {
      long threads = token_at(of, at + 2)->number;
      at = read_function(of, behind(of, at + 1), threads);
    } else if (lv_is(token, "AS_PART")) {
      at = read_function(of, at + 1, -1);
    } else if (lv_is(token, "assay_launch") && is_sign(of, at + 1, '(')) {
      size_t body = behind(of, at + 1);
      of->launch_begin = body + 1;
      of->launch_end = behind(of, body) - 1;
      at = of->launch_end;
    } else {
      at++;
    }
  }
  return of->launch_end > 0 || wrong(of, "there is no launcher");
}

static lv_function *function_named(const program *of, const lv_token *name, uint32_t *which) {
  for (uint32_t i = 0; i < of->function.n; i++) {
    lv_function *function = &AS_VEC_AT(&of->function, lv_function, i);
    *which = i;
    if (function->n == name->n && memcmp(function->name, name->text, name->n) == 0)
      return function;
  }
  return NULL;
}

/* --- tensors in memory */
static tensor *tensor_of(program *of, lv_place_kind kind, long number) {
  for (size_t i = 0; i < of->tensor.n; i++) {
    tensor *known = &AS_VEC_AT(&of->tensor, tensor, i);
    if (known->kind == kind && known->number == number)
      return known;
  }
  tensor made = {.kind = kind, .number = number, .written = kind == LV_INPUT};
  made.from = as_calloc(of->words, sizeof *made.from);
  if (kind == LV_INPUT)
    made.from[number / 64] |= UINT64_C(1) << number % 64;
  return as_vec_push(&of->tensor, &made);
}

static void join(const program *of, uint64_t *to, const uint64_t *from) {
  for (uint32_t i = 0; i < of->words; i++)
    to[i] |= from[i];
}

/* the inputs that reach a place of a function; argument: those of its parameters */
static void reach(program *of, const lv_function *function, const lv_place *place,
                  const uint64_t *argument, uint64_t *to) {
  for (uint32_t i = 0; i < function->place.n; i++) {
    const lv_place *from = &AS_VEC_AT(&function->place, lv_place, i);
    if (!(place->from[i / 64] >> i % 64 & 1))
      continue;
    if (from->parameter)
      join(of, to, argument);
    else if (from->kind != LV_VARIABLE && from->kind != LV_SHARED)
      join(of, to, tensor_of(of, from->kind, from->number)->from);
  }
}

static const char *kind_words(lv_place_kind kind) {
  return kind == LV_INPUT ? "input" : kind == LV_OUTPUT ? "output" : "the workspace at byte";
}

/* Is what it reads written by earlier launches, or by itself? */
static bool reads_what_is_there(program *of, const lv_function *function) {
  if (function->unknown)
    return wrong(of, "kernel %.*s: nothing declares %.*s", (int)function->n, function->name,
                 (int)function->unknown->n, function->unknown->text);
  for (size_t i = 0; i < function->place.n; i++) {
    const lv_place *place = &AS_VEC_AT(&function->place, lv_place, i);
    bool shared = place->kind == LV_SHARED;
    if (place->kind == LV_VARIABLE && place->read && !place->written)
      return wrong(of, "kernel %.*s: %.*s is used and nothing is assigned to it", (int)function->n,
                   function->name, (int)place->n, place->name);
    if (shared && place->read && !place->written && place->number >= 0)
      return wrong(of, "kernel %.*s: shared memory from byte %ld on is read and never written",
                   (int)function->n, function->name, place->number);
    if (place->kind == LV_VARIABLE || shared || !place->read || place->written)
      continue;
    if (!tensor_of(of, place->kind, place->number)->written)
      return wrong(of, "kernel %.*s reads %s %ld, which nothing has written", (int)function->n,
                   function->name, kind_words(place->kind), place->number);
  }
  return true;
}

static void take_writes(program *of, const lv_function *function, const uint64_t *argument) {
  for (size_t i = 0; i < function->place.n; i++) {
    const lv_place *place = &AS_VEC_AT(&function->place, lv_place, i);
    bool in_memory = place->kind == LV_OUTPUT || place->kind == LV_WORK;
    if (!in_memory || !place->written)
      continue;
    tensor_of(of, place->kind, place->number)->written = true;
    reach(of, function, place, argument, tensor_of(of, place->kind, place->number)->from);
  }
}

/* of tensors without elements there is nothing to write */
static void take_empty(program *of) {
  for (uint32_t i = 0; i < of->job->n_value; i++) {
    const lo_value *value = &of->job->value[i];
    if (value->place != LP_GLOBAL || value->buffer_class == LG_PART || lo_elems(value) > 0)
      continue;
    bool work = value->buffer_class == LG_WORK;
    lv_place_kind kind = work ? LV_WORK : value->buffer_class == LG_INPUT ? LV_INPUT : LV_OUTPUT;
    tensor_of(of, kind, work ? value->work_offset : (long)value->buffer_index)->written = true;
  }
}

/* --- launches */
enum { MOST_ARGUMENTS = 24 };

/* arguments of a call: where each begins; the last entry: behind the last one */
static uint32_t arguments(const program *of, size_t open, size_t *begin) {
  size_t close = behind(of, open) - 1;
  uint32_t n = 0;
  begin[n] = open + 1;
  for (size_t at = open + 1; at < close && n + 1 < MOST_ARGUMENTS; at++) {
    if (is_sign(of, at, ',')) {
      begin[++n] = at + 1;
    } else if (is_sign(of, at, '(') || is_sign(of, at, '[') || is_sign(of, at, '{')) {
      at = behind(of, at) - 1;
    }
  }
  begin[n + 1] = close + 1;
  return n + 1;
}

/* the tensor in memory that an argument names; NULL: none */
static tensor *tensor_named(program *of, size_t begin, size_t end) {
  for (size_t at = begin; at + 2 < end; at++) {
    if (!lv_is(token_at(of, at), "a") || !is_sign(of, at + 1, '.'))
      continue;
    const lv_token *field = token_at(of, at + 2);
    if (lv_is(field, "ws") && is_sign(of, at + 3, '+'))
      return tensor_of(of, LV_WORK, token_at(of, at + 4)->number);
    if (lv_is(field, "in") || lv_is(field, "out"))
      return tensor_of(of, lv_is(field, "in") ? LV_INPUT : LV_OUTPUT, token_at(of, at + 4)->number);
  }
  return NULL;
}

/* product of the library: what follows the description is A, B and D */
static bool take_product(program *of, size_t open) {
  size_t begin[MOST_ARGUMENTS + 1];
  uint32_t n = arguments(of, open, begin);
  tensor *of_call[3];
  for (uint32_t i = 0; i < 3; i++) {
    of_call[i] = i + 2 < n ? tensor_named(of, begin[i + 1], begin[i + 2] - 1) : NULL;
    if (of_call[i] == NULL)
      return wrong(of, "a call of the library names no tensor");
    if (i < 2 && !of_call[i]->written)
      return wrong(of, "a call of the library reads %s %ld, which nothing has written",
                   kind_words(of_call[i]->kind), of_call[i]->number);
  }
  lv_place_kind kind = of_call[2]->kind;
  long number = of_call[2]->number;
  for (uint32_t i = 0; i < 2; i++)
    join(of, tensor_of(of, kind, number)->from, tensor_named(of, begin[i + 1], begin[i + 2])->from);
  tensor_of(of, kind, number)->written = true;
  return true;
}

/* the tensor that a tensor map of that name is of, by the last statement before token `to` that
 * makes one; NULL: there is none */
static tensor *mapped(program *of, const lv_token *name, size_t to) {
  for (size_t at = to; at-- > of->launch_begin;) {
    const lv_token *token = token_at(of, at);
    bool here = lv_is(token, "at_tensor_map") && is_sign(of, at + 2, '&') &&
                token_at(of, at + 3)->n == name->n &&
                memcmp(token_at(of, at + 3)->text, name->text, name->n) == 0;
    if (here)
      return tensor_named(of, at + 1, behind(of, at + 1));
  }
  return NULL;
}

/* inputs that reach what is passed beside `a`: tensor maps */
static bool reach_arguments(program *of, const size_t *begin, uint32_t n, uint64_t *to) {
  for (uint32_t i = 6; i < n; i++) {
    const lv_token *name = token_at(of, begin[i]);
    const tensor *of_map = mapped(of, name, begin[0]);
    if (of_map == NULL || !of_map->written)
      return wrong(of, "tensor map %.*s is of nothing that is there", (int)name->n, name->text);
    join(of, to, of_map->from);
  }
  return true;
}

static bool shared_fits(program *of, const lv_function *function, long bytes) {
  for (size_t i = 0; i < function->place.n; i++) {
    const lv_place *place = &AS_VEC_AT(&function->place, lv_place, i);
    if (place->kind == LV_SHARED && (place->read || place->written) &&
        bytes <= (place->number > 0 ? place->number : 0))
      return wrong(of, "kernel %.*s uses shared memory from byte %ld on, and is given %ld bytes",
                   (int)function->n, function->name, place->number > 0 ? place->number : 0, bytes);
  }
  return true;
}

static bool take_function(program *of, uint32_t which, long bytes, const uint64_t *argument) {
  const lv_function *function = &AS_VEC_AT(&of->function, lv_function, which);
  if (AS_VEC_AT(&of->used, uint32_t, which)++)
    return wrong(of, "kernel %.*s runs twice", (int)function->n, function->name);
  if (!shared_fits(of, function, bytes) || !reads_what_is_there(of, function))
    return false;
  for (size_t i = 0; i < function->calls.n; i++) {
    uint32_t part;
    const lv_token *name = AS_VEC_AT(&function->calls, const lv_token *, i);
    if (!function_named(of, name, &part))
      return wrong(of, "kernel %.*s has a part %.*s that is not there", (int)function->n,
                   function->name, (int)name->n, name->text);
    if (!take_function(of, part, bytes, argument))
      return false;
  }
  take_writes(of, function, argument);
  return true;
}

/* as it is reported */
static bool is_as_described(program *of, uint32_t launch, bool of_threads, long blocks,
                            long threads, long bytes) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < of->lowered->n_kernel; i++) {
    const as_lower_kernel *kernel = &of->lowered->kernel[i];
    if (kernel->library || kernel->blocks == 0 || n++ != launch)
      continue;
    if (of_threads != (strcmp(kernel->route, AS_ROUTE_THREADS) == 0) ||
        of_threads != kernel->validated)
      return wrong(of, "kernel %s is not made the way that is reported: %s", kernel->name,
                   kernel->route);
    bool same = kernel->blocks == blocks || of->job->n_ranged > 0;
    return (same && kernel->warps * 32L == threads && kernel->bytes_smem == bytes) ||
           wrong(of,
                 "kernel %s is launched as %ld blocks of %ld threads with %ld bytes of shared "
                 "memory, and planned as %ld of %d with %ld",
                 kernel->name, blocks, threads, bytes, kernel->blocks, 32 * kernel->warps,
                 kernel->bytes_smem);
  }
  return wrong(of, "there are more launches than kernels");
}

static bool take_launch(program *of, size_t open, uint32_t launch) {
  size_t begin[MOST_ARGUMENTS + 1];
  uint32_t n = arguments(of, open, begin);
  const lv_token *name = token_at(of, begin[0]);
  uint32_t which;
  const lv_function *function = function_named(of, name, &which);
  if (!function || n < 6)
    return wrong(of, "%.*s is launched and not defined", (int)name->n, name->text);
  long threads = token_at(of, begin[2])->number;
  long bytes = token_at(of, begin[3])->number;
  if (function->threads != threads)
    return wrong(of, "kernel %.*s is for %ld threads, and launched with %ld", (int)name->n,
                 name->text, function->threads, threads);
  uint64_t *argument = as_calloc(of->words, sizeof *argument);
  bool ok = reach_arguments(of, begin, n, argument) &&
            is_as_described(of, launch, begins(token_at(of, open - 1), "AT_"),
                            token_at(of, begin[1])->number, threads, bytes) &&
            take_function(of, which, bytes, argument);
  free(argument);
  return ok;
}

static bool take_launches(program *of) {
  uint32_t launch = 0;
  for (size_t at = of->launch_begin; at < of->launch_end; at++) {
    const lv_token *token = token_at(of, at);
    if (lv_is(token, "multiply") && is_sign(of, at + 1, '(')) {
      if (!take_product(of, at + 1))
        return false;
    } else if ((begins(token, "AS_LAUNCH") || begins(token, "AT_LAUNCH")) &&
               is_sign(of, at + 1, '(') && !take_launch(of, at + 1, launch++)) {
      return false;
    }
  }
  return true;
}

/* a kernel whose body says that it has no blocks is not launched */
static bool all_are_used(program *of) {
  for (uint32_t i = 0; i < of->function.n; i++) {
    const lv_function *function = &AS_VEC_AT(&of->function, lv_function, i);
    bool writes = false;
    for (size_t k = 0; k < function->place.n; k++) {
      const lv_place *place = &AS_VEC_AT(&function->place, lv_place, k);
      writes = writes || (place->kind != LV_VARIABLE && place->kind != LV_SHARED && place->written);
    }
    if (AS_VEC_AT(&of->used, uint32_t, i) == 0 && writes)
      return wrong(of, "kernel %.*s is not launched", (int)function->n, function->name);
  }
  return true;
}

/* --- what outputs depend on, by the graph */
static bool depends_as_the_graph_says(program *of, uint32_t id) {
  lo_job *job = of->job;
  const lo_value *output = &job->value[id];
  const tensor *made = tensor_of(of, LV_OUTPUT, output->buffer_index);
  if (!made->written)
    return wrong(of, "nothing writes %s", output->name);
  uint64_t *depends = as_calloc(of->words, sizeof *depends);
  lo_depends(job, id, depends);
  bool ok = true;
  for (uint32_t i = 0; i < job->graph->n_input && ok; i++) {
    bool needed = depends[i / 64] >> i % 64 & 1;
    if (needed && !(made->from[i / 64] >> i % 64 & 1))
      ok = wrong(of, "%s is made without input %s, which it depends on", output->name,
                 job->graph->node[job->graph->input[i]].name);
  }
  free(depends);
  return ok;
}

static bool look_at_outputs(program *of) {
  for (uint32_t i = 0; i < of->job->meaning->n_value; i++) {
    const lo_value *value = &of->job->value[i];
    if (value->place == LP_GLOBAL && value->buffer_class == LG_OUTPUT && lo_elems(value) > 0 &&
        !depends_as_the_graph_says(of, i))
      return false;
  }
  return true;
}

bool lo_verify(lo_job *job, const as_lowered *lowered) {
  program of = {.job = job, .lowered = lowered, .words = job->graph->n_input / 64 + 1};
  as_vec_init(&of.function, sizeof(lv_function));
  as_vec_init(&of.used, sizeof(uint32_t));
  as_vec_init(&of.tensor, sizeof(tensor));
  lv_tokens(lowered->cuda + lowered->own, &of.tokens);
  take_empty(&of);
  bool ok = read_functions(&of) && take_launches(&of) && all_are_used(&of) && look_at_outputs(&of);
  for (size_t i = 0; i < of.function.n; i++)
    lv_function_clear(&AS_VEC_AT(&of.function, lv_function, i));
  for (size_t i = 0; i < of.tensor.n; i++)
    free(AS_VEC_AT(&of.tensor, tensor, i).from);
  as_vec_clear(&of.function);
  as_vec_clear(&of.used);
  as_vec_clear(&of.tensor);
  as_vec_clear(&of.tokens);
  return ok;
}
