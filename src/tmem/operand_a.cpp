// SPDX-License-Identifier: Apache-2.0
#include "tmem/operand_a.hpp"

#include <fmt/format.h>

#include "arch/narrow.hpp"
#include "base/error.hpp"
#include "tmem/accumulator.hpp"

namespace swz {
namespace {

void require_source(const DataPath& path) {
  if (path.a_source.where.empty())
    throw usage_error("no source says where A of a sparse MMA of M 128 with cta_group::2 lies in tensor memory",
                      "take M 256, or A from shared memory");
}

constexpr unsigned with_narrow_forms = kind_set({MmaKind::f8f6f4, MmaKind::mxf8f6f4, MmaKind::mxf4, MmaKind::mxf4nvf4});

}  // namespace

Container container_of(MmaKind kind, std::string_view dtype) {
  const MmaKindRow& row = row_of(kind);
  if (!takes_type(row, dtype))
    throw usage_error(fmt::format("kind {} does not take {}", row.name, dtype),
                      "swz arch kinds lists the types of each kind");
  if (contains(with_narrow_forms, kind)) {
    const NarrowForm& form = require_narrow_form(kind, dtype);
    return {form.tmem_bits, form.tmem_first_bit, form.bits};
  }
  const int bits = require_dtype(dtype).memory_bits;
  return {bits, 0, bits};
}

const Source& operand_a_source(const DataPath& path, MmaKind kind, std::string_view dtype) {
  if (!contains(with_narrow_forms, kind)) return path.a_source;
  const NarrowForm& form = require_narrow_form(kind, dtype);
  // If both have the same evidence, the source of the bytes counts: a run with packed fp4 does not cover them.
  const bool is_weaker = form.source.evidence > path.a_source.evidence ||
                         (form.has_gaps && form.source.evidence == path.a_source.evidence);
  return is_weaker ? form.source : path.a_source;
}

TmemElement operand_a_place(const DataPath& path, const Container& container, int row, std::int64_t k, int column) {
  require_source(path);
  const int inside = row % path.rows();
  TmemElement element;
  element.cta = row / path.rows();
  for (int part = 0; part < path.parts; ++part) element.lanes.push_back(lane_of_row(path, inside) + part * path.rows());
  const std::int64_t bit = k * container.bits + container.first_bit;
  element.column = column + bit / 32;
  element.first_bit = static_cast<int>(bit % 32);
  element.bits = container.value_bits;
  return element;
}

std::optional<OperandAElement> operand_a_element(const DataPath& path, const Container& container, int cta, int lane,
                                                 std::int64_t column, int bit, int first_column) {
  const std::optional<int> row = row_of_lane(path, lane);
  if (!row || cta < 0 || cta >= path.cta_group || column < first_column) return {};
  const std::int64_t from_start = (column - first_column) * 32 + bit;
  const auto in_container = static_cast<int>(from_start % container.bits) - container.first_bit;
  if (in_container < 0 || in_container >= container.value_bits) return {};
  return OperandAElement{cta * path.rows() + *row, from_start / container.bits};
}

Layout operand_a_layout(const DataPath& path, const Container& container, std::int64_t k) {
  require_source(path);
  const std::int64_t lane = tmem_address(1, 0) * std::int64_t{32 / container.bits};
  const FlatMode scattered[] = {{16, lane}, {path.rows() / 16, tmem_quarter * lane}}, whole[] = {{path.rows(), lane}};
  std::vector<Layout> modes{path.is_scattered ? Layout(scattered) : Layout(whole), Layout(k, 1)};
  if (path.parts > 1) modes.emplace_back(path.parts, path.rows() * lane);
  return make_layout(modes);
}

}  // namespace swz
