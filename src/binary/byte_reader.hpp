// SPDX-License-Identifier: Apache-2.0
// ByteReader: little-endian numbers and parts of a file that may be cut off or lie about its sizes.
//
//   ByteReader r("\x50\xed\x55\xba…", "libfoo.so");
//   r.number<std::uint32_t>(0) == 0xba55ed50
//   r.part(8, 100)     throws Error "libfoo.so: 100 bytes at 0x8 reach beyond its end at 0x10"
//
// Places are counted from `begin`, which is the place in the file of the first byte: messages name the place in the
// file. Invariant (fuzzed): nothing outside the bytes is read, whatever the arguments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace swz {

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes, std::string name = {}, std::uint64_t begin = 0)
      : bytes_(bytes), name_(std::move(name)), begin_(begin) {}

  std::string_view bytes() const { return bytes_; }
  std::uint64_t size() const { return bytes_.size(); }
  const std::string& name() const { return name_; }
  bool holds(std::uint64_t at, std::uint64_t count) const { return at <= size() && count <= size() - at; }

  std::string_view part(std::uint64_t at, std::uint64_t count) const {
    if (!holds(at, count)) throw_outside(at, count);
    return bytes_.substr(at, count);
  }

  template <class T>
  T number(std::uint64_t at) const {
    const std::string_view digits = part(at, sizeof(T));
    std::uint64_t value = 0;
    for (std::size_t i = sizeof(T); i-- > 0;) value = value << 8 | static_cast<unsigned char>(digits[i]);
    return static_cast<T>(value);
  }
  std::uint8_t u8(std::uint64_t at) const { return number<std::uint8_t>(at); }
  std::uint16_t u16(std::uint64_t at) const { return number<std::uint16_t>(at); }
  std::uint32_t u32(std::uint64_t at) const { return number<std::uint32_t>(at); }
  std::uint64_t u64(std::uint64_t at) const { return number<std::uint64_t>(at); }

  // The text up to its NUL, or to the end.
  std::string_view text(std::uint64_t at) const {
    const std::string_view rest = part(at, at <= size() ? size() - at : 0);
    return rest.substr(0, rest.find('\0'));
  }

  ByteReader inside(std::uint64_t at, std::uint64_t count) const {
    return ByteReader(part(at, count), name_, begin_ + at);
  }

  // "libfoo.so: RULE at 0x40"
  [[noreturn]] void refuse(const std::string& rule, std::uint64_t at, const std::string& way_out = {}) const;

 private:
  [[noreturn]] void throw_outside(std::uint64_t at, std::uint64_t count) const;

  std::string_view bytes_;
  std::string name_;
  std::uint64_t begin_;
};

}  // namespace swz
