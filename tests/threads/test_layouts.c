/* Layouts and instructions: the fragments of the .isa files against the documented formulas, for
 * every register and lane; the algebra against brute force; conflicts, swizzles, conversions. */
#include "../../src/threads/core/f2.h"
#include "../../src/threads/core/isa.h"
#include "src/base/rng.h"
#include "tests/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static as_isa *load(const char *target) {
  as_err err;
  as_err_init(&err);
  as_isa *isa = as_isa_load(target, &err);
  ck_assert_msg(isa != NULL, "%s", err.text);
  return isa;
}

static uint32_t at(const as_lay *l, uint32_t reg, uint32_t lane, uint32_t warp, const char *out) {
  uint32_t v = as_lay_at(l, "reg", reg) ^ as_lay_at(l, "lane", lane) ^ as_lay_at(l, "warp", warp);
  return as_lay_part(l, out, v);
}

START_TEST(fragments_of_products) {
  as_isa *isa = load("sm_90");
  static const char *const rows[] = {"mma.m16n8k16.f16", "mma.m16n8k16.bf16"};
  for (unsigned n = 0; n < 2; n++) {
    const as_isa_row *row = as_isa_find(isa, rows[n]);
    ck_assert(row && row->product.is);
    for (uint32_t lane = 0; lane < 32; lane++) {
      uint32_t group = lane >> 2;
      uint32_t t = lane & 3;
      for (uint32_t i = 0; i < 8; i++) { /* a0 .. a7 of the PTX ISA */
        uint32_t r = i == 0 || i == 1 || i == 4 || i == 5 ? group : group + 8;
        uint32_t c = 2 * t + (i & 1) + (i >= 4 ? 8 : 0);
        ck_assert_uint_eq(at(as_isa_layout(row, "a"), i, lane, 0, "i"), r);
        ck_assert_uint_eq(at(as_isa_layout(row, "a"), i, lane, 0, "k"), c);
      }
      for (uint32_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(at(as_isa_layout(row, "b"), i, lane, 0, "k"),
                          2 * t + (i & 1) + (i >= 2 ? 8 : 0));
        ck_assert_uint_eq(at(as_isa_layout(row, "b"), i, lane, 0, "j"), group);
        ck_assert_uint_eq(at(as_isa_layout(row, "c"), i, lane, 0, "i"), group + (i >= 2 ? 8 : 0));
        ck_assert_uint_eq(at(as_isa_layout(row, "c"), i, lane, 0, "j"), 2 * t + (i & 1));
      }
    }
  }
  for (unsigned bits = 5; bits <= 7; bits++) { /* a0 .. a7 of a warpgroup: four warps of 16 rows */
    char name[32];
    snprintf(name, sizeof name, "wgmma.m64n%uk16.bf16.rk", 1u << bits);
    const as_lay *a = as_isa_layout(as_isa_find(isa, name), "a");
    for (uint32_t lane = 0; lane < 32; lane++) {
      for (uint32_t w = 0; w < 4; w++) {
        for (uint32_t i = 0; i < 8; i++) {
          uint32_t r = i == 0 || i == 1 || i == 4 || i == 5 ? lane >> 2 : (lane >> 2) + 8;
          ck_assert_uint_eq(at(a, i, lane, w, "i"), 16 * w + r);
          ck_assert_uint_eq(at(a, i, lane, w, "k"), 2 * (lane & 3) + (i & 1) + (i >= 4 ? 8 : 0));
        }
      }
    }
  }
  for (unsigned bits = 3; bits <= 8; bits++) { /* the accumulators of a warpgroup */
    char name[32];
    snprintf(name, sizeof name, "wgmma.m64n%uk16.f16.kk", 1u << bits);
    const as_lay *c = as_isa_layout(as_isa_find(isa, name), "c");
    for (uint32_t lane = 0; lane < 32; lane++) {
      for (uint32_t w = 0; w < 4; w++) {
        for (uint32_t d = 0; d < 1u << (bits - 1); d++) {
          ck_assert_uint_eq(at(c, d, lane, w, "i"), 16 * w + (lane >> 2) + (d & 2 ? 8 : 0));
          ck_assert_uint_eq(at(c, d, lane, w, "j"), 8 * (d >> 2) + 2 * (lane & 3) + (d & 1));
        }
      }
    }
  }
  as_isa_free(isa);
}

END_TEST

