#include "gather.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fill_inputs(batch_item *item) {
  unsigned state = 12345;
  for (uint32_t i = 0; i < item->lowered.n_in; i++) {
    for (long k = 0; k < item->lowered.in_elems[i]; k++) {
      state = state * 1664525u + 1013904223u;
      item->in[i][k] = (double)((long)(state >> 8) % 9 - 4);
    }
  }
}

const as_lowered *gather_add(gathering *all, const lower_case *of, const char *text,
                             as_lowered *lowered, double tolerance) {
  ck_assert_uint_lt(all->n, GATHER_MOST);
  gather_subject *one = &all->subject[all->n];
  one->of = *of;
  one->text = as_strdup(text);
  one->tolerance = tolerance;
  batch_item *item = &all->item[all->n++];
  batch_item_init(item, lowered);
  fill_inputs(item);
  return &item->lowered;
}

static double largest(const as_tensor *tensor) {
  double most = 0;
  for (size_t e = 0; e < tensor->n; e++)
    most = fmax(most, fabs(*(double *)as_tensor_at(tensor, e)));
  return most;
}

static void compare(const gather_subject *one, const batch_item *item) {
  as_tensor inputs[8];
  as_tensor out[8];
  as_err err;
  as_err_init(&err);
  int64_t *env = as_env_new(one->of.S);
  const as_graph *program = one->of.prog;
  for (uint32_t i = 0; i < program->n_input; i++) {
    const as_node *node = &program->node[program->input[i]];
    int64_t dim[AS_MAX_RANK];
    for (uint32_t axis = 0; axis < node->rank; axis++)
      dim[axis] = as_size_eval(one->of.S, node->dim[axis], env);
    as_tensor_init(&inputs[i], &as_domain_double, dim, node->rank);
    memcpy(inputs[i].data, item->in[i], inputs[i].n * sizeof(double));
  }
  ck_assert_int_eq(as_eval_graph(program, &as_domain_double, env, inputs, out, &err), AS_OK);
  for (uint32_t i = 0; i < program->n_output; i++) {
    double allowed = one->tolerance * largest(&out[i]);
    for (size_t e = 0; e < out[i].n; e++) {
      double exact = *(double *)as_tensor_at(&out[i], e);
      if (!(fabs(item->out[i][e] - exact) <=
            allowed)) /* ck_assert writes to a file where it holds */
        ck_abort_msg("%s%soutput %u, %zu: %g, not %g", one->text, item->lowered.notes, i, e,
                     item->out[i][e], exact);
    }
    as_tensor_clear(&out[i]);
  }
  for (uint32_t i = 0; i < program->n_input; i++)
    as_tensor_clear(&inputs[i]);
  free(env);
}

void gather_run(gathering *all) {
  char dir[] = "gather-test-XXXXXX";
  if (all->n == 0)
    return;
  ck_assert(mkdtemp(dir) != NULL);
  bool ran = !test_kernels_run() || batch_run(all->item, all->n, dir);
  for (unsigned i = 0; test_kernels_run() && i < all->n; i++) {
    ck_assert_msg(ran && all->item[i].ran, "%s%s: see %s/log", all->subject[i].text,
                  all->item[i].lowered.notes, dir);
    compare(&all->subject[i], &all->item[i]);
  }
  char *command = as_format("rm -r %s", dir);
  ck_assert_int_eq(system(command), 0);
  free(command);
  for (unsigned i = 0; i < all->n; i++) {
    batch_item_clear(&all->item[i]);
    case_close(&all->subject[i].of);
    free(all->subject[i].text);
  }
  all->n = 0;
}
