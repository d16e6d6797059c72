/* Types of tensors between kernels: which values have 16 bits, and near misses that keep 32. */
#include "src/base/id.h"
#include "src/ir/graph_types.h"
#include "util.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *what;
  const char *statements; /* of inputs x, y [M, K] and w, u [K, N], v [N] */
  const char *tensor;
  bool narrow;
} row;

static const row rows[] = {
    {"operand of a product", "t = x * x\n z = matmul(t, w)", "t", true},
    {"operand, seen with other axes", "t = x * y\n s = transpose(t, axis=0)\n z = matmul(s, x)",
     "t", true},
    {"operand of which a sum is made too",
     "t = x * x\n s = sum(t, axis=1)\n"
     " z = matmul(t, w) / expand_dims(s, axis=1)",
     "t", true},
    {"a sum of squares", "t = x * x\n s = sum(t, axis=1)\n z = s + 0", "t", false},
    {"the sum itself", "t = sum(x, axis=1)\n z = t * 2", "t", false},
    {"product, then a bias", "t = matmul(x, w)\n z = t + v", "t", true},
    {"product, then a sigmoid", "t = matmul(x, w)\n z = sigmoid(t) * 2", "t", true},
    {"product, then an exponential", "t = matmul(x, w)\n z = exp(t)", "t", false},
    {"product, then an exponential below a quotient", "t = matmul(x, w)\n z = 1 / (1 + exp(t))",
     "t", false},
    {"scores, then a softmax", "t = matmul(x, w)\n z = softmax(t * 0.125, axis=1)", "t", false},
    {"product, then a difference", "t = matmul(x, w)\n z = t - matmul(y, w)", "t", false},
    {"product, less a number", "t = matmul(x, w)\n z = t - 1", "t", true},
    {"product, then a norm that subtracts a mean", "t = matmul(x, w)\n z = layer_norm(t)", "t",
     false},
    {"product, then a norm that does not", "t = matmul(x, w)\n z = rms_norm(t)", "t", true},
    {"product, then a comparison", "t = matmul(x, w)\n z = less(t, v)", "t", false},
    {"product, then a maximum with 0", "t = matmul(x, w)\n z = relu(t) + v", "t", true},
    {"residual that a norm and a sum read",
     "r = x + y\n n = rms_norm(r)\n z = matmul(n, w) + matmul(r, u)", "r", true},
    {"norm that a product reads", "n = rms_norm(x)\n z = matmul(n, w)", "n", true},
    {"norm that a product and a difference read",
     "n = layer_norm(x)\n z = matmul(transpose(matmul(n, w), axis=0), n - y)", "n", true},
    {"gate that reaches a product through another",
     "g = silu(matmul(x, w))\n a = g * matmul(x, u)\n z = matmul(a, transpose(w, axis=0))", "g",
     true},
    {"powers that reach a product", "a = exp(x)\n z = matmul(a, w)", "a", false},
    {"shares that reach a product",
     "e = exp(x)\n s = expand_dims(sum(e, axis=1), axis=1)\n p = e / s\n z = matmul(p, w)", "p",
     true},
    {"powers by which others are divided",
     "e = exp(x)\n s = expand_dims(sum(e, axis=1), axis=1)\n p = e / s\n z = matmul(p, w)", "e",
     false},
    {"sums of powers times others, not divided yet",
     "a = matmul(exp(x), w)\n z = a / expand_dims(sum(exp(x), axis=1), axis=1)", "a", false},
    {"the same, divided",
     "a = matmul(exp(x), w)\n b = a / expand_dims(sum(exp(x), axis=1), axis=1)\n"
     " z = matmul(b, transpose(w, axis=0))",
     "b", true},
    {"number beyond 16 bits", "t = matmul(x, w) + 100000\n z = t * 2", "t", false},
    {"number below their precision", "t = matmul(x, w) * 0.00001\n z = t + 1", "t", false},
    {"quotient of two", "t = x / y\n z = t + 1", "t", false},
    {"quotient of two that a product reads", "t = x / y\n z = matmul(t, w)", "t", true},
};

