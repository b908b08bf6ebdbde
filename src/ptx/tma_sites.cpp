// SPDX-License-Identifier: Apache-2.0
// Bulk copies, with and without a tensor map.
#include <map>

#include "ptx/kernel_parts.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/opcode.hpp"

namespace swz {

namespace {

// The direction is in the order of the two state spaces: the first is written.
TmaDirection direction_of(const OpcodeParts& parts) {
  if (parts.has("prefetch")) return TmaDirection::prefetch;
  if (parts.has("reduce")) return TmaDirection::reduce;
  for (std::size_t i = 2; i < parts.count; ++i) {
    if (parts.all[i] == "shared::cluster" || parts.all[i] == "shared::cta") return TmaDirection::load;
    if (parts.all[i] == "global") return TmaDirection::store;
  }
  return TmaDirection::load;
}

// "3d": 3; 0: the copy has no tensor map.
int rank_of(const OpcodeParts& parts) {
  int rank = 0;
  for (std::size_t i = 2; i < parts.count; ++i)
    if (parts.all[i].size() == 2 && parts.all[i][1] == 'd' && parts.all[i][0] >= '1' && parts.all[i][0] <= '5')
      rank = parts.all[i][0] - '0';
  return rank;
}

std::string_view mode_of(const OpcodeParts& parts) {
  std::string_view mode = "tile";
  for (std::size_t i = 2; i < parts.count; ++i)
    if (parts.all[i].starts_with("im2col") || parts.all[i].starts_with("tile")) mode = parts.all[i];
  return mode;
}

// The maps that the kernel writes, by the address that copies give. nullopt: it is not known which of two maps a copy
// finds.
using MapsByAddress = std::map<std::string, std::optional<std::size_t>>;
MapsByAddress by_address(const std::vector<BuiltTensorMap>& maps) {
  MapsByAddress places;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto [entry, is_new] = places.try_emplace(maps[i].used_at, i);
    if (!is_new) entry->second = {};
  }
  return places;
}

// What is known of a copy with a tensor map at this address.
void read_map(const PtxValues& values, ValueId address, const std::vector<BuiltTensorMap>& maps,
              const MapsByAddress& places, TmaSite& site) {
  site.mode = mode_of(OpcodeParts(site.opcode));
  if (address == no_value) return;
  site.map = to_string(linear_form(values, address, values[address].bits), values);
  if (maps.empty()) return;
  if (const auto place = places.find(address_key(values, address)); place != places.end()) site.built = place->second;
  if (!site.built || site.mode != "tile") return;
  const BuiltTensorMap& map = maps[*site.built];
  if (map.knows("rank") && map.map.rank == site.rank) site.bytes = map.box_bytes();
}

}  // namespace

std::vector<TmaSite> tma_sites(const PtxValues& values, const std::vector<BuiltTensorMap>& maps) {
  const MapsByAddress places = by_address(maps);
  const PtxKernel& kernel = values.kernel();
  std::vector<TmaSite> sites;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const PtxInstruction& instruction = kernel.instructions[i];
    if (!instruction.is("cp")) continue;
    const OpcodeParts parts(instruction.opcode);
    if (!parts.has("bulk") || parts.has("commit_group") || parts.has("wait_group")) continue;
    TmaSite& site = sites.emplace_back();
    static_cast<PtxSite&>(site) = site_at(kernel, i);
    site.direction = direction_of(parts);
    site.rank = rank_of(parts);
    site.multicast = parts.has("multicast::cluster");
    // With a map: load [shared], [map, coordinates]; store and reduce [map, coordinates], [shared]; prefetch [map, …].
    const bool is_load = site.direction == TmaDirection::load, is_prefetch = site.direction == TmaDirection::prefetch;
    const auto value = [&](std::size_t operand) { return values.of_operand(instruction, operand); };
    if (const ValueId shared = value(is_load ? 0 : 1); !is_prefetch && shared != no_value)
      site.shared = site_address(values, shared);
    if (site.rank > 0) {
      read_map(values, value(is_load ? 1 : 0), maps, places, site);
    } else if (instruction.operands > 2) {
      if (const auto bytes = values.number_of(value(is_prefetch ? 1 : 2)))
        site.bytes = Bytes{static_cast<std::int64_t>(*bytes)};
    }
  }
  return sites;
}

}  // namespace swz
