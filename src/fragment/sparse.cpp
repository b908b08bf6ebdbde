// SPDX-License-Identifier: Apache-2.0
#include "fragment/sparse.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

constexpr Coordinate down{1, 0}, right{0, 1}, stay{0, 0};

using Rows = std::vector<const SparseMma*>;

std::string prefix_of(InstructionFamily family, bool is_ordered) {
  return fmt::format("{}.sp{}", to_string(family), is_ordered ? "::ordered_metadata" : "");
}

template <class TextOf>
std::string list_of(const Rows& rows, TextOf texts_of) {
  std::vector<std::string> all;
  for (const SparseMma* row : rows)
    for (const std::string_view text : texts_of(*row))
      if (!text.empty() && std::ranges::find(all, text) == all.end()) all.emplace_back(text);
  return join_and(all);
}
std::string types_of(const Rows& rows) {
  return list_of(rows, [](const SparseMma& row) { return row.mma.types; });
}
std::string accumulators_of(const Rows& rows) {
  return list_of(rows, [](const SparseMma& row) { return row.mma.accumulators; });
}
std::string shapes_of(InstructionFamily family) {
  Rows rows;
  for (const SparseMma& row : sparse_mmas())
    if (row.mma.family == family) rows.push_back(&row);
  return list_of(rows, [](const SparseMma& row) {
    const bool is_wgmma = row.mma.family == InstructionFamily::wgmma;
    return std::array{fmt::format("m{}n{}k{}", row.mma.m, is_wgmma ? "N" : "8", row.mma.k)};
  });
}

Rows rows_of_shape(InstructionFamily family, const NameParts& said, const FragmentRequest& request) {
  if (!said.shape || !said.unknown.empty())
    throw Error(fmt::format("{} is not a form of {}", quoted(request.name), prefix_of(family, false)),
                fmt::format("shapes: {}", shapes_of(family)));
  Rows rows;
  for (const SparseMma& row : sparse_mmas())
    if (row.mma.family == family && row.mma.m == said.shape->m && row.mma.k == said.shape->k &&
        row.mma.takes(static_cast<int>(said.shape->n)))
      rows.push_back(&row);
  if (rows.empty())
    throw Error(fmt::format("{} has no shape {}", prefix_of(family, false), to_string(*said.shape)),
                fmt::format("shapes: {}; K is that of B", shapes_of(family)));
  return rows;
}

// Types as the name or the request gives them; empty if they do not.
struct Types {
  std::string dtype, accumulator;
};

Types types_of(InstructionFamily family, const NameParts& said, const FragmentRequest& request) {
  if (said.types.empty()) return {request.dtype, request.accumulator};
  const std::size_t full = family == InstructionFamily::wgmma ? 3 : 4;
  if (said.types.size() != full)
    throw Error(fmt::format("{} names {} types, not {}", quoted(request.name), said.types.size(), full),
                full == 4 ? "PTX names the types of D, A, B and C" : "PTX names the types of D, A and B");
  if (!request.dtype.empty() || !request.accumulator.empty())
    throw Error(fmt::format("{} already names its types", quoted(request.name)), "leave the element type out");
  return {said.types[request.operand == Operand::b ? 2 : 1], said.types[0]};
}

Rows rows_of_types(Rows rows, const std::string& name, const Types& types, bool is_ordered) {
  const Rows all = rows;
  if (!types.dtype.empty()) {
    const std::string_view dtype = require_dtype(types.dtype).name;
    std::erase_if(rows, [&](const SparseMma* row) { return !takes_type(row->mma, dtype); });
    if (rows.empty())
      throw Error(fmt::format("{} does not take {}", name, dtype), fmt::format("it takes {}", types_of(all)));
  }
  if (!types.accumulator.empty()) {
    const Rows before = rows;
    const std::string_view accumulator = require_dtype(types.accumulator).name;
    std::erase_if(rows, [&](const SparseMma* row) { return !accumulates_in(row->mma, accumulator); });
    if (rows.empty())
      throw Error(fmt::format("{} of {} does not accumulate in {}", name, types_of(before), accumulator),
                  fmt::format("it accumulates in {}", accumulators_of(before)));
  }
  if (rows.front()->is_ordered_only && !is_ordered)
    throw Error(fmt::format("{} of {} needs ordered metadata", name, types_of(rows)),
                fmt::format("write mma.sp::ordered_metadata ({})", to_string(rows.front()->mma.source)));
  return rows;
}

