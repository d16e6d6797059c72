/* Inside of an operator library; shared by oplib.c and the parsers of .sem, .rule and .tile files
 * only. May include: base, ir/opdef.h, ir/lex.h. */
#ifndef AS_IR_OPLIB_INT_H
#define AS_IR_OPLIB_INT_H
#include "lex.h"
#include "opdef.h"

struct as_oplib {
  as_arena *mem;
  as_vec op;
  as_vec func;
  as_vec file; /* of as_opdef *, as_func *, char * */
  as_reader reader;
  as_vec source; /* of as_source: the same files with their texts */
  as_vec num;    /* of as_expr * and as_attr *: numbers to clear at the end */
};

typedef struct {
  bool is_attr;
  void *at;
} as_oplib_num;

as_expr *as_oplib_new_expr(as_oplib *lib, as_ekind kind, uint32_t nkids, const as_token *t);
/* how the checker begins the names of definitions that shadow others */
extern const char *const as_reader_words[AS_N_READERS];
/* what one reader's definitions make of the name; NULL: nothing */
const as_opdef *as_oplib_op_of(const as_oplib *lib, as_reader reader, const char *name);
const as_func *as_oplib_func_of(const as_oplib *lib, as_reader reader, const char *name);
void as_oplib_keep_attr(as_oplib *lib, as_attr *a); /* initialises it; cleared with the library */
bool as_sem_definition(
    as_lexed *lexed,
    as_oplib *lib); /* an `op` or `func` at the cursor (one that is none is an error); adds it */
bool as_sem_check(as_lexed *lexed, as_oplib *lib,
                  as_opdef *op); /* names, accesses and left sides of an operator just parsed */
#endif
