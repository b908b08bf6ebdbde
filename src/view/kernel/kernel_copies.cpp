// SPDX-License-Identifier: Apache-2.0
// What is known of a bulk copy, and of what else reaches the shared memory of another CTA.
//
//   copy         load, rank 2, multicast
//   form         tile load; multicast load to shared::cluster
//   coordinates  64*%r5, 128*%r7 + 64
//   mask         0x3: ranks 0 (0, 0), 1 (1, 0); multicast of B of ranks 0, 1, cta_group::1
//   barrier      bar + 8, a multiple of 8 B
//
// Who receives, and what a mask is, are the answers of `swz cluster`.
#include <fmt/format.h>

#include "base/text.hpp"
#include "view/cluster/cluster.hpp"
#include "view/kernel/kernel_parts.hpp"

namespace swz {

namespace {

Json number_json(const SiteNumber& of) { return {{"text", of.text}, {"number", of.number}}; }
Json numbers_json(const std::vector<SiteNumber>& all) { return json_list(all, number_json); }

// "64*%r5, 128*%r7 + 64"
std::string numbers_text(const std::vector<SiteNumber>& all) {
  std::string text;
  for (const SiteNumber& one : all) text += (text.empty() ? "" : ", ") + readable(one.text);
  return text;
}

Json owner_json(const std::optional<SiteOwner>& owner) {
  if (!owner) return nullptr;
  return {{"text", owner->text}, {"rank", owner->rank}};
}

// ---- masks

// What a mask that is known is in the kernel's cluster. nullopt: either is not known.
std::optional<std::string> meaning_of(const SiteMask& mask, const PtxCluster& cluster, int cta_group) {
  if (!mask.is_known() || !cluster.shape || mask.named() == 0) return std::nullopt;
  if (cluster.shape->size() < 32 && mask.named() >> cluster.shape->size() != 0) return std::nullopt;
  // cta_group::2 in a cluster without pairs is another mistake.
  return mask_verdict(meanings(mask.named(), *cluster.shape, cluster.shape->x % 2 == 0 ? cta_group : 0));
}

// "0x3: ranks 0 (0, 0), 1 (1, 0)"; "not known: 1 << %r5"; "%r5 | 1: rank 0 in any case, the others are not known"
std::string mask_line(const SiteMask& mask, const PtxCluster& cluster) {
  if (mask.is_known() && mask.named() == 0) return "0x0: no CTA";
  // Ranks beyond the cluster have no place in it.
  const bool is_inside = cluster.shape && (*cluster.most >= 32 || mask.named() >> *cluster.most == 0);
  const std::string named =
      mask.named() == 0 ? "" : receivers_text({mask.named(), is_inside ? cluster.shape : std::nullopt});
  if (mask.is_known()) return fmt::format("{}: {}", mask_text(mask.named()), named);
  const std::string text = readable(mask.text);
  if (named.empty()) return text == "not known" ? text : fmt::format("not known: {}", text);
  return fmt::format("{}: {} in any case, the others are not known", text, named);
}

void add_mask(Document& d, const std::optional<SiteMask>& mask, const PtxCluster& cluster, int cta_group) {
  if (!mask) {
    d.json("mask", nullptr);
    return;
  }
  const std::optional<std::string> meaning = meaning_of(*mask, cluster, cta_group);
  const std::string line = mask_line(*mask, cluster);
  d.line("mask", meaning ? fmt::format("{}; {}", line, *meaning) : line);
  d.json("mask.text", mask->text);
  d.json("mask.word", mask_text(mask->named()));
  d.json("mask.known_bits", mask_text(static_cast<ClusterMask>(mask->word.known)));
  d.json("mask.receivers", mask->is_known() ? Json(ranks_in(mask->named())) : Json());
  d.json("mask.is", meaning ? Json(*meaning) : Json());
}

// ---- bulk copies

// "load, rank 2, im2col, 4096 B, mask 0x3"
std::string copy_text(const TmaSite& site) {
  std::string text(to_string(site.direction));
  if (!site.operation.empty()) text += fmt::format(" {}", site.operation);
  if (site.rank > 0) text += fmt::format(", rank {}{}", site.rank, site.mode == "tile" ? "" : ", " + site.mode);
  if (site.bytes) text += fmt::format(", {} B", site.bytes->count);
  if (site.cta_group != 0) text += fmt::format(", cta_group::{}", site.cta_group);
  if (!site.mask) return text;
  return text + (site.mask->is_known() ? fmt::format(", mask {}", mask_text(site.mask->named())) : ", multicast");
}

// A field that is not known is null, as is each extent of the box.
Json built_json(const BuiltTensorMap& built) {
  const auto known = [&](std::string_view field, const auto& value, std::size_t place = 0) {
    return built.knows(field, place) ? Json(value) : Json();
  };
  Json box = Json::array(), steps = Json::array();
  const int rank = built.knows("rank") ? built.map.dim_count() : 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) {
    box.push_back(known("box_dim", built.map.box[i], i));
    steps.push_back(known("element_stride", built.map.element_strides[i], i));
  }
  return {{"line", built.line},
          {"written_at", built.written_at},
          {"dtype", known("elemtype", short_name(built.map.data_type))},
          {"rank", known("rank", built.map.rank)},
          {"box", box},
          {"element_strides", steps},
          {"interleave", known("interleave_layout", short_name(built.map.interleave))},
          {"swizzle", known("swizzle_mode", short_name(built.map.swizzle))}};
}

// "f16 box 64x128, swizzle 128B, written from line 70 on"
std::string built_text(const BuiltTensorMap& built) {
  std::string box;
  for (std::size_t i = 0; i < static_cast<std::size_t>(built.map.dim_count()); ++i)
    box += (i == 0 ? "" : "x") + (built.knows("box_dim", i) ? std::to_string(built.map.box[i]) : "?");
  return fmt::format("{} box {}, swizzle {}, written from line {} on",
                     built.knows("elemtype") ? short_name(built.map.data_type) : "?",
                     box.empty() || !built.knows("rank") ? "?" : box,
                     built.knows("swizzle_mode") ? short_name(built.map.swizzle) : "?", built.line);
}

// "bar + 8, of rank 1"
std::string with_owner(std::string text, const std::optional<SiteOwner>& owner) {
  return owner ? fmt::format("{}, of {}", text, owner->text) : text;
}

void add_place(Document& d, const std::string& key, const std::string& label, const std::optional<SiteAddress>& address,
               const std::optional<SiteOwner>& owner) {
  if (address) d.line(label, with_owner(aligned_text(*address), owner));
  add_address(d, key, address);
}

void add_copied(Document& d, const TmaSite& site) {
  if (!site.coordinates.empty()) d.line("coordinates", numbers_text(site.coordinates));
  d.field("coordinates", "", numbers_json(site.coordinates), numbers_text(site.coordinates));
  if (!site.offsets.empty()) d.line(site.mode == "im2col" ? "offsets" : "halo, offset", numbers_text(site.offsets));
  d.json("offsets", numbers_json(site.offsets));
  if (!site.ignored.empty()) d.line("ignored", numbers_text(site.ignored) + " B at the left and the right");
  d.json("ignored", numbers_json(site.ignored));
  d.known("byte_mask", "bytes of 16", site.byte_mask ? number_json(*site.byte_mask) : Json(),
          site.byte_mask ? readable(site.byte_mask->text) : "");
  d.known("bytes", "bytes", bytes_json(site.bytes));
}

}  // namespace

