#include "rules.h"
#include "src/base/mem.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- rules as trees */
enum { MOST_PARTS = 32, MOST_CONDITIONS = 4, N_LETTERS = 52, NO_PART = -1 };

typedef enum { PART_LIST, PART_NIL, PART_CONS, PART_JOIN, PART_STATEMENT, PART_LOOP } part_kind;

typedef struct {
  part_kind kind;
  int letter; /* of a LIST, a STATEMENT, a LOOP's variable, and of what a JOIN begins with */
  int first;  /* CONS: the statement; LOOP: its body */
  int second; /* CONS: the rest; JOIN: what follows */
} part;

/* predicates by name: how many letters, of which the first is a variable where `variables` says */
typedef struct binding binding;
typedef bool (*predicate)(const tl_graph *graph, const binding *bound, const int *letter);

typedef struct {
  predicate holds;
  int letter[3];
} condition;

typedef struct {
  part parts[MOST_PARTS];
  int n_part;
  int left;
  int right;
  condition conditions[MOST_CONDITIONS];
  uint32_t n_condition;
} loop_rule;

struct tl_loop_rules {
  loop_rule rule[TL_N_RULES];
};

struct binding {
  uint32_t of[N_LETTERS]; /* a class, or of a variable its number; AS_NONE: not yet */
};

/* --- predicates */
static uint32_t effects(const tl_graph *graph, const binding *bound, int letter) {
  return tl_class_at(graph, bound->of[letter])->effects;
}

static bool is_some(const tl_graph *graph, const binding *bound, const int *letter) {
  uint32_t nil = tl_lookup(graph, TL_NIL, 0, NULL, 0);
  return nil == AS_NONE || tl_find(graph, bound->of[letter[0]]) != nil;
}

static bool is_independent(const tl_graph *graph, const binding *bound, const int *letter) {
  return tl_independent(graph->accesses, effects(graph, bound, letter[0]),
                        effects(graph, bound, letter[1]));
}

/* Where a statement stands in the one order that all are brought to where rules settle: what is no
 * loop first, then loops by their smallest variable. */
static uint32_t place_of(const tl_graph *graph, uint32_t statement) {
  uint32_t first = AS_NONE;
  for (uint32_t n = tl_first(graph, statement); n != AS_NONE; n = tl_next(graph, n)) {
    const tl_node *node = tl_node_at(graph, n);
    uint32_t place = node->kind == TL_LOOP ? 1 + node->item : 0;
    if (place < first)
      first = place;
  }
  return first;
}

static bool does_lift(const tl_graph *graph, const binding *bound, const int *letter) {
  return graph->pressing && place_of(graph, bound->of[letter[0]]) == 0 &&
         place_of(graph, bound->of[letter[1]]) != 0;
}

/* Is it worth it to have b before a?  Where b is no loop and a is one, where b's variable is
 * smaller than a's, and where they are loops of one variable that cannot be fused: so loops of one
 * variable come to stand side by side, and orders that differ for nothing are not made. */
static bool does_sort(const tl_graph *graph, const binding *bound, const int *letter) {
  uint32_t a = bound->of[letter[0]];
  uint32_t b = bound->of[letter[1]];
  if (graph->pressing)
    return place_of(graph, b) < place_of(graph, a);
  for (uint32_t n = tl_first(graph, a); n != AS_NONE; n = tl_next(graph, n)) {
    const tl_node *first = tl_node_at(graph, n);
    for (uint32_t m = tl_first(graph, b); m != AS_NONE; m = tl_next(graph, m)) {
      const tl_node *second = tl_node_at(graph, m);
      bool loops = first->kind == TL_LOOP && second->kind == TL_LOOP;
      if (first->kind == TL_LOOP && (!loops || second->item < first->item))
        return true;
      if (loops && second->item == first->item &&
          !tl_aligned(graph->accesses, tl_class_at(graph, tl_kid(graph, n, 0))->effects,
                      tl_class_at(graph, tl_kid(graph, m, 0))->effects, first->item))
        return true;
    }
  }
  return false;
}

