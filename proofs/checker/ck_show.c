/* Terms as text for people: infix, cut off when long (a term may share subterms so often that its text would have no end). */
#include "ck_term.h"
#include <stdlib.h>

enum { ROOM = 4000 };
typedef struct { char *s; size_t n; bool full; } text;

static void put(text *o, const char *s) {
  size_t n = strlen(s);
  if (o->full) return;
  if (o->n + n > ROOM) s = "...", n = 3, o->full = true;
  memcpy(o->s + o->n, s, n + 1), o->n += n;
}

static void show(const ck_terms *T, ck_id t, text *o) {
  static const struct { const char *open, *sep, *close; } around[] = { /* of a node with kids */
      [CK_ADD] = {"(", " + ", ")"},     [CK_MUL] = {"(", "*", ")"},    [CK_DIV] = {"(", " div ", ")"}, [CK_MOD] = {"(", " mod ", ")"},
      [CK_INV] = {"inv(", "", ")"},     [CK_EXP] = {"exp(", "", ")"},  [CK_SQRT] = {"sqrt(", "", ")"}, [CK_LOG] = {"log(", "", ")"},
      [CK_ITE] = {"ite(", ", ", ")"},   [CK_APP] = {"[", ", ", "]"},   [CK_FOLD] = {"(", "; ", ")"},   [CK_EQ] = {"", " = ", ""},
      [CK_NE] = {"", " # ", ""},        [CK_LE] = {"", " <= ", ""},    [CK_LT] = {"", " < ", ""},      [CK_ALL] = {" (", " ; ", ")"}};
  char s[32];
  ck_op op = ck_head(T, t);
  if (o->full) return;
  if (op == CK_Q || op == CK_V || op == CK_APP) put(o, ck_word_text(T, ck_name(T, t)));
  if (op == CK_B) snprintf(s, sizeof s, "#%c%u", ck_sort(T, t), (unsigned)ck_index(T, t)), put(o, s);
  if (op == CK_FOLD) snprintf(s, sizeof s, "fold%u/%u", (unsigned)ck_index(T, t), (unsigned)ck_width(T, t)), put(o, s);
  if (op == CK_ALL) snprintf(s, sizeof s, "all %u", (unsigned)ck_index(T, t)), put(o, s);
  if (op <= CK_B) return;
  put(o, around[op].open);
  for (uint32_t i = 0; i < ck_nkids(T, t) && !o->full; i++) put(o, i ? around[op].sep : ""), show(T, ck_kid(T, t, i), o);
  put(o, around[op].close);
}

char *ck_show(const ck_terms *T, ck_id t) {
  text o = {.s = ck_alloc(NULL, ROOM + 8)};
  o.s[0] = 0;
  t < T->nodes.n ? show(T, t, &o) : put(&o, "(no term)");
  return o.s;
}

void ck_print(FILE *out, const ck_terms *T, const char *before, ck_id t, const char *after) {
  char *s = ck_show(T, t);
  fprintf(out, "%s%s%s", before, s, after), free(s);
}
