// SPDX-License-Identifier: Apache-2.0
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

// Names that the columns of the table do not have: bytes of the span, cutlass.Swizzle.from_name, TileLang's banks. In
// every enum 0 is no swizzle.
struct Alias {
  std::string_view name, mode;
};
constexpr Alias aliases[] = {{"0", "none"},           {"16", "none"},       {"32", "32B"},        {"64", "64B"},
                             {"128", "128B"},         {"s32b", "32B"},      {"s64b", "64B"},      {"s128b", "128B"},
                             {"quarter bank", "32B"}, {"half bank", "64B"}, {"full bank", "128B"}};

// The name without what its project puts around it: "cute::GMMA::Layout_K_SW128_Atom<half_t>" gives "sw128",
// "TensorMapSwizzle.SWIZZLE_128B" and "CU_TENSOR_MAP_SWIZZLE_128B" give "128b", "swizzlingByteWidth = 64" gives "64".
std::string bare_name(std::string_view name) {
  std::string text = lower_case(name);
  const auto keep_after = [&](std::size_t at, std::size_t count) {
    if (at != std::string::npos) text.erase(0, at + count);
  };
  const std::size_t angle = text.find_first_of("<(");
  keep_after(text.rfind("::", angle), 2);
  keep_after(text.substr(0, text.find_first_of("<(")).rfind('.'), 1);
  keep_after(text.rfind('='), 1);
  text.erase(0, text.find_first_not_of(' '));
  for (const std::string_view prefix : {"cu_tensor_map_swizzle_", "layout_", "k_", "mn_"})
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
  if (const std::size_t atom = text.find("_atom"); atom != std::string::npos && text.starts_with("sw"))
    text.resize(atom);
  if (text.starts_with("swizzle") && text.size() > 7 && text[7] != '_') text.erase(0, 7);
  if (text.starts_with("swizzle_")) {
    const auto is_own = [&](const SwizzleMode& mode) { return lower_case(mode.cutlass_sm100) == text; };
    if (std::ranges::none_of(modes, is_own)) text.erase(0, 8);
  }
  return text;
}

// Whether the text before a "=" is one name, and names a swizzle: "sbo = 64" does not give a mode.
bool is_key_of_mode(std::string_view text) {
  const std::size_t at = text.find('=');
  if (at == std::string_view::npos) return true;
  const std::string key = lower_case(text.substr(0, at));
  return text.find('=', at + 1) == std::string_view::npos && key.find("sw") != std::string::npos &&
         key.find(',') == std::string::npos;
}

struct Functor {
  int bits = 0, base = 0, shift = 0;
};

// The functor of Swizzle<3,4,3>, written "<3,4,3>", "sw<3,4,3>", "s<3,4,3>", "(3, 4, 3)" (of make_swizzle) or "3,4,3".
std::optional<Functor> functor_in(std::string_view bare) {
  for (const std::string_view name : {"make_swizzle", "sw", "s"})
    if (bare.starts_with(name) && bare.size() > name.size() && (bare[name.size()] == '<' || bare[name.size()] == '(')) {
      bare.remove_prefix(name.size());
      break;
    }
  const bool is_open = bare.starts_with('<') || bare.starts_with('(');
  const bool is_closed = bare.ends_with('>') || bare.ends_with(')');
  if (is_open != is_closed) return std::nullopt;
  int numbers[3] = {};
  std::size_t count = 0, digits = 0;
  for (const char c : bare) {
    if (is_digit(c)) {
      if (++digits > 2) return std::nullopt;
      numbers[count] = numbers[count] * 10 + (c - '0');
    } else if (c == ',') {
      if (digits == 0 || ++count > 2) return std::nullopt;
      digits = 0;
    } else if (std::string_view(" <>()").find(c) == std::string_view::npos) {
      return std::nullopt;
    }
  }
  if (count != 2 || digits == 0) return std::nullopt;
  return Functor{numbers[0], numbers[1], numbers[2]};
}

