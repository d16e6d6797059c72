/* Kernel-level operators that are no matrix products: one thread per element of a map, one warp per
 * result of a reduction, straight from global memory; and the reference, the same definitions as
 * plain loops in double. */
#include "lo.h"
#include <stdlib.h>
#include <string.h>

static long elems(const lo_val *v) {
  long n = 1;
  for (int i = 0; i < v->rank; i++)
    n *= v->dim[i];
  return n;
}

static char *flat_index(lo_emit *E, const lo_val *v, lx *const *idx, int n) {
  as_str s;
  as_str_init(&s);
  as_str_add(&s, "(size_t)0");
  long stride = 1;
  for (int i = n; i-- > 0;) {
    char *t = lo_index(E, idx[i]);
    if (strcmp(t, "0"))
      as_str_printf(&s, " + (size_t)%s * %ld", t, stride);
    free(t);
    stride *= v->dim[i];
  }
  return as_str_take(&s);
}

static char *pointer(const lo *L, uint32_t id) {
  const lo_val *v = &L->v[id];
  if (v->gclass == LG_INPUT)
    return as_format("a.in[%u]", v->gidx);
  if (v->gclass == LG_OUTPUT)
    return as_format("a.out[%u]", v->gidx);
  return as_format("(a.ws + %ldL)", v->woff);
}

static const char *tname(as_dtype t) {
  return t == AS_F16 ? "f16" : t == AS_BF16 ? "bf16" : "f32";
}

static void read_global(lo_emit *E, as_str *out, uint32_t id, lx *const *idx, int n) {
  const lo_val *v = &E->L->v[id];
  char *at = flat_index(E, v, idx, n);
  char *p = pointer(E->L, id);
  as_str_printf(out, "as_ldg_%s(%s, %s)", tname(v->dtype), p, at);
  free(at);
  free(p);
}

static char *var_text[10] = {"i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", NULL};

static void decode(lo_emit *E, const lo_val *v) {
  long below = 1;
  for (int i = v->rank; i-- > 0;) {
    lo_line(E, "const int i%d = (int)(e / %ld %% %ld);", i, below, v->dim[i]);
    lo_line(E, "(void)i%d;", i);
    below *= v->dim[i];
  }
}

static const char *identity(const lo_val *v, bool dbl) {
  return v->red == LO_SUM    ? (dbl ? "0.0" : "0.0f")
         : v->red == LO_PROD ? (dbl ? "1.0" : "1.0f")
         : v->red == LO_MAX  ? "-INFINITY"
                             : "INFINITY";
}

static char *joined(const lo_val *v, const char *b, bool dbl) {
  if (v->red == LO_SUM)
    return as_format("x + %s", b);
  if (v->red == LO_PROD)
    return as_format("x * %s", b);
  return as_format("%s%s(x, %s)", v->red == LO_MAX ? "fmax" : "fmin", dbl ? "" : "f", b);
}

bool lo_emit_flat(lo *L, lo_unit *u, as_str *s) {
  const lo_val *v = &L->v[u->flat_val];
  lo_emit e = {.L = L, .u = u, .s = s, .ref = read_global, .var = var_text};
  lo_emit *E = &e;
  bool red = v->kind == LV_RED;
  long n = elems(v);
  u->warps = 8;
  u->smem = 0;
  u->blocks = red ? (n + 7) / 8 : (n + 255) / 256;
  lo_line(E, "AS_KERNEL(256) k%u_%s(as_args a)", (unsigned)(u - L->u), u->name);
  lo_line(E, "{");
  E->indent++;
  if (red) {
    lo_line(E, "const int lane = as_tid() & 31;");
    lo_line(E, "const size_t e = (size_t)as_bid() * 8 + (size_t)(as_tid() >> 5);");
    lo_line(E, "if (e >= %ld) return; /* whole warps */", n);
  } else {
    lo_line(E, "const size_t e = (size_t)as_bid() * 256 + (size_t)as_tid();");
    lo_line(E, "if (e >= %ld) return;", n);
  }
  decode(E, v);
  if (red) {
    lo_line(E, "float x = %s;", identity(v, false));
    lo_line(E, "for (int i%d = lane; i%d < %ld; i%d += 32) {", v->rank, v->rank, v->extent,
            v->rank);
    E->indent++;
  }
  char *b = lo_expr(E, v->body);
  if (red) {
    char *j = joined(v, b, false);
    char *k = joined(v, "as_shfl_xor(x, d)", false);
    lo_line(E, "x = %s;", j);
    E->indent--;
    lo_line(E, "}");
    lo_line(E, "for (int d = 16; d > 0; d >>= 1) x = %s;", k);
    lo_line(E, "if (lane) return;");
    free(j);
    free(k);
  } else {
    lo_line(E, "const float x = %s;", b);
  }
  free(b);
  char *p = pointer(L, u->flat_val);
  lo_line(E, "as_stg_%s<1>(%s, e, &x);", tname(v->dtype), p);
  free(p);
  E->indent--;
  lo_line(E, "}\n");
  free(e.memo);
  return true;
}