START_TEST(matrix_loads) {
  as_isa *isa = load("sm_80");
  for (uint32_t num = 1; num <= 4; num *= 2) {
    for (unsigned trans = 0; trans < 2; trans++) {
      char name[32];
      snprintf(name, sizeof name, "ldmatrix.x%u%s", num, trans ? ".trans" : "");
      const as_lay *r = as_isa_layout(as_isa_find(isa, name), "r");
      for (uint32_t lane = 0; lane < 32; lane++) {
        for (uint32_t m = 0; m < num; m++) {
          for (uint32_t e = 0; e < 2; e++) {
            uint32_t row = lane / 4;
            uint32_t col = 2 * (lane % 4) + e;
            ck_assert_uint_eq(at(r, 2 * m + e, lane, 0, "sub"), 8 * m + (trans ? col : row));
            ck_assert_uint_eq(at(r, 2 * m + e, lane, 0, "off"), trans ? row : col);
          }
        }
      }
    }
  }
  as_isa_free(isa);
}

END_TEST

START_TEST(swizzles) {
  as_isa *isa = load("sm_90");
  for (unsigned width = 32; width <= 128; width *= 2) {
    char name[40];
    snprintf(name, sizeof name, "bulk.tensor.2d.%u", width);
    const as_isa_row *row = as_isa_find(isa, name);
    unsigned cols = width == 128 ? 6 : width == 64 ? 5 : 4;
    as_lay l = as_lay_swizzled(6, cols, 2, (unsigned)as_isa_needs(row, "shift"),
                               (unsigned)as_isa_needs(row, "mask"));
    for (uint32_t off = 0; off < 64 * width / 2; off++) {
      uint32_t v = as_lay_image(&l, off);
      uint32_t a = as_lay_part(&l, "row", v) * width + as_lay_part(&l, "col", v) * 2;
      a ^= ((a >> 7 & 7) << 4) & (width - 1); /* address bits [4, 7) ^= bits [7, 10) */
      ck_assert_uint_eq(a, off * 2);
    }
  }
  as_isa_free(isa);
}

END_TEST

static as_lay random_lay(as_rng *r, const char *in, unsigned n, const char *out, unsigned bits) {
  as_lay l = as_lay_new();
  as_lay_add_out(&l, out, bits);
  as_lay_add_in(&l, in);
  for (unsigned i = 0; i < n; i++)
    as_lay_push(&l, (uint32_t)as_rng_below(r, (uint64_t)1 << bits));
  return l;
}

START_TEST(algebra) {
  as_rng r;
  as_rng_seed(&r, 1);
  for (unsigned round = 0; round < 3000; round++) {
    unsigned a = (unsigned)as_rng_below(&r, 7);
    unsigned b = 1 + (unsigned)as_rng_below(&r, 6);
    as_lay l = random_lay(&r, "x", a, "y", b);
    bool hit[64] = {false};
    unsigned images = 0;
    for (uint32_t x = 0; x < 1u << a; x++) {
      images += !hit[as_lay_image(&l, x)];
      hit[as_lay_image(&l, x)] = true;
    }
    ck_assert_uint_eq(images, 1u << as_lay_rank(&l));
    ck_assert(as_lay_injective(&l) == (images == 1u << a));
    ck_assert(as_lay_surjective(&l) == (images == 1u << b));
    uint64_t kernel[AS_LAY_BITS];
    unsigned n = as_lay_kernel(&l, kernel);
    ck_assert_uint_eq(n, a - as_lay_rank(&l));
    for (unsigned i = 0; i < n; i++)
      ck_assert_uint_eq(as_lay_image(&l, kernel[i]), 0);
    as_lay back = as_lay_inverse(&l);
    ck_assert(back.bad == !as_lay_surjective(&l));
    for (uint32_t y = 0; !back.bad && y < 1u << b; y++)
      ck_assert_uint_eq(as_lay_image(&l, as_lay_image(&back, y)), y);
    as_lay inner = random_lay(&r, "w", (unsigned)as_rng_below(&r, 6), "x", a);
    as_lay both = as_lay_after(&l, &inner);
    for (uint32_t w = 0; w < 1u << as_lay_in_bits(&inner); w++)
      ck_assert_uint_eq(as_lay_image(&both, w), as_lay_image(&l, as_lay_image(&inner, w)));
    char *text = as_lay_print(&l);
    const char *cursor = text;
    as_lay again;
    ck_assert(as_lay_parse(&cursor, &again) && !*cursor && as_lay_equal(&l, &again));
    free(text);
  }
}

END_TEST

