// SPDX-License-Identifier: Apache-2.0
// What reaches the shared memory of other CTAs of a cluster, beside bulk copies; and whose memory an address is of.
//
//   mapa.shared::cluster.u32 %r2, bar, %r1;                            maps bar to rank %r1
//   mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r2];      arrives at bar of rank %r1
//   and.b32 %r3, %r2, 0xfeffffff;                                      of the even CTA of the pair
//   tcgen05.commit.cta_group::2.….multicast::cluster.b64 [bar], %rs1;  signals bar of every CTA in the mask %rs1
//
// Bits 31-24 of such an address are the rank of its CTA (cluster/address.hpp). An address whose rank was not set in one
// of these two ways has no owner here: it may be of the own CTA or of another one.
#include "ptx/kernel_parts.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/opcode.hpp"

namespace swz {

namespace {

constexpr std::uint64_t rank_bits = 0xff000000, rank_bits_of_even = 0xfe000000;
constexpr std::int64_t response_bytes = 16;  // of try_cancel

// The operand of `value` that is not a constant, and the constant. nullopt: it has none, or two.
std::optional<std::pair<ValueId, std::uint64_t>> with_constant(const PtxValues& values, const PtxValue& value) {
  if (value.a == no_value || value.b == no_value) return std::nullopt;
  if (values[value.b].op == ValueOp::constant) return std::pair(value.a, values[value.b].number);
  if (values[value.a].op == ValueOp::constant) return std::pair(value.b, values[value.a].number);
  return std::nullopt;
}

// What mapa maps and to which rank: the instruction, or the byte permute that ptxas makes of it, whose bytes 0 to 2 are
// those of one operand and whose byte 3 is byte 0 of the other.
struct Mapa {
  ValueId address = no_value, rank = no_value;
};
std::optional<Mapa> mapa_of(const PtxValues& values, ValueId id) {
  const PtxValue& value = values[id];
  if (value.op == ValueOp::unknown && values.origin(id).is("mapa"))
    return Mapa{values.of_operand(values.origin(id), 1), values.of_operand(values.origin(id), 2)};
  if (value.op == ValueOp::bytes && value.number == 0x4210) return Mapa{value.a, value.b};
  if (value.op == ValueOp::bytes && value.number == 0x0654) return Mapa{value.b, value.a};
  return std::nullopt;
}

// An address of shared memory as the sum of `of` and `added`, and its owner if it is proven.
struct OwnedAddress {
  ValueId of = no_value;
  std::int64_t added = 0;
  std::optional<SiteOwner> owner;
};
OwnedAddress owned_address(const PtxValues& values, ValueId address) {
  constexpr int most_steps = 64;
  const OwnedAddress own{address, 0, {}};
  std::int64_t added = 0;
  for (int step = 0; step < most_steps; ++step) {
    if (const auto mapa = mapa_of(values, address)) {
      if (mapa->address == no_value || mapa->rank == no_value) return own;
      const SiteNumber rank = site_number(values, mapa->rank, 8, false);
      return {mapa->address, added, SiteOwner{"rank " + rank.text, rank.number}};
    }
    const PtxValue& value = values[address];
    const auto parts = with_constant(values, value);
    if (!parts) return own;
    const bool is_even = value.op == ValueOp::bit_and && (parts->second & rank_bits) == rank_bits_of_even;
    // Masks of other bits change the offset too, and stay in the address.
    if (is_even) return {own.of, 0, SiteOwner{"the even CTA of the pair", {}}};
    // A carry into the rank would leave the window, which is undefined.
    if (value.op != ValueOp::add) return own;
    added += as_signed(parts->second, std::min<int>(value.bits, 32));
    address = parts->first;
  }
  return own;
}

std::optional<SiteAddress> address_at(const PtxValues& values, ValueId id) {
  return id == no_value ? std::nullopt : std::optional(mapped_address(values, id));
}

// Bytes of "v4" and "b32" together.
std::int64_t stored_bytes(const OpcodeParts& parts) {
  std::int64_t bytes = 0, count = 1;
  for (std::size_t i = 2; i < parts.count; ++i) {
    if (parts.all[i] == "v2" || parts.all[i] == "v4") count = parts.all[i][1] - '0';
    else if (const OperandType type = operand_type(parts.all[i]); type.bits >= 8) bytes = type.bits / 8;
  }
  return bytes * count;
}

class ClusterSites {
 public:
  explicit ClusterSites(const PtxValues& values) : v_(values) {}

  std::vector<ClusterSite> find() {
    const auto& instructions = v_.kernel().instructions;
    for (std::uint32_t i = 0; i < instructions.size(); ++i) read(i, instructions[i]);
    return std::move(sites_);
  }

