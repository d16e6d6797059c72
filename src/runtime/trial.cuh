/* A trial of lowered programs under the emulation: of each kernel, as it is printed and at the program's sizes, some blocks are run, and
 * elements of what they write are compared with what the graph says they are, in doubles.  No kernel needs another one's results: what is
 * read and has not been written is drawn when it is read, the same number whenever it is asked for; so tensors take memory only where
 * they are touched.  Each program is tried by a process of its own.  Included behind the prelude; the programs, and the table
 * as_trial_programs, come behind it. */
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <unordered_map>
#include <vector>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* what passes name in values of their own, as kernels have it */
[[maybe_unused]] static double as_tf32(double x) { return as_tf32f((float)x); }
[[maybe_unused]] static double as_tf32_rest(double x) { return as_tf32_restf((float)x); }

namespace as_trial {
struct place { /* in a block graph */
  long block[3];
  long l;
};
struct index {
  long i[9];
};
struct tensor {
  char kind; /* input, output, workspace */
  long at;   /* which, or bytes of the workspace in front of it */
  long elements;
  int type; /* 0 f16, 1 bf16, 2 f32, 3 integers */
  long range;
  const char *name;
  double (*holds)(long offset); /* NULL: what is drawn */
  double (*is)(long offset);    /* what a kernel writes there; NULL: none does */
};
struct part { /* of a launch that several kernels share: the block that another one begins with */
  long block;
  const char *kernel;
};
struct program {
  const tensor *all;
  int n;
  const part *parts; /* ended by one without a name */
  int n_in, n_out;
  size_t workspace;
  int (*launch)(void *const *in, void *const *out, void *workspace);
};

static double get(int tensor, long offset);
static long left(long tile, long all, long number) { return std::min(tile, all - number * tile); }
static long div(long a, long b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
static long mod(long a, long b) { return a - b * div(a, b); }
static double mod(double a, double b) { return a - b * std::floor(a / b); }

/* values by their indices, block and iteration */
static unsigned generation = 1;
struct memo {
  struct key {
    long word[13];
    bool operator==(const key &other) const { return !memcmp(word, other.word, sizeof word); }
  };
  struct hash {
    size_t operator()(const key &of) const
    {
      unsigned long h = 1469598103934665603ul;
      for (long word : of.word) h = (h ^ (unsigned long)word) * 1099511628211ul;
      return h ^ h >> 29;
    }
  };
  struct entry {
    double value[2] = {0, 0};
  };
  std::unordered_map<key, entry, hash> known;
  unsigned of = 0;
  double *at(const long *i, int n, const place &where, bool by_iteration)
  {
    if (of != generation) known.clear();
    of = generation;
    key k = {};
    for (int axis = 0; axis < n; axis++) k.word[axis] = i[axis];
    for (int axis = 0; axis < 3; axis++) k.word[9 + axis] = where.block[axis];
    k.word[12] = by_iteration ? where.l : 0;
    return known[k].value;
  }
  double keep(double *found, double x)
  {
    found[0] = x;
    found[1] = 1;
    return x;
  }
};

enum { SAMPLES = 40, TRIES = 3, REPORTS = 8 };
static const double TOLERANCE = 2e-2, SCALE = 0.25, OUT_OF_RANGE = 30000;

static const program *it; /* the one that is tried */
struct holding {
  char *memory = NULL;
  unsigned char *state = NULL; /* by element: 0 not there yet, 1 as drawn, 2 written by the launch at hand */
  std::vector<long> written;
  bool ever = false, compared = false;
  unsigned block = ~0u;   /* the last one that wrote, .. */
  long by_block = 0;      /* .. how many elements, .. */
  long most_by_block = 0; /* .. and the most that one did */
};
static std::vector<holding> held;
static bool positive;
static unsigned moved; /* not 0: every number drawn is moved by half a unit in the last place */
static long kernels, compared, undefined, wrong, blocks_run;
static double budget;
static unsigned blocks_of; /* the launch at hand; 0: a call of the library */

/* of the processor, so that a busy machine changes no verdict */
static double seconds() { return (double)clock() / CLOCKS_PER_SEC; }
static size_t size_of(int type) { return type >= 2 ? 4 : 2; }
static unsigned long mixed(unsigned long z)
{
  z += 0x9e3779b97f4a7c15ul;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ul;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebul;
  return z ^ (z >> 31);
}
static double uniform(unsigned long seed) { return (double)(mixed(seed) >> 11) / 9007199254740992.0; }

static double rounded(double x, int type)
{
  if (type == 0) return as_emu::of_f16(as_emu::to_f16((float)x));
  if (type == 1) return as_emu::of_bf16(as_emu::to_bf16((float)x));
  return type == 2 ? (float)x : x;
}

/* integers that are no places are few; tensors between kernels are positive, so that roots and quotients of them are numbers */
static double drawn(int which, long offset)
{
  const tensor &t = it->all[which];
  const double u = uniform((unsigned long)which << 44 ^ (unsigned long)offset);
  if (t.type == 3) return std::floor(t.range >= 0 ? u * (double)t.range : u * 8);
  const double x = rounded(t.kind != 'i' || positive ? SCALE * (0.25 + 0.75 * u) : SCALE * (2 * u - 1), t.type);
  if (!moved) return x;
  return x * (1 + (mixed((unsigned long)offset ^ (unsigned long)moved << 32) & 1 ? 1 : -1) * (t.type == 1 ? 0x1p-9 : 0x1p-12));
}

static double get(int which, long offset)
{
  const tensor &t = it->all[which];
  if (offset < 0 || offset >= t.elements) return NAN;
  if (!t.holds) return drawn(which, offset);
  const double x = t.holds(offset);
  return moved ? x : rounded(x, t.type);
}

static void put(int which, long offset, double x)
{
  const tensor &t = it->all[which];
  char *p = held[which].memory + (size_t)offset * size_of(t.type);
  if (t.type == 2) *(float *)p = (float)x;
  else if (t.type == 3) *(int *)p = (int)x;
  else *(uint16_t *)p = t.type == 1 ? as_emu::to_bf16((float)x) : as_emu::to_f16((float)x);
}

static double read(int which, long offset)
{
  const tensor &t = it->all[which];
  const char *p = held[which].memory + (size_t)offset * size_of(t.type);
  if (t.type == 2) return *(const float *)p;
  if (t.type == 3) return *(const int *)p;
  return t.type == 1 ? as_emu::of_bf16(*(const uint16_t *)p) : as_emu::of_f16(*(const uint16_t *)p);
}

static std::unordered_map<const void *, long> writer_of; /* in the launch at hand */

static int tensor_at(const void *p)
{
  static int last = 0;
  for (int k = 0; k < it->n; k++) {
    const int i = (last + k) % it->n;
    const size_t at = (size_t)((const char *)p - held[i].memory);
    if (held[i].memory && (const char *)p >= held[i].memory && at < (size_t)it->all[i].elements * size_of(it->all[i].type))
      return last = i;
  }
  return -1;
}

static bool watch(const void *p, size_t n, bool write)
{
  const int which = tensor_at(p);
  if (which < 0) {
    as_emu::report("global %s of memory that no tensor has", write ? "write" : "read");
    return false;
  }
  const size_t size = size_of(it->all[which].type);
  const long first = (long)((size_t)((const char *)p - held[which].memory) / size);
  const long me = ((long)as_emu::M().block << 12) + as_emu::M().cur;
  for (long i = first; i < first + (long)std::max<size_t>(1, n / size); i++) {
    if (i >= it->all[which].elements) {
      as_emu::report("global %s beyond the end of %s", write ? "write" : "read", it->all[which].name);
      return false;
    }
    unsigned char &state = held[which].state[i];
    if (!write && state == 0) {
      put(which, i, get(which, i));
      state = 1;
    }
    if (!write) continue;
    if (state != 2) {
      holding &to = held[which];
      to.written.push_back(i);
      to.by_block = to.block == as_emu::M().block ? to.by_block + 1 : 1;
      to.block = as_emu::M().block;
      to.most_by_block = std::max(to.most_by_block, to.by_block);
    }
    state = 2;
    auto known = writer_of.emplace(held[which].memory + (size_t)i * size, me);
    if (!known.second && known.first->second != me) {
      as_emu::report("an element of %s is written by two threads", it->all[which].name);
      return false;
    }
  }
  return true;
}

/* How far what is expected moves when every number drawn moves by half a unit: no result is known better. */
static double moves(const tensor &t, long offset, double expected)
{
  double most = 0;
  for (moved = 1; moved <= TRIES; moved++) {
    generation++;
    const double by = std::fabs(t.is(offset) - expected);
    most = std::max(most, by);
  }
  moved = 0;
  generation++;
  return most;
}

static void compare(int which)
{
  const tensor &t = it->all[which];
  std::vector<long> &written = held[which].written;
  std::sort(written.begin(), written.end());
  std::vector<long> at;
  for (size_t k = 0; k < SAMPLES && k < written.size(); k++) {
    const size_t n = written.size();
    at.push_back(written[n <= SAMPLES || k == 0 ? k : k == 1 ? n - 1 : mixed(k) % n]);
  }
  std::vector<double> expected;
  double square = 0;
  long defined = 0;
  for (long offset : at) {
    if (expected.size() >= 4 && seconds() > budget) break;
    expected.push_back(t.is ? t.is(offset) : NAN);
    if (std::fabs(expected.back()) < OUT_OF_RANGE) square += expected.back() * expected.back(), defined++;
  }
  const double mean = std::sqrt(square / (double)std::max(1l, defined));
  for (size_t k = 0; k < expected.size(); k++) {
    if (!(std::fabs(expected[k]) < OUT_OF_RANGE)) {
      undefined++;
      continue;
    }
    compared++;
    held[which].compared = true;
    const double got = read(which, at[k]), error = std::fabs(got - expected[k]);
    if (error <= TOLERANCE * (mean + std::fabs(expected[k]))) continue;
    if (error <= 16 * moves(t, at[k], expected[k])) continue;
    if (wrong++ < REPORTS)
      fprintf(stderr, "trial: kernel %s: element %ld of %s is %.9g, by the program %.9g\n", as_emu::M().kernel, at[k], t.name, got, expected[k]);
  }
}

static void behind()
{
  bool some = false;
  kernels++;
  for (int i = 0; i < it->n; i++) {
    if (held[i].written.empty()) continue;
    some = held[i].ever = true;
    compare(i);
    if (blocks_of && held[i].most_by_block * (long)blocks_of < it->all[i].elements) {
      fprintf(stderr, "trial: kernel %s: its %u blocks write %ld elements of %s each, which has %ld\n", as_emu::M().kernel, blocks_of,
              held[i].most_by_block, it->all[i].name, it->all[i].elements);
      wrong++;
    }
    held[i].block = ~0u;
    held[i].most_by_block = held[i].by_block = 0;
    for (long offset : held[i].written) held[i].state[offset] = 0; /* what others read of it is drawn */
    held[i].written.clear();
  }
  writer_of.clear();
  blocks_of = 0;
  if (!some) {
    fprintf(stderr, "trial: kernel %s writes nothing\n", as_emu::M().kernel);
    wrong++;
  }
}

/* the first block, and the first of each part; while there is time, the last one before each of these and one between */
static bool leaves_out(unsigned block, unsigned blocks)
{
  blocks_of = blocks;
  const bool here = block == 0 || block + 1 == blocks || block == blocks / 2 || block == blocks / 3;
  bool must = block == 0, may = here && seconds() < budget;
  for (const part *p = it->parts; p->kernel; p++) {
    if (strcmp(p->kernel, as_emu::M().kernel)) continue;
    must |= p->block == (long)block;
    may |= p->block == (long)block + 1 && seconds() < budget;
  }
  blocks_run += must || may;
  return !must && !may;
}

static void *reserve(size_t bytes)
{
  void *p = mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) exit(4);
  return p;
}

static int print(const char *late)
{
  printf("{\"kernels\": %ld, \"blocks\": %ld, \"compared\": %ld, \"undefined\": %ld, \"wrong\": %ld, \"faults\": %ld, \"seconds\": %.3f, \"late\": \"%s\"}\n",
         kernels, blocks_run, compared, undefined, wrong, as_emu::M().errors, seconds(), late);
  fflush(stdout);
  return wrong || as_emu::M().errors ? 1 : *late ? 3 : 0;
}

static void late(int)
{
  _exit(print(as_emu::M().kernel));
}

/* every tensor in memory is written by some kernel */
static void look_for_unwritten()
{
  for (int i = 0; i < it->n; i++) {
    if (!it->all[i].is || held[i].ever || !it->all[i].elements) continue;
    fprintf(stderr, "trial: nothing writes %s\n", it->all[i].name);
    wrong++;
  }
}

static int launch_all()
{
  std::vector<void *> in((size_t)it->n_in + 1), out((size_t)it->n_out + 1);
  char *workspace = (char *)reserve(it->workspace);
  held.assign((size_t)it->n, holding());
  as_emu::add(workspace, it->workspace, true);
  for (int i = 0; i < it->n; i++) {
    const tensor &t = it->all[i];
    const size_t bytes = (size_t)t.elements * size_of(t.type);
    held[i].state = (unsigned char *)reserve((size_t)t.elements + 1);
    held[i].memory = t.kind == 'w' ? workspace + t.at : (char *)reserve(bytes);
    if (t.kind == 'w') continue;
    (t.kind == 'i' ? in : out)[(size_t)t.at] = held[i].memory;
    as_emu::add(held[i].memory, bytes, t.kind != 'i');
  }
  for (auto *all : {&in, &out})
    for (void *&p : *all) if (!p) p = reserve(16);
  return it->launch(in.data(), out.data(), workspace);
}

static bool all_compared()
{
  for (int i = 0; i < it->n; i++)
    if (held[i].ever && !held[i].compared) return false;
  return true;
}

static int try_one(const program &which)
{
  as_emu::machine &m = as_emu::M();
  it = &which;
  m.watch = watch;
  m.behind = behind;
  m.leaves_out = leaves_out;
  m.most_rounds = 8;
  const long most = (long)(4 * budget * 1e6);
  const itimerval timer = {{0, 0}, {most / 1000000, most % 1000000}};
  signal(SIGPROF, late);
  setitimer(ITIMER_PROF, &timer, NULL);
  const int status = launch_all();
  if (status) {
    fprintf(stderr, "trial: the launch gives %d\n", status);
    wrong++;
  }
  look_for_unwritten();
  if (!wrong && !m.errors && !all_compared()) { /* roots and logarithms of what is negative */
    positive = true;
    generation++;
    m.buffers.clear();
    launch_all();
  }
  return print("");
}

/* one line of JSON for each on standard output; of those that end otherwise, how */
static void try_all(const program *all, int n, double seconds_each)
{
  budget = seconds_each;
  for (int i = 0; i < n; i++) {
    fprintf(stderr, "program %d\n", i);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      const int status = try_one(all[i]);
      fflush(stdout);
      _exit(status);
    }
    int status = 0;
    const bool ended = child > 0 && waitpid(child, &status, 0) == child;
    if (!ended || !WIFEXITED(status) || WEXITSTATUS(status) > 3)
      printf("{\"ended\": %d}\n", ended ? status : -1);
    fflush(stdout);
  }
}
}