static bool is_aligned(const tl_graph *graph, const binding *bound, const int *letter) {
  return tl_aligned(graph->accesses, effects(graph, bound, letter[1]),
                    effects(graph, bound, letter[2]), bound->of[letter[0]]);
}

/* no access by the variable, and no loop of that variable, which would be another one in it */
static bool is_free(const tl_graph *graph, const binding *bound, const int *letter) {
  uint64_t binds = tl_class_at(graph, bound->of[letter[1]])->binds;
  return !(binds >> bound->of[letter[0]] & 1) &&
         tl_is_free(graph->accesses, effects(graph, bound, letter[1]), bound->of[letter[0]]);
}

/* each iteration does something of its own: it touches tiles by the variable, or adds to a sum */
static bool does_use(const tl_graph *graph, const binding *bound, const int *letter) {
  uint32_t all = effects(graph, bound, letter[1]);
  return !tl_is_free(graph->accesses, all, bound->of[letter[0]]) ||
         !tl_repeatable(graph->accesses, all);
}

static bool is_repeatable(const tl_graph *graph, const binding *bound, const int *letter) {
  return tl_repeatable(graph->accesses, effects(graph, bound, letter[0]));
}

static bool does_keep(const tl_graph *graph, const binding *bound, const int *letter) {
  return tl_keeps(graph->accesses, effects(graph, bound, letter[0]),
                  effects(graph, bound, letter[1]));
}

static bool does_feed(const tl_graph *graph, const binding *bound, const int *letter) {
  return tl_feeds(graph->accesses, effects(graph, bound, letter[0]),
                  effects(graph, bound, letter[1]));
}

static bool is_exchangeable(const tl_graph *graph, const binding *bound, const int *letter) {
  return tl_exchangeable(graph->accesses, effects(graph, bound, letter[2]), bound->of[letter[0]],
                         bound->of[letter[1]]);
}

static const struct {
  const char *name;
  uint32_t n;
  predicate holds;
} predicates[] = {
    {"sorts", 2, does_sort},
    {"lifts", 2, does_lift},
    {"some", 1, is_some},
    {"independent", 2, is_independent},
    {"aligned", 3, is_aligned},
    {"free", 2, is_free},
    {"repeatable", 1, is_repeatable},
    {"keeps", 2, does_keep},
    {"uses", 2, does_use},
    {"feeds", 2, does_feed},
    {"exchangeable", 3, is_exchangeable},
};

/* --- reading */
typedef struct {
  const char *at;
  loop_rule *rule;
  bool wrong;
} reader;

static bool skip(reader *in, const char *word) {
  while (*in->at == ' ')
    in->at++;
  size_t n = strlen(word);
  if (strncmp(in->at, word, n) != 0 ||
      (isalpha((unsigned char)*word) && isalpha((unsigned char)in->at[n])))
    return false;
  in->at += n;
  return true;
}

static int letter_of(reader *in) {
  while (*in->at == ' ')
    in->at++;
  char c = *in->at;
  if (!isalpha((unsigned char)c) || isalpha((unsigned char)in->at[1])) {
    in->wrong = true;
    return 0;
  }
  in->at++;
  return c >= 'a' ? c - 'a' : 26 + c - 'A';
}

static int new_part(reader *in, part of) {
  if (in->rule->n_part == MOST_PARTS) {
    in->wrong = true;
    return 0;
  }
  in->rule->parts[in->rule->n_part] = of;
  return in->rule->n_part++;
}

static int read_side(reader *in);

static int read_item(reader *in) {
  if (!skip(in, "for"))
    return new_part(in, (part){PART_STATEMENT, letter_of(in), NO_PART, NO_PART});
  int variable = letter_of(in);
  in->wrong |= !skip(in, "{");
  int body = read_side(in);
  in->wrong |= !skip(in, "}");
  return new_part(in, (part){PART_LOOP, variable, body, NO_PART});
}

