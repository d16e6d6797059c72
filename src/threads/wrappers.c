/* Device functions from instruction texts: the only place where a row's text becomes inline
 * assembly.  A function's name is at_ and the row's name with underscores. */
#include "lowering.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

#define HANDED "registers." /* from warps that copy to those that compute */

const char *const *as_threads_prelude_text(void);

typedef struct {
  as_str params;
  as_str outs;
  as_str ins;
  char *text;
  unsigned n; /* operands numbered so far */
} wrapper;

static void replace(char **text, const char *hole, const char *by) {
  as_str s;
  as_str_init(&s);
  char *key = as_format("{%s}", hole);
  const char *at = *text;
  for (const char *p; (p = strstr(at, key)); at = p + strlen(key)) {
    as_str_addn(&s, at, (size_t)(p - at));
    as_str_add(&s, by);
  }
  as_str_add(&s, at);
  free(key);
  free(*text);
  *text = as_str_take(&s);
}

/* `count` operands in the hole's place: one number, or a list in braces */
static void operand(wrapper *w, const char *hole, const char *type, const char *constraint,
                    unsigned count, bool braces) {
  as_str list;
  as_str_init(&list);
  bool output = *constraint == '=' || *constraint == '+';
  as_str *to = output ? &w->outs : &w->ins;
  as_str_add(&list, braces ? "{" : "");
  for (unsigned i = 0; i < count; i++) {
    as_str_printf(&list, "%s%%%u", i ? "," : "", w->n++);
    as_str_printf(&w->params, "%s%s%s%s%u", w->params.n ? ", " : "", type, output ? " &" : " ",
                  hole, i);
    as_str_printf(to, "%s\"%s\"(%s%u)", to->n ? ", " : "", constraint, hole, i);
  }
  as_str_add(&list, braces ? "}" : "");
  char *by = as_str_take(&list);
  replace(&w->text, hole, by);
  free(by);
}

static void begin(wrapper *w, const as_isa_row *row) {
  memset(w, 0, sizeof *w);
  as_str_init(&w->params);
  as_str_init(&w->outs);
  as_str_init(&w->ins);
  w->text = as_strdup(row->text);
}

static void finish(wrapper *w, as_str *out, const as_isa_row *row, const char *suffix,
                   bool memory) {
  char *name = as_strdup(row->name);
  for (char *p = name; *p; p++)
    *p = *p == '.' ? '_' : *p;
  as_str_printf(out, "AS_DEV void at_%s%s(%s) { asm volatile(\"%s\" : %s : %s%s); }\n", name,
                suffix, w->params.s ? w->params.s : "", w->text, w->outs.s ? w->outs.s : "",
                w->ins.s ? w->ins.s : "", memory ? " : \"memory\"" : "");
  free(name);
  free(w->text);
  as_str_clear(&w->params);
  as_str_clear(&w->outs);
  as_str_clear(&w->ins);
}

static bool starts(const as_isa_row *row, const char *with) {
  return !strncmp(row->name, with, strlen(with));
}

/* 32-bit registers of an operand */
static unsigned registers(const as_isa_operand *o) {
  unsigned n = 1u << as_lay_in(&o->lay, "reg", NULL);
  return strcmp(o->type, "f32") ? n / 2 : n;
}

static void product(as_str *out, const as_isa_row *row) {
  wrapper w;
  const as_isa_product *p = &row->product;
  begin(&w, row);
  operand(&w, p->result, "float", "+f", registers(as_isa_get_operand(row, p->result)), true);
  operand(&w, p->first, "unsigned", "r", registers(as_isa_get_operand(row, p->first)), true);
  operand(&w, p->second, "unsigned", "r", registers(as_isa_get_operand(row, p->second)), true);
  finish(&w, out, row, "", false);
}

/* c: an array; operands by descriptors, the first one perhaps in registers: an array then; what is
 * there is added to */
