/* Layouts: linear maps over the field of two elements, from bits of a hardware position (register,
 * lane, warp, step) or of a place in shared memory to bits of a tile's indices.  Every question
 * about them (does it cover, who holds copies, do two accesses collide, can a conversion stay in a
 * lane) is rank and elimination on at most 64 words; there are no case lists.
 * Includes libc only.  Used by the lowering to thread graphs, their validation and the tests.
 *
 * Example: mma's accumulator of 16 x 8.  Register bit 0 moves the column by 1, bit 1 the row by 8;
 * lane bits 0, 1 the column by 2, 4; lane bits 2, 3, 4 the row by 1, 2, 4.  As a layout: inputs
 * reg:2, lane:5; outputs i:4, j:3; one column an input bit, the bits of i below those of j.  The
 * map is a bijection (rank 7): each element is held once.  Two registers of a lane that differ in
 * bit 0 are neighbours in memory iff column 0 is the lowest bit of the contiguous axis. */
#ifndef AS_THREADS_F2_H
#define AS_THREADS_F2_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AS_LAY_DIMS 8
#define AS_LAY_BITS 48
#define AS_LAY_NAME 8

typedef struct {
  char name[AS_LAY_NAME];
  unsigned bits;
} as_lay_dim;

/* in: the input's dimensions, lowest bits first; col[i]: image of input bit i, an integer whose
 * bits are the outputs' bits, the first output lowest.  `bad` sticks: an operation on a layout that
 * does not exist, or whose result does not, gives one that is bad. */
typedef struct {
  bool bad;
  unsigned n_in;
  unsigned n_out;
  as_lay_dim in[AS_LAY_DIMS];
  as_lay_dim out[AS_LAY_DIMS];
  uint32_t col[AS_LAY_BITS];
} as_lay;

/* --- subspaces, in reduced echelon form; each vector remembers of which given ones it is the sum
 */
typedef struct {
  unsigned rank;
  unsigned given;
  uint32_t vec[32];
  uint64_t how[32];
} as_span;

void as_span_init(as_span *s);
/* true if v was independent of what was there; counts as given either way */
bool as_span_add(as_span *s, uint32_t v);
void as_span_of(as_span *s, const uint32_t *v, unsigned n);
uint32_t as_span_reduce(const as_span *s, uint32_t v, uint64_t *how);
bool as_span_has(const as_span *s, uint32_t v);
/* which of the given vectors sum to v (bit i: the i-th); false if none do */
bool as_span_solve(const as_span *s, uint32_t v, uint64_t *how);
unsigned as_f2_rank(const uint32_t *v, unsigned n);
/* sum of the columns that x picks */
uint32_t as_f2_sum(const uint32_t *col, unsigned n, uint64_t x);

/* --- construction */
as_lay as_lay_new(void);
as_lay as_lay_bad(void);
void as_lay_add_out(as_lay *l, const char *name, unsigned bits);
/* a new input dimension (the last), without bits yet */
void as_lay_add_in(as_lay *l, const char *name);
/* one more bit of the last input dimension, with this image */
void as_lay_push(as_lay *l, uint32_t image);
/* the same, the image being `stride` along one output; 0: a bit on which nothing depends */
void as_lay_push_at(as_lay *l, const char *out, uint32_t stride);
as_lay as_lay_identity(const char *in, const char *out, unsigned bits);

/* --- parts */
unsigned as_lay_in_bits(const as_lay *l);
unsigned as_lay_out_bits(const as_lay *l);
bool as_lay_has_in(const as_lay *l, const char *name);
bool as_lay_has_out(const as_lay *l, const char *name);
/* bits of a dimension (0 if absent) and where they begin */
unsigned as_lay_in(const as_lay *l, const char *name, unsigned *at);
unsigned as_lay_out(const as_lay *l, const char *name, unsigned *at);
/* columns of one input dimension; gives how many.  cols has room for AS_LAY_BITS. */
unsigned as_lay_cols(const as_lay *l, const char *name, uint32_t *cols);
/* the columns of one input dimension replaced, or the dimension added at the end */
as_lay as_lay_with(const as_lay *l, const char *name, const uint32_t *cols, unsigned n);
/* inputs in this order, absent ones empty; bad if an input with bits is not named */
as_lay as_lay_order(const as_lay *l, const char *const *names, unsigned n);
/* only these outputs, in this order */
as_lay as_lay_take(const as_lay *l, const char *const *names, unsigned n);
as_lay as_lay_without_out(const as_lay *l, const char *name);
as_lay as_lay_rename_in(const as_lay *l, const char *from, const char *to);
as_lay as_lay_rename_out(const as_lay *l, const char *from, const char *to);

