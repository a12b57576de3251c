#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace shop {
struct OutOfStock : std::runtime_error {
  explicit OutOfStock(const std::string &article) : std::runtime_error(article + " is sold out") {}
};

void reserve(const std::string &article) { throw OutOfStock(article); }

int price_of(const std::string &article) { return std::map<std::string, int>{{"cup", 4}}.at(article); }

void place(const std::string &article) {
  try {
    price_of(article);
  } catch (const std::out_of_range &) {
    std::throw_with_nested(std::logic_error("no order for " + article));
  }
}

struct Till {
  virtual ~Till() = default;
  virtual int count() const = 0;
};

int close_shop(const Till *till) { return till->count(); }

int quantity(const std::string &text) noexcept { return std::stoi(text); }
}

int main(int, char **argv) {
  const std::string kind = argv[1];
  if (kind == "own-type") shop::reserve("teapot");
  if (kind == "library-type") shop::price_of("saucer");
  if (kind == "nested") shop::place("plate");
  if (kind == "noexcept") return shop::quantity("seven");
  if (kind == "thread") std::thread([] { shop::reserve("cup"); }).join();
  if (kind == "unjoined") std::thread worker([] {});
  if (kind == "thrown-number") throw 42;
  if (kind == "null") return shop::close_shop(nullptr);
  if (kind == "memory") return static_cast<int>(std::vector<long>(1ul << 60).size());
  if (kind == "checked-bounds") return std::vector<int>{1, 2}[static_cast<std::size_t>(std::atoi("2"))];
  return 0;
}
