#include "lo.h"
#include <stdlib.h>
#include <string.h>

void as_lowered_init(as_lowered *l) {
  memset(l, 0, sizeof *l);
}

void as_lowered_clear(as_lowered *l) {
  free(l->cuda);
  free(l->reference);
  free(l->notes);
  free(l->in_elems);
  free(l->out_elems);
  free(l->in_type);
  free(l->out_type);
  for (uint32_t i = 0; i < l->n_in; i++)
    free(l->in_name[i]);
  for (uint32_t i = 0; i < l->n_out; i++)
    free(l->out_name[i]);
  for (uint32_t i = 0; i < l->n_kernel; i++)
    free(l->kernel[i].name);
  free(l->in_name);
  free(l->out_name);
  free(l->kernel);
  memset(l, 0, sizeof *l);
}

static long elems(const lo_val *v) {
  long n = 1;
  for (int i = 0; i < v->rank; i++)
    n *= v->dim[i];
  return n;
}

static void place_workspace(lo *L) {
  for (uint32_t i = 0; i < L->n; i++) {
    lo_val *v = &L->v[i];
    if (v->place != LP_GLOBAL || v->gclass != LG_WORK)
      continue;
    v->woff = L->workspace;
    L->workspace += (elems(v) * (v->dtype == AS_F32 ? 4 : 2) + 255) / 256 * 256;
  }
}

static void choose_stages(lo *L, lo_unit *u) {
  long bytes = 0;
  for (uint32_t i = 0; i < u->n; i++) {
    const lo_val *v = &L->v[u->val[i]];
    if (v->live && v->kind == LV_LOAD && v->phase == LO_BODY)
      bytes += elems(v) * (L->v[v->src].dtype == AS_F32 ? 4 : 2);
  }
  const as_target *target = L->o->target;
  long in_flight = u->blocks <= target->multiprocessors ? target->ring_alone : target->ring_shared;
  long s = L->o->stages ? (long)L->o->stages : bytes ? in_flight / bytes : 1;
  if (s < 2 && !L->o->stages)
    s = 2;
  if (s > target->ring_stages)
    s = target->ring_stages;
  if (s > u->loop)
    s = u->loop;
  u->stages = s < 1 ? 1 : (int)s;
}

static bool lower_unit(lo *L, lo_unit *u) {
  u->warps = (int)(L->o->warps ? L->o->warps : L->o->target->block_warps);
  if (!lo_fuse(L, u))
    return false;
  choose_stages(L, u);
  if (!lo_mma_plan(L, u) || !lo_schedule(L, u))
    return false;
  for (;;) { /* shorter rings before giving up */
    as_err trial;
    size_t noted = L->notes.n;
    as_err_init(&trial);
    as_err *keep = L->err;
    L->err = &trial;
    bool ok = lo_layout(L, u) && lo_memplan(L, u);
    L->err = keep;
    if (!ok && (u->stages == 1 || L->o->stages)) {
      as_err_set(L->err, trial.status, "%s", trial.text ? trial.text : "no layout");
      as_err_clear(&trial);
      return false;
    }
    as_err_clear(&trial);
    if (ok)
      break;
    u->stages--;
    L->notes.n = noted;
    if (L->notes.s)
      L->notes.s[noted] = 0;
  }
  as_str_printf(
      &L->notes,
      "%s: %ld blocks of %d warps, %d stages; levels before, in and after the loop: %d %d %d\n",
      u->name, u->blocks, u->warps, u->stages, u->levels[0], u->levels[1], u->levels[2]);
  for (uint32_t i = 0; i < u->n_stmt; i++) {
    const lo_val *v = &L->v[u->stmt[i].val];
    if (u->stmt[i].kind != LS_MMA)
      continue;
    const lo_mma *m = &v->mma;
    as_str_printf(&L->notes,
                  "%s: %s: product %ldx%ldx%ldx%ld%s, warps batch %d rows %d columns %d k %d, "
                  "tiles %dx%dx%d\n",
                  u->name, v->name, m->B, m->M, m->N, m->K, m->swap ? " transposed" : "", m->wb,
                  m->wr, m->wc, m->wk, m->tb, m->tr, m->tc);
  }
  return true;
}

