#include "words.h"
#include <string.h>

typedef struct {
  as_ekind kind;
  const char *function; /* of CALL */
  wr_word word[WR_N_LANGUAGES];
} row;

static const row rows[] = {
    {AS_E_ADD, NULL, {{WR_INFIX, "+"}, {WR_INFIX, "+"}, {WR_INFIX, "+"}}},
    {AS_E_SUB, NULL, {{WR_INFIX, "-"}, {WR_INFIX, "-"}, {WR_INFIX, "-"}}},
    {AS_E_MUL, NULL, {{WR_INFIX, "*"}, {WR_INFIX, "*"}, {WR_INFIX, "*"}}},
    {AS_E_FDIV, NULL, {{WR_INFIX, "/"}, {WR_INFIX, "/"}, {WR_INFIX, "/"}}},
    {AS_E_IDIV, NULL, {{WR_CALL, "T.floordiv"}, {WR_INFIX, "//"}, {WR_CALL, "kt_div"}}},
    {AS_E_MOD, NULL, {{WR_CALL, "T.floormod"}, {WR_INFIX, "%"}, {WR_CALL, "kt_mod"}}},
    {AS_E_NEG, NULL, {{WR_PREFIX, "-"}, {WR_PREFIX, "-"}, {WR_PREFIX, "-"}}},
    {AS_E_EXP, NULL, {{WR_CALL, "T.exp"}, {WR_CALL, "tl.exp"}, {WR_CALL, "kt_exp"}}},
    {AS_E_LOG, NULL, {{WR_CALL, "T.log"}, {WR_CALL, "tl.log"}, {WR_CALL, "kt_log"}}},
    {AS_E_SQRT, NULL, {{WR_CALL, "T.sqrt"}, {WR_CALL, "tl.sqrt"}, {WR_CALL, "kt_sqrt"}}},
    {AS_E_INV,
     NULL,
     {{WR_PREFIX, "T.float32(1) / "}, {WR_PREFIX, "1.0 / "}, {WR_PREFIX, "(kt_real)1 / "}}},
    {AS_E_ABS, NULL, {{WR_CALL, "T.abs"}, {WR_CALL, "tl.abs"}, {WR_CALL, "kt_abs"}}},
    {AS_E_MAX2, NULL, {{WR_CALL, "T.max"}, {WR_CALL, "tl.maximum"}, {WR_CALL, "kt_max"}}},
    {AS_E_MIN2, NULL, {{WR_CALL, "T.min"}, {WR_CALL, "tl.minimum"}, {WR_CALL, "kt_min"}}},
    {AS_E_IF, NULL, {{WR_CALL, "T.if_then_else"}, {WR_CALL, "tl.where"}, {WR_CALL, NULL}}},
    {AS_E_AND, NULL, {{WR_CALL, "T.And"}, {WR_INFIX, "&"}, {WR_INFIX, "&&"}}},
    {AS_E_OR, NULL, {{WR_CALL, "T.Or"}, {WR_INFIX, "|"}, {WR_INFIX, "||"}}},
    {AS_E_NOT, NULL, {{WR_CALL, "T.Not"}, {WR_PREFIX, "~"}, {WR_PREFIX, "!"}}},
    {AS_E_CALL, "floor", {{WR_CALL, "T.floor"}, {WR_CALL, "tl.floor"}, {WR_CALL, "kt_floor"}}},
    {AS_E_CALL, "round", {{WR_CALL, "T.nearbyint"}, {WR_CALL, NULL}, {WR_CALL, "kt_round"}}},
    {AS_E_CALL, "sin", {{WR_CALL, "T.sin"}, {WR_CALL, "tl.sin"}, {WR_CALL, "kt_sin"}}},
    {AS_E_CALL, "cos", {{WR_CALL, "T.cos"}, {WR_CALL, "tl.cos"}, {WR_CALL, "kt_cos"}}},
    {AS_E_CALL, "erf", {{WR_CALL, "T.erf"}, {WR_CALL, "tl.erf"}, {WR_CALL, "kt_erf"}}},
};

const wr_word *wr_word_of(const wr_expr *expr, wr_language language) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    bool named =
        rows[i].function && expr->function && strcmp(rows[i].function, expr->function) == 0;
    if (rows[i].kind == expr->kind && (expr->kind != AS_E_CALL || named))
      return rows[i].word[language].word ? &rows[i].word[language] : NULL;
  }
  return NULL;
}

const char *wr_relation_word(as_rel rel) {
  static const char *const words[] = {
      [AS_REL_EQ] = "==", [AS_REL_NE] = "!=", [AS_REL_LE] = "<=", [AS_REL_LT] = "<"};
  return words[rel];
}

static const struct {
  as_ekind kind;
  wr_fold_words words[WR_N_LANGUAGES];
} folds[] = {
    {AS_E_SUM,
     {{{WR_INFIX, "+"}, "T.float32(0)", NULL},
      {{WR_INFIX, "+"}, "0.0", "tl.sum"},
      {{WR_INFIX, "+"}, "0", NULL}}},
    {AS_E_PROD,
     {{{WR_INFIX, "*"}, "T.float32(1)", NULL},
      {{WR_INFIX, "*"}, "1.0", "product"},
      {{WR_INFIX, "*"}, "1", NULL}}},
    {AS_E_MAXR,
     {{{WR_CALL, "T.max"}, "T.min_value(\"float32\")", NULL},
      {{WR_CALL, "tl.maximum"}, "float(\"-inf\")", "tl.max"},
      {{WR_CALL, "kt_max"}, "-INFINITY", NULL}}},
    {AS_E_MINR,
     {{{WR_CALL, "T.min"}, "T.max_value(\"float32\")", NULL},
      {{WR_CALL, "tl.minimum"}, "float(\"inf\")", "tl.min"},
      {{WR_CALL, "kt_min"}, "INFINITY", NULL}}},
};

const wr_fold_words *wr_fold_of(as_ekind fold, wr_language language) {
  for (size_t i = 0; i < sizeof folds / sizeof *folds; i++) {
    if (folds[i].kind == fold)
      return &folds[i].words[language];
  }
  return NULL;
}

#define PYTHON                                                                                     \
  "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",  \
      "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",  \
      "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",    \
      "with", "yield", "match", "case", "type", "range", "float", "int", "max", "min", "sum",      \
      "abs", "print"

const char *const *wr_taken(wr_language language) {
  static const char *const tensorir[] = {PYTHON, "T", "tvm", NULL};
  static const char *const triton[] = {PYTHON,       "tl",       "triton",    "torch", "product",
                                       "product_of", "launched", "stages_of", NULL};
  static const char *const cuda[] = {NULL}; /* names there have an ending of their own */
  static const char *const *const words[] = {
      [WR_TENSORIR] = tensorir, [WR_TRITON] = triton, [WR_CUDA] = cuda};
  return words[language];
}

const char *wr_type_word(as_tile_type type) {
  static const char *const words[] = {[AS_TILE_F16] = "float16",
                                      [AS_TILE_BF16] = "bfloat16",
                                      [AS_TILE_F32] = "float32",
                                      [AS_TILE_INT] = "int64"};
  return words[type];
}
