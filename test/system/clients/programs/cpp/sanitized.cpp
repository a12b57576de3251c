#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

struct Cart {
  std::vector<int> prices;
  const int &first() const { return prices.front(); }
};

int total(Cart &cart) {
  const int &first = cart.first();
  cart.prices.resize(1000);
  return first + 1;
}

void copy_name(std::vector<char> &target, const std::string &name) { std::copy(name.begin(), name.end(), target.begin()); }

int main(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "use-after-free") == 0) {
    Cart cart{{4, 5}};
    return total(cart) > 0 ? 0 : 1;
  }
  std::vector<char> target(4);
  copy_name(target, "bartholomew-the-third");
  return target[0];
}
