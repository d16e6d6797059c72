/* Tensors of values, and the values of sizes. */
#include "eval.h"
#include "src/base/mem.h"
#include <string.h>

void as_tensor_init(as_tensor *tensor, const as_domain *domain, const int64_t *dim, uint32_t rank) {
  *tensor = (as_tensor){.rank = rank, .n = 1, .d = domain};
  for (uint32_t i = 0; i < rank; i++) {
    tensor->dim[i] = dim[i];
    tensor->n *= (size_t)dim[i];
  }
  tensor->data = as_dom_new(domain, tensor->n);
}

bool as_tensor_fits(const as_domain *domain, const int64_t *dim, uint32_t rank, size_t *used) {
  size_t n = 1;
  size_t room = *used < AS_EVAL_MAX_BYTES ? (AS_EVAL_MAX_BYTES - *used) / domain->size : 0;
  for (uint32_t i = 0; i < rank; i++) {
    if (!dim[i])
      return true;
  }
  for (uint32_t i = 0; i < rank; i++) {
    if (n > room / (size_t)dim[i])
      return false;
    n *= (size_t)dim[i];
  }
  if (n > room)
    return false;
  *used += n * domain->size;
  return true;
}

void as_tensor_clear(as_tensor *tensor) {
  if (tensor->d)
    as_dom_free(tensor->d, tensor->data, tensor->n);
  memset(tensor, 0, sizeof *tensor);
}

int64_t *as_env_new(const as_sizes *sizes) {
  uint32_t n = as_size_count(sizes);
  int64_t *env = as_malloc((n + 1) * sizeof *env);
  for (uint32_t i = 0; i < n; i++)
    env[i] = INT64_MIN;
  for (uint32_t i = 0; as_size_nth_sym(sizes, i) != AS_SIZE_BAD; i++) {
    as_size size = as_size_nth_sym(sizes, i);
    long value = as_size_value(sizes, size);
    if (value >= 0)
      env[size] = value;
  }
  return env;
}

bool as_fact_holds(const as_sizes *sizes, const as_size_fact *fact, const int64_t *env) {
  int64_t a = as_size_eval(sizes, fact->lhs, env);
  int64_t b = as_size_eval(sizes, fact->rhs, env);
  if (a == INT64_MIN || b == INT64_MIN)
    return false;
  return fact->rel == AS_REL_EQ   ? a == b
         : fact->rel == AS_REL_NE ? a != b
         : fact->rel == AS_REL_LE ? a <= b
                                  : a < b;
}
