/* Rules of saturation: for each a program that it takes, and programs close by that its conditions
 * refuse, among them the loop rules that were published without such conditions. */
#include "search/tiles/naive.h"
#include "search/tiles/rules.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

enum { N, K, VARIABLES };

/* vectors A, B, .. over axis N, sums S over it, and a matrix's rows by N and K */
typedef struct {
  as_oplib *lib;
  as_sizes *sizes;
  as_graph *program;
  tl_accesses all;
  tl_graph graph;
  tl_loop_rules *rules;
  uint32_t nil;
} bench;

static as_size size_of(bench *b, const char *name) {
  as_size size = as_size_sym(b->sizes, name);
  as_size_set_least(b->sizes, size, 1);
  return size;
}

static void begin(bench *b) {
  as_err err;
  as_err_init(&err);
  b->lib = test_operators();
  b->sizes = as_sizes_new();
  b->program = as_graph_new(b->sizes, b->lib, NULL, "bench");
  tl_accesses_init(&b->all, b->program);
  static const char *const axes[] = {"N", "K"};
  static const char *const names[] = {"n", "k"};
  static const char *const counts[] = {"Nc", "Kc"};
  static const char *const tiles[] = {"Nt", "Kt"};
  for (uint32_t i = 0; i < VARIABLES; i++) {
    tl_axis axis = {(char *)axes[i], size_of(b, axes[i]), AS_NONE, AS_NONE};
    tl_variable variable = {(char *)names[i], i, size_of(b, counts[i]), size_of(b, tiles[i])};
    tl_add_axis(&b->all, &axis);
    tl_add_variable(&b->all, &variable);
  }
  tl_accesses_values(&b->all);
  tl_graph_init(&b->graph, &b->all, 0);
  b->rules = tl_loop_rules_read(&err);
  ck_assert_msg(b->rules != NULL, "%s", err.text ? err.text : "");
  b->nil = tl_nil(&b->graph);
  as_err_clear(&err);
}

static void end(bench *b) {
  tl_loop_rules_free(b->rules);
  tl_graph_clear(&b->graph);
  tl_accesses_clear(&b->all);
  as_graph_free(b->program);
  as_sizes_free(b->sizes);
  as_oplib_free(b->lib);
}

/* a tensor of the axes, AS_NONE behind the last one; sums over the variables of these bits */
static uint32_t tensor(bench *b, const char *name, uint32_t axis, uint32_t second, uint64_t sums) {
  tl_tensor fresh = {.name = (char *)name, .writers = 1, .sums_over = sums};
  uint32_t axes[2] = {axis, second};
  while (fresh.rank < 2 && axes[fresh.rank] != AS_NONE) {
    fresh.axis[fresh.rank] = axes[fresh.rank];
    fresh.rank++;
  }
  return tl_add_tensor(&b->all, &fresh);
}

static uint32_t vector(bench *b, const char *name) {
  return tensor(b, name, N, AS_NONE, 0);
}

/* the tensor by these: TL_WHOLE, or a variable + 1 */
static uint32_t at(bench *b, uint32_t of, uint32_t first, uint32_t second) {
  uint32_t by[AS_MAX_RANK] = {first, second};
  return tl_access(&b->all, of, by);
}

static uint32_t load(bench *b, uint32_t access) {
  return tl_add(&b->graph, TL_LOAD, access, NULL, 0);
}

static uint32_t call(bench *b, const char *name, uint32_t left, uint32_t right) {
  const as_opdef *op = as_oplib_find(b->lib, name);
  as_attr attr[AS_MAX_ATTRS];
  uint32_t kid[2] = {left, right};
  for (uint32_t i = 0; i < op->nattrs; i++) {
    as_attr_init(&attr[i]);
    as_attr_set(&attr[i], &op->attr_default[i]);
  }
  uint32_t number = tl_add_operator(&b->all, op, attr);
  for (uint32_t i = 0; i < op->nattrs; i++)
    as_attr_clear(&attr[i]);
  uint32_t made = tl_add(&b->graph, TL_CALL, number, kid, op->nargs);
  ck_assert_uint_ne(made, AS_NONE);
  return made;
}

static uint32_t store(bench *b, uint32_t access, uint32_t value) {
  uint32_t made = tl_add(&b->graph, TL_STORE, access, &value, 1);
  ck_assert_uint_ne(made, AS_NONE);
  return made;
}

