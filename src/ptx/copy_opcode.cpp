// SPDX-License-Identifier: Apache-2.0
#include "ptx/copy_opcode.hpp"

#include <algorithm>
#include <iterator>

namespace swz {

namespace {

constexpr std::string_view operations[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
constexpr std::string_view reduced_types[] = {"f16", "bf16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64"};
constexpr std::string_view spaces[] = {"shared::cluster", "shared::cta", "global", "L2"};

bool is_one_of(std::string_view part, const auto& all) { return std::ranges::find(all, part) != std::end(all); }

bool is_mode(std::string_view part) {
  constexpr std::string_view begins[] = {"tile", "im2col"};
  return std::ranges::any_of(begins, [&](std::string_view begin) { return part.starts_with(begin); });
}

// "2d": 2
int rank_in(std::string_view part) {
  return part.size() == 2 && part[1] == 'd' && part[0] >= '1' && part[0] <= '5' ? part[0] - '0' : 0;
}

void read_part(std::string_view part, CopyOpcode& out) {
  if (is_one_of(part, spaces)) {
    if (out.to.empty()) out.to = part;
    else if (out.from.empty()) out.from = part;
  } else if (const int rank = rank_in(part)) out.rank = rank;
  else if (is_mode(part)) out.mode = part;
  else if (part == "multicast::cluster" || part == "multicast::cluster::16b") out.mask_bits = 16;
  else if (part == "multicast::cluster::32b") out.mask_bits = 32;
  else if (part == "cta_group::1" || part == "cta_group::2") out.cta_group = part.back() - '0';
  else if (part == "L2::cache_hint") out.has_cache_policy = true;
  else if (part == "ignore_oob") out.ignores_oob = true;
  else if (part == "cp_mask") out.has_byte_mask = true;
  else if (part == "mbarrier::complete_tx::bytes") out.has_barrier = true;
  else if (is_one_of(part, operations)) out.operation = part;
  else if (is_one_of(part, reduced_types)) out.type = part;
}

TmaDirection direction_of(const OpcodeParts& parts, const CopyOpcode& copy) {
  if (parts.has("prefetch")) return TmaDirection::prefetch;
  if (parts.has("reduce")) return TmaDirection::reduce;
  if (copy.to == "global") return TmaDirection::store;
  return copy.from == "shared::cta" ? TmaDirection::copy : TmaDirection::load;
}

std::string tensor_form(const CopyOpcode& copy) {
  std::string form = std::string(copy.mode) + ' ' + std::string(to_string(copy.direction));
  // The modes of the first targets go to both spaces.
  const bool is_first = copy.mode == "tile" || copy.mode == "im2col";
  if (copy.direction == TmaDirection::load && !is_first) form += " to " + std::string(copy.to);
  return form;
}

std::string bulk_form(const OpcodeParts& parts, const CopyOpcode& copy) {
  std::string form = parts.first() == "multimem" ? "multimem bulk " : "bulk ";
  if (copy.ignores_oob) form += "ignore_oob ";
  if (parts.has("relaxed")) form += "relaxed ";
  if (copy.has_byte_mask) form += "cp_mask ";
  form += to_string(copy.direction);
  if (copy.direction != TmaDirection::prefetch && copy.to != "global") form += " to " + std::string(copy.to);
  return form;
}

std::vector<std::string> forms_of(const OpcodeParts& parts, const CopyOpcode& copy) {
  const bool is_tensor = copy.rank > 0;
  std::vector<std::string> forms = {is_tensor ? tensor_form(copy) : bulk_form(parts, copy)};
  const std::string to = " load to " + std::string(copy.to), direction(to_string(copy.direction));
  const std::string begin = is_tensor ? "" : "bulk ";
  if (copy.mask_bits == 16) forms.push_back(begin + "multicast" + to);
  if (copy.mask_bits == 32) forms.push_back(begin + "multicast::cluster::32b" + to);
  if (copy.cta_group != 0) forms.push_back("cta_group" + to);
  for (std::size_t i = 2; i < parts.count; ++i) {
    const std::string_view part = parts.all[i];
    if (part.starts_with("mbarrier::report")) forms.push_back("mbarrier::report " + direction);
    if (part.starts_with("override::global_dim")) forms.push_back("override::global_dim " + direction);
    if (part == "override::global_address") forms.push_back("override::global_address " + direction);
  }
  return forms;
}

}  // namespace

std::optional<CopyOpcode> copy_opcode(std::string_view opcode) {
  const OpcodeParts parts(opcode);
  const bool is_copy = parts.first() == "cp" || (parts.first() == "multimem" && parts.has("cp"));
  if (!is_copy || !parts.has("bulk") || parts.has("commit_group") || parts.has("wait_group")) return std::nullopt;
  CopyOpcode out;
  for (std::size_t i = 1; i < parts.count; ++i) read_part(parts.all[i], out);
  if (out.rank > 0 && out.mode.empty()) out.mode = "tile";
  out.direction = direction_of(parts, out);
  out.forms = forms_of(parts, out);
  return out;
}

int CopyOpcode::coordinates() const {
  if (mode == "tile::gather4" || mode == "tile::scatter4") return 5;
  return mode == "tile" || mode.starts_with("im2col") ? rank : 0;
}

int CopyOpcode::offsets() const {
  if (mode == "im2col") return rank - 2;
  return mode == "im2col::w" || mode == "im2col::w::128" ? 2 : 0;
}

CopyOpcode::Places CopyOpcode::places() const {
  Places at;
  int next = 0;
  const bool loads = direction == TmaDirection::load, prefetches = direction == TmaDirection::prefetch;
  const bool is_remote = !prefetches && !loads && to == "shared::cluster";
  int& first = loads ? at.shared : is_remote ? at.remote : at.map;
  first = next++;
  if (!prefetches) (loads ? at.map : at.shared) = next++;
  if (rank == 0) at.bytes = next++;
  if (ignores_oob) {
    at.ignored = next;
    next += 2;
  }
  if (has_barrier) at.barrier = next++;
  if (offsets() > 0) at.offsets = next++;
  if (mask_bits > 0) at.mask = next++;
  if (has_cache_policy) ++next;
  if (has_byte_mask) at.byte_mask = next++;
  return at;
}

}  // namespace swz
