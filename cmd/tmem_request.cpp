// SPDX-License-Identifier: Apache-2.0
#include "tmem_request.hpp"

#include <algorithm>

#include "arch/tcgen05.hpp"
#include "arch/tensor_memory.hpp"
#include "base/text.hpp"

namespace swz {

void read_value(const std::string& text, TwoNumbers& to) {
  const Words words = entries_of(text, ",() ");
  if (words.size() != 2)
    throw usage_error(fmt::format("{} is not two numbers", swz::quoted(text)), "for example 100,200");
  to = {read_number(words[0], 0, INT32_MAX), read_number(words[1], 0, INT32_MAX)};
}

void read_value(const std::string& text, TmemPoint& to) {
  const Words words = entries_of(text, ",() ");
  if (words.size() != 2 && words.size() != 3)
    throw usage_error(fmt::format("{} is not a lane and a column", swz::quoted(text)),
                      "for example 100,72, or 100,72,16 for what begins inside the column");
  to.lane = static_cast<int>(read_number(words[0], 0, tmem_lanes - 1));
  to.column = static_cast<int>(read_number(words[1], 0, tmem_columns - 1));
  to.inside = words.size() == 3 ? static_cast<int>(read_number(words[2], 0, 31)) : 0;
}

std::string ScaledK::name(const MmaKindRow& kind) const {
  const int k = k_of(kind.kind, size(), sparse);
  return fmt::format("tcgen05.mma{} kind::{}{}", sparse ? ".sp" : "", kind.name,
                     size() == KSize::usual ? "" : fmt::format(" with K {}", k));
}

Availability ScaledK::availability(const MmaKindRow& kind) const {
  return size() == KSize::usual ? availability_of(kind, sparse) : availability_of(kind.kind, size(), sparse);
}

const Target& ScaledK::target(const MmaKindRow& kind, const Target* asked) const {
  const Availability on = availability(kind);
  if (asked != nullptr && runs_on(on, *asked)) return *asked;
  const auto first = std::ranges::find_if(targets(), [&](const Target& target) { return runs_on(on, target); });
  return first == targets().end() ? sm_100a() : *first;
}

Options scaled_k_options(ScaledK& k) {
  return {flag("--k96", k.k96, "MMAs of K 96 (sm_103a, sm_107a)"),
          flag("--k128", k.k128, "MMAs of K 128 of fp4 (sm_107)").excluding({"--k96"}),
          flag("--sparse", k.sparse, "a sparse A: a factor is for twice as many k")};
}

const MmaKindRow& first_kind(const DType& dtype) {
  for (const MmaKindRow& row : mma_kinds())
    if (takes_type(row, dtype.name)) return row;
  throw usage_error(fmt::format("tcgen05.mma does not take {}", dtype.name),
                    "swz arch kinds lists the types of each kind");
}

std::string_view first_type(MmaKind kind, TypeRole role) {
  for (const TypeCode& code : type_codes())
    if (code.role == role && contains(code.kinds, kind)) return code.dtype;
  return "f32";  // of D: block-scaled kinds have no field for it
}

Options data_path_options(DataPathQuery& query) {
  return {number("--m", "M", query.m, 1, 256, "rows of D, of the whole MMA").by_default("128"),
          number("--cta-group", "1|2", query.cta_group, 1, 2, "how many CTAs execute it").by_default("1"),
          flag("--ws", query.ws, "tcgen05.mma.ws"), flag("--sparse", query.sparse, "a sparse A")};
}

int scale_vec(const MmaKindRow* kind, int given) {
  if (given != 0 && given != 16 && given != 32) throw usage_error("--vec is 16 or 32", "16 for nvf4, 32 for mx kinds");
  const bool is_scaled = kind != nullptr && kind->block_scaled;
  if (given != 0 && !is_scaled)
    throw usage_error("--vec is for block-scaled kinds", "give --kind mxf8f6f4, mxf4 or mxf4nvf4");
  if (!is_scaled || given != 0) return given;
  return kind->name == "mxf4nvf4" ? 16 : 32;
}

}  // namespace swz
