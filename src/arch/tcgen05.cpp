// SPDX-License-Identifier: Apache-2.0
#include "arch/tcgen05.hpp"

#include <algorithm>

#include "arch/tensor_memory.hpp"

namespace swz {
namespace {

using enum MmaKind;
using available::rubin, available::tensor_memory;

constexpr Availability nowhere{};
// Only the a-targets.
constexpr Availability exact{0, {"sm_100a", "sm_103a", "sm_107a", "sm_110a"}};
constexpr Availability input_scales{0, {"sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f"}};

constexpr Source ptxas{"PTX ISA 9.1, 9.7.16; ptxas 13.5.37, every combination and target"};
constexpr Source exclusive{"PTX ISA 9.4, 9.7.18.7; ptxas 13.5.37, which knows no upper limit"};
constexpr Source t57{"PTX ISA 9.1, tables 56 and 57; ptxas 13.5.37, every combination and target"};
constexpr std::array<int, 2> both{1, 2}, one{1}, none{};

// clang-format off
constexpr Tcgen05Operation instructions[] = {
    {"alloc",    "allocates columns: a power of two from 32 to 512",          both, tensor_memory, ptxas},
    {"dealloc",  "frees what was allocated",                                  both, tensor_memory, ptxas},
    {"alloc.exclusive", "the only allocation: a multiple of 32 columns, up to all of them", both, tensor_memory, exclusive},
    {"dealloc.exclusive", "frees it, with the same number of columns",          both, tensor_memory, exclusive},
    {"relinquish_alloc_permit", "the CTA allocates no more",                  both, tensor_memory, ptxas},
    {"ld",       "tensor memory to registers",                                none, tensor_memory, ptxas},
    {"ld.red",   "the same, and the minimum or maximum of each lane",         none, reducing_targets, ptxas},
    {"st",       "registers to tensor memory",                                none, tensor_memory, ptxas},
    {"wait",     "waits until the ld or st of the thread are done",                 none, tensor_memory, ptxas},
    {"cp",       "shared memory to tensor memory",                            both, tensor_memory, ptxas},
    {"shift",    ".down: a lane takes 8 columns of the lane after it",        both, exact,         ptxas},
    {"mma",      "D = A * B + D, D in tensor memory",                         both, tensor_memory, ptxas},
    {"mma.sp",   "the same, A sparse",                                        both, tensor_memory, ptxas},
    {"mma.ws",   "the same, weight-stationary",                               one,  tensor_memory, ptxas},
    {"mma.ws.sp", "the same, A sparse and weight-stationary",                 one,  tensor_memory, ptxas},
    {"commit",   "an mbarrier arrives when the asynchronous work is done",    both, tensor_memory, ptxas},
    {"commit.multicast::cluster::32b", "the same, with a mask of 32 CTAs",      both, rubin,         ptxas},
    {"fence",    "orders it before or after a thread synchronisation",        none, tensor_memory, ptxas},
};

constexpr unsigned fp4 = kind_set({mxf4, mxf4nvf4});
constexpr ScaleQualifier qualifiers[] = {
    {kind_set({mxf8f6f4}), "block_scale",               32, tensor_memory, tensor_memory, t57},
    {kind_set({mxf8f6f4}), "block_scale.block32",       32, tensor_memory, tensor_memory, t57},
    {kind_set({mxf8f6f4}), "block_scale.scale_vec::1X", 32, exact,         exact,         t57},
    {kind_set({mxf4}),     "block_scale",               32, tensor_memory, exact,         t57},
    {fp4,                  "block_scale.block32",       32, tensor_memory, exact,         t57},
    {fp4,                  "block_scale.scale_vec::2X", 32, exact,         exact,         t57},
    {kind_set({mxf4nvf4}), "block_scale.block16",       16, tensor_memory, exact,         t57},
    {kind_set({mxf4nvf4}), "block_scale.scale_vec::4X", 16, exact,         exact,         t57},
};
// clang-format on

Availability with_scales(const MmaKindRow& kind, std::string_view scale, bool sparse) {
  if (kind.block_scaled) {
    const auto* const found = std::ranges::find_if(qualifiers, [&](const ScaleQualifier& qualifier) {
      return contains(qualifier.kinds, kind.kind) && qualifier.name == scale;
    });
    return found == std::end(qualifiers) ? nowhere : sparse ? found->sparse : found->dense;
  }
  if (!scale.empty()) return nowhere;
  return kind.only_on[0].empty() ? tensor_memory : Availability{0, {kind.only_on[0], kind.only_on[1]}};
}

// What happens to the buffer: "fill", "use", "lastuse" or "discard". A shifted A is neither filled nor used again.
bool is_use(std::string_view use, bool is_shifted_a) {
  return use == "lastuse" || use == "discard" || (!is_shifted_a && (use == "fill" || use == "use"));
}

// Where the MMA may name a collector: the buffer of A everywhere, that of B under .ws, and without .ws on sm_107.
Availability with_collector(const Tcgen05Mma& mma) {
  std::string_view rest = mma.collector;
  constexpr std::string_view of_b[] = {"b0::", "b1::", "b2::", "b3::"}, a = "a::", b = "b::";
  for (const std::string_view buffer : of_b)
    if (mma.ws && rest.starts_with(buffer)) return is_use(rest.substr(buffer.size()), false) ? tensor_memory : nowhere;
  if (mma.ws) return rest.empty() ? tensor_memory : nowhere;
  if (rest.starts_with(a)) {
    const std::string_view use = rest.substr(a.size(), rest.find('.') - a.size());
    if (!is_use(use, mma.shifts_a)) return nowhere;
    rest.remove_prefix(std::min(rest.size(), a.size() + use.size() + 1));
  }
  if (rest.empty()) return tensor_memory;
  return rest.starts_with(b) && is_use(rest.substr(b.size()), false) ? rubin : nowhere;
}

// The targets of both.
Availability common(const Availability& first, const Availability& second) {
  Availability out;
  std::ranges::copy_if(first.only_on, out.only_on.begin(), [&](std::string_view name) {
    return !name.empty() && std::ranges::find(second.only_on, name) != second.only_on.end();
  });
  return out;
}

}  // namespace

std::span<const Tcgen05Operation> tcgen05_operations() { return instructions; }

const Tcgen05Operation& tcgen05_operation(std::string_view name) {
  return *std::ranges::find(instructions, name, &Tcgen05Operation::name);
}

std::span<const ScaleQualifier> scale_qualifiers() { return qualifiers; }

Availability availability_of(const Tcgen05Mma& mma) {
  const bool is_scaled = row_of(mma.kind).block_scaled;
  if (mma.ws && (mma.cta_group == 2 || is_scaled)) return nowhere;
  if (mma.shifts_a && (mma.ws || is_scaled || !mma.a_in_tmem)) return nowhere;
  if (mma.has_column_mask > mma.ws) return nowhere;
  if (mma.lane_words && (mma.ws || is_scaled || *mma.lane_words != 4 * mma.cta_group)) return nowhere;
  if (mma.has_table && (mma.ws || mma.sparse || !row_of(mma.kind).has_8bit_slots || mma.kind == i8)) return nowhere;
  if (mma.input_scale) {
    const bool has_scale = (mma.kind == tf32 || mma.kind == f16) && mma.scale.empty() && !mma.ws;
    return has_scale && *mma.input_scale >= 0 && *mma.input_scale <= 15 ? common(input_scales, with_collector(mma))
                                                                        : nowhere;
  }
  const Availability form = common(with_scales(row_of(mma.kind), mma.scale, mma.sparse), with_collector(mma));
  return mma.has_table ? common(form, rubin) : form;
}

Availability availability_of(const MmaKindRow& kind, bool sparse) {
  return with_scales(kind, kind.block_scaled ? "block_scale.block32" : "", sparse);
}

}  // namespace swz