static void group_product(as_str *out, const as_isa_row *row) {
  const as_isa_operand *first = as_isa_get_operand(row, row->product.first);
  unsigned n = registers(as_isa_get_operand(row, row->product.result));
  unsigned held = as_lay_has_in(&first->lay, "reg") ? registers(first) : 0;
  char *name = as_strdup(row->name);
  char *text = as_strdup(row->text);
  as_str list;
  as_str outs;
  as_str_init(&list);
  as_str_init(&outs);
  for (unsigned i = 0; i < n; i++) {
    as_str_printf(&list, "%s%%%u", i ? "," : "{", i);
    as_str_printf(&outs, "%s\"+f\"(c[%u])", i ? ", " : "", i);
  }
  as_str_add(&list, "}");
  as_str a;
  as_str ins;
  as_str_init(&a);
  as_str_init(&ins);
  for (unsigned i = 0; i < held; i++) {
    as_str_printf(&a, "%s%%%u", i ? "," : "{", n + i);
    as_str_printf(&ins, "\"r\"(a[%u]), ", i);
  }
  if (held)
    as_str_add(&a, "}");
  else
    as_str_printf(&a, "%%%u", n);
  char *b = as_format("%%%u", n + (held ? held : 1));
  replace(&text, row->product.result, list.s);
  replace(&text, row->product.first, a.s);
  replace(&text, row->product.second, b);
  replace(&text, "accumulate", "p");
  for (char *p = name; *p; p++)
    *p = *p == '.' ? '_' : *p;
  as_str_printf(out,
                "AS_DEV void at_%s(float *c, %s a, unsigned long long b) { asm "
                "volatile(\"{\\n.reg .pred p;\\nsetp.ne.b32 p, 1, 0;\\n%s\\n}\" : %s : %s"
                "\"l\"(b) : \"memory\"); }\n",
                name, held ? "const unsigned *" : "unsigned long long", text, outs.s,
                held ? ins.s : "\"l\"(a), ");
  free(name);
  free(text);
  as_str_clear(&a);
  as_str_clear(&ins);
  free(b);
  as_str_clear(&list);
  as_str_clear(&outs);
}

/* for whole registers and for floats: of shared memory two functions of one name, of global memory
 * the second has an f behind it */
static void vector(as_str *out, const as_isa_row *row) {
  unsigned n = (unsigned)as_isa_needs(row, "bytes") / 4;
  bool load = starts(row, "ld.");
  bool shared = starts(row, "ld.shared.") || starts(row, "st.shared.");
  const char *address = shared ? "s" : "g";
  const char *type = shared ? "unsigned" : load ? "const void *" : "void *";
  for (unsigned f = 0; f < 2; f++) {
    wrapper w;
    begin(&w, row);
    if (load)
      operand(&w, "r", f ? "float" : "unsigned", f ? "=f" : "=r", n, n > 1);
    operand(&w, address, type, shared ? "r" : "l", 1, false);
    if (!load)
      operand(&w, "r", f ? "float" : "unsigned", f ? "f" : "r", n, n > 1);
    finish(&w, out, row, f && !shared ? "f" : "", true);
  }
}

static void one(as_str *out, const as_isa_row *row, const char *holes) {
  wrapper w;
  begin(&w, row);
  if (starts(row, "mbarrier.wait")) {
    char *t = as_format("{\\n.reg .pred p;\\nW%%=:\\n%s\\n@!p bra W%%=;\\n}", w.text);
    free(w.text);
    w.text = t;
  }
  for (const char *h = holes; *h;) {
    size_t n = strcspn(h, " ");
    char *spec = as_format("%.*s", (int)n, h);
    char *colon = strchr(spec, ':');
    *colon = 0;
    bool pointer = colon[1] == 'l';
    operand(&w, spec,
            pointer           ? "const void *"
            : colon[1] == 'm' ? "const CUtensorMap *"
                              : "unsigned",
            colon[1] == 'r' ? "r" : "l", 1, false);
    free(spec);
    h += n;
    h += *h == ' ';
  }
  finish(&w, out, row, "", true);
}