/* --- use */
uint32_t as_lay_image(const as_lay *l, uint64_t flat_input);
/* image of one dimension's value, the others 0 */
uint32_t as_lay_at(const as_lay *l, const char *name, uint32_t value);
/* an output's part of a flat output */
uint32_t as_lay_part(const as_lay *l, const char *out, uint32_t flat_output);

/* --- algebra */
/* outer after inner; inner's outputs are outer's inputs by name, those that it lacks are 0 */
as_lay as_lay_after(const as_lay *outer, const as_lay *inner);
/* direct product: equal names grow, b's bits on top (the layout of a bigger tile) */
as_lay as_lay_product(const as_lay *a, const as_lay *b);
/* same inputs, outputs of both; an output of both must agree, else bad */
as_lay as_lay_join(const as_lay *a, const as_lay *b);
unsigned as_lay_rank(const as_lay *l);
bool as_lay_injective(const as_lay *l);
bool as_lay_surjective(const as_lay *l);
/* a right inverse (l after it is the identity): of several inputs with one image the lowest bits;
 * bad if l is not onto */
as_lay as_lay_inverse(const as_lay *l);
/* inputs with image 0: a basis; gives its size */
unsigned as_lay_kernel(const as_lay *l, uint64_t *basis);
/* equal as maps: same outputs in the same order, columns by names of inputs, absent ones 0 */
bool as_lay_same(const as_lay *a, const as_lay *b);
/* equal in every part */
bool as_lay_equal(const as_lay *a, const as_lay *b);

/* --- shared memory */
/* offset -> (row, col) of a tile of 2^rows x 2^cols elements of `elem` bytes stored row by row, the
 * 16-byte chunk of a row xor'ed with (row >> shift) & mask */
as_lay as_lay_swizzled(unsigned rows, unsigned cols, unsigned elem, unsigned shift, unsigned mask);
/* how often the worst bank is visited in one phase of a warp's access, at least 1.  addr: "lane" ->
 * offset in elements of `elem` bytes; a lane accesses `vec` elements, aligned.  A phase is 32, 16
 * or 8 lanes for 4, 8 or 16 bytes.  Words of one bank are a coset of ker(bank), equal words of
 * ker(word): the degree is 2^(dim ker bank - dim ker word). */
unsigned as_lay_conflicts(const as_lay *addr, unsigned elem, unsigned vec);

/* --- conversions between register layouts of one tile, (reg, lane, warp) -> the same outputs */
typedef enum { AS_CONV_RENAME, AS_CONV_SELECT, AS_CONV_SHUFFLE, AS_CONV_SHARED } as_conv_kind;

typedef struct {
  as_conv_kind kind;
  unsigned rounds;  /* shuffles: one a round that leaves its lane */
  uint32_t reg[32]; /* destination register bit -> source registers (rename, select, shuffle) */
  uint32_t lane[8]; /* shuffle: destination lane bit -> source (registers low, then lanes) */
  uint32_t warp[8];
  uint32_t mix[8]; /* shuffle: lane d takes register sigma ^ (sum of mix over d's bits) in round
                      sigma, so that no lane sends two registers in one round */
} as_conv;

/* the cheapest kind, in the order of the enumeration: renaming iff D(lane) = S(lane), D(warp) =
 * S(warp) and D(reg) lies in span S(reg); select iff the differences lie in that span; shuffles iff
 * everything lies in span(S reg, S lane) */
as_conv as_lay_conversion(const as_lay *source, const as_lay *target);

/* text: {i:4 j:3 | reg j:1 i:8+j:2 - | lane ...}; malloc'ed.  as_lay_parse (isa.h) reads it. */
char *as_lay_print(const as_lay *l);
#endif