static void emit_launcher(lo *L, as_str *s) {
  as_str_printf(s, "extern \"C\" size_t assay_workspace_bytes(void) { return %ldu; }\n\n",
                L->workspace);
  as_str_add(s, "/* inputs and outputs in the order of the program, 16-byte aligned; gives a "
                "cudaError_t. Asynchronous; may be captured in a graph. */\n"
                "extern \"C\" int assay_launch(void *const *inputs, void *const *outputs, void "
                "*workspace, cudaStream_t stream)\n{\n  as_args a;\n");
  as_str_printf(s,
                "  for (int i = 0; i < %u; i++) { a.in[i] = inputs[i]; if ((size_t)inputs[i] %% "
                "16) return (int)cudaErrorMisalignedAddress; }\n",
                L->g->n_input);
  as_str_printf(s,
                "  for (int i = 0; i < %u; i++) { a.out[i] = outputs[i]; if ((size_t)outputs[i] %% "
                "16) return (int)cudaErrorMisalignedAddress; }\n",
                L->g->n_output);
  as_str_add(s, "  a.ws = (char *)workspace;\n  cudaError_t e;\n");
  for (uint32_t i = 0; i < L->nu; i++) {
    const lo_unit *u = &L->u[i];
    if (!u->blocks)
      continue;
    if (u->smem > L->o->target->shared_unasked) {
      as_str_printf(
          s,
          "  if ((e = cudaFuncSetAttribute(k%u_%s, cudaFuncAttributeMaxDynamicSharedMemorySize, "
          "%ld)) != cudaSuccess) return (int)e;\n",
          i, u->name, u->smem);
    }
    as_str_printf(s,
                  "  AS_LAUNCH(k%u_%s, %ldu, %d, %ld, stream, a);\n  if ((e = cudaGetLastError()) "
                  "!= cudaSuccess) return (int)e;\n",
                  i, u->name, u->blocks, 32 * u->warps, u->smem);
  }
  as_str_add(s, "  (void)e;\n  return 0;\n}\n");
}

static void count(const char *text, as_lower_kernel *k) {
  for (const char *p = text; (p = strstr(p, "as_sync();")); p++)
    k->barriers++;
  for (const char *p = text; (p = strstr(p, "as_mma_")); p++)
    k->mma++;
  for (const char *p = text; (p = strstr(p, "as_ldsm")); p++)
    k->ldmatrix++;
}

static bool emit_all(lo *L, as_lowered *out) {
  as_str s;
  as_str_init(&s);
  as_str_printf(
      &s, "/* %s: made by assay for %s (%s); see the certificate for what is proven of it. */\n",
      L->g->name, L->o->target->arch, L->o->target->gpu);
  for (const char *const *p = lo_prelude(); *p; p++)
    as_str_add(&s, *p);
  as_str_printf(&s, "struct as_args { const void *in[%u]; void *out[%u]; char *ws; };\n\n",
                L->g->n_input ? L->g->n_input : 1, L->g->n_output ? L->g->n_output : 1);
  out->kernel = as_calloc(L->nu + 1, sizeof *out->kernel);
  for (uint32_t i = 0; i < L->nu; i++) {
    lo_unit *u = &L->u[i];
    size_t at = s.n;
    if (u->flat ? !lo_emit_flat(L, u, &s) : !lo_emit_block(L, u, &s)) {
      as_str_clear(&s);
      return false;
    }
    as_lower_kernel *k = &out->kernel[out->n_kernel++];
    k->name = as_strdup(u->name);
    k->bytes_smem = u->smem;
    k->stages = u->stages;
    k->warps = u->warps;
    k->blocks = u->blocks;
    k->barriers_loop = u->levels[LO_BODY];
    count(s.s + at, k);
  }
  emit_launcher(L, &s);
  out->cuda = as_str_take(&s);
  return true;
}

static int64_t *values(const as_graph *g) {
  uint32_t n = as_size_count(g->sizes);
  int64_t *env = as_malloc((n + 1) * sizeof *env);
  for (uint32_t i = 0; i <= n; i++)
    env[i] = INT64_MIN;
  for (uint32_t i = 0;; i++) {
    as_size s = as_size_nth_sym(g->sizes, i);
    if (s == AS_SIZE_BAD)
      break;
    long v = as_size_value(g->sizes, s);
    env[s] = v < 0 ? INT64_MIN : v;
  }
  return env;
}