/* the type of the tensor in the program made of these statements and types of inputs */
static as_dtype type_of(const row *one, const char *of_x, const char *of_others) {
  as_oplib *lib = test_operators();
  as_sizes *sizes = as_sizes_new();
  as_err err;
  as_err_init(&err);
  char *text = as_format("program p\nsizes M = 8, K = 16, N = 16\ninput x: %s[M, K]\n"
                         "input y: %s[M, K]\ninput w: %s[K, N]\ninput u: %s[K, N]\n"
                         "input v: %s[N]\n %s\noutput z\n",
                         of_x, of_others, of_others, of_others, of_others, one->statements);
  as_graph *graph = as_parse_tp("test", text, strlen(text), sizes, lib, &err);
  char *why = as_err_format(&err);
  ck_assert_msg(graph != NULL, "%s: %s", one->what, why);
  free(why);
  as_dtype *between = as_graph_between(graph);
  as_node_id id = as_graph_find(graph, AS_NONE, one->tensor);
  ck_assert_msg(id != AS_NONE, "%s", one->what);
  as_dtype type = between[id];
  free(between);
  as_graph_free(graph);
  free(text);
  as_err_clear(&err);
  as_sizes_free(sizes);
  as_oplib_free(lib);
  return type;
}

START_TEST(each_row) {
  const row *one = &rows[_i];
  as_dtype want = one->narrow ? AS_F16 : AS_F32;
  ck_assert_msg(type_of(one, "f16", "f16") == want, "%s: %s has %s bits", one->what, one->tensor,
                one->narrow ? "32" : "16");
  ck_assert_int_eq(type_of(one, "bf16", "bf16"), one->narrow ? AS_BF16 : AS_F32);
}

END_TEST

/* inputs of 32 bits, or of two types, leave nothing of 16 bits between kernels */
START_TEST(wide_programs) {
  ck_assert_int_eq(type_of(&rows[_i], "f32", "f32"), AS_F32);
  ck_assert_int_eq(type_of(&rows[_i], "f16", "f32"), AS_F32);
  ck_assert_int_eq(type_of(&rows[_i], "f16", "bf16"), AS_F32);
}

END_TEST

static const char typed_program[] =
    "program p\nsizes M = 8, K = 16\ninput x: f16[M, K]\ninput w: f16[K, K]\n"
    "s = matmul(x, w)\nt = exp(s)\noutput z = t + 1\n";

static as_graph *typed_graph(const as_graph *program, const char *text) {
  as_err err;
  as_err_init(&err);
  as_graph *graph = as_parse_mug("m.mug", text, strlen(text), program, &err);
  char *why = as_err_format(&err);
  ck_assert_msg(graph != NULL, "%s", why);
  free(why);
  as_err_clear(&err);
  return graph;
}

/* what a text states counts, is printed, and is read back; what it does not is chosen */
START_TEST(types_are_stated) {
  static const char bare[] = "mugraph m\ns = matmul(x, w)\nkernel k\n  grid x = M\n"
                             "  load a [1, K] = s x -> 0\n  e = exp(a)\n"
                             "  store t [1, K] = e x -> 0\nend\nz = t + 1\n";
  static const char *const stated[] = {"s: f16 = matmul(x, w)\n",
                                       "  store t: f16 [1, K] = e x -> 0\n"};
  as_oplib *lib = test_operators();
  as_sizes *sizes = as_sizes_new();
  as_graph *program = as_parse_tp("p.tp", typed_program, strlen(typed_program), sizes, lib, NULL);
  as_graph *graph = typed_graph(program, bare);
  as_dtype *between = as_graph_between(graph);
  ck_assert_int_eq(between[as_graph_find(graph, AS_NONE, "s")], AS_F32);
  ck_assert_int_eq(between[as_graph_find(graph, AS_NONE, "t")], AS_F32);
  free(between);
  as_graph_state_types(graph);
  char *text = as_print_mug(graph);
  ck_assert_msg(strstr(text, "s: f32 = matmul(x, w)\n") && strstr(text, "  store t: f32 [1, K] ="),
                "%s", text);
  ck_assert_msg(strstr(text, "\nz = "), "%s", text);
  free(text);
  as_graph_free(graph);
  text = as_format("mugraph m\n%skernel k\n  grid x = M\n  load a [1, K] = s x -> 0\n  e = exp(a)\n"
                   "%send\nz = t + 1\n",
                   stated[0], stated[1]);
  graph = typed_graph(program, text);
  between = as_graph_between(graph);
  ck_assert_int_eq(between[as_graph_find(graph, AS_NONE, "s")], AS_F16);
  ck_assert_int_eq(between[as_graph_find(graph, AS_NONE, "t")], AS_F16);
  char *again = as_print_mug(graph);
  ck_assert_msg(strstr(again, stated[0]) && strstr(again, stated[1]), "%s", again);
  free(between);
  free(again);
  free(text);
  as_graph_free(graph);
  as_graph_free(program);
  as_sizes_free(sizes);
  as_oplib_free(lib);
}

END_TEST

/* What a program states is what it rounds its results to, and of what a statement computes on the
 * way 32 bits; near misses are refused. */
