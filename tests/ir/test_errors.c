/* What is refused, with the message and the place it names: programs, muGraphs, truncated and
 * binary files. */
#include "src/base/mem.h"
#include "src/base/rng.h"
#include "util.h"
#include <stdio.h>

typedef struct {
  as_oplib *lib;
  as_sizes *S;
  as_graph *program;
} world;

static const char spec[] = "program p\nsizes B=16, D=64, N=32\ninput X: f16[B, D]\ninput G: "
                           "f16[D]\ninput W: f16[D, N]\noutput Z = matmul(X * G, W)\n";
static const char head[] = "mugraph m\nsizes J=8, U=4, L=4, T=16\nwhere N = J*U, D = L*T\n";

static void open_world(world *here) {
  here->lib = test_operators();
  here->S = as_sizes_new();
  here->program = as_parse_tp("p.tp", spec, strlen(spec), here->S, here->lib, NULL);
  ck_assert_ptr_nonnull(here->program);
}

static void close_world(world *here) {
  as_graph_free(here->program);
  as_sizes_free(here->S);
  as_oplib_free(here->lib);
}

#define S "sizes B=16, D=64, N=32\n"
#define XW "input X: f16[B, D]\ninput W: f16[D, N]\n"
#define KEEP ", keepdims=0, keepdims=0, keepdims=0"