static void matrix(as_str *out, const as_isa_row *row) {
  wrapper w;
  begin(&w, row);
  operand(&w, "r", "unsigned", "=r", registers(as_isa_get_operand(row, "r")), true);
  operand(&w, "s", "unsigned", "r", 1, false);
  finish(&w, out, row, "", true);
}

/* a function with a number, of groups or of registers, as its argument */
static void with_number(as_str *out, const as_isa_row *row, const char *function) {
  char *t = as_strdup(row->text);
  replace(&t, "n", "%0");
  as_str_printf(out,
                "template <int N> AS_DEV void %s() { asm volatile(\"%s\" :: \"n\"(N) : "
                "\"memory\"); }\n",
                function, t);
  free(t);
}

static void row_function(as_str *out, const as_isa_row *row) {
  if (row->product.is && as_isa_needs(row, "warps"))
    group_product(out, row);
  else if (row->product.is)
    product(out, row);
  else if (starts(row, "ldmatrix."))
    matrix(out, row);
  else if (starts(row, "ld.") || starts(row, "st."))
    vector(out, row);
  else if (as_isa_needs(row, "bytes"))
    one(out, row, "dst:r src:l n:r");
  else if (as_isa_needs(row, "linear"))
    one(out, row, "dst:r src:l n:r bar:r");
  else if (as_isa_needs(row, "swizzle"))
    one(out, row, "dst:r map:m x:r y:r bar:r");
  else if (starts(row, "mbarrier.init") || starts(row, "mbarrier.expect"))
    one(out, row, "bar:r n:r");
  else if (starts(row, "mbarrier.arrive"))
    one(out, row, "bar:r");
  else if (starts(row, "mbarrier.wait"))
    one(out, row, "bar:r parity:r");
  else if (starts(row, "mbarrier.fence") || starts(row, "fence.proxy") || starts(row, "grid.") ||
           starts(row, "cp.async.commit") || starts(row, "wgmma.fence") ||
           starts(row, "wgmma.commit"))
    one(out, row, "");
  else if (starts(row, "cp.async.wait"))
    with_number(out, row, "at_cp_async_wait");
  else if (starts(row, "wgmma.wait"))
    with_number(out, row, "at_wgmma_wait");
  else if (starts(row, HANDED))
    with_number(out, row, starts(row, HANDED "more") ? "at_registers_more" : "at_registers_fewer");
}

typedef struct {
  const char *name;
  bool found;
} user;

static void uses(void *arg, as_tg_op *op) {
  user *u = arg;
  bool product = op->kind == AS_TG_WGMMA || op->kind == AS_TG_WGMMAR;
  u->found = u->found || (product && !strcmp(op->instr, u->name));
}

/* products of warpgroups have long texts and a target of their own (sm_90a): only those that a
 * graph uses */
static bool wanted(const as_isa_row *row, const as_tg *const *graph, unsigned n) {
  bool handed = starts(row, HANDED);
  user u = {row->name, !starts(row, "wgmma.m") && !handed};
  for (unsigned i = 0; i < n && !u.found; i++) {
    as_tg_walk(&graph[i]->top, uses, &u);
    u.found = u.found || (handed && graph[i]->compute_registers);
  }
  return u.found;
}

char *as_threads_prelude(const char *target, const as_tg *const *graph, unsigned n, as_err *err) {
  as_isa *isa = as_isa_load(target, err);
  as_str s;
  if (!isa)
    return NULL;
  as_str_init(&s);
  for (const char *const *p = as_threads_prelude_text(); *p; p++)
    as_str_add(&s, *p);
  for (unsigned i = 0; i < as_isa_count(isa); i++) {
    if (wanted(as_isa_nth(isa, i), graph, n))
      row_function(&s, as_isa_nth(isa, i));
  }
  as_str_add(&s, "#endif\n\n");
  as_isa_free(isa);
  return as_str_take(&s);
}
