#include "pool.h"
#include <pthread.h>
#include <stdatomic.h>

typedef struct {
  void (*call)(void *arg, size_t i);
  void *arg;
  size_t n;
  atomic_size_t next;
} shared_work;

static void *run(void *arg) {
  shared_work *work = arg;
  for (size_t i; (i = atomic_fetch_add(&work->next, 1)) < work->n;)
    work->call(work->arg, i);
  return NULL;
}

void as_parallel(unsigned threads, size_t n, void (*call)(void *arg, size_t i), void *arg) {
  shared_work work = {.call = call, .arg = arg, .n = n};
  atomic_init(&work.next, 0);

  enum { MOST = 64 };

  pthread_t thread[MOST];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes,
                            (size_t)64 << 20); /* provers and parsers recurse to a stated depth */
  unsigned started = 0;
  if (threads > MOST)
    threads = MOST;
  while (started + 1 < threads && started + 1 < n &&
         pthread_create(&thread[started], &attributes, run, &work) == 0)
    started++;
  pthread_attr_destroy(&attributes);
  run(&work); /* whatever could not be started is done here */
  for (unsigned i = 0; i < started; i++)
    pthread_join(thread[i], NULL);
}
