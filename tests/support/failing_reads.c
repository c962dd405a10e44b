/* Makes the system fail, for tests: loaded before the C library (LD_PRELOAD), it lets some accesses to files of some
   paths fail.

   FAIL_PATHS  parts of paths, parted by colons; a path that holds one of them is meant
   FAIL_AT     which access fails, counted from 1
   FAIL_TIMES  how many from there on; all where it is not set
   FAIL_WITH   the error's number
   FAIL_ON     open: each opening is an access; read: each reading of what was opened */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_FILES 4096
static char meant[MOST_FILES];
static int accesses;

static int is_meant(const char *path) {
    const char *parts = getenv("FAIL_PATHS");
    char copy[4096], *rest = copy, *part;
    if (!parts || strlen(parts) >= sizeof copy) return 0;
    strcpy(copy, parts);
    while ((part = strsep(&rest, ":")))
        if (*part && strstr(path, part)) return 1;
    return 0;
}

static int number(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

static int fails(const char *on) {
    const char *wanted = getenv("FAIL_ON");
    if (!wanted || strcmp(wanted, on)) return 0;
    int access = __sync_add_and_fetch(&accesses, 1), first = number("FAIL_AT", 1);
    if (access < first || access - first >= number("FAIL_TIMES", 1 << 30)) return 0;
    errno = number("FAIL_WITH", EIO);
    return 1;
}

static int opened(int file, const char *path) {
    if (file >= 0 && file < MOST_FILES) meant[file] = is_meant(path);
    return file;
}

#define OPEN(NAME)                                                                  \
    int NAME(const char *path, int flags, ...) {                                    \
        static int (*real)(const char *, int, ...);                                 \
        va_list list;                                                               \
        va_start(list, flags);                                                      \
        int mode = va_arg(list, int);                                               \
        va_end(list);                                                               \
        if (!real) real = dlsym(RTLD_NEXT, #NAME);                                  \
        if ((flags & O_ACCMODE) == O_RDONLY && is_meant(path) && fails("open")) return -1; \
        return opened(real(path, flags, mode), path);                               \
    }
OPEN(open)
OPEN(open64)

ssize_t read(int file, void *buffer, size_t size) {
    static ssize_t (*real)(int, void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "read");
    if (file >= 0 && file < MOST_FILES && meant[file] && fails("read")) return -1;
    return real(file, buffer, size);
}

#define READ_AT(NAME)                                                               \
    ssize_t NAME(int file, void *buffer, size_t size, off_t at) {                   \
        static ssize_t (*real)(int, void *, size_t, off_t);                         \
        if (!real) real = dlsym(RTLD_NEXT, #NAME);                                  \
        if (file >= 0 && file < MOST_FILES && meant[file] && fails("read")) return -1; \
        return real(file, buffer, size, at);                                        \
    }
READ_AT(pread)
READ_AT(pread64)
