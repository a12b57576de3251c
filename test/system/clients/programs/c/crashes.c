#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct customer { const char *name; const char *street; };

static size_t label(struct customer *customer) { return strlen(customer->street) + 1; }

static int share(int total, volatile int people) { return total / people; }

static void discount(int percent) { assert(percent <= 100 && "discount is too high"); }

static void rename_customer(const char *text) { char name[8]; strcpy(name, text); puts(name); }

static void release(char *cart) { free(cart); }

int main(int argc, char **argv) {
  const char *kind = argv[1];
  setvbuf(stdout, NULL, _IONBF, 0);
  if (strcmp(kind, "null") == 0) printf("%zu\n", label(&(struct customer){"bo", argv[argc]}));
  if (strcmp(kind, "division") == 0) printf("%d\n", share(40, 0));
  if (strcmp(kind, "assertion") == 0) discount(120);
  if (strcmp(kind, "stack-smashing") == 0) rename_customer("bartholomew-the-third");
  if (strcmp(kind, "double-free") == 0) { char *cart = malloc(2000); release(cart); release(cart); }
  if (strcmp(kind, "abort") == 0) { fprintf(stderr, "till: ledger is inconsistent, stopping\n"); abort(); }
  if (strcmp(kind, "perror") == 0) { if (fopen("/nonexistent/prices.csv", "r") == NULL) { perror("prices"); return 2; } }
  return 0;
}