// The meanings of a number, which differ by enum: 1 is 32B for the driver and 128B in a wgmma word. Empty if no enum
// has it.
std::string meanings_of(std::uint64_t code) {
  std::vector<std::string> meanings;
  for (const auto& [own, where] : {std::pair{&SwizzleMode::tma_code, "for the driver, Mojo and TileLang"},
                                   {&SwizzleMode::wgmma_code, "in a wgmma word and for nvFuser"},
                                   {&SwizzleMode::tcgen05_code, "in a tcgen05 word"}})
    for (const SwizzleMode& mode : modes)
      if (mode.*own && static_cast<std::uint64_t>(*(mode.*own)) == code)
        meanings.push_back(fmt::format("{} {}", mode.name, where));
  return join_and(meanings);
}

[[noreturn]] void refuse_functor(std::string_view name, const Functor& functor) {
  for (const SwizzleMode& mode : modes)
    for (int log2_bytes = 1; mode.bits > 0 && log2_bytes <= 3; ++log2_bytes)
      if (functor.bits == mode.bits && functor.base == mode.base - log2_bytes && functor.shift == mode.shift)
        throw Error(fmt::format("{} is not a swizzle mode on bytes", quoted(name)),
                    fmt::format("on elements of {} bytes it is mode {}: name that", 1 << log2_bytes, mode.name));
  throw Error(fmt::format("{} is not a swizzle of the hardware", quoted(name)),
              "32B is Sw<1,4,3> on bytes, 64B Sw<2,4,3>, 128B Sw<3,4,3> and 128B_32B Sw<2,5,2>");
}

}  // namespace

std::span<const SwizzleMode> swizzle_modes() { return modes; }

const SwizzleMode* find_swizzle_mode(std::string_view name) {
  constexpr std::size_t longest = 64;
  if (name.size() > longest) return nullptr;
  if (!is_key_of_mode(name)) return nullptr;
  const std::string wanted = bare_name(name);
  if (const auto functor = functor_in(wanted)) {
    const auto* const mode = std::ranges::find_if(modes, [&](const SwizzleMode& m) {
      return functor->bits == m.bits && (m.bits == 0 || (functor->base == m.base && functor->shift == m.shift));
    });
    return mode == std::end(modes) ? nullptr : mode;
  }
  if (wanted.empty()) return nullptr;
  for (const SwizzleMode& mode : modes)
    for (const auto own : {mode.name, mode.atom_name, mode.cutlass_sm90, mode.cutlass_sm100, mode.tma_name})
      if (wanted == lower_case(own)) return &mode;
  for (const Alias& alias : aliases)
    if (wanted == alias.name) return find_swizzle_mode(alias.mode);
  return nullptr;
}

bool is_swizzle_96(std::string_view name) {
  constexpr std::size_t longest = 64;
  const std::string wanted = name.size() > longest ? std::string() : bare_name(name);
  return wanted == "96b" || wanted == "96";
}

const SwizzleMode& require_swizzle_mode(std::string_view name) {
  if (const SwizzleMode* mode = find_swizzle_mode(name)) return *mode;
  if (is_swizzle_96(name))
    throw Error("swizzle 96B is of TMA only: no MMA descriptor has a code for it",
                "swz tma place --arch sm_103a --swizzle 96B shows its bytes (PTX ISA 9.4, table 49)");
  const std::string wanted = name.size() > 64 ? std::string() : bare_name(name);
  const bool is_code = wanted.size() == 1 && is_digit(wanted[0]);
  if (const std::string meanings = is_code ? meanings_of(static_cast<std::uint64_t>(wanted[0] - '0')) : "";
      !meanings.empty())
    throw Error(fmt::format("{} alone does not name a swizzle mode", quoted(name)),
                fmt::format("it is {}: name the mode", meanings));
  if (const auto functor = functor_in(wanted)) refuse_functor(name, *functor);
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
  // A row is always there: the table is complete (tested).
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
