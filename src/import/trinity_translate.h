/* A program of Trinity that is being translated into `.tile`: what is known at a place, and the
 * translation of its parts.
 * May include: base.  Private to src/import. */
#ifndef AS_IMPORT_TRINITY_TRANSLATE_H
#define AS_IMPORT_TRINITY_TRANSLATE_H
#include "src/base/intern.h"
#include "src/base/str.h"
#include "trinity_int.h"

/* a loop around the place that is being translated */
typedef struct {
  const char *source; /* its variable */
  char *name;         /* ours */
  const char *step;
  const char *end;
  bool divides; /* the step divides the range, which starts at 0 */
} trinity_loop;

/* a tensor whose accesses go elsewhere in the loops that have it so */
typedef struct {
  const char *name;
  const char *instead;
  size_t loops; /* how many loops were around when it began */
} trinity_renamed;

/* what a load of the generator's keeps */
typedef struct {
  char *key; /* tensor and place */
  char *tile;
} trinity_cached;

typedef struct {
  const as_trinity *file;
  const as_trinity_options *options;
  const char *config;
  as_arena *mem;
  as_err *err;
  as_intern taken; /* names that the program has, or was given */
  as_intern stored;
  as_vec kernels; /* of trinity_node *: statements at the top */
  size_t kernel;
  bool in_grid;   /* only parallel loops directly in each other are around */
  as_vec loops;   /* of loop_around */
  as_vec renames; /* of renamed */
  as_vec cache;   /* of cached */
  as_intern sizes;
  as_intern relations;
  uint32_t zip; /* which of the names of a list */
  as_str body;
  int depth;
  uint32_t n_tiles;
} trinity_translator;

/* lanes and positions, one an axis */
typedef struct {
  as_str lanes;
  as_str place;
} trinity_places;

/* what is copied back to its tensor at the end of a loop */
typedef struct {
  const char *name;
  const char *instead;
  const trinity_node *index;
} trinity_written_back;

/* ---- names, places, expressions: trinity_expr.c */
/* false; the format may name one thing */
bool trinity_report(trinity_translator *t, const trinity_node *at, const char *format,
                    const char *name);
bool trinity_is_call(const trinity_node *node, const char *name, uint32_t n);
/* written bare or as a list of one */
bool trinity_is_word(const trinity_node *node, const char *word);
bool trinity_is_loop(const trinity_node *node);
/* takes the text into mem */
char *trinity_keep(trinity_translator *t, char *text);
/* base, or base with a number behind it */
char *trinity_fresh(trinity_translator *t, const char *base);
/* a line of the text, indented */
void trinity_line(trinity_translator *t, const char *text);
const trinity_shape *trinity_shape_of(const trinity_translator *t, const char *name);
bool trinity_is_extent(const trinity_translator *t, long value);
/* declares it */
char *trinity_size(trinity_translator *t, long value);
/* an extent's number is that size; others are themselves */
char *trinity_number(trinity_translator *t, long value);
/* the name at position zip of `A,B,C`; NULL: there are fewer */
char *trinity_zipped(trinity_translator *t, const char *names);
/* of `(tensor NAME)`; NULL with err */
const char *trinity_tensor(trinity_translator *t, const trinity_node *of);
/* what stands for the tensor here */
const char *trinity_instead(const trinity_translator *t, const char *name);
/* a line that allocates a scratch tensor of the shape of `name` */
void trinity_declare(trinity_translator *t, const char *name, const char *as);
extern const char *const trinity_lanes[]; /* the lane of each axis, and NULL */
void trinity_places_init(trinity_places *p);
void trinity_places_clear(trinity_places *p);
/* of `(index ..)`; false with err */
bool trinity_place(trinity_translator *t, const trinity_node *index, const char *name,
                   trinity_places *p);
/* text, in mem; its loads are lines before it; NULL with err */
char *trinity_expression(trinity_translator *t, const trinity_node *node);

/* ---- scratch tensors that are anew in each iteration of a loop: trinity_scratch.c */
/* how many names `(tensor A,B)` has */
uint32_t trinity_count_names(const trinity_node *of);
/* does it load or store the tensor? */
bool trinity_uses(const trinity_node *node, const char *name);
bool trinity_is_private(const trinity_translator *t, const trinity_shape *shape);
void trinity_open_private(trinity_translator *t, const trinity_node *kernel);
/* Registers for the sums of a body: those whose place the variable decides, or `first` no loop at
 * all. */
void trinity_open_sums(trinity_translator *t, const trinity_node *below, const char *variable,
                       bool first, as_vec *back);
/* false with err */
bool trinity_close_sums(trinity_translator *t, const as_vec *back);
#endif