static void lo_free(lo *L) {
  free(L->v);
  free(L->u);
  as_str_clear(&L->notes);
  as_arena_free(L->mem);
}

static bool describe(const lo *L, as_lowered *out) {
  const as_graph *g = L->g;
  out->n_in = g->n_input;
  out->n_out = g->n_output;
  out->workspace = L->workspace;
  out->in_elems = as_calloc(g->n_input + 1, sizeof(long));
  out->out_elems = as_calloc(g->n_output + 1, sizeof(long));
  out->in_type = as_calloc(g->n_input + 1, sizeof(as_dtype));
  out->out_type = as_calloc(g->n_output + 1, sizeof(as_dtype));
  out->in_name = as_calloc(g->n_input + 1, sizeof(char *));
  out->out_name = as_calloc(g->n_output + 1, sizeof(char *));
  for (uint32_t i = 0; i < L->n; i++) {
    const lo_val *v = &L->v[i];
    if (v->place != LP_GLOBAL)
      continue;
    if (v->gclass == LG_INPUT) {
      out->in_elems[v->gidx] = elems(v);
      out->in_type[v->gidx] = v->dtype;
      out->in_name[v->gidx] = as_strdup(v->name);
    }
    if (v->gclass == LG_OUTPUT) {
      out->out_elems[v->gidx] = elems(v);
      out->out_type[v->gidx] = v->dtype;
      out->out_name[v->gidx] = as_strdup(v->name);
    }
  }
  return true;
}

static bool reference(const as_graph *program, const as_lower_opts *o, const int64_t *env,
                      as_lowered *out, as_err *err) {
  lo L = {.mem = as_arena_new(), .g = program, .o = o, .env = env, .err = err};
  as_str_init(&L.notes);
  as_str s;
  as_str_init(&s);
  bool ok = lo_expand(&L) && lo_emit_reference(&L, &s);
  if (ok)
    out->reference = as_str_take(&s);
  else
    as_str_clear(&s);
  lo_free(&L);
  return ok;
}

/* the options with every choice made that the target makes */
static bool resolve(const as_lower_opts *asked, as_lower_opts *opts, as_err *err) {
  *opts = asked ? *asked : (as_lower_opts){0};
  if (!opts->target)
    opts->target = as_target_default();
  if (!(opts->target->has & AS_HAS_CP_ASYNC)) {
    return as_err_set(err, AS_BAD_INPUT, "%s has no asynchronous copies, which every kernel uses",
                      opts->target->gpu);
  }
  if (!(opts->target->has & AS_HAS_MMA16) || !(opts->target->has & AS_HAS_LDMATRIX))
    opts->no_mma = true;
  return true;
}

bool as_lower_cuda(const as_graph *mug, const as_lower_opts *asked, as_lowered *out, as_err *err) {
  as_lower_opts opts;
  const as_lower_opts *o = &opts;
  as_lowered_init(out);
  if (!resolve(asked, &opts, err))
    return false;
  if (o->warps && (o->warps > 16 || (o->warps & (o->warps - 1)))) {
    return as_err_set(err, AS_BAD_INPUT, "warps per block: a power of two up to 16, not %u",
                      o->warps);
  }
  int64_t *env = o->env ? NULL : values(mug);
  lo L = {.mem = as_arena_new(), .g = mug, .o = o, .env = o->env ? o->env : env, .err = err};
  as_str_init(&L.notes);
  bool ok = lo_expand(&L) && lo_tile_units(&L);
  if (ok)
    place_workspace(&L);
  for (uint32_t i = 0; ok && i < L.nu; i++) {
    if (!L.u[i].flat)
      ok = lower_unit(&L, &L.u[i]);
  }
  ok = ok && emit_all(&L, out) && describe(&L, out) &&
       reference(mug->program ? mug->program : mug, o, L.env, out, err);
  if (ok)
    out->notes = as_str_take(&L.notes);
  lo_free(&L);
  free(env);
  if (!ok)
    as_lowered_clear(out);
  return ok;
}
