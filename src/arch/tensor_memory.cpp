#include "arch/tensor_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

constexpr Source ptx{"PTX ISA 9.1, 9.7.16.10.5; CUTLASS 4.7 tmem_frg"};
constexpr Source ptx_only{"PTX ISA 9.1, 9.7.16.10.5; CUTLASS 4.7 takes layout B there"};

using enum WarpSpecialized;

// clang-format off
constexpr DataPath paths[] = {
    {"A", 256, 2, no,     Sparsity::either, 1, false, ptx},
    {"B", 128, 2, no,     Sparsity::dense,  2, false, ptx},
    {"C", 128, 2, no,     Sparsity::sparse, 1, true,  ptx_only},
    {"D", 128, 1, either, Sparsity::either, 1, false, ptx},
    {"E",  64, 1, yes,    Sparsity::either, 2, false, ptx},
    {"F",  64, 1, no,     Sparsity::either, 1, true,  ptx},
    {"G",  32, 1, yes,    Sparsity::either, 4, false, ptx},
};
// clang-format on

bool has_form(const DataPath& path, const DataPathQuery& query) {
  if (path.cta_group != query.cta_group) return false;
  if (path.ws != either && (path.ws == yes) != query.ws) return false;
  return path.sparsity == Sparsity::either || (path.sparsity == Sparsity::sparse) == query.sparse;
}

}  // namespace

std::span<const DataPath> data_paths() { return paths; }

const DataPath* find_data_path(const DataPathQuery& query) {
  for (const DataPath& path : paths)
    if (path.m == query.m && has_form(path, query)) return &path;
  return nullptr;
}

const DataPath& require_data_path(const DataPathQuery& query) {
  if (const DataPath* path = find_data_path(query)) return *path;
  if (query.cta_group == 2 && query.ws)
    throw usage_error(".ws does not exist with cta_group::2", "leave one of them out");
  std::vector<int> extents;
  for (const DataPath& path : paths)
    if (has_form(path, query)) extents.push_back(path.m);
  std::ranges::sort(extents);
  std::vector<std::string> names;
  for (const int m : extents) names.push_back(std::to_string(m));
  throw usage_error(fmt::format("tcgen05.mma has no M {} with cta_group::{}{}{}", query.m, query.cta_group,
                                query.ws ? " and .ws" : "", query.sparse ? ", sparse" : ""),
                    fmt::format("M is {}", join_and(names)));
}

}  // namespace swz
