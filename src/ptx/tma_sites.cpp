// SPDX-License-Identifier: Apache-2.0
// Bulk copies, with and without a tensor map.
#include <map>

#include "ptx/copy_opcode.hpp"
#include "ptx/kernel_parts.hpp"
#include "ptx/linear_form.hpp"

namespace swz {

namespace {

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
  if (address == no_value) return;
  site.map = to_string(linear_form(values, address, values[address].bits), values);
  if (maps.empty()) return;
  if (const auto place = places.find(address_key(values, address)); place != places.end()) site.built = place->second;
  if (!site.built) return;
  const BuiltTensorMap& map = maps[*site.built];
  if (!map.knows("rank") || map.map.rank != site.rank) return;
  const std::optional<Bytes> box = map.box_bytes();
  if (site.mode == "tile") site.bytes = box;
  // The box of a gather is one row, and the copy brings four.
  else if (site.mode == "tile::gather4" && box && map.map.box[1] == 1) site.bytes = Bytes{4 * box->count};
}

// Reads the operands of one copy, at the places that its opcode gives them.
class CopyOperands {
 public:
  CopyOperands(const PtxValues& values, const PtxInstruction& instruction, const CopyOpcode& copy)
      : v_(values), instruction_(instruction), copy_(copy), at_(copy.places()) {}

  void read(TmaSite& site) const {
    read_addresses(site);
    if (at_.mask >= 0) site.mask = site_mask(v_, value(at_.mask), copy_.mask_bits);
    if (at_.byte_mask >= 0) site.byte_mask = site_number(v_, value(at_.byte_mask), 16, false);
    for (int i = 0; at_.ignored >= 0 && i < 2; ++i)
      site.ignored.push_back(site_number(v_, value(at_.ignored + i), 32, false));
    if (at_.offsets >= 0) site.offsets = numbers(operand(at_.offsets), 16, false);
    if (copy_.rank == 0) {
      if (const auto bytes = v_.number_of(value(at_.bytes))) site.bytes = Bytes{static_cast<std::int64_t>(*bytes)};
      return;
    }
    // The coordinates are the last list in the brackets of the map.
    const PtxOperand map = operand(at_.map);
    for (const PtxOperand& part : v_.module().parts_of(map))
      if (part.kind == PtxOperandKind::list) site.coordinates = numbers(part, 32, true);
  }

  ValueId value(int place) const {
    return place < 0 ? no_value : v_.of_operand(instruction_, static_cast<std::size_t>(place));
  }
  ValueId map() const { return value(at_.map); }

 private:
  void read_addresses(TmaSite& site) const {
    const auto address = [&](int place) {
      const ValueId id = value(place);
      return id == no_value ? std::nullopt : std::optional(site_address(v_, id));
    };
    const auto mapped = [&](int place) {
      const ValueId id = value(place);
      return id == no_value ? std::nullopt : std::optional(mapped_address(v_, id));
    };
    site.shared = address(at_.shared);
    site.remote = mapped(at_.remote);
    site.barrier = mapped(at_.barrier);
    const auto owner = [&](int place) {
      const ValueId id = value(place);
      return id == no_value ? std::nullopt : owner_of(v_, id);
    };
    site.owner = owner(at_.remote >= 0 ? at_.remote : at_.shared);
    site.barrier_owner = owner(at_.barrier);
  }

  PtxOperand operand(int place) const {
    const auto all = v_.module().operands_of(instruction_);
    return static_cast<std::size_t>(place) < all.size() ? all[static_cast<std::size_t>(place)] : PtxOperand{};
  }

  std::vector<SiteNumber> numbers(const PtxOperand& list, int bits, bool is_signed) const {
    std::vector<SiteNumber> out;
    for (std::uint32_t i = 0; i < list.parts; ++i)
      out.push_back(site_number(v_, v_.of_operand(list.part + i), bits, is_signed));
    return out;
  }

  const PtxValues& v_;
  const PtxInstruction& instruction_;
  const CopyOpcode& copy_;
  const CopyOpcode::Places at_;
};

}  // namespace

SiteNumber site_number(const PtxValues& values, ValueId value, int bits, bool is_signed) {
  if (value == no_value) return {"not known", {}};
  const LinearForm form = linear_form(values, value, bits);
  SiteNumber out{to_string(form, values), {}};
  if (!form.terms.empty()) return out;
  const std::uint64_t number = form.constant & low_mask(bits);
  out.number = is_signed ? as_signed(number, bits) : static_cast<std::int64_t>(number);
  out.text = std::to_string(*out.number);
  return out;
}

SiteMask site_mask(const PtxValues& values, ValueId value, int bits) {
  SiteMask out{{}, bits, "not known"};
  if (value == no_value) return out;
  const KnownValue& known = values.known(value);
  out.word = {known.ones & low_mask(bits), known.known() & low_mask(bits)};
  out.text = out.is_known() ? mask_text(out.named()) : to_string(linear_form(values, value, bits), values);
  return out;
}

std::vector<TmaSite> tma_sites(const PtxValues& values, const std::vector<BuiltTensorMap>& maps) {
  const MapsByAddress places = by_address(maps);
  const PtxKernel& kernel = values.kernel();
  std::vector<TmaSite> sites;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const PtxInstruction& instruction = kernel.instructions[i];
    const auto copy = copy_opcode(instruction.opcode);
    if (!copy) continue;
    TmaSite& site = sites.emplace_back();
    static_cast<PtxSite&>(site) = site_at(kernel, i);
    site.direction = copy->direction;
    site.rank = copy->rank;
    site.mode = copy->mode;
    site.operation = copy->operation;
    if (!copy->type.empty()) site.operation += '.' + std::string(copy->type);
    site.forms = copy->forms;
    site.cta_group = copy->cta_group;
    site.multicast = copy->mask_bits > 0;
    const CopyOperands operands(values, instruction, *copy);
    operands.read(site);
    if (site.rank > 0) read_map(values, operands.map(), maps, places, site);
  }
  return sites;
}

}  // namespace swz
