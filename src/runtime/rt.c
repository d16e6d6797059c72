#include "rt.h"
#include "../base/child.h"
#include "compile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const *as_rt_main_text(void);

void as_rt_result_clear(as_rt_result *r) {
  free(r->json);
  free(r->log);
  memset(r, 0, sizeof *r);
}

static bool put(const char *dir, const char *name, const char *text, as_err *err) {
  char *path = as_format("%s/%s", dir, name);
  bool ok = as_write_file(path, text, strlen(text), err);
  free(path);
  return ok;
}

static void table(as_str *s, const char *type, const char *name, const long *v, const as_dtype *t,
                  uint32_t n) {
  as_str_printf(s, "static const %s %s[] = {", type, name);
  for (uint32_t i = 0; i < n; i++)
    as_str_printf(s, "%s%ld", i ? ", " : "", v ? v[i] : (long)t[i]);
  as_str_add(s, n ? "};\n" : "0};\n");
}

bool as_rt_write(const as_lowered *l, const char *name, const char *dir, as_err *err) {
  as_str s;
  as_str m;
  as_str_init(&s);
  as_str_init(&m);
  as_str_printf(&s, "#define NAME \"%s\"\n#define N_IN %u\n#define N_OUT %u\n", name, l->n_in,
                l->n_out);
  table(&s, "long", "in_elems", l->in_elems, NULL, l->n_in);
  table(&s, "int", "in_type", NULL, l->in_type, l->n_in);
  table(&s, "long", "out_elems", l->out_elems, NULL, l->n_out);
  table(&s, "int", "out_type", NULL, l->out_type, l->n_out);
  for (const char *const *p = as_rt_main_text(); *p; p++)
    as_str_add(&m, *p);
  bool ok = put(dir, "kernel.cu", l->cuda, err) && put(dir, "reference.inc", l->reference, err) &&
            put(dir, "shapes.inc", s.s, err) && put(dir, "main.cu", m.s, err);
  as_str_clear(&s);
  as_str_clear(&m);
  return ok;
}

static double field(const char *json, const char *key) {
  char *k = as_format("\"%s\": ", key);
  char *p = strstr(json, k);
  double v = -1;
  if (p) {
    char *end;
    double x = strtod(p + strlen(k), &end);
    if (end != p + strlen(k))
      v = x;
  }
  free(k);
  return v;
}

/* runs the program that was built; its line of JSON and its messages go into r */
static bool execute(const as_rt_opts *o, const char *exe, as_rt_result *r, as_err *err) {
  char seed[32];
  char scale[40];
  char tolerance[40];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)(o->seed ? o->seed : 1));
  snprintf(scale, sizeof scale, "%.17g", o->scale > 0 ? o->scale : 1);
  snprintf(tolerance, sizeof tolerance, "%.17g", o->tolerance > 0 ? o->tolerance : 5e-3);
  const char *args[16] = {exe, "--seed", seed, "--scale", scale, "--tolerance", tolerance};
  int n = 7;
  if (o->timed)
    args[n++] = "--time";
  if (o->dump) {
    args[n++] = "--dump";
    args[n++] = o->dump;
  }
  args[n] = NULL;
  as_child child = {.argv = args};
  as_child_result result;
  as_child_run(&child, &result);
  char *said = r->log;
  r->log = as_format("%s%s", said, result.errors.s ? result.errors.s : "");
  free(said);
  r->json = as_strdup(result.output.s ? result.output.s : "");
  r->ran = result.end == AS_CHILD_EXITED && (result.status == 0 || result.status == 1);
  r->ok = r->ran && result.status == 0;
  if (!r->ran) {
    char *how = as_child_how(&result);
    as_err_set(err, AS_UNKNOWN, "the kernel could not be run (%s): %s", how, r->log);
    free(how);
  }
  as_child_result_clear(&result);
  return r->ran;
}

bool as_bench_program(const as_lowered *l, const char *name, const as_rt_opts *o, as_rt_result *r,
                      as_err *err) {
  memset(r, 0, sizeof *r);
  if (!as_rt_write(l, name, o->dir, err))
    return false;
  char *exe = as_format("%s/main", o->dir);
  char *source = as_format("%s/main.cu", o->dir);
  bool ok = as_rt_compile(o, AS_RT_PROGRAM, source, exe, &r->log, err) && execute(o, exe, r, err);
  if (ok) {
    r->rel_error = field(r->json, "rel_frobenius");
    r->hot_us = field(r->json, "hot_us");
    r->cold_us = field(r->json, "cold_us");
  }
  free(source);
  free(exe);
  return ok;
}
