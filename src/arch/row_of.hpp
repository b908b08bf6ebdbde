// RowOf: a row of a table, given as such or by its name, which is looked up once, where it is given.
//
//   DTypeRow type = "bf16";      type->memory_bits == 16
//   DTypeRow same = dtypes()[3];
//
// An unknown name throws the Error of `require`.
#pragma once

#include <concepts>
#include <string_view>

namespace swz {

template <class Row, const Row& (*require)(std::string_view)>
class RowOf {
 public:
  RowOf(const Row& row) : row_(&row) {}
  RowOf(const Row&&) = delete;
  template <std::convertible_to<std::string_view> Name>
  RowOf(const Name& name) : row_(&require(name)) {}

  const Row& operator*() const { return *row_; }
  const Row* operator->() const { return row_; }
  bool operator==(const RowOf&) const = default;

 private:
  const Row* row_;
};

}  // namespace swz
