// SPDX-License-Identifier: Apache-2.0
// Accesses to global memory and the sectors of 32 bytes that a warp touches.
//
//   ld.global.f32 at p + 128 * tid      32 sectors; its 128 bytes would need 4
//   ld.global.f32 at p + 4 * tid        4 if p + … begins on 32 bytes, else 5
//
// Lanes are known up to what they share. Where they begin in a sector follows from what is proven of that, and from the
// access, which is at a multiple of its width.
#include <algorithm>
#include <array>
#include <bit>

#include "base/limits.hpp"
#include "ptx/kernel_parts.hpp"
#include "ptx/lane_values.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/opcode.hpp"
#include "ptx/shared_access.hpp"

namespace swz {

namespace {

constexpr int sector_bits = 5;
constexpr std::int64_t sector_bytes = 1 << sector_bits;

// A lane's access: which operand has the address, and the bytes.
struct GlobalAccess {
  std::uint32_t address = 0;
  int bytes = 0;
  bool may_take_less = false;  // an operand says how many of the bytes are read
};

std::optional<GlobalAccess> global_access(const PtxValues& values, const PtxInstruction& instruction) {
  const bool is_plain = instruction.is("ld") || instruction.is("st");
  const OpcodeParts parts(instruction.opcode);
  if ((!is_plain && !instruction.is("cp.async")) || !parts.has("global") || parts.has("bulk")) return std::nullopt;
  const auto operands = values.module().operands_of(instruction);
  GlobalAccess access{.bytes = is_plain ? plain_bytes(parts) : 0};
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i].kind == PtxOperandKind::address)  // of cp.async, the second
      access.address = instruction.operand + static_cast<std::uint32_t>(i);
  if (access.address == 0) return std::nullopt;
  if (!is_plain) {
    const auto bytes = values.number_of(values.of_operand(instruction, 2));
    if (!bytes) return std::nullopt;
    access.bytes = static_cast<int>(*bytes);
    access.may_take_less = operands.size() > 3;
  }
  return std::has_single_bit(static_cast<unsigned>(access.bytes)) && access.bytes <= sector_bytes
             ? std::optional(access)
             : std::nullopt;
}

// Of one execution by a warp: bounds over the places in a sector at which its lanes may begin.
struct WarpSectors {
  std::int64_t least = 0, most = 0, ideal = 0;
};

// How many units of 2^unit_bits bytes the lanes are in.
std::int64_t distinct(const LaneValue& lanes, std::uint32_t active, std::uint64_t shift, int unit_bits) {
  std::array<std::uint64_t, warp_lanes> units;
  auto end = units.begin();
  for (std::size_t l = 0; l < warp_lanes; ++l)
    if ((active >> l & 1) != 0) *end++ = ((lanes.value[l] + shift) & low_mask(lanes.bits)) >> unit_bits;
  std::sort(units.begin(), end);
  return std::unique(units.begin(), end) - units.begin();
}

// nullopt: the access is at no multiple of its width, whatever the lanes share.
std::optional<WarpSectors> warp_sectors(const LaneValue& lanes, std::uint32_t active, int bytes) {
  const auto width = static_cast<std::uint64_t>(bytes);
  const std::uint64_t first = lanes.value[static_cast<std::size_t>(std::countr_zero(active))];
  for (std::size_t l = 0; l < warp_lanes; ++l)
    if ((active >> l & 1) != 0 && (lanes.value[l] - first) % width != 0) return std::nullopt;
  // What is flipped in a sector does not leave it.
  const int zeros = lanes.kind == LaneKind::shifted ? std::min(lanes.zeros, sector_bits) : sector_bits;
  std::optional<WarpSectors> out;
  for (std::uint64_t shift = 0; shift < sector_bytes; shift += std::uint64_t{1} << zeros) {
    if ((first + shift) % width != 0) continue;
    const std::int64_t sectors = distinct(lanes, active, shift, sector_bits);
    if (!out) {
      const std::int64_t taken = distinct(lanes, active, shift, std::countr_zero(width)) * bytes;
      out = WarpSectors{sectors, sectors, (taken + sector_bytes - 1) / sector_bytes};
    }
    out->least = std::min(out->least, sectors);
    out->most = std::max(out->most, sectors);
  }
  return out;
}

