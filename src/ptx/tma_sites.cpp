// SPDX-License-Identifier: Apache-2.0
// Bulk copies, with and without a tensor map.
#include <map>

#include "ptx/kernel_report.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/value_builder.hpp"

namespace swz {

namespace {

bool is_shared(std::string_view part) { return part == "shared::cluster" || part == "shared::cta"; }

// The direction by the order of the two state spaces: the first is written.
TmaDirection direction_of(const OpcodeParts& parts) {
  if (parts.has("prefetch")) return TmaDirection::prefetch;
  if (parts.has("reduce")) return TmaDirection::reduce;
  for (std::size_t i = 2; i < parts.count; ++i) {
    if (is_shared(parts.all[i])) return TmaDirection::load;
    if (parts.all[i] == "global") return TmaDirection::store;
  }
  return TmaDirection::load;
}

}  // namespace

std::vector<TmaSite> tma_sites(const PtxValues& values, const std::vector<BuiltTensorMap>& maps) {
  // Of two maps in one place it is not known which a copy finds.
  std::map<std::string, std::optional<std::size_t>> by_place;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto [found, is_new] = by_place.try_emplace(maps[i].found_at, i);
    if (!is_new) found->second = {};
  }
  const PtxKernel& kernel = values.kernel();
  const PtxModule& module = values.module();
  std::vector<TmaSite> sites;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const PtxInstruction& one = kernel.instructions[i];
    const OpcodeParts parts(one.opcode);
    if (parts.first() != "cp" || !parts.has("bulk") || parts.has("commit_group") || parts.has("wait_group")) continue;
    TmaSite site;
    static_cast<PtxSite&>(site) = site_at(kernel, i);
    site.direction = direction_of(parts);
    for (std::size_t p = 2; p < parts.count; ++p)
      if (parts.all[p].size() == 2 && parts.all[p][1] == 'd' && parts.all[p][0] >= '1' && parts.all[p][0] <= '5')
        site.rank = parts.all[p][0] - '0';
    if (site.rank > 0) {
      site.mode = "tile";
      for (std::size_t p = 2; p < parts.count; ++p)
        if (parts.all[p].starts_with("im2col") || parts.all[p].starts_with("tile")) site.mode = parts.all[p];
    }
    site.multicast = parts.has("multicast::cluster");
    const auto operands = module.operands_of(one);
    const auto address = [&](std::size_t k) { return values.of_operand(one, k); };
    const auto text = [&](ValueId id) {
      return id == no_value ? std::string() : to_string(linear_form(values, id, values[id].bits), values);
    };
    // With a map: load [shared], [map, coordinates]; store and reduce [map, coordinates], [shared]; prefetch [map, …].
    const bool is_load = site.direction == TmaDirection::load;
    const std::size_t shared = is_load ? 0 : 1, other = is_load ? 1 : 0;
    if (site.direction != TmaDirection::prefetch && shared < operands.size() && address(shared) != no_value)
      site.shared = site_address(values, address(shared));
    if (site.rank > 0 && other < operands.size()) site.map = text(address(other));
    if (site.rank > 0 && address(other) != no_value && !maps.empty())
      if (const auto found = by_place.find(address_key(values, address(other))); found != by_place.end())
        site.built = found->second;
    if (site.built && site.mode == "tile" && maps[*site.built].knows("rank") && maps[*site.built].map.rank == site.rank)
      site.bytes = maps[*site.built].box_bytes();
    if (site.rank == 0 && operands.size() > 2) {
      const auto size = values.number_of(address(site.direction == TmaDirection::prefetch ? 1 : 2));
      if (size) site.bytes = Bytes{static_cast<std::int64_t>(*size)};
    }
    sites.push_back(std::move(site));
  }
  return sites;
}

}  // namespace swz
