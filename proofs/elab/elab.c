/* assay-elab: writes the claim of two files as a text (proofs/FORMAT.md, "Claim files"), which a
 * checker of the calculus reads without knowing programs.  The claim is the checker's own
 * (libck.a); nothing is decided here.  Includes proofs/checker only. */
#include "proofs/checker/ck_claim.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRITTEN = 0, BAD_INPUT = 2 };

/* --- the text.  A term stands in the line of its number, after its kids. */
typedef struct {
  const ck_terms *T;
  uint32_t *line; /* of each node, from 1; 0: not yet written */
  uint32_t n;     /* lines of terms so far */
} writer;

static void write_parts(const ck_terms *T, ck_id t) {
  const char *name = ck_word_text(T, ck_name(T, t));
  switch (ck_head(T, t)) {
  case CK_Q:
    gmp_printf(" =%Zd =%Zd", mpq_numref(*ck_q_value(T, t)), mpq_denref(*ck_q_value(T, t)));
    break;
  case CK_V:
    printf(" '%s '%c", name, ck_sort(T, t));
    break;
  case CK_B:
    printf(" =%u '%c", ck_index(T, t), ck_sort(T, t));
    break;
  case CK_APP:
    printf(" '%s '%s", name, ck_word_text(T, ck_sig(T, t)));
    break;
  case CK_FOLD:
    printf(" =%u =%u", ck_index(T, t), ck_width(T, t));
    break;
  case CK_ALL:
    printf(" =%u", ck_index(T, t));
    break;
  default:
    break;
  }
}

static void write_term(writer *w, ck_id t) {
  static const char *const heads[] = {"q",   "v",   "b",    "+",   "*",   "div", "mod",
                                      "inv", "exp", "sqrt", "log", "ite", "app", "fold",
                                      "=",   "#",   "<=",   "<",   "all"};
  if (w->line[t])
    return;
  CK_BELOW(i, ck_nkids(w->T, t))
    write_term(w, ck_kid(w->T, t, i));
  fputs(heads[ck_head(w->T, t)], stdout);
  write_parts(w->T, t);
  CK_BELOW(i, ck_nkids(w->T, t))
    printf(" t%u", w->line[ck_kid(w->T, t, i)] - 1);
  putchar('\n');
  w->line[t] = ++w->n;
}

static void write_line(writer *w, const char *what, ck_id formula) {
  write_term(w, formula);
  printf("%s t%u\n", what, w->line[formula] - 1);
}

static void write_goal(writer *w, const ck_goal *g) {
  write_term(w, g->formula);
  CK_BELOW(i, g->n_conditions)
    write_term(w, g->condition[i]);
  printf("goal %s t%u |", g->name, w->line[g->formula] - 1);
  CK_BELOW(i, g->n_conditions)
    printf(" t%u", w->line[g->condition[i]] - 1);
  putchar('\n');
}

/* closes the loops of the definition before, and opens those of this one, that only one of them
 * stands in */
static void write_loops(const ck_definition *before, const ck_definition *d) {
  uint32_t n_before = before ? before->n_loops : 0;
  uint32_t n = d ? d->n_loops : 0;
  uint32_t same = 0;
  while (same < n && same < n_before && before->loop[same] == d->loop[same])
    same++;
  for (uint32_t i = same; i < n_before; i++)
    puts("end");
  for (uint32_t i = same; i < n; i++)
    puts("loop");
}

static void write_definition(writer *w, const ck_definition *d) {
  if (!d->carried) {
    write_line(w, "define", d->clause);
    return;
  }
  write_term(w, d->base_clause);
  write_term(w, d->clause);
  printf("carry t%u t%u\n", w->line[d->base_clause] - 1, w->line[d->clause] - 1);
}

static void write_claim(const ck_terms *T, const ck_claim *c) {
  writer w = {.T = T, .line = ck_alloc(NULL, ck_size(T) * sizeof *w.line)};
  const ck_definition *before = NULL;
  memset(w.line, 0, ck_size(T) * sizeof *w.line);
  CK_BELOW(i, c->n_definitions) {
    write_loops(before, &c->definitions[i]);
    before = &c->definitions[i];
    write_definition(&w, before);
  }
  write_loops(before, NULL);
  CK_BELOW(i, c->n_stated)
    write_line(&w, "assume", c->stated[i]);
  CK_BELOW(i, c->n_given)
    write_line(&w, "assume", c->given[i]);
  CK_BELOW(i, c->n_goals)
    write_goal(&w, &c->goals[i]);
  free(w.line);
}

/* --- the files */
typedef struct {
  ck_text *text;
  uint32_t n;
  uint32_t capacity;
} specifications;

static int complain(const char *what, const char *why) {
  fprintf(stderr, "assay-elab: %s: %s\n", what, why);
  return BAD_INPUT;
}

static void add_file(specifications *sem, const char *folder, const char *name) {
  size_t room = strlen(folder) + strlen(name) + 2;
  char *path = ck_alloc(NULL, room);
  snprintf(path, room, "%s%s%s", folder, *folder ? "/" : "", name);
  CK_GROW(sem->text, sem->capacity, sem->n + 1);
  sem->text[sem->n++] = (ck_text){.name = path};
}

static int is_specification(const struct dirent *entry) {
  const char *suffix = strrchr(entry->d_name, '.');
  return *entry->d_name != '.' && suffix && strcmp(suffix, ".sem") == 0;
}

/* a file, or all *.sem of a folder by name, as assay-check takes them */
static int add_specifications(specifications *sem, const char *where) {
  struct dirent **entry;
  int n = scandir(where, &entry, is_specification, alphasort);
  if (n < 0 && errno != ENOTDIR)
    return complain(where, strerror(errno));
  if (n < 0)
    add_file(sem, "", where);
  for (int i = 0; i < n; i++) {
    add_file(sem, where, entry[i]->d_name);
    free(entry[i]);
  }
  if (n >= 0)
    free(entry);
  return WRITTEN;
}

static int elaborate(const specifications *sem, const char *given, const char *candidate) {
  ck_terms *T = ck_terms_new();
  ck_msg msg = {0};
  ck_text texts[] = {{.name = given}, {.name = candidate}};
  ck_claim *c = ck_claim_texts(T, &texts[0], &texts[1], sem->text, sem->n, &msg);
  if (c)
    write_claim(T, c);
  else
    fprintf(stderr, "%s:%d:%d: %s\n", msg.file, msg.line, msg.col, msg.text);
  free(msg.text);
  free(msg.file);
  ck_claim_free(c);
  ck_terms_free(T);
  return c ? WRITTEN : BAD_INPUT;
}

int main(int argc, char **argv) {
  specifications sem = {0};
  int i = 1;
  int status = WRITTEN;
  for (; i + 1 < argc && strcmp(argv[i], "--sem") == 0 && status == WRITTEN; i += 2)
    status = add_specifications(&sem, argv[i + 1]);
  if (status == WRITTEN && i + 2 != argc) {
    fputs("usage: assay-elab --sem FILE|DIR... SPEC CANDIDATE\n"
          "Writes the claim that CANDIDATE refines SPEC as a text (proofs/FORMAT.md).\n",
          stderr);
    status = BAD_INPUT;
  }
  if (status == WRITTEN)
    status = elaborate(&sem, argv[i], argv[i + 1]);
  if (fflush(stdout) || ferror(stdout))
    status = complain("output", strerror(errno));
  CK_BELOW(k, sem.n)
    free((char *)sem.text[k].name);
  free(sem.text);
  return status;
}