static uint32_t add(bench *b, uint32_t access, uint32_t value) {
  uint32_t made = tl_add(&b->graph, TL_ADD, access, &value, 1);
  ck_assert_uint_ne(made, AS_NONE);
  return made;
}

static uint32_t list(bench *b, uint32_t first, uint32_t second) {
  uint32_t rest = second == AS_NONE ? b->nil : tl_cons(&b->graph, second, b->nil);
  return tl_cons(&b->graph, first, rest);
}

static uint32_t loop(bench *b, uint32_t variable, uint32_t first, uint32_t second) {
  uint32_t body = list(b, first, second);
  return tl_add(&b->graph, TL_LOOP, variable, &body, 1);
}

static uint64_t applied(bench *b, uint32_t rule) {
  uint64_t unions = 0;
  tl_loop_rule_apply(b->rules, rule, &b->graph, &unions);
  return unions;
}

static void takes(bench *b, uint32_t rule, bool wanted, const char *what) {
  uint64_t unions = applied(b, rule);
  ck_assert_msg((unions > 0) == wanted, "%s: %s %s", tl_rule_name(rule), what,
                wanted ? "is refused" : "is taken");
}

enum { BY_N = N + 1, BY_K = K + 1 };

/* X[n] = exp(A[n]), Y[n] = exp(X[by]) in two loops or one */
static void two_loops(uint32_t by, uint32_t rule, bool fused, bool wanted, const char *what) {
  bench b;
  begin(&b);
  uint32_t x = vector(&b, "X");
  uint32_t first =
      store(&b, at(&b, x, BY_N, 0), call(&b, "exp", load(&b, at(&b, vector(&b, "A"), BY_N, 0)), 0));
  uint32_t y = by == BY_N ? vector(&b, "Y") : tensor(&b, "Y", N, N, 0);
  uint32_t value = call(&b, "exp", load(&b, at(&b, x, by, 0)), 0);
  uint32_t place =
      by == BY_N ? at(&b, y, BY_N, 0) : at(&b, tensor(&b, "Z", N, AS_NONE, 0), TL_WHOLE, 0);
  uint32_t second = store(&b, place, value);
  uint32_t whole = fused ? list(&b, loop(&b, N, first, second), AS_NONE)
                         : list(&b, loop(&b, N, first, AS_NONE), loop(&b, N, second, AS_NONE));
  ck_assert_uint_ne(whole, AS_NONE);
  takes(&b, rule, wanted, what);
  end(&b);
}

START_TEST(fusing_and_parting) {
  two_loops(BY_N, TL_RULE_FUSE, false, true, "the same tile");
  two_loops(TL_WHOLE, TL_RULE_FUSE, false, false, "all of it, which is there after the loop alone");
  two_loops(BY_N, TL_RULE_PART, true, true, "the same tile");
  two_loops(TL_WHOLE, TL_RULE_PART, true, false, "a reader of what is not there yet");
}

END_TEST

/* published: the reader first, then the writer (write after read), fused or parted */
START_TEST(write_after_read) {
  for (int fused = 0; fused < 2; fused++) {
    for (int aligned = 0; aligned < 2; aligned++) {
      bench b;
      begin(&b);
      uint32_t x = vector(&b, "X");
      uint32_t a = vector(&b, "A");
      uint32_t by = aligned ? BY_N : TL_WHOLE;
      uint32_t z = vector(&b, "Z");
      uint32_t reads = store(&b, at(&b, z, by, 0), call(&b, "exp", load(&b, at(&b, x, by, 0)), 0));
      uint32_t writes = store(&b, at(&b, x, BY_N, 0), load(&b, at(&b, a, BY_N, 0)));
      uint32_t whole = fused ? list(&b, loop(&b, N, reads, writes), AS_NONE)
                             : list(&b, loop(&b, N, reads, AS_NONE), loop(&b, N, writes, AS_NONE));
      ck_assert_uint_ne(whole, AS_NONE);
      takes(&b, fused ? TL_RULE_PART : TL_RULE_FUSE, aligned, "a write after a read");
      end(&b);
    }
  }
}

END_TEST

/* Y = exp(A), then for n { X[n] = exp(B[n]) } or of Y: the loop comes first where rules settle, and
 * what it was made of is left alone from then on, but stays in its class */