 private:
  void read(std::uint32_t index, const PtxInstruction& one) {
    const OpcodeParts parts(one.opcode);
    const bool is_remote = parts.has("shared::cluster");
    if (one.is("mapa")) map(index, one);
    else if (one.is("mbarrier") && is_remote) barrier(index, one, parts);
    else if (one.is("st.async") && is_remote) store(index, one, parts, ClusterAction::st_async);
    else if (one.is("red.async") && is_remote) store(index, one, parts, ClusterAction::red_async);
    else if (one.is("tcgen05.commit")) commit(index, one, parts);
    else if (one.is("clusterlaunchcontrol.try_cancel")) cancel(index, one, parts);
  }

  ClusterSite& add(std::uint32_t index, ClusterAction action, std::string form, ValueId address) {
    ClusterSite& site = sites_.emplace_back();
    static_cast<PtxSite&>(site) = site_at(v_.kernel(), index);
    site.action = action;
    site.form = std::move(form);
    site.address = address_at(v_, address);
    if (address != no_value) site.owner = owner_of(v_, address);
    return site;
  }

  std::optional<Bytes> bytes_of(ValueId value) const {
    const auto number = v_.number_of(value);
    return number ? std::optional(Bytes{static_cast<std::int64_t>(*number)}) : std::nullopt;
  }

  void map(std::uint32_t index, const PtxInstruction& one) {
    ClusterSite& site = add(index, ClusterAction::mapa, "mapa", v_.of_operand(one, 1));
    const SiteNumber rank = site_number(v_, v_.of_operand(one, 2), 32, false);
    site.owner = SiteOwner{"rank " + rank.text, rank.number};
  }

  // {state,} [barrier] {, count or bytes}
  void barrier(std::uint32_t index, const PtxInstruction& one, const OpcodeParts& parts) {
    const bool arrives = parts.has("arrive"), expects = parts.has("expect_tx"), completes = parts.has("complete_tx");
    if (!arrives && !expects && !completes) return;
    const std::size_t place = arrives ? 1 : 0;
    const ClusterAction action = expects     ? ClusterAction::expect_tx
                                 : completes ? ClusterAction::complete_tx
                                             : ClusterAction::arrive;
    ClusterSite& site = add(index, action, "", v_.of_operand(one, place));
    if (expects || completes) site.bytes = bytes_of(v_.of_operand(one, place + 1));
  }

  // [to], value, [barrier]
  void store(std::uint32_t index, const PtxInstruction& one, const OpcodeParts& parts, ClusterAction action) {
    ClusterSite& site =
        add(index, action, std::string(to_string(action)) + " to shared::cluster", v_.of_operand(one, 0));
    if (const std::int64_t bytes = stored_bytes(parts); bytes > 0) site.bytes = Bytes{bytes};
    site.barrier = address_at(v_, v_.of_operand(one, 2));
  }

  // [barrier] {, mask}
  void commit(std::uint32_t index, const PtxInstruction& one, const OpcodeParts& parts) {
    const bool is_wide = parts.has("multicast::cluster::32b");
    ClusterSite& site =
        add(index, ClusterAction::commit, is_wide ? "commit.multicast::cluster::32b" : "commit", v_.of_operand(one, 0));
    site.cta_group = parts.has("cta_group::2") ? 2 : parts.has("cta_group::1") ? 1 : 0;
    if (is_wide || parts.has("multicast::cluster")) site.mask = site_mask(v_, v_.of_operand(one, 1), is_wide ? 32 : 16);
  }

  // [to], [barrier]
  void cancel(std::uint32_t index, const PtxInstruction& one, const OpcodeParts& parts) {
    const bool is_all = parts.has("multicast::cluster::all");
    ClusterSite& site = add(index, ClusterAction::try_cancel,
                            is_all ? "try_cancel multicast::cluster::all" : "try_cancel", v_.of_operand(one, 0));
    site.reaches_all = is_all;
    site.bytes = Bytes{response_bytes};
    site.barrier = address_at(v_, v_.of_operand(one, 1));
  }

  const PtxValues& v_;
  std::vector<ClusterSite> sites_;
};

}  // namespace

std::optional<SiteOwner> owner_of(const PtxValues& values, ValueId address) {
  return owned_address(values, address).owner;
}

SiteAddress mapped_address(const PtxValues& values, ValueId address) {
  const OwnedAddress owned = owned_address(values, address);
  return owned.of == no_value ? site_address(values, address) : site_address(values, owned.of, 0, owned.added);
}

std::vector<ClusterSite> cluster_sites(const PtxValues& values) { return ClusterSites(values).find(); }

}  // namespace swz
