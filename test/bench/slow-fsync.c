/* Preloaded by processes (LD_PRELOAD): fsync and fdatasync take FSYNC_US microseconds more. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int delayed(const char *name, int fd) {
  int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  const char *us = getenv("FSYNC_US");
  if (us) usleep((useconds_t)atoi(us));
  return original(fd);
}

int fsync(int fd) { return delayed("fsync", fd); }
int fdatasync(int fd) { return delayed("fdatasync", fd); }