START_TEST(joins) {
  as_rng r;
  as_rng_seed(&r, 2);
  unsigned agree = 0;
  for (unsigned round = 0; round < 2000; round++) {
    as_lay a = random_lay(&r, "x", 3, "p", 2);
    as_lay b = as_rng_below(&r, 2) ? a : random_lay(&r, "x", 3, "p", 2);
    as_lay q = random_lay(&r, "x", 3, "q", 3);
    as_lay pq = as_lay_join(&a, &q);
    for (uint32_t x = 0; x < 8; x++) {
      uint32_t v = as_lay_image(&pq, x);
      ck_assert_uint_eq(as_lay_part(&pq, "p", v), as_lay_image(&a, x));
      ck_assert_uint_eq(as_lay_part(&pq, "q", v), as_lay_image(&q, x));
    }
    as_lay same = as_lay_join(&pq, &b);
    bool equal = !memcmp(a.col, b.col, 3 * sizeof *a.col);
    ck_assert(same.bad == !equal);
    agree += equal;
  }
  ck_assert(agree > 100 && agree < 1999);
}

END_TEST

static unsigned conflicts_by_hand(const as_lay *addr, unsigned elem, unsigned vec) {
  unsigned width = elem * vec > 4 ? elem * vec : 4;
  unsigned phase = 128 / width;
  unsigned worst = 1;
  for (uint32_t from = 0; from < 32; from += phase) {
    for (unsigned bank = 0; bank < 32; bank++) {
      uint32_t seen[64];
      unsigned n = 0;
      for (uint32_t lane = from; lane < from + phase; lane++) {
        uint32_t byte = as_lay_at(addr, "lane", lane) * elem;
        for (uint32_t w = byte / 4; w < (byte + elem * vec + 3) / 4; w++) {
          bool known = w % 32 != bank;
          for (unsigned i = 0; i < n; i++)
            known = known || seen[i] == w;
          if (!known)
            seen[n++] = w;
        }
      }
      worst = n > worst ? n : worst;
    }
  }
  return worst;
}

START_TEST(bank_conflicts) {
  as_rng r;
  as_rng_seed(&r, 3);
  for (unsigned round = 0; round < 2000; round++) {
    unsigned elem = as_rng_below(&r, 2) ? 4 : 2;
    unsigned vec = (elem == 4 ? 1u : 2u) << as_rng_below(&r, 3);
    as_lay l = as_lay_new();
    as_lay_add_out(&l, "off", 10);
    as_lay_add_in(&l, "lane");
    for (unsigned i = 0; i < 5; i++)
      as_lay_push(&l, (uint32_t)as_rng_below(&r, 1024) / vec * vec);
    ck_assert_uint_eq(as_lay_conflicts(&l, elem, vec), conflicts_by_hand(&l, elem, vec));
  }
}

END_TEST

/* three input dimensions onto all bits */
static as_lay hardware(const uint32_t *cols, unsigned regs, unsigned lanes, unsigned warps) {
  as_lay l = as_lay_new();
  as_lay_add_out(&l, "t", regs + lanes + warps);
  static const char *const names[] = {"reg", "lane", "warp"};
  const unsigned n[] = {regs, lanes, warps};
  for (unsigned d = 0, k = 0; d < 3; d++) {
    as_lay_add_in(&l, names[d]);
    for (unsigned i = 0; i < n[d]; i++)
      as_lay_push(&l, cols[k++]);
  }
  return l;
}

static uint32_t held(const as_lay *l, uint32_t reg, uint32_t lane, uint32_t warp) {
  return as_lay_at(l, "reg", reg) ^ as_lay_at(l, "lane", lane) ^ as_lay_at(l, "warp", warp);
}

/* runs the rounds of a shuffle plan for one warp; a lane sends one register a round */
static void run_rounds(const as_conv *c, const as_lay *s, const as_lay *d, unsigned regs,
                       unsigned lanes, uint32_t warp) {
  for (uint32_t sigma = 0; sigma < 1u << regs; sigma++) {
    uint32_t sent[32];
    memset(sent, 0xff, sizeof sent);
    for (uint32_t lane = 0; lane < 1u << lanes; lane++) {
      uint32_t reg = sigma ^ as_f2_sum(c->mix, 8, lane);
      uint32_t from =
          as_f2_sum(c->reg, 32, reg) ^ as_f2_sum(c->lane, 8, lane) ^ as_f2_sum(c->warp, 8, warp);
      uint32_t source = from >> regs;
      uint32_t source_reg = from & ((1u << regs) - 1);
      ck_assert(sent[source] == ~0u || sent[source] == source_reg);
      sent[source] = source_reg;
      ck_assert_uint_eq(held(s, source_reg, source, warp), held(d, reg, lane, warp));
    }
  }
}

