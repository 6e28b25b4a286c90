/* Preloaded on emulated clusters, where many ranks share few processors: a rank that polls again and again without
   finding anything waits a millisecond instead, so that others can run. MPI libraries never sleep by themselves. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sys/epoll.h>

enum { polls_in_vain = 20, wait_ms = 1 };

static __thread int in_vain;

static int patience(int timeout) {
  return timeout == 0 && in_vain >= polls_in_vain ? wait_ms : timeout;
}

static int counted(int found) {
  in_vain = found == 0 ? in_vain + 1 : 0;
  return found;
}

int epoll_wait(int epoll, struct epoll_event* events, int most, int timeout) {
  static int (*next)(int, struct epoll_event*, int, int);
  if (!next) next = (int (*)(int, struct epoll_event*, int, int))dlsym(RTLD_NEXT, "epoll_wait");
  return counted(next(epoll, events, most, patience(timeout)));
}

int poll(struct pollfd* list, nfds_t count, int timeout) {
  static int (*next)(struct pollfd*, nfds_t, int);
  if (!next) next = (int (*)(struct pollfd*, nfds_t, int))dlsym(RTLD_NEXT, "poll");
  return counted(next(list, count, patience(timeout)));
}