static const struct {
  const char *text;
  const char *at;
  const char *says;
} programs[] = {
    {"", "1:1", "expected `program`"},
    {"\x7f"
     "ELF",
     "1:1", "byte 0x7f: this is not a text file"},
    {"program p\n" S XW, "5:1", "no output"},
    {"program p\n" S XW "output Z = matmull(X, W)\n", "5:12", "is `matmul` meant?"},
    {"program p\n" S XW "output Z = frobnicate(X, W)\n", "5:12", "unknown operator `frobnicate`"},
    {"program p\n" S XW "output Z = matmul(X, X)\n", "5:12", "extents `D` and `B` differ"},
    {"program p\n" S XW "output Z = X * W\n", "5:14", "differ"},
    {"program p\n" S XW "output Z = X @ W[:, none]\n", "5:14", "extents `D` and `1` differ"},
    {"program p\n" S XW "output Z = matmul(X)\n", "5:12", "takes 2 tensors, not 1"},
    {"program p\n" S XW "output Z = softmax(X, axis=2)\n", "5:12", "does not fit"},
    {"program p\n" S XW "output Z = softmax(X, axis=-3)\n", "5:12", "does not fit"},
    {"program p\n" S XW "output Z = softmax(X, axis=D)\n", "5:12", "literal integer"},
    {"program p\n" S XW "output Z = softmax(X, axis=0.5)\n", "5:12", "literal integer"},
    {"program p\n" S XW "output Z = softmax(X, axes=0)\n", "5:23", "is `axis` meant?"},
    {"program p\n" S XW "output Z = softmax(X, axis=0, axis=1)\n", "5:31", "twice"},
    {"program p\n" S XW "output Z = concat(X, axis=0, X)\n", "5:30", "tensors come first"},
    {"program p\n" S XW "output Z = softmax(X, axis=[0, 1])\n", "5:23", "does not reduce one axis"},
    {"program p\n" S XW "output Z = sum(X, axis=[1, 0])\n", "5:19", "axes are in order"},
    {"program p\n" S XW "output Z = sum(X, axis=[0, -1])\n", "5:19", "axes are in order"},
    {"program p\n" S XW "output Z = sum(X, axis=[0, 0])\n", "5:19", "axes are in order"},
    {"program p\n" S XW "output Z = sum(X, axis=[])\n", "5:25", "number of an axis"},
    {"program p\n" S XW "output Z = sum(X, axis=[D])\n", "5:25", "number of an axis"},
    {"program p\n" S XW "output Z = sum(X, axis=[0, 2])\n", "5:12", "does not fit"},
    {"program p\n" S XW "output Z = sum(X, axis=[0, 1], axis=0)\n", "5:19", "only attribute"},
    {"program p\n" S XW "output Z = mul_by(X, n=[1])\n", "5:22", "a list is of axes"},
    {"program p\n" S XW "output Z = transpose(X, axis=[0])\n", "5:25", "permutation of 2 axes"},
    {"program p\n" S XW "output Z = transpose(X, axis=[0, 2])\n", "5:25", "0 to 1 is wanted, once"},
    {"program p\n" S XW "output Z = transpose(X, axis=[0, 1])\n", "5:25", "where it is"},
    {"program p\n" S XW "output Z = sum(X, keepdims=2)\n", "5:28", "0 or 1"},
    {"program p\n" S XW "output Z = sum(X" KEEP KEEP KEEP ")\n", "5:115", "more than 8 attributes"},
    {"program p\n" S XW "output Z = softmax(X, keepdims=1)\n", "5:12",
     "no operator `softmax_keep`"},
    {"program p\n" S "where D = 2 or D = 3\n" XW "output Z = X\n", "3:7", "do not satisfy"},
    {"program p\n" S "where D = 2 or\n" XW "output Z = X\n", "3:15", "expected"},
    {"program p\n" S XW "output Z = clamp(X, lo=0)\n", "5:12", "needs the attribute `hi`"},
    {"program p\n" S XW "output Z = X[:, :, :]\n", "5:20", "more indices than axes"},
    {"program p\n" S XW "output Z = X[3]\n", "5:15", "sliced, not indexed"},
    {"program p\n" S XW "output Z = X[-1:]\n", "5:14", "requires 0 <= -1"},
    {"program p\n" S XW "output Z = X[:, 0:D+1]\n", "5:17", "never holds"},
    {"program p\n" S XW "output Z = X[:, 0:65]\n", "5:17", "concrete sizes do not satisfy"},
    {"program p\n" S XW "output Z = X[::0]\n", "5:14", "requires"},
    {"program p\n" S XW "A = B2 + X\nB2 = A\noutput A\n", "5:5", "definitions cannot be cyclic"},
    {"program p\n" S XW "A = A + X\noutput A\n", "5:5", "defined by itself"},
    {"program p\n" S XW "X = neg(W)\noutput X\n", "5:1", "already defined"},
    {"program p\n" S XW "D = neg(W)\noutput D\n", "5:1", "already defined"},
    {"program p\n" S XW "A = X\noutput A\n", "5:1", "another name"},
    {"program p\n" S XW "sum = neg(X)\noutput sum\n", "5:1", "reserved word"},
    {"program p\n" S XW "output Z = neg(X\n", "6:1", "expected `)`"},
    {"program p\n" S XW "output Z = neg(X) Y\n", "5:19", "the end of the line"},
    {"program p\n" S XW "output Z = 3\n", "5:8", "kernel level"},
    {"program p\n" S XW "output Z = neg(X)\noutput Z\n", "6:8", "twice"},
    {"program p\nsizes B=16, B=3\n", "2:13", "already declared"},
    {"program p\nsizes B=0\n", "2:7", "at least 1"},
    {"program p\nsizes B<=0\n", "2:7", "at least 1"},
    {"program p\nsizes B>=5<=4\n", "2:7", "at least 5"},
    {"program p\nsizes B<=\n", "2:10", "a number"},
    {"program p\nsizes B<=4=4\n", "2:11", "end of the line"},
    {"program p\nsizes B<4\n", "2:8", "end of the line"},
    {"program p\nsizes B=-1\n", "2:9", "a number"},
    {"program p\nsizes B=1.5\n", "2:9", "integer"},
    {"program p\nsizes B=99999999999999999999\n", "2:9", "below 2^40"},
    {"program p\nsizes A=4, B=3\nwhere A = B\n", "3:7", "do not satisfy `A = B`"},
    {"program p\nsizes A, B\nwhere A < A - 1\n", "3:7", "never holds"},
    {"program p\nsizes A\nwhere A = Q\n", "3:11", "unknown size `Q`"},
    {"program p\nsizes A\ninput X: f64[A]\n", "3:10", "element type"},
    {"program p\nsizes A\ninput X: f16[A, 1-2]\n", "3:17", "negative extent"},
    {"program p\nsizes A\ninput X: f16[A,A,A,A,A,A,A,A,A]\n", "3:30", "more than 8 axes"},
    {"use \"no_such.sem\"\nprogram p\n", "1:5", "no_such.sem: No such file"},
    {"use \"no_such.sem\nprogram p\n", "1:5", "does not end"},
    {"program p\nuse \"x.sem\"\n", "2:1", "before `program`"},
    {"program sizes\n", "1:9", "reserved word"},
    {"program p\n" S XW "output Z = split_axis(X, axis=1, outer=2, inner=3)\n", "5:12", "extents"},
};