START_TEST(lifting_and_settling) {
  for (int pressing = 0; pressing < 2; pressing++) {
    for (int apart = 0; apart < 2; apart++) {
      bench b;
      begin(&b);
      uint32_t y = vector(&b, "Y");
      uint32_t whole = load(&b, at(&b, vector(&b, "A"), TL_WHOLE, 0));
      uint32_t first = store(&b, at(&b, y, TL_WHOLE, 0), call(&b, "exp", whole, 0));
      uint32_t from = apart ? vector(&b, "B") : y;
      uint32_t value = call(&b, "exp", load(&b, at(&b, from, BY_N, 0)), 0);
      uint32_t second = loop(&b, N, store(&b, at(&b, vector(&b, "X"), BY_N, 0), value), AS_NONE);
      uint32_t both = list(&b, first, second);
      uint32_t kid[2] = {first, tl_cons(&b.graph, second, b.nil)};
      uint32_t before = tl_node_of(&b.graph, TL_CONS, 0, kid, 2);
      b.graph.pressing = pressing;
      takes(&b, TL_RULE_LIFT, pressing && apart, "a loop behind what it does not read");
      ck_assert(tl_node_at(&b.graph, before)->settled == (pressing && apart));
      ck_assert_uint_eq(tl_find(&b.graph, tl_node_at(&b.graph, before)->cls),
                        tl_find(&b.graph, both));
      takes(&b, TL_RULE_LIFT, false, "what is settled");
      if (pressing && apart) { /* sorting goes the other way: the first order is looked at again */
        takes(&b, TL_RULE_SWAP, false, "what is there already");
        ck_assert(!tl_node_at(&b.graph, before)->settled);
      }
      end(&b);
    }
  }
}

END_TEST

/* published: a sum that does not speak of the variable, fused with its reader */
START_TEST(sum_with_its_reader) {
  bench b;
  begin(&b);
  uint32_t s = tensor(&b, "S", K, AS_NONE, 1u << N);
  uint32_t m = tensor(&b, "M", K, N, 0);
  uint32_t ones = tensor(&b, "O", K, AS_NONE, 0);
  uint32_t sum = add(&b, at(&b, s, BY_K, 0), call(&b, "sum", load(&b, at(&b, m, BY_K, BY_N)), 0));
  uint32_t y = tensor(&b, "Y", K, N, 0);
  uint32_t spread =
      call(&b, "mul", load(&b, at(&b, m, BY_K, BY_N)), load(&b, at(&b, m, BY_K, BY_N)));
  uint32_t value = call(&b, "broadcast_along", load(&b, at(&b, s, BY_K, 0)),
                        load(&b, at(&b, vector(&b, "V"), BY_N, 0)));
  uint32_t reads = store(&b, at(&b, y, BY_K, BY_N), call(&b, "mul", spread, value));
  (void)ones;
  list(&b, loop(&b, N, sum, AS_NONE), loop(&b, N, reads, AS_NONE));
  takes(&b, TL_RULE_FUSE, false, "a sum with its reader");
  takes(&b, TL_RULE_SWAP, false, "a sum and its reader");
  end(&b);
}

END_TEST

/* a ; for n { Y[n] = ... } */
static void insertion(uint32_t statement_kind, bool wanted, const char *what) {
  bench b;
  begin(&b);
  uint32_t x = tensor(&b, "X", K, AS_NONE, statement_kind == 1 ? 1u << K : 0);
  uint32_t a = tensor(&b, "A", K, AS_NONE, 0);
  uint32_t place = at(&b, x, TL_WHOLE, 0);
  uint32_t first = AS_NONE;
  switch (statement_kind) {
  case 0: /* a store */
  case 4:
    first = store(&b, place, call(&b, "exp", load(&b, at(&b, a, TL_WHOLE, 0)), 0));
    break;
  case 1: /* what a loop around sums */
    first = add(&b, place, load(&b, at(&b, a, TL_WHOLE, 0)));
    break;
  case 2: /* an update in place */
    first = store(&b, place, call(&b, "exp", load(&b, place), 0));
    break;
  default: /* a loop of the same variable */
    first = loop(&b, N, store(&b, place, load(&b, at(&b, a, TL_WHOLE, 0))), AS_NONE);
  }
  uint32_t y = tensor(&b, "Y", N, K, 0);
  uint32_t w = tensor(&b, "W", N, K, 0);
  uint32_t value = call(&b, "add", load(&b, at(&b, w, BY_N, TL_WHOLE)), load(&b, place));
  uint32_t second = store(&b, at(&b, y, BY_N, TL_WHOLE), value);
  /* published: the loop writes what the statement reads (write after read), or writes it again */
  uint32_t again =
      statement_kind == 4 ? store(&b, at(&b, a, TL_WHOLE, 0), load(&b, place)) : AS_NONE;
  list(&b, first, loop(&b, N, second, again));
  takes(&b, TL_RULE_INSERT, wanted, what);
  end(&b);
}

