// SPDX-License-Identifier: Apache-2.0
#include "arch/narrow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

constexpr Source ptx{"PTX ISA 9.1, 5.5.1.1 and 9.7.16.10.4"};
constexpr Source copied{
    "TIRx-harness tcgen05_transfer_semantics, bytes read back from a B200 after tcgen05.cp; PTX ISA 9.1, 5.5.1.1",
    Evidence::reported};
constexpr Source multiplied{
    "JAX test_mma_block_scaled_basic with A in tensor memory, on a Blackwell; PTX ISA 9.1, 5.5.1.1 and 9.7.16.10.4",
    Evidence::reported};

using enum MmaKind;
constexpr unsigned padded = kind_set({f8f6f4, mxf8f6f4}), packed = kind_set({mxf4, mxf4nvf4});

// clang-format off
constexpr NarrowForm forms[] = {
    {padded, {"e4m3", "e5m2"}, 8, false, 8, 0, 0, "UINT8",        "",          ptx},
    {padded, {"e2m3", "e3m2"}, 6, true,  8, 0, 0, "16U6_ALIGN16B", "b6x16_p32", copied},
    {padded, {"e2m1"},         4, true,  8, 2, 2, "16U4_ALIGN16B", "b4x16_p64", copied},
    {packed, {"e2m1"},         4, false, 4, 0, 0, "16U4_ALIGN8B",  "b4x16",     multiplied},
};
// clang-format on

}  // namespace

std::span<const NarrowForm> narrow_forms() { return forms; }

std::vector<std::int64_t> elements_in(const NarrowForm& form, NarrowMemory memory, Bits first, int count) {
  const std::int64_t unit = bit_in(form, memory, 16).count - bit_in(form, memory, 0).count;
  std::vector<std::int64_t> elements;
  for (std::int64_t i = first.count / unit * 16, end = i + 32; i < end; ++i) {
    const std::int64_t bit = bit_in(form, memory, i).count;
    if (bit < first.count + count && first.count < bit + form.bits) elements.push_back(i);
  }
  return elements;
}

const NarrowForm* find_narrow_form(std::string_view dtype, bool has_gaps) {
  const auto found = std::ranges::find_if(forms, [&](const NarrowForm& form) {
    return form.bits < 8 && form.has_gaps == has_gaps && std::ranges::find(form.dtypes, dtype) != form.dtypes.end();
  });
  return found == std::end(forms) ? nullptr : &*found;
}

const NarrowForm* find_narrow_form_of_map(std::string_view tensor_map_type) {
  const auto found = std::ranges::find_if(
      forms, [&](const NarrowForm& form) { return form.bits < 8 && form.tensor_map_type == tensor_map_type; });
  return found == std::end(forms) ? nullptr : &*found;
}

const NarrowForm& require_narrow_form(MmaKind kind, std::string_view dtype) {
  std::vector<std::string> names;
  for (const NarrowForm& form : forms) {
    if (!contains(form.kinds, kind)) continue;
    if (std::ranges::find(form.dtypes, dtype) != form.dtypes.end()) return form;
    for (const std::string_view name : form.dtypes)
      if (!name.empty()) names.emplace_back(name);
  }
  const std::string_view name = row_of(kind).name;
  if (names.empty())
    throw usage_error(fmt::format("kind {} has no narrow elements", name), "f8f6f4, mxf8f6f4, mxf4 and mxf4nvf4 have");
  throw usage_error(fmt::format("kind {} does not take {}", name, dtype), join_and(names));
}

}  // namespace swz