START_TEST(bad_programs) {
  as_oplib *lib = test_operators();
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    as_sizes *sizes = as_sizes_new();
    as_err err;
    as_err_init(&err);
    as_graph *graph =
        as_parse_tp("a.tp", programs[i].text, strlen(programs[i].text), sizes, lib, &err);
    char *text = as_err_format(&err);
    char *place = as_format("a.tp:%s:", programs[i].at);
    ck_assert_msg(graph == NULL && err.status == AS_BAD_INPUT && strstr(text, programs[i].says) &&
                      strncmp(text, place, strlen(place)) == 0,
                  "case %zu\n%s\nwant %s %s\ngot %s", i, programs[i].text, place, programs[i].says,
                  text);
    as_graph_free(graph);
    free(text);
    free(place);
    as_err_clear(&err);
    as_sizes_free(sizes);
  }
  as_oplib_free(lib);
}

END_TEST

#define K                                                                                          \
  "kernel k\n  grid x = J\n  loop l = L\n  load x [B, T] = X loop -> 1\n  load w [T, U] = W x -> " \
  "1 loop -> 0\n  p = matmul(x, w)\n"
#define K2 K "  acc a = sum p\n"

static const struct {
  const char *text;
  const char *says;
} bodies[] = {
    {"kernel k\nend\n", "`Z` is not defined"},
    {"kernel k\n  load x [B, D] = X\n", "no `end`"},
    {K "  acc a = sum p\n  store Z [B, U] = a\nend\n", "grid axis x is not mapped"},
    {K "  acc a = sum p\n  store Z [B, U] = a x -> 0\nend\n", "axis 0 has extent `B*J`"},
    {K "  store Z [B, U] = p x -> 1\nend\n", "changes with the loop"},
    {K2 "  q = a + p\n  store Z [B, U] = q x -> 1\nend\n",
     "reads both the final value `a` and `p`"},
    {K2 "  acc c = sum a\n", "must not depend on a final value"},
    {K2 "  store Z [B, U] = a x -> 1 loop -> 0\nend\n", "not mapped to the loop"},
    {K2 "  store Z [B, U] = a x -> 1 x -> 0\nend\n", "mapped twice"},
    {K2 "  store Z [B, U] = a x -> 1 y -> 0\nend\n", "no axis y"},
    {K2 "  store Z [B, U] = a x -> 5\nend\n", "no axis 5"},
    {K2 "  store Z [B, T] = a x -> 1\nend\n", "the tensor stored has `U`"},
    {K2 "  store Z [U] = a x -> 0\nend\n", "a tile of 1 axes"},
    {K2 "  store Y [B, U] = a x -> 1\nend\n", "`Z` is not defined"},
    {K2 "  store Z [B, U] = a x -> 1\n  store Z [B, U] = a x -> 1\nend\n", "already defined"},
    {K2 "  store X [B, U] = a x -> 1\nend\n", "already defined"},
    {K "  load y [B, U] = X x -> 1\n", "`D` and `J*U` differ"},
    {K "  load y [B] = X\n", "a tile of 1 axes"},
    {K "  load y [B, D] = Q\n", "unknown tensor `Q`"},
    {K "  q = neg(X)\n", "reads it through `load` only"},
    {K "  x = neg(p)\n", "already defined"},
    {K "  J = neg(p)\n", "already defined"},
    {K "  q = neg(nothing)\n", "unknown tensor `nothing`"},
    {K "  acc a = sum p rescale p\n", "running maximum"},
    {K "  acc a, b = sum p\n", "only a `max`"},
    {K "  acc a = prod p\n", "expected sum or max or concat"},
    {K "  acc a = max p rescale p\n", "`rescale` stands behind a `sum` only"},
    {K "  acc a = sum p axis 0\n", "`axis` stands behind a `concat` only"},
    {K "  acc a = concat p axis 4\n", "no axis 4"},
    {K "  acc a = concat p\n", "expected `axis`"},
    {K "  r = max(p, axis=-1)\n  acc a, m = max r\n  d = p - m[:, none]\n  r2 = max(d, axis=-1)\n  "
       "acc c, n = max r2\n",
     "reads a running value itself"},
    {K "  r = max(p, axis=-1)\n  acc a, m = max r\n  store Z [B] = m\nend\n",
     "changes with the loop"},
    {K "  r = max(p, axis=0)\n  acc a, m = max r\n  acc c = sum p rescale m\n", "rescale: extents"},
    {K "  t = p[0:1]\n  q = matmul(t, x)\n", "differ"},
    {"kernel k\n  load x [B, D] = X loop -> 1\nend\n", "no loop"},
    {"kernel k\n  load x [B, D] = X\n  acc a = sum x\nend\n", "needs a loop"},
    {"kernel k\n  grid w = J\n", "expected a grid axis"},
    {"kernel k\n  grid x = J, x = J\n", "twice"},
    {"kernel k\n  grid x = 0\n", "below 1"},
    {"kernel k\n  grid x = 1\n  load x [B, D] = X\n  y = neg(x)\n  store Z [B, D] = y\nend\n",
     "grid axis x is not mapped"},
    {"kernel k\n  grid x = 1\n  load x [B, D] = X x -> 2\n", "no axis 2"},
    {"kernel k\n  grid y = 1\n  load x [B, D] = X x -> 1\n", "no axis x"},
    {"Z = matmul(X, W)\nsizes Q\n", "stands before"},
    {"Z = matmul(X, W)\noutput Z\n", "expected sizes, where, kernel"},
    {"Z = matmul(X[:, 0:1], W[0:1])[:, 0:1]\n", "output `Z`: axis 1"},
    {"Z = neg(G)\n", "output `Z` has rank 1"},
    {"where B = 16\n", "must be about its own sizes"},
    {"sizes B\n", "already declared"},
    {"where J = 7\n", "do not satisfy"},
    {"kernel k\nkernel k\n", "expected load"},
    {"t: f64 = X * G\nZ = matmul(t, W)\n", "expected f16, bf16 or f32"},
    {"t: int = X * G\nZ = matmul(t, W)\n", "expected f16, bf16 or f32"},
    {"t: bf16 = X * G\nZ = matmul(t, W)\n", "the one type of 16 bits that the program reads"},
    {"t: f16\nZ = matmul(X, W)\n", "expected `=`"},
    {"Z: f16 = matmul(X * G, W)\n", "an output, whose type is the program's"},
    {"kernel k\n  grid x = 1\n  load x: f16 [B, D] = X x -> 0\n", "expected `[`"},
    {"kernel k\n  load x [B, D] = X\n  y: f16 = neg(x)\n", "expected load, acc, store"},
    {"kernel k\n  load x [B, D] = X\n  y = neg(x)\n  store t: bf16 [B, D] = y\nend\n",
     "the one type of 16 bits that the program reads"},
};