static int read_side(reader *in) {
  if (in->wrong)
    return 0;
  if (skip(in, "."))
    return new_part(in, (part){PART_NIL, 0, NO_PART, NO_PART});
  while (*in->at == ' ')
    in->at++;
  if (isupper((unsigned char)*in->at)) {
    int letter = letter_of(in);
    if (!skip(in, "++"))
      return new_part(in, (part){PART_LIST, letter, NO_PART, NO_PART});
    int rest = read_side(in);
    return new_part(in, (part){PART_JOIN, letter, NO_PART, rest});
  }
  int item = read_item(in);
  in->wrong |= !skip(in, ";");
  int rest = read_side(in);
  return new_part(in, (part){PART_CONS, 0, item, rest});
}

static void read_conditions(reader *in) {
  while (*in->at && !in->wrong) {
    const size_t n = sizeof predicates / sizeof *predicates;
    size_t which = 0;
    while (which < n && !skip(in, predicates[which].name))
      which++;
    if (which == n || in->rule->n_condition == MOST_CONDITIONS) {
      in->wrong = true;
      return;
    }
    condition *fresh = &in->rule->conditions[in->rule->n_condition++];
    fresh->holds = predicates[which].holds;
    for (uint32_t i = 0; i < predicates[which].n; i++)
      fresh->letter[i] = letter_of(in);
    if (*in->at)
      in->wrong |= !skip(in, ",");
  }
}

static bool read_rule(loop_rule *rule, const char *text, const char *conditions) {
  reader in = {.at = text, .rule = rule};
  rule->left = read_side(&in);
  in.wrong |= !skip(&in, "=>");
  rule->right = read_side(&in);
  in.wrong |= *in.at != 0;
  in.at = conditions;
  read_conditions(&in);
  return !in.wrong;
}

tl_loop_rules *tl_loop_rules_read(as_err *err) {
  static const struct {
    const char *name;
    const char *text;
    const char *conditions;
  } rows[] = {

#define TL_LOOP_ROW(id, name, text, conditions) {name, text, conditions},
      TL_LOOP_RULES(TL_LOOP_ROW)
#undef TL_LOOP_ROW
  };
  tl_loop_rules *rules = as_calloc(1, sizeof *rules);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (!read_rule(&rules->rule[i], rows[i].text, rows[i].conditions)) {
      as_err_set(err, AS_INTERNAL, "the rule `%s` cannot be read", rows[i].name);
      free(rules);
      return NULL;
    }
  }
  return rules;
}

void tl_loop_rules_free(tl_loop_rules *rules) {
  free(rules);
}

const char *tl_rule_name(uint32_t rule) {
  static const char *const names[TL_N_RULES] = {
#define TL_RULE_WORD(id, name, ...) name,
      TL_LOOP_RULES(TL_RULE_WORD) TL_FUNCTION_RULES(TL_RULE_WORD) "algebra",
#undef TL_RULE_WORD
  };
  return names[rule];
}

/* --- matching */
typedef struct {
  const loop_rule *rule;
  tl_graph *graph;
  as_vec *matches; /* found: the root class, its node, and the binding */
  uint32_t root;
  uint32_t node;
  uint64_t refused;
} matcher;

typedef struct {
  uint32_t root;
  uint32_t node;
  binding bound;
} match;

/* parts that are still to be matched with classes */
typedef struct {
  int part[8];
  uint32_t cls[8];
  uint32_t n;
} agenda;

static void match_on(matcher *m, binding bound, agenda rest);

static void found(matcher *m, const binding *bound) {
  for (uint32_t i = 0; i < m->rule->n_condition; i++) {
    const condition *asked = &m->rule->conditions[i];
    if (!asked->holds(m->graph, bound, asked->letter)) {
      m->refused++;
      return;
    }
  }
  match one = {m->root, m->node, *bound};
  as_vec_push(m->matches, &one);
}

static bool bind(binding *bound, int letter, uint32_t to) {
  if (bound->of[letter] != AS_NONE)
    return bound->of[letter] == to;
  bound->of[letter] = to;
  return true;
}

static void later(agenda *rest, int which, uint32_t cls) {
  rest->part[rest->n] = which;
  rest->cls[rest->n++] = cls;
}

