#include "arch/target.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

using enum SmemDescriptorKind;

constexpr std::string_view not_run = "not measured here";
constexpr Source guide{"CUDA Programming Guide, compute capabilities"};
constexpr Source ptxas{"ptxas 13.0.88", Evidence::header};
constexpr Bytes kib_64{64 * 1024}, kib_99{99 * 1024}, kib_163{163 * 1024}, kib_227{227 * 1024};
constexpr Bytes nothing{0}, one_kib{1024};

// clang-format off
constexpr Target rows[] = {
    {"sm_75", {"turing"}, "Turing", none, kib_64, nothing, false, false, not_run, guide},
    {"sm_80", {"ampere", "a100"}, "Ampere", none, kib_163, one_kib, false, false, not_run, guide},
    {"sm_89", {"ada"}, "Ada", none, kib_99, one_kib, false, false, not_run, guide},
    {"sm_90a", {"sm_90", "hopper", "h100", "h200"}, "Hopper", wgmma, kib_227, one_kib, false, true, "measured on H200", ptxas},
    {"sm_100a", {"sm_100", "blackwell", "b200"}, "Blackwell", tcgen05, kib_227, one_kib, false, true, not_run, ptxas},
    {"sm_100f", {}, "Blackwell", tcgen05, kib_227, one_kib, false, true, not_run, ptxas},
    {"sm_103a", {"sm_103", "b300"}, "Blackwell", tcgen05, kib_227, one_kib, true, true, not_run, ptxas},
    {"sm_103f", {}, "Blackwell", tcgen05, kib_227, one_kib, false, true, not_run, ptxas},
    {"sm_110a", {"sm_110", "thor"}, "Blackwell", tcgen05, kib_227, one_kib, false, true, not_run, ptxas},
    {"sm_110f", {}, "Blackwell", tcgen05, kib_227, one_kib, false, true, not_run, ptxas},
    {"sm_120a", {"sm_120"}, "Blackwell (workstation)", none, kib_99, one_kib, false, true, not_run, ptxas},
    {"sm_121a", {"sm_121"}, "Blackwell (workstation)", none, kib_99, one_kib, false, true, not_run, ptxas},
};
// clang-format on

// "SM90A", "90a" and "compute_90a" are all "sm_90a"; a family name stays as it is.
std::string normalised(std::string_view name) {
  std::string text = lower_case(name);
  for (const std::string_view prefix : {"compute_", "sm_", "sm"}) {
    if (!text.starts_with(prefix)) continue;
    text.erase(0, prefix.size());
    break;
  }
  const bool is_number = !text.empty() && text[0] >= '0' && text[0] <= '9';
  return is_number ? "sm_" + text : text;
}

}  // namespace

std::span<const Target> targets() { return rows; }

const Target& sm_90a() { return require_target("sm_90a"); }
const Target& sm_100a() { return require_target("sm_100a"); }
const Target& default_target() { return sm_90a(); }

Bytes largest_smem_per_cta() { return std::ranges::max(rows, {}, &Target::max_smem_per_cta).max_smem_per_cta; }
Bytes largest_smem_window() { return std::ranges::max(rows, {}, &Target::smem_window).smem_window(); }

const Target* find_target(std::string_view name) {
  if (name.empty() || name.size() > 32) return nullptr;
  const std::string wanted = normalised(name);
  for (const Target& row : rows) {
    if (row.name == wanted) return &row;
    const auto alias = std::find(row.aliases.begin(), row.aliases.end(), wanted);
    if (alias != row.aliases.end() && !alias->empty()) return &row;
  }
  return nullptr;
}

const Target& require_target(std::string_view name) {
  if (const Target* row = find_target(name)) return *row;
  const std::vector<std::string> names = names_of(rows);
  throw Error(fmt::format("{} is not a known target", quoted(name)),
              did_you_mean(name, names, "targets: " + join_and(names)));
}

std::vector<std::string> target_names(SmemDescriptorKind kind) {
  std::vector<std::string> names;
  for (const Target& row : rows)
    if (row.descriptor == kind) names.emplace_back(row.name);
  return names;
}

}  // namespace swz