START_TEST(bad_mugraphs) {
  world here;
  open_world(&here);
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    as_err err;
    as_err_init(&err);
    char *text = as_format("%s%s", head, bodies[i].text);
    as_graph *graph = as_parse_mug("a.mug", text, strlen(text), here.program, &err);
    char *s = as_err_format(&err);
    ck_assert_msg(graph == NULL && err.status == AS_BAD_INPUT && strstr(s, bodies[i].says) &&
                      strncmp(s, "a.mug:", 6) == 0,
                  "case %zu\n%s\nwant %s\ngot %s", i, text, bodies[i].says, s);
    as_graph_free(graph);
    free(text);
    free(s);
    as_err_clear(&err);
  }
  close_world(&here);
}

END_TEST

static const char *const files[] = {"examples/gqa", "examples/layernorm_linear",
                                    "examples/gated_mixer"};

/* every prefix, and every byte changed at random: a verdict, never a crash, and always with a
 * message */
START_TEST(damaged_files) {
  as_oplib *lib = test_operators();
  as_rng rng;
  as_rng_seed(&rng, 99);
  char *rest = as_format("%s.tp", files[_i]);
  char *mrest = as_format("%s.mug", files[_i]);
  char *path;
  char *mpath;
  size_t n;
  size_t mn;
  char *text = slurp(rest, &n, &path);
  char *mtext = slurp(mrest, &mn, &mpath);
  for (int round = 0; round < 1500; round++) {
    as_sizes *sizes = as_sizes_new();
    as_err err;
    as_err_init(&err);
    size_t a = n;
    size_t b = mn;
    char *x = as_malloc(n);
    char *y = as_malloc(mn);
    memcpy(x, text, n);
    memcpy(y, mtext, mn);
    if (round < 500) {
      a = n * (size_t)round / 500;
    } else if (round < 1000) {
      b = mn * (size_t)(round - 500) / 500;
    } else {
      for (int k = 0; k < 3; k++) {
        static const char junk[] = "xXB1=[](),:->.@ \n\0\xff\"0e~*";
        char *victim = round % 4 == 0 ? &x[as_rng_below(&rng, n)] : &y[as_rng_below(&rng, mn)];
        *victim = junk[as_rng_below(&rng, sizeof junk)];
      }
    }
    as_graph *graph = as_parse_tp(path, x, a, sizes, lib, &err);
    as_graph *mugraph = NULL;
    if (graph)
      mugraph = as_parse_mug(mpath, y, b, graph, &err);
    if (!graph || !mugraph)
      ck_assert(err.status == AS_BAD_INPUT && err.text && err.file);
    if (mugraph) {
      char *s = as_print_mug(mugraph);
      free(s);
    }
    as_graph_free(mugraph);
    as_graph_free(graph);
    as_err_clear(&err);
    as_sizes_free(sizes);
    free(x);
    free(y);
  }
  free(rest);
  free(mrest);
  free(path);
  free(mpath);
  free(text);
  free(mtext);
  as_oplib_free(lib);
}