START_TEST(types_of_a_program) {
  static const char head[] = "program p\nsizes M = 8\ninput x: %s[M]\n%s";
  static const char *const refused[] = {"s: bf16 = exp(x)\noutput z = s + 1\n",
                                        "s: f32 = exp(x)\noutput s\n", "output s: f32 = exp(x)\n",
                                        "output z: f16\n"};
  as_oplib *lib = test_operators();
  as_sizes *sizes = as_sizes_new();
  char *text = as_format(head, "f16", "s: f32 = exp(x)\nt: f16 = s * s + 1\noutput z = t + x\n");
  as_graph *graph = as_parse_tp("p.tp", text, strlen(text), sizes, lib, NULL);
  ck_assert(graph != NULL);
  const as_node *sum = &graph->node[as_graph_find(graph, AS_NONE, "t")];
  ck_assert(sum->is_typed && sum->memory == AS_F16);
  ck_assert(graph->node[sum->arg[0]].is_typed && graph->node[sum->arg[0]].memory == AS_F32);
  ck_assert(!graph->node[graph->output[0]].is_typed);
  char *printed = as_print_tp(graph);
  as_sizes *others = as_sizes_new();
  as_graph *again = as_parse_tp("p.tp", printed, strlen(printed), others, lib, NULL);
  char *twice = as_print_tp(again);
  ck_assert_str_eq(printed, twice);
  ck_assert_msg(strstr(printed, "s: f32 = exp(x)\n") && strstr(printed, "t: f16 ="), "%s", printed);
  free(twice);
  free(printed);
  free(text);
  as_graph_free(again);
  as_graph_free(graph);
  as_sizes_free(others);
  as_sizes_free(sizes);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    sizes = as_sizes_new();
    text = as_format(head, "f16", refused[i]);
    ck_assert_msg(as_parse_tp("p.tp", text, strlen(text), sizes, lib, NULL) == NULL, "%s", text);
    free(text);
    as_sizes_free(sizes);
  }
  sizes = as_sizes_new();
  text = as_format(head, "f32", "s: f32 = exp(x)\noutput z = s + 1\n");
  ck_assert_msg(as_parse_tp("p.tp", text, strlen(text), sizes, lib, NULL) == NULL, "%s", text);
  free(text);
  as_sizes_free(sizes);
  as_oplib_free(lib);
}

END_TEST

/* Squares within one operator of the framework outgrow 16 bits where the program given rounds none
 * of them; their root does not, and neither do squares that the program itself rounds. */
START_TEST(squares) {
  static const char *const types[2] = {": f32", ""};
  static const char cand[] = "mugraph m\nq = x * x\nm = mean(q, axis=1)\nr = sqrt(m)\nv = 1 / r\n"
                             "y = x * v[:, none]\nz = matmul(y, w)\n";
  static const char *const wide[] = {"m", "v"};
  for (int i = 0; i < 2; i++) {
    as_oplib *lib = test_operators();
    as_sizes *sizes = as_sizes_new();
    const char *type = types[i];
    char *text =
        as_format("program p\nsizes M = 8, K = 16\ninput x: f16[M, K]\ninput w: f16[K, K]\n"
                  "a%s = x * x\nb%s = mean(a, axis=1)\nc%s = 1 / sqrt(b)\n"
                  "d%s = x * c[:, none]\noutput z = matmul(d, w)\n",
                  type, type, type, i ? "" : ": f16");
    as_graph *program = as_parse_tp("p.tp", text, strlen(text), sizes, lib, NULL);
    ck_assert(program != NULL);
    as_graph *graph = typed_graph(program, cand);
    as_dtype *between = as_graph_between(graph);
    for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
      ck_assert_msg(between[as_graph_find(graph, AS_NONE, wide[k])] == (i ? AS_F16 : AS_F32),
                    "%s of a program that rounds %s", wide[k], i ? "it" : "none");
    ck_assert_int_eq(between[as_graph_find(graph, AS_NONE, "r")], AS_F16);
    ck_assert_int_eq(between[as_graph_find(graph, AS_NONE, "y")], AS_F16);
    free(between);
    free(text);
    as_graph_free(graph);
    as_graph_free(program);
    as_sizes_free(sizes);
    as_oplib_free(lib);
  }
}

END_TEST

int main(void) {
  TCase *tests = test_case("types", 20);
  int n = (int)(sizeof rows / sizeof *rows);
  tcase_add_loop_test(tests, each_row, 0, n);
  tcase_add_loop_test(tests, wide_programs, 0, n);
  tcase_add_test(tests, types_are_stated);
  tcase_add_test(tests, types_of_a_program);
  tcase_add_test(tests, squares);
  return test_run("types", tests);
}
