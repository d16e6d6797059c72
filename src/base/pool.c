#include "pool.h"
#include <pthread.h>
#include <stdatomic.h>

typedef struct {
  void (*f)(void *arg, size_t i);
  void *arg;
  size_t n;
  atomic_size_t next;
} work;

static void *run(void *p) {
  work *w = p;
  for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->n;)
    w->f(w->arg, i);
  return NULL;
}

void as_parallel(unsigned threads, size_t n, void (*f)(void *arg, size_t i), void *arg) {
  work w = {.f = f, .arg = arg, .n = n};
  atomic_init(&w.next, 0);

  enum { MOST = 64 };

  pthread_t id[MOST];
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr,
                            (size_t)64 << 20); /* provers and parsers recurse to a stated depth */
  unsigned started = 0;
  if (threads > MOST)
    threads = MOST;
  while (started + 1 < threads && started + 1 < n &&
         pthread_create(&id[started], &attr, run, &w) == 0)
    started++;
  pthread_attr_destroy(&attr);
  run(&w); /* whatever could not be started is done here */
  for (unsigned i = 0; i < started; i++)
    pthread_join(id[i], NULL);
}