END_TEST

START_TEST(names_have_at_most_100_characters) {
  for (int n = 100; n <= 101; n++) {
    char name[102];
    memset(name, 'a', sizeof name);
    name[n] = 0;
    char *text = as_format("program p\n" S "input %s: f16[B, D]\noutput Z = neg(%s)\n", name, name);
    as_oplib *lib = test_operators();
    as_sizes *sizes = as_sizes_new();
    as_err err;
    as_err_init(&err);
    as_graph *graph = as_parse_tp("p.tp", text, strlen(text), sizes, lib, &err);
    ck_assert_int_eq(graph != NULL, n == 100);
    ck_assert(n == 100 || strstr(err.text, "a name of more than 100 characters"));
    as_graph_free(graph);
    as_sizes_free(sizes);
    as_oplib_free(lib);
    as_err_clear(&err);
    free(text);
  }
}

END_TEST

START_TEST(errors_of_a_used_file_name_that_file) {
  char dir[] = "use-test-XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(dir));
  as_err err;
  as_err_init(&err);
  char *sem = as_format("%s/own.sem", dir);
  char *tp = as_format("%s/a.tp", dir);
  static const char broken[] = "op f(x[n]) -> [n]\n  out[i] = y[i]\n";
  static const char text[] =
      "use \"own.sem\"\nprogram p\nsizes N\ninput X: f16[N]\noutput Z = f(X)\n";
  ck_assert(as_write_file(sem, broken, strlen(broken), &err));
  as_oplib *lib = test_operators();
  as_sizes *sizes = as_sizes_new();
  ck_assert_ptr_null(as_parse_tp(tp, text, strlen(text), sizes, lib, &err));
  ck_assert_str_eq(err.file, sem);
  ck_assert_int_eq(err.line, 2);
  as_err_clear(&err);
  static const char whole[] = "op f(x[n]) -> [n]\n  out[i] = x[i]\n";
  ck_assert(as_write_file(sem, whole, strlen(whole), &err));
  as_graph *graph = as_parse_tp(tp, text, strlen(text), sizes, lib, &err);
  ck_assert_ptr_nonnull(graph);
  ck_assert_str_eq(graph->use[0], "own.sem");
  as_graph_free(graph);
  as_sizes_free(sizes);
  as_oplib_free(lib);
  remove(sem);
  remove(dir);
  free(sem);
  free(tp);
}

END_TEST

int main(void) {
  TCase *tests = test_case("errors", 60);
  tcase_add_test(tests, bad_programs);
  tcase_add_test(tests, bad_mugraphs);
  tcase_add_loop_test(tests, damaged_files, 0, 3);
  tcase_add_test(tests, names_have_at_most_100_characters);
  tcase_add_test(tests, errors_of_a_used_file_name_that_file);
  return test_run("errors", tests);
}
