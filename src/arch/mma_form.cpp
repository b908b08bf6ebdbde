#include "arch/mma_form.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/instruction.hpp"
#include "arch/mma_kind.hpp"

namespace swz {

namespace {

constexpr int largest_m = 256, largest_n = 256, step_n = 8;
constexpr int k96 = 96;
constexpr std::string_view k96_target = "sm_103a";

std::vector<const Target*> targets_of(const Availability& availability) {
  std::vector<const Target*> found;
  for (const Target& target : targets())
    if (runs_on(availability, target)) found.push_back(&target);
  return found;
}

std::vector<const Target*> targets_of(const MmaKindRow& kind, bool is_k96) {
  std::vector<const Target*> found;
  for (const Target& target : targets())
    if (runs_on(kind, target) && (!is_k96 || target.name == k96_target)) found.push_back(&target);
  return found;
}

bool takes(const MmaKindRow& kind, const DType& dtype) {
  return std::ranges::any_of(type_codes(), [&](const TypeCode& code) {
    return contains(code.kinds, kind.kind) && code.role == TypeRole::a_b && code.dtype == dtype.name;
  });
}

void append_instructions(std::vector<MmaForm>& forms, const MmaExtents& extents, const DType& dtype) {
  for (const MmaInstruction& row : mma_instructions())
    if (row.m == extents.m && row.k == extents.k && extents.n <= largest_n &&
        row.takes(static_cast<int>(extents.n)) && takes_type(row, dtype.name))
      forms.push_back({row.family == InstructionFamily::wgmma ? "wgmma" : "mma.sync", "",
                       targets_of(row.availability), row.source});
}

void append_tcgen05(std::vector<MmaForm>& forms, const MmaExtents& extents, const DType& dtype) {
  if (extents.m > largest_m || extents.n > largest_n) return;
  for (const MmaKindRow& kind : mma_kinds()) {
    const bool is_k96 = extents.k == k96;
    if (!takes(kind, dtype) || (extents.k != kind.k_dense && !is_k96)) continue;
    const MmaShapeQuery query{
        .kind = kind.kind, .m = static_cast<int>(extents.m), .n = static_cast<int>(extents.n), .k96 = is_k96};
    std::string groups = fitting_groups(query);
    if (groups.empty()) continue;
    forms.push_back(
        {fmt::format("tcgen05.mma kind::{}", kind.name), std::move(groups), targets_of(kind, is_k96), kind.source});
  }
}

}  // namespace

std::string to_string(const MmaExtents& extents) {
  return fmt::format("m{}n{}k{}", extents.m, extents.n, extents.k);
}

double distance(const MmaExtents& a, const MmaExtents& b) {
  const auto ratio = [](std::int64_t x, std::int64_t y) {
    return static_cast<double>(std::max(x, y)) / static_cast<double>(std::min(x, y));
  };
  return ratio(a.m, b.m) * ratio(a.n, b.n) * ratio(a.k, b.k);
}

bool MmaForm::runs_on(const Target& target) const { return std::ranges::find(targets, &target) != targets.end(); }

std::vector<MmaForm> mma_forms(const MmaExtents& extents, const DType& dtype) {
  std::vector<MmaForm> forms;
  append_instructions(forms, extents, dtype);
  append_tcgen05(forms, extents, dtype);
  std::erase_if(forms, [](const MmaForm& form) { return form.targets.empty(); });
  return forms;
}

std::optional<MmaExtents> nearest_mma(const MmaExtents& wanted, const DType& dtype, const Target& target) {
  std::optional<MmaExtents> best;
  const auto consider = [&](const MmaExtents& candidate) {
    if (best && distance(candidate, wanted) >= distance(*best, wanted)) return;
    const std::vector<MmaForm> forms = mma_forms(candidate, dtype);
    if (std::ranges::any_of(forms, [&](const MmaForm& form) { return form.runs_on(target); })) best = candidate;
  };
  for (std::int64_t k = 4; k <= 256; k += k < 8 ? 4 : 8)
    for (const std::int64_t m : {8, 16, 32, 64, 128, 256})
      for (std::int64_t n = step_n; n <= largest_n; n += step_n) consider({m, n, k});
  return best;
}

}  // namespace swz