Document facts_of(const PtxModule& module, const KernelReport& kernel, const TmaSite& site) {
  const BuiltTensorMap* built = site.built ? &kernel.maps[*site.built] : nullptr;
  const std::string map = readable(site.map);
  Document d = facts_of_every_kind(module, site);
  d.line("copy", fmt::format("{}{}{}", to_string(site.direction), site.operation.empty() ? "" : " " + site.operation,
                             site.rank > 0 ? fmt::format(", rank {}, {}", site.rank, site.mode) : ""));
  d.field("direction", "", to_string(site.direction), copy_text(site));
  d.json("rank", or_null(site.rank)).json("mode", or_null(site.mode)).json("operation", or_null(site.operation));
  d.field("forms", "form", Json(site.forms), fmt::format("{}", fmt::join(site.forms, "; ")));
  d.json("cta_group", or_null(site.cta_group));
  add_place(d, "shared", "shared memory", site.shared, site.remote ? std::nullopt : site.owner);
  add_place(d, "remote", "other CTA", site.remote, site.owner);
  d.json("owner", owner_json(site.owner));
  if (!map.empty()) d.line("tensor map", map);
  d.field("map", "", or_null(site.map), built != nullptr && !map.empty() ? built_text(*built) : map);
  d.known("built", "  holds", built ? built_json(*built) : Json(), built ? built_text(*built) : "");
  add_copied(d, site);
  d.json("multicast", site.multicast);
  add_mask(d, site.mask, kernel.runs_in, site.cta_group);
  add_place(d, "barrier", "barrier", site.barrier, site.barrier_owner);
  d.json("barrier_owner", owner_json(site.barrier_owner));
  return d;
}

Document facts_of(const PtxModule& module, const KernelReport& kernel, const ClusterSite& site) {
  Document d = facts_of_every_kind(module, site);
  const std::string group = site.cta_group == 0 ? "" : fmt::format(", cta_group::{}", site.cta_group);
  const std::string all = site.reaches_all ? ", to every CTA" : "";
  d.line("action", fmt::format("{}{}{}", to_string(site.action), group, all));
  d.field("action", "", to_string(site.action), fmt::format("{}{}{}", to_string(site.action), group, all));
  d.json("form", or_null(site.form)).json("cta_group", or_null(site.cta_group)).json("reaches_all", site.reaches_all);
  add_place(d, "address", "address", site.address, std::nullopt);
  d.known("owner", site.action == ClusterAction::mapa ? "maps to" : "of", owner_json(site.owner),
          site.owner ? site.owner->text : "");
  d.known("bytes", "bytes", bytes_json(site.bytes));
  add_mask(d, site.mask, kernel.runs_in, site.cta_group);
  add_place(d, "barrier", "barrier", site.barrier, std::nullopt);
  return d;
}

std::string cluster_cell(const ClusterSite& site, const PtxCluster& cluster) {
  if (site.mask) return mask_line(*site.mask, cluster);
  if (site.reaches_all) return "every CTA";
  return site.owner ? readable(site.owner->text) : "";
}

}  // namespace swz
