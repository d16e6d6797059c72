/* Terms as text (proofs/CLAIM.md section 9).  A term may share subterms so often that its text
 * would have no end. */
#include "ck_term.h"
#include <stdlib.h>

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

/* no more when it is longer than `room` */
static void show(FILE *out, const ck_terms *T, ck_id t, long room) {
  ck_op op = ck_head(T, t);
  if (ftell(out) > room)
    return;
  switch (op) {
  case CK_Q:
  case CK_V:
  case CK_APP:
    fputs(ck_word_text(T, ck_name(T, t)), out);
    break;
  case CK_B:
    fprintf(out, "#%c%u", ck_sort(T, t), ck_index(T, t));
    break;
  case CK_FOLD:
    fprintf(out, "fold%u/%u", ck_index(T, t), ck_width(T, t));
    break;
  case CK_ALL:
    fprintf(out, "all %u", ck_index(T, t));
    break;
  default:
    break;
  }
  if (op <= CK_B)
    return;
  fputs(around[op].open, out);
  CK_BELOW(i, ck_nkids(T, t)) {
    fputs(i ? around[op].between : "", out);
    show(out, T, ck_kid(T, t, i), room);
  }
  fputs(around[op].close, out);
}

/* malloc'ed; *cut: it would be longer than `room` */
static char *text_of(const ck_terms *T, ck_id t, long room, bool *cut) {
  char *text = NULL;
  size_t n;
  FILE *out = open_memstream(&text, &n);
  if (!out)
    abort();
  if (t < T->nodes.n)
    show(out, T, t, room);
  else
    fputs("(no term)", out);
  *cut = ftell(out) > room;
  if (fclose(out))
    abort();
  return text;
}

char *ck_show(const ck_terms *T, ck_id t) {
  enum { ROOM = 4000 };

  bool cut;
  char *text = text_of(T, t, ROOM, &cut);
  if (cut)
    strcpy(text + ROOM - 3, "...");
  return text;
}

bool ck_print(FILE *out, const ck_terms *T, const char *before, ck_id t, const char *after) {
  bool cut;
  char *text = text_of(T, t, 1 << 26, &cut);
  if (!cut)
    fprintf(out, "%s%s%s", before, text, after);
  free(text);
  return !cut;
}
