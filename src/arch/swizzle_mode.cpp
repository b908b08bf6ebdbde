#include "arch/swizzle_mode.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

constexpr Source wgmma_measured{"H200; PTX ISA 9.1, 9.7.15.5.1", Evidence::measured};
constexpr Source tcgen05_only{"PTX ISA 9.1, 9.7.16.4.1; CUTLASS mma_sm100_desc.hpp"};

using enum SwizzleFamily;

// clang-format off
constexpr SwizzleMode modes[] = {
    {"none", none, 0, 4, 3, Bytes{16}, Bytes{16}, 8, 0, 0, 0,
     "INTER", "INTERLEAVE", "SWIZZLE_NONE", "NONE", wgmma_measured},
    {"32B", chunk_16, 1, 4, 3, Bytes{32}, Bytes{16}, 8, 3, 6, 1,
     "SW32", "B32", "SWIZZLE_32B", "32B", wgmma_measured},
    {"64B", chunk_16, 2, 4, 3, Bytes{64}, Bytes{16}, 8, 2, 4, 2,
     "SW64", "B64", "SWIZZLE_64B", "64B", wgmma_measured},
    {"128B", chunk_16, 3, 4, 3, Bytes{128}, Bytes{16}, 8, 1, 2, 3,
     "SW128", "B128", "SWIZZLE_128B", "128B", wgmma_measured},
    {"128B_32B", chunk_32, 2, 5, 2, Bytes{128}, Bytes{32}, 4, std::nullopt, 1, 4,
     "SW128_32B", "", "SWIZZLE_128B_BASE32B", "128B_ATOM_32B", tcgen05_only},
};

constexpr Source same_on_both{"H200; PTX ISA 9.1, 9.7.15.5.1.2 and 9.7.16.3", Evidence::measured};

constexpr StrideRoles roles[] = {
    {Major::K, none, "from one 16-byte k chunk to the next", "from one group of 8 rows to the next",
     "groups of 8 rows", same_on_both},
    {Major::K, chunk_16, "", "from one group of 8 rows to the next", "groups of 8 rows", same_on_both,
     "from one block of W bytes along K to the next"},
    {Major::K, chunk_32, "", "from one group of 8 rows to the next", "groups of 8 rows",
     {"disputed: PTX ISA 9.1, table 54 (9.7.16.10.3) allows it, table 55 and CUTLASS have no such atom",
      Evidence::claimed}},
    {Major::MN, none, "from one group of 8 k to the next", "from one 16-byte MN chunk to the next",
     "16-byte MN chunks", same_on_both},
    {Major::MN, chunk_16, "from one block of W bytes along MN to the next",
     "from one group of 8 k to the next", "groups of 8 k", same_on_both},
    {Major::MN, chunk_32, "from one block of 128 B along MN to the next", "from one group of 4 k to the next",
     "groups of 4 k", {"CUTLASS make_umma_desc; DeepGEMM", Evidence::header}},
};
// clang-format on

}  // namespace

std::span<const SwizzleMode> swizzle_modes() { return modes; }

const SwizzleMode* find_swizzle_mode(std::string_view name) {
  constexpr std::string_view enum_prefix = "cu_tensor_map_swizzle_";
  if (name.size() > 64) return nullptr;
  std::string wanted = lower_case(name);
  if (wanted.starts_with(enum_prefix)) wanted.erase(0, enum_prefix.size());
  if (wanted.empty()) return nullptr;
  for (const SwizzleMode& mode : modes)
    for (const auto own : {mode.name, mode.atom_name, mode.cutlass_sm90, mode.cutlass_sm100, mode.tma_name})
      if (wanted == lower_case(own)) return &mode;
  return nullptr;
}

const SwizzleMode& require_swizzle_mode(std::string_view name) {
  if (const SwizzleMode* mode = find_swizzle_mode(name)) return *mode;
  const std::vector<std::string> names = names_of(modes);
  throw Error(fmt::format("{} is not a swizzle mode", quoted(name)),
              did_you_mean(name, names, "swizzle modes: " + join_and(names)));
}

const SwizzleMode* swizzle_mode_of_code(SmemDescriptorKind kind, std::uint64_t code) {
  for (const SwizzleMode& mode : modes) {
    const std::optional<int> own = mode.code(kind);
    if (own && static_cast<std::uint64_t>(*own) == code) return &mode;
  }
  return nullptr;
}

std::span<const StrideRoles> stride_roles() { return roles; }

const StrideRoles& stride_roles(Major major, SwizzleFamily family) {
  // The table is complete (tested).
  return *std::ranges::find_if(roles,
                               [&](const StrideRoles& row) { return row.major == major && row.family == family; });
}

std::string role_text(std::string_view role, const SwizzleMode& mode) {
  constexpr std::string_view placeholder = "W bytes";
  std::string text(role);
  if (const auto at = text.find(placeholder); at != std::string::npos)
    text.replace(at, placeholder.size(), fmt::format("{} B", mode.span.count));
  return text;
}

}  // namespace swz