void require_operand(InstructionFamily family, const std::optional<Operand>& operand, const std::string& name) {
  using enum Operand;
  const bool is_wgmma = family == InstructionFamily::wgmma;
  const auto is_one_of = [&](std::initializer_list<Operand> all) {
    return operand && std::ranges::find(all, *operand) != all.end();
  };
  if (is_wgmma ? is_one_of({a, d, e}) : is_one_of({a, b, c, d, e})) return;
  throw Error(operand ? fmt::format("{} has no operand {} in registers", name, to_string(*operand))
                      : fmt::format("which operand of {}?", name),
              is_wgmma ? "operands: a (when it lies in registers), d and e" : "operands: a, b, c, d and e");
}

bool same_map(const Fragment& a, const Fragment& b) {
  return tv_layout(a) == tv_layout(b) && a.rows == b.rows && a.columns == b.columns && a.bits == b.bits;
}

Fragment fragment_of(const SparseMma& row, int n, const Types& types, const FragmentRequest& request) {
  const Operand operand = *request.operand;
  if (operand == Operand::e) return metadata_fragment(row, n, request.selector.value_or(0));
  const bool is_input = operand == Operand::a || operand == Operand::b;
  const std::string_view own = is_input ? row.mma.types[0] : row.mma.accumulators[0];
  const std::string& given = is_input ? types.dtype : types.accumulator;
  return sparse_fragment(row, n, operand, require_dtype(given.empty() ? own : given));
}

}  // namespace

std::string sparse_name(const SparseMma& row, int n, bool is_ordered) {
  return fmt::format("{}.{}", prefix_of(row.mma.family, is_ordered), to_string(MmaExtents{row.mma.m, n, row.mma.k}));
}

Fragment sparse_fragment(const SparseMma& row, int n, Operand operand, const DType& dtype) {
  MmaInstruction dense = row.mma;
  if (operand == Operand::a) dense.k = row.kept_k();
  Fragment f = mma_fragment(dense, n, operand, dtype, {});
  f.name = sparse_name(row, n, row.is_ordered_only);
  if (operand == Operand::a) {
    f.kept = row.kept;
    f.kept_of = row.of;
  }
  return f;
}

// The holders among the four threads of a quad share the indices of rows g and g + 8: where a thread has one row, the
// even threads have row g; threads of the same row have further parts of it.
Fragment metadata_fragment(const SparseMma& row, int n, int selector) {
  const std::string name = sparse_name(row, n, row.is_ordered_only);
  if (selector < 0 || selector >= row.selectors())
    throw Error(fmt::format("sparsity selector {} does not exist for {}", selector, name),
                fmt::format("it is {} ({})", row.selectors() == 1 ? "0" : fmt::format("0 to {}", row.selectors() - 1),
                            to_string(row.mma.source)));
  Fragment f;
  f.name = name;
  f.operand = Operand::e;
  f.dtype = "index";
  f.bits = row.index_bits;
  f.rows = row.mma.m;
  f.columns = row.indices_of_row();
  f.kept = row.kept / row.pair;
  f.kept_of = row.of;
  f.parts = row.selectors();
  f.part = selector;
  const int parts_of_row = row.holders * row.rows_of_thread() / 2, in_thread = f.columns / parts_of_row;
  const int warps = row.mma.threads() / 32;
  if (row.rows_of_thread() == 1) f.thread_steps.push_back({2, 8 * down});
  if (parts_of_row > 1) f.thread_steps.push_back({parts_of_row, in_thread * right});
  if (row.selectors() > 1) f.thread_steps.push_back({row.selectors(), stay});
  f.thread_steps.push_back({8, down});
  if (warps > 1) f.thread_steps.push_back({warps, 16 * down});
  f.value_steps = {{in_thread, right}};
  if (row.rows_of_thread() == 2) f.value_steps.push_back({2, 8 * down});
  f.availability = row.mma.availability;
  f.source = row.indices;
  return f;
}

Fragment find_sparse(InstructionFamily family, const NameParts& said, const FragmentRequest& request) {
  const Rows of_shape = rows_of_shape(family, said, request);
  const int n = static_cast<int>(said.shape->n);
  const std::string name = sparse_name(*of_shape.front(), n, said.is_ordered);
  require_operand(family, request.operand, name);
  const Types types = types_of(family, said, request);
  const Rows rows = rows_of_types(of_shape, name, types, said.is_ordered);
  Fragment first = fragment_of(*rows.front(), n, types, request);
  for (const SparseMma* row : rows)
    if (row->is_ordered_only == rows.front()->is_ordered_only && !same_map(first, fragment_of(*row, n, types, request)))
      throw Error(fmt::format("the {} fragment of {} depends on the element type", to_string(first.operand), name),
                  fmt::format("name one: {}", types_of(rows)));
  first.name = name;
  return first;
}

}  // namespace swz