START_TEST(inserting) {
  insertion(0, true, "a store");
  insertion(1, false, "a sum that lacks its loop");
  insertion(2, false, "an update in place");
  insertion(3, false, "a loop of the same variable");
  insertion(4, false, "a statement that reads what the loop writes");
}

END_TEST

/* for n { a ; Y[n] = .. }, and for n { a } */
START_TEST(hoisting_and_deleting) {
  for (int kind = 0; kind < 3; kind++) {
    bench b;
    begin(&b);
    uint32_t x = tensor(&b, "X", K, AS_NONE, kind == 1 ? 1u << N : 0);
    uint32_t place = at(&b, x, TL_WHOLE, 0);
    uint32_t value = load(&b, at(&b, tensor(&b, "A", K, AS_NONE, 0), TL_WHOLE, 0));
    uint32_t first = kind == 1   ? add(&b, place, value)
                     : kind == 0 ? store(&b, place, value)
                                 : store(&b, place, call(&b, "exp", load(&b, place), 0));
    uint32_t second =
        store(&b, at(&b, vector(&b, "Y"), BY_N, 0), load(&b, at(&b, vector(&b, "V"), BY_N, 0)));
    list(&b, loop(&b, N, first, AS_NONE), AS_NONE);
    takes(&b, TL_RULE_ONCE, kind == 0,
          kind == 1 ? "a sum of as many as there are iterations"
          : kind    ? "an update in place"
                    : "a store");
    list(&b, loop(&b, N, first, second), AS_NONE);
    takes(&b, TL_RULE_HOIST, kind == 0, kind == 1 ? "a sum" : kind ? "an update" : "a store");
    end(&b);
  }
}

END_TEST

/* for n { X[n] = A[n] } and a store behind it, which may come before it */
START_TEST(swapping) {
  for (int kind = 0; kind < 4; kind++) {
    bench b;
    begin(&b);
    uint32_t x = vector(&b, "X");
    uint32_t y = vector(&b, "Y");
    uint32_t a = vector(&b, "A");
    uint32_t value = load(&b, at(&b, a, BY_N, 0));
    uint32_t first = loop(&b, N, store(&b, at(&b, x, BY_N, 0), value), AS_NONE);
    uint32_t whole_x = at(&b, x, TL_WHOLE, 0);
    uint32_t whole_y = at(&b, y, TL_WHOLE, 0);
    uint32_t whole_a = at(&b, a, TL_WHOLE, 0);
    /* another tensor; a read of what is written; a second write; a write of what is read */
    uint32_t second = kind == 0   ? store(&b, whole_y, load(&b, whole_a))
                      : kind == 1 ? store(&b, whole_y, load(&b, whole_x))
                      : kind == 2 ? store(&b, whole_x, load(&b, whole_y))
                                  : store(&b, whole_a, load(&b, whole_y));
    list(&b, first, second);
    static const char *const what[] = {"another tensor", "a read of what is written",
                                       "a second write", "a write of what is read"};
    takes(&b, TL_RULE_SWAP, kind == 0, what[kind]);
    /* nothing comes to stand beside anything by it */
    list(&b, second, first);
    if (kind == 0)
      takes(&b, TL_RULE_SWAP, false, "an order that differs for nothing");
    end(&b);
  }
}

END_TEST

START_TEST(exchanging) {
  for (int kind = 0; kind < 2; kind++) {
    bench b;
    begin(&b);
    uint32_t x = tensor(&b, "X", N, K, 0);
    uint32_t a = tensor(&b, "A", N, K, 0);
    uint32_t s = tensor(&b, "S", N, K, 0);
    uint32_t statement =
        kind == 0
            ? store(&b, at(&b, x, BY_N, BY_K), load(&b, at(&b, a, BY_N, BY_K)))
            : store(&b, at(&b, s, TL_WHOLE, TL_WHOLE), load(&b, at(&b, s, TL_WHOLE, TL_WHOLE)));
    uint32_t both = loop(&b, N, loop(&b, K, statement, AS_NONE), AS_NONE);
    list(&b, both, AS_NONE);
    takes(&b, TL_RULE_EXCHANGE, kind == 0, kind ? "one place written in all iterations" : "tiles");
    end(&b);
  }
}

