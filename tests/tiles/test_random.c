/* Random programs of a few operators, saturated; random ones out of the e-graph, by random choices
 * of statements and of how tiles are computed, compared with the program by evaluation. */
#include "search/tiles/extract.h"
#include "search/tiles/saturate.h"
#include "src/base/mem.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include "verify/tile/tile_job.h"
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = 5, PROGRAMS_LONG = 24, DRAWN = 12, SEED = 20261 };

/* matrices of rows M and columns N, all of whose elements are positive */
typedef struct {
  as_str text;
  uint32_t n; /* tensors t0, t1, .. */
  bool square[16];
} maker;

static void add_operator(maker *m, as_rng *rng) {
  uint32_t a = (uint32_t)as_rng_below(rng, m->n);
  uint32_t b = (uint32_t)as_rng_below(rng, m->n);
  as_str *out = &m->text;
  switch (as_rng_below(rng, 7)) {
  case 0:
    as_str_printf(out, "t%u = exp(t%u)\n", m->n, a);
    break;
  case 1:
    as_str_printf(out, "t%u = t%u + t%u\n", m->n, a, b);
    break;
  case 2:
    as_str_printf(out, "t%u = t%u / sum_keep(t%u)\n", m->n, a, b);
    break;
  case 3:
    as_str_printf(out, "t%u = t%u @ W\n", m->n, a);
    break;
  case 4:
    as_str_printf(out, "t%u = (t%u / sum_keep(t%u)) @ W\n", m->n, a, b);
    break;
  case 5:
    as_str_printf(out, "t%u = t%u * rms_norm(t%u)\n", m->n, a, b);
    break;
  default:
    as_str_printf(out, "t%u = softmax(t%u)\n", m->n, a);
  }
  m->n++;
}

static char *random_program(as_rng *rng) {
  maker m = {.n = 1};
  as_str_init(&m.text);
  as_str_add(&m.text, "program random\nsizes M = 4, N = 6\ninput t0: f32[M, N]\n"
                      "input W: f32[N, N]\n");
  uint32_t operators = 2 + (uint32_t)as_rng_below(rng, 3);
  for (uint32_t i = 0; i < operators; i++)
    add_operator(&m, rng);
  as_str_printf(&m.text, "output O = t%u + t%u\n", m.n - 1, (uint32_t)as_rng_below(rng, m.n));
  return as_str_take(&m.text);
}

/* true: it could be written, and nothing differs */
static bool judge(const char *program, const char *tile, as_oplib *lib) {
  as_tile_job job;
  as_tile_verdict verdict = {0};
  as_tile_budget budget = as_tile_budget_default;
  as_err err;
  as_err_init(&err);
  as_tile_job_init(&job, lib);
  bool ok = as_tile_job_take(&job, 0, "random.tp", program, strlen(program), &err) &&
            as_tile_job_take(&job, 1, "drawn.tile", tile, strlen(tile), &err) &&
            as_tile_job_judge(&job, &budget, &verdict, &err) == AS_OK;
  ck_assert_msg(ok, "%s\n%s\n%s", err.text ? err.text : "", program, tile);
  ck_assert_msg(verdict.answer == AS_TILE_NO_DIFFERENCE, "%s\n%s\n%s", verdict.words, program,
                tile);
  bool compared = verdict.instances > 0;
  as_tile_verdict_clear(&verdict);
  as_tile_job_clear(&job);
  as_err_clear(&err);
  return compared;
}

static uint32_t draw(const tl_naive *naive, const char *program, as_oplib *lib, as_rng *rng) {
  uint32_t compared = 0;
  for (uint32_t i = 0; i < DRAWN; i++) {
    as_arena *mem = as_arena_new();
    tl_items items;
    tl_tree *tree = tl_random_tree(&naive->graph, naive->root, rng, mem);
    if (tree && tl_items_init(&items, naive, tree, as_target_default(), mem, rng)) {
      char *tile = tl_print(&items);
      compared += judge(program, tile, lib);
      free(tile);
      tl_items_clear(&items);
    }
    as_arena_free(mem);
  }
  return compared;
}

START_TEST(drawn_programs_are_equal) {
  as_rng rng;
  uint32_t compared = 0;
  const uint32_t programs = test_number(PROGRAMS, PROGRAMS_LONG);
  as_rng_seed(&rng, SEED);
  as_oplib *lib = test_operators();
  for (uint32_t i = 0; i < programs; i++) {
    as_sizes *sizes = as_sizes_new();
    as_err err;
    as_err_init(&err);
    char *text = random_program(&rng);
    as_graph *program = as_parse_tp("random.tp", text, strlen(text), sizes, lib, &err);
    ck_assert_msg(program != NULL, "%s\n%s", err.text ? err.text : "", text);
    tl_naive naive;
    tl_saturation what;
    ck_assert_msg(tl_naive_init(&naive, program, 2, 4000, &err), "%s", err.text ? err.text : "");
    ck_assert(tl_saturate(&naive, 6, &what, &err) == AS_OK);
    compared += draw(&naive, text, lib, &rng);
    tl_naive_clear(&naive);
    as_graph_free(program);
    as_sizes_free(sizes);
    as_err_clear(&err);
    free(text);
  }
  as_oplib_free(lib);
  printf("seed %d: %u programs drawn and compared, 0 wrong\n", SEED, compared);
  ck_assert_msg(compared > programs * DRAWN / 2, "only %u were compared", compared);
}

END_TEST

int main(void) {
  TCase *tests = test_case("tiles random", 120);
  tcase_add_test(tests, drawn_programs_are_equal);
  return test_run("tiles random", tests);
}
