#pragma once
/// Random numbers that are the same on every machine and with every standard library.

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace upfirdn {

/// splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Whole number from `low` to `high`, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + std::int64_t(bits() % std::uint64_t(high - low + 1));
  }
  bool chance(int percent) { return between(0, 99) < percent; }
  /// Number from `low` to below `high` in steps of 2^-20 of the range.
  double real(double low, double high) {
    return low + (high - low) * (double(between(0, (1 << 20) - 1)) / double(1 << 20));
  }
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[between(0, std::int64_t(choices.size()) - 1)];
  }

 private:
  std::uint64_t state_;
};

}  // namespace upfirdn
