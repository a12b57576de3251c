/* LD_PRELOAD: calls on files below FAULT_ROOT fail by chance while the file FAULT_SWITCH is there. It holds an errno and N: one call in N fails. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static unsigned draw(void) {
  static unsigned state;
  if (state == 0) state = (unsigned)atoi(getenv("FAULT_SEED")) * 2654435761u + 1;
  unsigned now = __atomic_add_fetch(&state, 0x6d2b79f5u, __ATOMIC_RELAXED);
  now = (now ^ (now >> 15)) * (now | 1);
  return now ^ (now >> 14);
}

enum kind { OPEN, WRITE, SYNC, NAME };

/* Whether this call is to fail; sets errno. */
static int fails(enum kind kind, const char *path) {
  const char *root = getenv("FAULT_ROOT");
  if (root == NULL || strncmp(path, root, strlen(root)) != 0) return 0;
  int (*real_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
  int fd = real_open(getenv("FAULT_SWITCH"), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[32] = {0};
  ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  int code = 0;
  unsigned one_in = 0;
  if (length <= 0 || sscanf(text, "%d %u", &code, &one_in) != 2 || draw() % one_in != 0) return 0;
  if (code == EMFILE && kind != OPEN) return 0;
  if ((code == ENOSPC || code == EROFS) && kind == SYNC) return 0;
  errno = code;
  return 1;
}

static int fails_at(enum kind kind, int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return fails(kind, path);
}

#define REAL(result, name, ...) static result (*real)(__VA_ARGS__); if (real == NULL) real = dlsym(RTLD_NEXT, #name)

int open64(const char *path, int flags, ...) {
  REAL(int, open64, const char *, int, ...);
  va_list rest;
  va_start(rest, flags);
  int mode = va_arg(rest, int);
  va_end(rest);
  return fails(OPEN, path) ? -1 : real(path, flags, mode);
}

/* Half of the writes that fail are short: some bytes are written, and nothing is said. */
ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(ssize_t, write, int, const void *, size_t);
  if (!fails_at(WRITE, fd)) return real(fd, bytes, length);
  return length > 1 && draw() % 2 ? real(fd, bytes, length / 2) : -1;
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
  if (!fails_at(WRITE, fd)) return real(fd, bytes, length, offset);
  return length > 1 && draw() % 2 ? real(fd, bytes, length / 2, offset) : -1;
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(ssize_t, writev, int, const struct iovec *, int);
  if (!fails_at(WRITE, fd)) return real(fd, parts, count);
  return count > 1 && draw() % 2 ? real(fd, parts, count / 2) : -1;
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  REAL(ssize_t, pwritev64, int, const struct iovec *, int, off64_t);
  if (!fails_at(WRITE, fd)) return real(fd, parts, count, offset);
  return count > 1 && draw() % 2 ? real(fd, parts, count / 2, offset) : -1;
}
int fsync(int fd) {
  REAL(int, fsync, int);
  return fails_at(SYNC, fd) ? -1 : real(fd);
}
int fdatasync(int fd) {
  REAL(int, fdatasync, int);
  return fails_at(SYNC, fd) ? -1 : real(fd);
}
int ftruncate64(int fd, off64_t length) {
  REAL(int, ftruncate64, int, off64_t);
  return fails_at(NAME, fd) ? -1 : real(fd, length);
}
int rename(const char *from, const char *to) {
  REAL(int, rename, const char *, const char *);
  return fails(NAME, to) ? -1 : real(from, to);
}
int link(const char *from, const char *to) {
  REAL(int, link, const char *, const char *);
  return fails(NAME, to) ? -1 : real(from, to);
}
int mkdir(const char *path, mode_t mode) {
  REAL(int, mkdir, const char *, mode_t);
  return fails(NAME, path) ? -1 : real(path, mode);
}
