#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int last_price(const int *prices, int count) { return prices[count]; }

static char *new_label(void) { char *label = malloc(16); strcpy(label, "cup"); return label; }

static size_t print_label(char *label) { free(label); return strlen(label); }

static int total(int price, volatile int extra) { return price + extra; }

static int depth(volatile int category) { char page[4096]; page[0] = (char)category; return page[0] + depth(category + 1); }

static void forget(void) { char *volatile label = new_label(); label = NULL; }

int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "";
  if (strcmp(kind, "overflow") == 0) { int *prices = calloc(4, sizeof *prices); return last_price(prices, 4); }
  if (strcmp(kind, "use-after-free") == 0) return (int)print_label(new_label());
  if (strcmp(kind, "integer") == 0) printf("%d\n", total(INT_MAX, 1));
  if (strcmp(kind, "recursion") == 0) return depth(1);
  if (strcmp(kind, "leak") == 0) forget();
  return 0;
}
