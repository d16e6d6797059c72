#include "interrupt.h"
#include <signal.h>
#include <stddef.h>

static volatile int interrupted;

static void interrupt(int sig) {
  (void)sig;
  interrupted = 1;
}

const volatile int *as_interrupt_catch(void) {
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  interrupted = 0;
  sigaction(SIGINT, &action, NULL);
  return &interrupted;
}
