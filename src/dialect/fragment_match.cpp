// SPDX-License-Identifier: Apache-2.0
#include "dialect/fragment_match.hpp"

#include <algorithm>

#include "arch/instruction.hpp"

namespace swz {
namespace {

struct HeldElements {
  std::vector<Coordinate> at;  // the element of each value, thread by thread
  std::int64_t threads = 0, values = 0;

  explicit HeldElements(const RegisterForm& form) : threads(thread_count(form)), values(value_count(form)) {
    const std::int64_t columns = form.shape[1];
    for (const std::int64_t number : numbers_of(form))
      at.push_back({static_cast<int>(number / columns), static_cast<int>(number % columns)});
  }
  Coordinate operator()(std::int64_t thread, std::int64_t value) const {
    return at[static_cast<std::size_t>(thread * values + value)];
  }
};

bool is_block(const HeldElements& held, const Fragment& f, std::int64_t thread, std::int64_t value) {
  const Coordinate origin = held(thread, value), first = f.at(0, 0);
  for (int t = 0; t < f.threads(); ++t)
    for (int v = 0; v < f.values(); ++v) {
      const Coordinate want = f.at(t, v), got = held(thread + t, value + v);
      if (got.row - origin.row != want.row - first.row || got.column - origin.column != want.column - first.column)
        return false;
    }
  return true;
}

bool is_made_of(const HeldElements& held, const Fragment& f) {
  if (held.threads % f.threads() != 0 || held.values % f.values() != 0) return false;
  for (std::int64_t thread = 0; thread < held.threads; thread += f.threads())
    for (std::int64_t value = 0; value < held.values; value += f.values())
      if (!is_block(held, f, thread, value)) return false;
  return true;
}

// The operands in registers, without C, which is like D.
std::vector<Operand> operands_of(const MmaInstruction& row) {
  if (row.family == InstructionFamily::wgmma) return {Operand::d, Operand::a};
  return {Operand::d, Operand::a, Operand::b};
}

// The columns of the operand; for wgmma those of the widest N that divides the array.
int columns_of(const MmaInstruction& row, Operand operand, const ArrayShape& shape) {
  if (row.family == InstructionFamily::mma || operand != Operand::d) return row.n[0].first;
  int widest = row.n[0].first;
  for (int n = row.n[0].first; n <= 256; n += 8)
    if (row.takes(n) && shape[1] % n == 0) widest = n;
  return widest;
}

}  // namespace

std::vector<FragmentMatch> matching_fragments(const RegisterForm& form) {
  std::vector<FragmentMatch> found;
  if (form.shape.size() != 2 || rank(form.layout) != 2) return found;
  const HeldElements held(form);
  for (const MmaInstruction& row : mma_instructions())
    for (const Operand operand : operands_of(row)) {
      if (operand != Operand::d && form.element.bits != 0 && form.element.bits != row.bits) continue;
      const std::string_view type = operand == Operand::d ? row.accumulators[0] : row.types[0];
      Fragment f = mma_fragment(row, columns_of(row, operand, form.shape), operand, require_dtype(type), {});
      if (f.tiles > 1 || !is_made_of(held, f)) continue;
      const auto is_known = [&](const FragmentMatch& m) {
        return m.fragment.name == f.name && m.fragment.operand == operand;
      };
      if (std::ranges::any_of(found, is_known)) continue;
      const std::int64_t thread_blocks = held.threads / f.threads(), value_blocks = held.values / f.values();
      found.push_back({std::move(f), thread_blocks, value_blocks});
    }
  const auto size_of = [](const FragmentMatch& m) { return m.fragment.threads() * m.fragment.values(); };
  std::vector<FragmentMatch> largest;
  for (const Operand operand : {Operand::d, Operand::a, Operand::b}) {
    const auto is_of = [&](const FragmentMatch& match) { return match.fragment.operand == operand; };
    int most = 0;
    for (const FragmentMatch& match : found)
      if (is_of(match)) most = std::max(most, size_of(match));
    for (const FragmentMatch& match : found)
      if (is_of(match) && size_of(match) == most) largest.push_back(match);
  }
  return largest;
}

}  // namespace swz