START_TEST(conversions) {
  as_rng r;
  unsigned kinds[4] = {0, 0, 0, 0};
  as_rng_seed(&r, 4);
  for (unsigned round = 0; round < 3000; round++) {
    unsigned regs = (unsigned)as_rng_below(&r, 4);
    unsigned lanes = 1 + (unsigned)as_rng_below(&r, 3);
    unsigned warps = (unsigned)as_rng_below(&r, 2);
    unsigned n = regs + lanes + warps;
    uint32_t a[8];
    do {
      for (unsigned i = 0; i < n; i++)
        a[i] = (uint32_t)as_rng_below(&r, (uint64_t)1 << n);
    } while (as_f2_rank(a, n) < n);
    uint32_t b[8];
    memcpy(b, a, sizeof b);
    for (uint64_t k = as_rng_below(&r, 6); k-- > 0;) {
      unsigned i = (unsigned)as_rng_below(&r, as_rng_below(&r, 5) ? regs + lanes : n);
      unsigned j = (unsigned)as_rng_below(&r, as_rng_below(&r, 5) ? regs + lanes : n);
      if (i != j)
        b[i] ^= b[j];
    }
    as_lay s = hardware(a, regs, lanes, warps);
    as_lay d = hardware(b, regs, lanes, warps);
    as_conv c = as_lay_conversion(&s, &d);
    kinds[c.kind]++;
    for (uint32_t w = 0; w < 1u << warps; w++) {
      if (c.kind == AS_CONV_SHUFFLE)
        run_rounds(&c, &s, &d, regs, lanes, w);
      for (uint32_t lane = 0; c.kind == AS_CONV_RENAME && lane < 1u << lanes; lane++) {
        for (uint32_t reg = 0; reg < 1u << regs; reg++)
          ck_assert_uint_eq(held(&s, as_f2_sum(c.reg, 32, reg), lane, w), held(&d, reg, lane, w));
      }
    }
  }
  ck_assert(kinds[AS_CONV_RENAME] && kinds[AS_CONV_SHUFFLE] && kinds[AS_CONV_SHARED]);
}

END_TEST

START_TEST(result_is_operand) { /* two accumulators side by side are one first operand: renaming */
  as_isa *isa = load("sm_80");
  const as_isa_row *row = as_isa_find(isa, "mma.m16n8k16.f16");
  as_lay c = as_lay_rename_out(as_isa_layout(row, "c"), "j", "k");
  as_lay copies = as_lay_new();
  as_lay_add_out(&copies, "k", 1);
  as_lay_add_in(&copies, "reg");
  as_lay_push(&copies, 1);
  as_lay two = as_lay_product(&c, &copies);
  as_conv how = as_lay_conversion(&two, as_isa_layout(row, "a"));
  ck_assert_int_eq(how.kind, AS_CONV_RENAME);
  as_isa_free(isa);
}

END_TEST

START_TEST(bad_instruction_files) {
  static const char *const texts[] = {
      "instruction x since 80 cost 1\n  means y\n",
      "instruction x since 80 cost 1\n  means y\nend\n",
      "instruction x since 80 cost z\n  means y\n  text z\nend\n",
      "instruction x since 80 cost 1\n  operand a f16 {i:2 | reg i:4}\n  means y\n  text z\nend\n",
      "instruction x since 80 cost 1\n  operand a f16 {i:2 | reg j:1}\n  means y\n  text z\nend\n",
      "operand a f16 {i:2}\n",
      "use sm_10\n",
      "use sm_80\ninstruction shfl.xor since 80 cost 1\n  means y\n  text z\nend\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    as_err err;
    as_err_init(&err);
    as_isa *isa = as_isa_parse("bad.isa", texts[i], strlen(texts[i]), &err);
    ck_assert_msg(!isa && err.status == AS_BAD_INPUT && err.text, "%s", texts[i]);
    as_err_clear(&err);
  }
}

END_TEST

int main(void) {
  TCase *tests = test_case("all", 60);
  tcase_add_test(tests, fragments_of_products);
  tcase_add_test(tests, matrix_loads);
  tcase_add_test(tests, swizzles);
  tcase_add_test(tests, algebra);
  tcase_add_test(tests, joins);
  tcase_add_test(tests, bank_conflicts);
  tcase_add_test(tests, conversions);
  tcase_add_test(tests, result_is_operand);
  tcase_add_test(tests, bad_instruction_files);
  return test_run("layouts", tests);
}
