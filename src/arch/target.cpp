// SPDX-License-Identifier: Apache-2.0
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
constexpr Source ptxas{"cuda_occupancy.h of CUDA 13.5; ptxas 13.5.37 for the arrays", Evidence::header};
constexpr Source dsl{"CuTe DSL 4.8.1 and cuda_occupancy.h of CUDA 13.5; ptxas 13.5.37 for the arrays",
                     Evidence::header};
constexpr Bytes nothing{0}, line{128}, one_kib{1024};
constexpr Bytes kib_48{48 * 1024}, kib_99{99 * 1024}, kib_163{163 * 1024}, kib_227{227 * 1024};

constexpr int of_75[] = {32, 64}, of_80[] = {0, 8, 16, 32, 64, 100, 132, 164}, of_86[] = {0, 8, 16, 32, 64, 100};
constexpr int of_90[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
constexpr int of_107[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228, 328};
//                              per SM             per CTA             reserved granularity
constexpr SharedMemory smem_64{Bytes{64 * 1024}, Bytes{64 * 1024}, nothing, Bytes{256}, of_75};
constexpr SharedMemory smem_100{Bytes{100 * 1024}, kib_99, one_kib, line, of_86};
constexpr SharedMemory smem_164{Bytes{164 * 1024}, kib_163, one_kib, line, of_80};
constexpr SharedMemory smem_228{Bytes{228 * 1024}, kib_227, one_kib, line, of_90};
constexpr SharedMemory smem_328{Bytes{328 * 1024}, Bytes{327 * 1024}, one_kib, line, of_107};

// clang-format off
//                                                                             arrays  CTAs  absolute 107   columns TMA
constexpr Target rows[] = {
    {smem_64,  "sm_75",   {"turing"},           "Turing",    none,            kib_48,  16, false, false, 0, false, not_run, guide},
    {smem_164, "sm_80",   {"ampere", "a100"},   "Ampere",    none,            kib_48,  32, false, false, 0, false, not_run, guide},
    {smem_100, "sm_86",   {},                   "Ampere",    none,            kib_48,  16, false, false, 0, false, not_run, guide},
    {smem_164, "sm_87",   {},                   "Ampere",    none,            kib_48,  16, false, false, 0, false, not_run, guide},
    {smem_100, "sm_88",   {},                   "Ampere",    none,            kib_48,  16, false, false, 0, false, not_run, ptxas},
    {smem_100, "sm_89",   {"ada"},              "Ada",       none,            kib_48,  24, false, false, 0, false, not_run, guide},
    {smem_228, "sm_90a",  {"sm_90", "hopper", "h100", "h200"}, "Hopper", wgmma, kib_227, 32, false, false, 0, true, "measured on H200", ptxas},
    {smem_228, "sm_100a", {"sm_100", "b200"},   "Blackwell", tcgen05,         kib_227, 32, false, false, 512, true, not_run, ptxas},
    {smem_228, "sm_100f", {},                   "Blackwell", tcgen05,         kib_48,  32, false, false, 512, true, not_run, ptxas},
    {smem_228, "sm_103a", {"sm_103", "b300"},   "Blackwell", tcgen05,         kib_227, 32, true,  false, 512, true, not_run, ptxas},
    {smem_228, "sm_103f", {},                   "Blackwell", tcgen05,         kib_48,  32, false, false, 512, true, not_run, ptxas},
    {smem_328, "sm_107a", {"sm_107", "rubin"},  "Rubin",     tcgen05,         kib_227, 16, true,  true,  576, true, not_run, dsl},
    {smem_328, "sm_107f", {},                   "Rubin",     tcgen05,         kib_48,  16, false, true,  576, true, not_run, dsl},
    {smem_228, "sm_110a", {"sm_110", "thor"},   "Blackwell", tcgen05,         kib_227, 24, false, false, 512, true, not_run, ptxas},
    {smem_228, "sm_110f", {},                   "Blackwell", tcgen05,         kib_48,  24, false, false, 512, true, not_run, ptxas},
    {smem_100, "sm_120a", {"sm_120"},           "Blackwell (workstation)", none, kib_99, 24, false, false, 0, true, not_run, ptxas},
    {smem_100, "sm_120f", {},                   "Blackwell (workstation)", none, kib_48, 24, false, false, 0, true, not_run, ptxas},
    {smem_100, "sm_121a", {"sm_121"},           "Blackwell (workstation)", none, kib_99, 24, false, false, 0, true, not_run, ptxas},
    {smem_100, "sm_121f", {},                   "Blackwell (workstation)", none, kib_48, 24, false, false, 0, true, not_run, ptxas},
};
// clang-format on

// Names of products that are not aliases.
struct Product {
  std::string_view name, target;
};
// clang-format off
constexpr Product products[] = {
    {"t4", "sm_75"}, {"rtx2080", "sm_75"}, {"a10", "sm_86"}, {"a40", "sm_86"}, {"rtx3090", "sm_86"}, {"orin", "sm_87"},
    {"l4", "sm_89"}, {"l40", "sm_89"}, {"l40s", "sm_89"}, {"rtx4090", "sm_89"},
    {"h20", "sm_90a"}, {"h800", "sm_90a"}, {"gh200", "sm_90a"}, {"gb200", "sm_100a"}, {"b100", "sm_100a"},
    {"gb300", "sm_103a"}, {"rtx5090", "sm_120a"}, {"rtx5080", "sm_120a"}, {"gb10", "sm_121a"}, {"spark", "sm_121a"},
};
// The name of a family of several targets, with what distinguishes them.
struct Family {
  std::string_view name, members;
};
constexpr Family families[] = {
    {"blackwell", "sm_100a (B200), sm_103a (B300), sm_110a (Thor), sm_120a (RTX 50) and sm_121a (GB10)"},
};
// clang-format on

// Writes "SM90A", "90a", "9.0a" and "compute_90a" as "sm_90a"; the name of a family is unchanged.
std::string normalised(std::string_view name) {
  std::string text = lower_case(name);
  for (const std::string_view vendor : {"nvidia ", "geforce "})
    if (text.starts_with(vendor)) text.erase(0, vendor.size());
  // In "h100 80gb hbm3" and "h100-sxm" the product is the first word; "rtx 5090" has two words.
  if (text.starts_with("rtx ")) text.erase(3, 1);
  text.resize(std::min(text.find_first_of(" -"), text.size()));
  for (const std::string_view prefix : {"compute_", "sm_", "sm", "cc"}) {
    if (!text.starts_with(prefix)) continue;
    text.erase(0, prefix.size());
    break;
  }
  const std::size_t point = text.find('.');
  if (point != std::string::npos && point > 0 && is_digit(text[point - 1])) text.erase(point, 1);
  const bool is_number = !text.empty() && text[0] >= '0' && text[0] <= '9';
  return is_number ? "sm_" + text : text;
}

}  // namespace

std::span<const Target> targets() { return rows; }

const Target& sm_90a() { return require_target("sm_90a"); }
const Target& sm_100a() { return require_target("sm_100a"); }
const Target& default_target() { return sm_90a(); }

Bytes smem_window(const Target* target) {
  if (target != nullptr) return target->smem_window();
  Bytes largest;
  for (const Target& row : rows)
    if (!row.has_107_fields) largest = std::max(largest, row.smem_window());
  return largest;
}

const Target* find_target(std::string_view name) {
  if (name.empty() || name.size() > 32) return nullptr;
  const std::string wanted = normalised(name);
  for (const Target& row : rows) {
    if (row.name == wanted) return &row;
    const auto alias = std::find(row.aliases.begin(), row.aliases.end(), wanted);
    if (alias != row.aliases.end() && !alias->empty()) return &row;
  }
  for (const Product& product : products)
    if (product.name == wanted) return find_target(product.target);
  return nullptr;
}

const Target& require_target(std::string_view name) {
  if (const Target* row = find_target(name)) return *row;
  for (const Family& family : families)
    if (family.name == lower_case(name))
      throw Error(fmt::format("{} is several targets", quoted(name)), fmt::format("name one: {}", family.members));
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