END_TEST

START_TEST(forwarding) {
  for (int kind = 0; kind < 4; kind++) {
    bench b;
    begin(&b);
    uint32_t x = vector(&b, "X");
    uint32_t a = vector(&b, "A");
    uint32_t place = at(&b, x, BY_N, 0);
    uint32_t value = kind == 2 ? call(&b, "exp", load(&b, place), 0)
                               : call(&b, "exp", load(&b, at(&b, a, BY_N, 0)), 0);
    store(&b, place, value);
    load(&b, kind == 3 ? at(&b, x, TL_WHOLE, 0) : place);
    /* published: what the value was made of is written between the store and the load */
    tl_tensor_at(&b.all, a)->writers = kind == 1 ? 2 : 1;
    ck_assert_msg((tl_apply_forward(&b.graph) > 0) == (kind == 0), "case %d", kind);
    end(&b);
  }
}

END_TEST

/* for k { S[n] += A[n, k] / c }: kind 1: c by the loop; 2: S sums over the other loop too; 3: no
 * factor */
START_TEST(factoring) {
  for (int kind = 0; kind < 4; kind++) {
    bench b;
    begin(&b);
    uint64_t sums = kind == 2 ? 1u << K | 1u << N : 1u << K;
    uint32_t s = tensor(&b, "S", N, K, sums);
    uint32_t a = tensor(&b, "A", N, K, 0);
    uint32_t c = tensor(&b, "C", N, K, 0);
    uint32_t whole = load(&b, at(&b, a, TL_WHOLE, TL_WHOLE));
    uint32_t scale = load(&b, at(&b, c, TL_WHOLE, TL_WHOLE));
    uint32_t place = at(&b, s, TL_WHOLE, TL_WHOLE);
    uint32_t value = call(&b, kind == 3 ? "add" : "div", whole, scale);
    if (kind == 1) {
      uint32_t t = tensor(&b, "T", N, K, 1u << K);
      place = at(&b, t, TL_WHOLE, BY_K);
      value =
          call(&b, "div", load(&b, at(&b, a, TL_WHOLE, BY_K)), load(&b, at(&b, c, TL_WHOLE, BY_K)));
    }
    list(&b, loop(&b, K, add(&b, place, value), AS_NONE), AS_NONE);
    ck_assert_msg((tl_apply_factor(&b.graph) > 0) == (kind == 0), "case %d", kind);
    end(&b);
  }
}

END_TEST

static const char *const heads =
    "program heads\nsizes M = 4, H = 2, D = 8\ninput X: f16[M, H * D]\n"
    "Y = %s(X)\noutput Z = split_axis(Y, axis=1, outer=H, inner=D)\n";

/* tiles of 16 columns as heads: of what goes element by element, not of what needs the whole row */
START_TEST(reindexing) {
  static const char *const operators[] = {"exp", "cumsum"};
  for (int kind = 0; kind < 2; kind++) {
    as_oplib *lib = test_operators();
    as_sizes *sizes = as_sizes_new();
    as_err err;
    as_err_init(&err);
    char text[256];
    snprintf(text, sizeof text, heads, operators[kind]);
    as_graph *program = as_parse_tp("heads.tp", text, strlen(text), sizes, lib, &err);
    ck_assert_msg(program != NULL, "%s", err.text ? err.text : "");
    tl_naive naive;
    ck_assert_msg(tl_naive_init(&naive, program, 4, 0, &err), "%s", err.text ? err.text : "");
    ck_assert_msg((tl_apply_reindex(&naive.graph) > 0) == (kind == 0), "%s", operators[kind]);
    tl_naive_clear(&naive);
    as_graph_free(program);
    as_sizes_free(sizes);
    as_oplib_free(lib);
    as_err_clear(&err);
  }
}

END_TEST

int main(void) {
  TCase *tests = test_case("tiles rules", 60);
  tcase_add_test(tests, fusing_and_parting);
  tcase_add_test(tests, lifting_and_settling);
  tcase_add_test(tests, write_after_read);
  tcase_add_test(tests, sum_with_its_reader);
  tcase_add_test(tests, inserting);
  tcase_add_test(tests, hoisting_and_deleting);
  tcase_add_test(tests, swapping);
  tcase_add_test(tests, exchanging);
  tcase_add_test(tests, forwarding);
  tcase_add_test(tests, factoring);
  tcase_add_test(tests, reindexing);
  return test_run("tiles rules", tests);
}