static void read_double(lo_emit *E, as_str *out, uint32_t id, lx *const *idx, int n) {
  const lo_val *v = &E->L->v[id];
  char *at = flat_index(E, v, idx, n);
  if (v->gclass == LG_INPUT)
    as_str_printf(out, "in[%u][%s]", v->gidx, at);
  else
    as_str_printf(out, "w%u[%s]", id, at);
  free(at);
}

bool lo_emit_reference(lo *L, as_str *s) {
  as_str_add(
      s,
      "/* The program in double precision, as its operators' specifications say: plain loops, "
      "nothing shared with the kernels. */\n"
      "#include <math.h>\n#include <stddef.h>\n#include <vector>\n"
      "static inline int asr_imin(int a, int b) { return a < b ? a : b; }\nstatic inline int "
      "asr_imax(int a, int b) { return a > b ? a : b; }\n"
      "static inline int asr_idiv(int a, int b) { int q = a / b; return q * b > a ? q - 1 : q; }\n"
      "static inline int asr_imod(int a, int b) { return a - b * asr_idiv(a, b); }\n\n"
      "void assay_reference(const double *const *in, double *const *out)\n{\n  (void)in; "
      "(void)asr_imin; (void)asr_imax; (void)asr_imod;\n");
  lo_emit e = {.L = L, .s = s, .ref = read_double, .var = var_text, .dbl = true, .indent = 1};
  lo_emit *E = &e;
  for (uint32_t i = 0; i < L->nu; i++) {
    uint32_t id = L->u[i].flat_val;
    const lo_val *v = &L->v[id];
    if (!L->u[i].flat)
      return as_err_set(L->err, AS_INTERNAL, "the reference is made from a program, not a muGraph");
    lo_line(E, "std::vector<double> w%u(%ld); /* %s */", id, elems(v), v->name);
    lo_line(E, "#pragma omp parallel for");
    lo_line(E, "for (long e = 0; e < %ld; e++) {", elems(v));
    E->indent++;
    decode(E, v);
    if (v->kind == LV_RED) {
      lo_line(E, "double x = %s;", identity(v, true));
      lo_line(E, "for (int i%d = 0; i%d < %ld; i%d++) {", v->rank, v->rank, v->extent, v->rank);
      E->indent++;
    }
    char *b = lo_expr(E, v->body);
    char *j = v->kind == LV_RED ? joined(v, b, true) : NULL;
    lo_line(E, v->kind == LV_RED ? "x = %s;" : "const double x = %s;", j ? j : b);
    if (j) {
      E->indent--;
      lo_line(E, "}");
    }
    free(b);
    free(j);
    lo_line(E, "w%u[(size_t)e] = x;", id);
    E->indent--;
    lo_line(E, "}");
    if (v->gclass == LG_OUTPUT)
      lo_line(E, "for (size_t e = 0; e < %ld; e++) out[%u][e] = w%u[e];", elems(v), v->gidx, id);
  }
  as_str_add(s, "}\n");
  free(e.memo);
  return true;
}
