/* Terms as text (proofs/CLAIM.md section 9).  A term may share subterms so often that its text
 * would have no end. */
#include "ck_term.h"
#include <stdlib.h>

typedef struct {
  char *text;
  size_t n;
  size_t capacity;
  size_t room; /* no more than `room` bytes are written */
  bool full;
} output;

static void put(output *o, const char *s) {
  size_t n = strlen(s);
  o->full = o->full || o->n + n > o->room;
  if (o->full)
    return;
  CK_GROW(o->text, o->capacity, o->n + n + 1);
  memcpy(o->text + o->n, s, n + 1);
  o->n += n;
}

/* what stands before the kids of a node, between them, and after them */
static const struct {
  const char *open;
  const char *between;
  const char *close;
} around[] = {
    [CK_ADD] = {"(", " + ", ")"},   [CK_MUL] = {"(", "*", ")"},   [CK_DIV] = {"(", " div ", ")"},
    [CK_MOD] = {"(", " mod ", ")"}, [CK_INV] = {"inv(", "", ")"}, [CK_EXP] = {"exp(", "", ")"},
    [CK_SQRT] = {"sqrt(", "", ")"}, [CK_LOG] = {"log(", "", ")"}, [CK_ITE] = {"ite(", ", ", ")"},
    [CK_APP] = {"[", ", ", "]"},    [CK_FOLD] = {"(", "; ", ")"}, [CK_EQ] = {"", " = ", ""},
    [CK_NE] = {"", " # ", ""},      [CK_LE] = {"", " <= ", ""},   [CK_LT] = {"", " < ", ""},
    [CK_ALL] = {" (", " ; ", ")"}};

static void show(const ck_terms *T, ck_id t, output *o) {
  char part[32];
  ck_op op = ck_head(T, t);
  if (o->full)
    return;
  switch (op) {
  case CK_Q:
  case CK_V:
  case CK_APP:
    put(o, ck_word_text(T, ck_name(T, t)));
    break;
  case CK_B:
    snprintf(part, sizeof part, "#%c%u", ck_sort(T, t), (unsigned)ck_index(T, t));
    put(o, part);
    break;
  case CK_FOLD:
    snprintf(part, sizeof part, "fold%u/%u", (unsigned)ck_index(T, t), (unsigned)ck_width(T, t));
    put(o, part);
    break;
  case CK_ALL:
    snprintf(part, sizeof part, "all %u", (unsigned)ck_index(T, t));
    put(o, part);
    break;
  default:
    break;
  }
  if (op <= CK_B)
    return;
  put(o, around[op].open);
  for (uint32_t i = 0; i < ck_nkids(T, t) && !o->full; i++) {
    put(o, i ? around[op].between : "");
    show(T, ck_kid(T, t, i), o);
  }
  put(o, around[op].close);
}

char *ck_show(const ck_terms *T, ck_id t) {
  output o = {.room = 4000};
  if (t < T->nodes.n)
    show(T, t, &o);
  else
    put(&o, "(no term)");
  if (!o.full)
    return o.text;
  o.full = false;
  o.room += 4;
  put(&o, "...");
  return o.text;
}

bool ck_print(FILE *out, const ck_terms *T, const char *before, ck_id t, const char *after) {
  output o = {.room = 1 << 26};
  show(T, t, &o);
  if (!o.full)
    fprintf(out, "%s%s%s", before, o.text, after);
  free(o.text);
  return !o.full;
}
