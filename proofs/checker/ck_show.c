/* Terms as text for people: infix, cut off when long (a term may share subterms so often that its text would have no end). */
#include "ck_term_impl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4000 };
typedef struct { char *s; size_t n; bool full; } text;

static void put(text *o, const char *s) {
  size_t n = strlen(s);
  if (o->full || o->n + n > ROOM) {
    if (!o->full) memcpy(o->s + o->n, "...", 4);
    o->full = true;
    return;
  }
  memcpy(o->s + o->n, s, n + 1);
  o->n += n;
}

static void number(text *o, uint32_t n) {
  char s[16];
  snprintf(s, sizeof s, "%u", (unsigned)n);
  put(o, s);
}

static void show(const ck_terms *T, ck_id t, text *o);

static void list(const ck_terms *T, ck_id t, uint32_t from, const char *open, const char *sep, const char *close, text *o) {
  put(o, open);
  for (uint32_t i = from; i < ck_nkids(T, t) && !o->full; i++) {
    if (i > from) put(o, sep);
    show(T, ck_kid(T, t, i), o);
  }
  put(o, close);
}

static void show(const ck_terms *T, ck_id t, text *o) {
  static const char *const infix[] = {[CK_ADD] = " + ", [CK_MUL] = "*", [CK_DIV] = " div ", [CK_MOD] = " mod ",
                                      [CK_EQ] = " = ", [CK_NE] = " # ", [CK_LE] = " <= ", [CK_LT] = " < "};
  static const char *const prefix[] = {[CK_INV] = "inv(", [CK_EXP] = "exp(", [CK_SQRT] = "sqrt(", [CK_LOG] = "log(", [CK_ITE] = "ite("};
  if (o->full) return;
  ck_op op = ck_head(T, t);
  switch (op) {
  case CK_Q: {
    char *s = mpq_get_str(NULL, 10, *ck_q_value(T, t));
    put(o, s);
    free(s);
    return;
  }
  case CK_V: put(o, ck_word_text(T, ck_name(T, t))); return;
  case CK_B:
    put(o, ck_sort(T, t) == 'i' ? "#i" : "#r");
    number(o, ck_index(T, t));
    return;
  case CK_APP:
    put(o, ck_word_text(T, ck_name(T, t)));
    list(T, t, 0, "[", ", ", "]", o);
    return;
  case CK_FOLD:
    put(o, "fold");
    number(o, ck_index(T, t));
    put(o, "/");
    number(o, ck_width(T, t));
    list(T, t, 0, "(", "; ", ")", o);
    return;
  case CK_ALL:
    put(o, "all ");
    number(o, ck_index(T, t));
    list(T, t, 0, " (", " ; ", ")", o); /* conditions, then the conclusion */
    return;
  case CK_ADD:
  case CK_MUL:
  case CK_DIV:
  case CK_MOD: list(T, t, 0, "(", infix[op], ")", o); return;
  case CK_EQ:
  case CK_NE:
  case CK_LE:
  case CK_LT: list(T, t, 0, "", infix[op], "", o); return;
  default: list(T, t, 0, prefix[op], ", ", ")", o); return;
  }
}

char *ck_show(const ck_terms *T, ck_id t) {
  text o = {.s = ck_alloc(NULL, ROOM + 8)};
  o.s[0] = 0;
  if (t < T->n)
    show(T, t, &o);
  else
    put(&o, "(no term)");
  return o.s;
}
