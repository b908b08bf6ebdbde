// SPDX-License-Identifier: Apache-2.0
// The names of a table's rows, and RowOf, a row that is given directly or by its name. A name is looked up once, where
// it is given.
//
//   DTypeRow type = "bf16";      type->memory_bits == 16
//   DTypeRow same = dtypes()[3];
//   names_of(targets())               "sm_75", "sm_80", ...
//
// An unknown name throws the Error of `require`.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace swz {

// The name of an enumerator; `names` are in the order of the enum.
constexpr std::string_view name_in(std::initializer_list<std::string_view> names, auto value) {
  return names.begin()[static_cast<std::size_t>(value)];
}

template <class Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}

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