static void match_nodes(matcher *m, const part *of, uint32_t cls, const binding *bound,
                        const agenda *rest) {
  tl_kind kind = of->kind == PART_CONS ? TL_CONS : of->kind == PART_LOOP ? TL_LOOP : TL_NIL;
  for (uint32_t node = tl_first(m->graph, cls); node != AS_NONE; node = tl_next(m->graph, node)) {
    const tl_node *here = tl_node_at(m->graph, node);
    binding more = *bound;
    agenda next = *rest;
    if (here->kind != kind || here->settled)
      continue;
    if (of == &m->rule->parts[m->rule->left])
      m->node = node;
    if (kind == TL_LOOP && !bind(&more, of->letter, here->item))
      continue;
    if (kind == TL_CONS)
      later(&next, of->second, tl_kid(m->graph, node, 1));
    if (kind != TL_NIL)
      later(&next, of->first, tl_kid(m->graph, node, 0));
    match_on(m, more, next);
  }
}

static void match_on(matcher *m, binding bound, agenda rest) {
  if (rest.n == 0) {
    found(m, &bound);
    return;
  }
  const part *of = &m->rule->parts[rest.part[--rest.n]];
  uint32_t cls = rest.cls[rest.n];
  if (of->kind == PART_LIST || of->kind == PART_STATEMENT) {
    if (bind(&bound, of->letter, cls))
      match_on(m, bound, rest);
    return;
  }
  match_nodes(m, of, cls, &bound, &rest);
}

/* --- building the other side */
static uint32_t build(const loop_rule *rule, tl_graph *graph, const binding *bound, int which) {
  const part *of = &rule->parts[which];
  uint32_t first;
  switch (of->kind) {
  case PART_LIST:
  case PART_STATEMENT:
    return bound->of[of->letter];
  case PART_NIL:
    return tl_nil(graph);
  case PART_CONS:
    first = build(rule, graph, bound, of->first);
    return tl_cons(graph, first, build(rule, graph, bound, of->second));
  case PART_JOIN:
    return tl_join(graph, bound->of[of->letter], build(rule, graph, bound, of->second));
  default:
    first = build(rule, graph, bound, of->first);
    return tl_add(graph, TL_LOOP, bound->of[of->letter], &first, 1);
  }
}

/* What was made takes the place of the node that it was made of.  (It may have been settled itself,
 * by a rule that goes the other way.) */
static void settle(tl_graph *graph, const loop_rule *rule, const match *one, uint32_t made) {
  const part *right = &rule->parts[rule->right];
  if (made == AS_NONE || right->kind != PART_CONS)
    return;
  uint32_t kid[2] = {build(rule, graph, &one->bound, right->first),
                     build(rule, graph, &one->bound, right->second)};
  uint32_t node = tl_node_of(graph, TL_CONS, 0, kid, 2);
  if (node != AS_NONE && node != one->node) {
    tl_settle(graph, one->node, true);
    tl_settle(graph, node, false);
  }
}

uint64_t tl_loop_rule_apply(const tl_loop_rules *rules, uint32_t rule, tl_graph *graph,
                            uint64_t *applied) {
  as_vec matches;
  as_vec_init(&matches, sizeof(match));
  matcher m = {.rule = &rules->rule[rule], .graph = graph, .matches = &matches};
  uint32_t n_class = (uint32_t)graph->parent.n;
  for (uint32_t cls = 0; cls < n_class; cls++) {
    if (tl_find(graph, cls) != cls)
      continue;
    binding nothing;
    memset(&nothing, 0xff, sizeof nothing);
    agenda whole = {{m.rule->left}, {cls}, 1};
    m.root = cls;
    match_on(&m, nothing, whole);
  }
  for (uint32_t i = 0; i < matches.n && !graph->full; i++) {
    const match *one = &AS_VEC_AT(&matches, match, i);
    uint32_t other = build(m.rule, graph, &one->bound, m.rule->right);
    *applied += tl_union(graph, one->root, other);
    if (graph->pressing)
      settle(graph, m.rule, one, other);
  }
  as_vec_clear(&matches);
  tl_rebuild(graph);
  tl_graph_join(graph);
  tl_rebuild(graph);
  return m.refused;
}
