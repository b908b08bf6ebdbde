// SPDX-License-Identifier: Apache-2.0
#include "identify/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/checked.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
constexpr std::size_t most_header = 1 << 16;
constexpr std::size_t most_dimensions = 32;

// The header: a dictionary of Python with three keys.
class NpyHeader {
 public:
  explicit NpyHeader(std::string_view text) : rest_(text) {}

  void read(NpyArray& to) {
    take('{');
    while (!takes('}')) {
      const std::string_view key = string();
      take(':');
      if (key == "descr") to.descr = string();
      else if (key == "fortran_order") to.is_fortran_order = boolean();
      else if (key == "shape") to.shape = shape();
      else throw Error(fmt::format("the .npy header has the key {}", quoted(key, 40)), "numpy.save writes no such key");
      if (!takes(',') && !starts('}')) fail();
    }
  }

 private:
  [[noreturn]] static void fail() {
    throw Error("the header of the .npy file is not numpy's",
                "numpy.save of an array of numbers writes one; an array with named fields or objects has no layout");
  }
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }
  bool starts(char c) {
    skip_blanks();
    return rest_.starts_with(c);
  }
  bool takes(char c) {
    if (!starts(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void take(char c) {
    if (!takes(c)) fail();
  }
  std::string_view string() {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) fail();
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) fail();
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"})
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return word == "True";
      }
    fail();
  }
  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> extents;
    take('(');
    while (!takes(')')) {
      skip_blanks();
      const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
      if (digits == 0 || digits > 18 || extents.size() == most_dimensions) fail();
      std::int64_t extent = 0;
      for (const char c : rest_.substr(0, digits)) extent = extent * 10 + (c - '0');
      rest_.remove_prefix(digits);
      takes('L');  // Python 2
      extents.push_back(extent);
      if (!takes(',') && !starts(')')) fail();
    }
    return extents;
  }

  std::string_view rest_;
};

void read_descr(NpyArray& a) {
  const std::string& d = a.descr;
  const std::size_t digits = d.find_first_not_of("<>|=");
  if (digits > 1 || d.size() < digits + 2 || d.size() > digits + 4 ||
      !std::all_of(d.begin() + static_cast<std::ptrdiff_t>(digits) + 1, d.end(),
                   [](char c) { return c >= '0' && c <= '9'; }))
    throw Error(fmt::format("a .npy file of type {}", quoted(d, 40)),
                "give an array of numbers or raw bytes: <u2, <f4, |u1, |V2");
  a.is_big_endian = d[0] == '>';
  a.kind = d[digits];
  a.item_bytes = static_cast<std::size_t>(std::stoi(d.substr(digits + 1)));
  if (std::string_view("biufcV").find(a.kind) == std::string_view::npos || a.item_bytes == 0 || a.item_bytes > 16)
    throw Error(fmt::format("a .npy file of type {}", quoted(d, 40)),
                "give an array of numbers or raw bytes: <u2, <f4, |u1, |V2");
}

}  // namespace

bool is_npy(std::span<const std::byte> bytes) {
  return bytes.size() >= npy_magic.size() &&
         std::string_view(reinterpret_cast<const char*>(bytes.data()), npy_magic.size()) == npy_magic;
}

NpyArray read_npy(std::span<const std::byte> bytes) {
  if (!is_npy(bytes)) throw Error("this is not a .npy file", "numpy.save writes one");
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(bytes[at]); };
  const auto require = [&](std::size_t size) {
    if (bytes.size() < size) throw Error("the .npy file ends in its header", "it is cut: copy it again");
  };
  require(10);
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    throw Error(fmt::format("a .npy file of version {}", version), "versions 1, 2 and 3 are read");
  const std::size_t begin = version == 1 ? 10 : 12;
  require(begin);
  std::size_t size = byte(8) | byte(9) << 8;
  if (version > 1) size |= byte(10) << 16 | byte(11) << 24;
  if (size > most_header) throw Error("the header of the .npy file is too long", "numpy.save writes a short one");
  require(begin + size);
  NpyArray array;
  NpyHeader({reinterpret_cast<const char*>(bytes.data()) + begin, size}).read(array);
  read_descr(array);
  std::int64_t needed = static_cast<std::int64_t>(array.item_bytes);
  for (const std::int64_t extent : array.shape) needed = checked_mul(needed, extent);
  const auto has = static_cast<std::int64_t>(bytes.size() - begin - size);
  if (has != needed)
    throw Error(fmt::format("the .npy file has {} of data, its shape needs {}", plural(has, "byte"), needed),
                has < needed ? "it is cut: copy it again" : "bytes follow the array: give only the array");
  array.data = bytes.subspan(begin + size);
  return array;
}

std::int64_t whole_number(const NpyArray& a, std::size_t place) {
  if (a.item_bytes > 8 || (a.kind != 'i' && a.kind != 'u'))
    throw Error(fmt::format("a .npy file of type {} holds no whole numbers", quoted(a.descr)),
                "save integers: array.astype(numpy.int64)");
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < a.item_bytes; ++i) {
    const std::size_t from = a.is_big_endian ? i : a.item_bytes - 1 - i;
    value = value << 8 | static_cast<std::uint64_t>(a.data[place * a.item_bytes + from]);
  }
  const int unused = 64 - 8 * static_cast<int>(a.item_bytes);
  if (a.kind == 'i') return static_cast<std::int64_t>(value << unused) >> unused;
  if (value > static_cast<std::uint64_t>(INT64_MAX))
    throw Error(fmt::format("{} does not fit in 63 bits", value), "offsets stay below 2^63");
  return static_cast<std::int64_t>(value);
}

}  // namespace swz