LaneValue with_one_address(LaneValue lanes) {
  if (lanes.kind != LaneKind::uniform) return lanes;
  lanes.kind = LaneKind::shifted;
  lanes.value = {};
  lanes.zeros = 0;
  return lanes;
}

struct SiteSums {
  WarpSectors sum;
  bool is_sampled = false, is_modulo = false;
};

// Adds what one warp does, or says in the site why it is not known.
void add_warp(GmemSite& site, SiteSums& sums, const PtxValues& values, const GlobalAccess& access, WarpValues& warp) {
  constexpr int fewest_bits = 32;
  const ValueId address = values.of_operand(access.address);
  ActiveLanes active = warp.at_instruction(site.instruction);
  // No lane in the first pass of a loop says nothing of later ones.
  if (active.why != no_value || (active.lanes == 0 && active.is_sampled)) {
    site.counts_all_lanes = true;
    active.lanes = warp.lanes();
  }
  if (active.lanes == 0) return;
  const LaneValue lanes = with_one_address(warp.of(address));
  if (lanes.kind == LaneKind::unknown || lanes.kind == LaneKind::relabelled || lanes.bits < fewest_bits) {
    site.why = because(values, lanes.why == no_value ? address : lanes.why);
    return;
  }
  const auto of = warp_sectors(lanes, active.lanes, access.bytes);
  if (!of) {
    site.why = "lanes lie at different distances from a multiple of " + std::to_string(access.bytes) + " B";
    return;
  }
  sums.sum = {sums.sum.least + of->least, sums.sum.most + of->most, sums.sum.ideal + of->ideal};
  sums.is_sampled = sums.is_sampled || active.is_sampled || lanes.is_sampled;
  sums.is_modulo = sums.is_modulo || lanes.bits < values[address].bits;
  ++site.warps;
}

void conclude(GmemSite& site, const SiteSums& sums, const GlobalAccess& access, bool knows_threads) {
  if (site.warps == 0) {
    site.why = "no warp of the block executes it";
    return;
  }
  const auto mean = [&](std::int64_t sum) { return static_cast<double>(sum) / static_cast<double>(site.warps); };
  site.sectors = mean(sums.sum.least);
  site.ideal = mean(sums.sum.ideal);
  if (!sums.is_modulo) site.most = mean(sums.sum.most);
  site.is_proven = !sums.is_sampled && !site.counts_all_lanes && !access.may_take_less && knows_threads;
}

}  // namespace

std::vector<GmemSite> gmem_sites(const PtxValues& values) {
  const PtxKernel& kernel = values.kernel();
  std::vector<GmemSite> sites;
  std::vector<GlobalAccess> accesses;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const auto access = global_access(values, kernel.instructions[i]);
    const ValueId address = access ? values.of_operand(access->address) : no_value;
    if (address == no_value || values.flow().position[values.flow().block_of[i]] == no_block) continue;
    GmemSite& site = sites.emplace_back();
    static_cast<PtxSite&>(site) = site_at(kernel, i);
    site.bytes = Bytes{access->bytes};
    site.address = to_string(linear_form(values, address, values[address].bits), values);
    accesses.push_back(*access);
    require_within(limits::ptx_sites, std::ssize(sites));
  }
  if (sites.empty()) return sites;
  const auto threads = counted_threads(values);
  AlignedSums aligned(values);
  std::vector<SiteSums> sums(sites.size());
  const std::int64_t warps =
      std::min<std::int64_t>((threads[0] * threads[1] * threads[2] + warp_lanes - 1) / warp_lanes, 32);
  for (std::int64_t w = 0; w < warps; ++w) {
    WarpValues warp(values, {threads, w, values.knows_shape()}, {}, &aligned);
    for (std::size_t i = 0; i < sites.size(); ++i)
      if (sites[i].why.empty()) add_warp(sites[i], sums[i], values, accesses[i], warp);
  }
  for (std::size_t i = 0; i < sites.size(); ++i)
    if (sites[i].why.empty()) conclude(sites[i], sums[i], accesses[i], values.launch().threads.has_value());
  return sites;
}

}  // namespace swz
