// SPDX-License-Identifier: Apache-2.0
// Forms that the kernel's target does not have, masks and ranks beyond its cluster.
//
//   .target sm_120a                cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4…    to shared::cta only
//   .reqnctapercluster 2, 1, 1     a multicast mask of 0x5                                          there is no rank 2
//
// A form is illegal if ptxas takes it on no target, or not on the row of the kernel's. A target without a letter has no
// more than the one with the letter a. Machine code has passed ptxas: its forms are not looked at. A bit of a mask that
// is not known is not beyond anything.
#include <algorithm>

#include "arch/tcgen05.hpp"
#include "arch/tma_form.hpp"
#include "base/text.hpp"
#include "cluster/mask_fault.hpp"
#include "ptx/copy_opcode.hpp"
#include "ptx/kernel_parts.hpp"

namespace swz {

namespace {

std::string in_line(const PtxSite& site) { return "line " + std::to_string(site.line) + ": "; }

bool is_known_mode(const std::string& mode) {
  constexpr std::string_view modes[] = {"tile",      "tile::gather4",  "tile::scatter4", "im2col",
                                        "im2col::w", "im2col::w::128", "im2col_no_offs", "im2col_no_offs::w"};
  return mode.empty() || std::ranges::find(modes, mode) != std::end(modes);
}

// The row of the same mode and direction, or of the same mode, that this target has.
std::string nearest_form(const std::string& form, const Target& target) {
  const std::string mode = form.substr(0, form.find(' '));
  const std::string begin = form.substr(0, form.find(" to "));
  for (const std::string& wanted : {begin + " ", begin, mode + " "})
    for (const TmaForm& row : tma_forms())
      if (row.name != form && (row.name == wanted || row.name.starts_with(wanted)) && runs_on(row.availability, target))
        return quoted(row.name);
  return {};
}

void add_form(const PtxSite& site, const std::string& form, const Availability* availability, std::string_view source,
              const Target& target, std::vector<Finding>& findings) {
  if (availability != nullptr && runs_on(*availability, target)) return;
  const std::string nearest = nearest_form(form, target);
  const std::string where = availability == nullptr ? "no target has it" : "it needs " + to_string(*availability);
  findings.push_back(lint("tma-form",
                          in_line(site) + quoted(form) + " does not exist on " + std::string(target.name) + ": " +
                              where + " (" + std::string(source) + ")",
                          nearest.empty() ? "swz arch tma lists the forms" : "this target has " + nearest));
}

void add_copy_form(const TmaSite& site, const Target& target, std::vector<Finding>& findings) {
  if (!is_known_mode(site.mode)) return;
  for (const std::string& form : site.forms) {
    const TmaForm* row = find_tma_form(form);
    const std::size_t before = findings.size();
    add_form(site, form, row == nullptr ? nullptr : &row->availability,
             row == nullptr ? "ptxas 13.5.37" : row->source.where, target, findings);
    if (findings.size() > before) return;
  }
}

void add_site_form(const ClusterSite& site, const Target& target, std::vector<Finding>& findings) {
  if (site.form.empty()) return;
  if (site.action == ClusterAction::commit) {
    const Tcgen05Operation& row = tcgen05_operation(site.form);
    return add_form(site, "tcgen05." + site.form, &row.availability, row.source.where, target, findings);
  }
  if (const TmaForm* row = find_tma_form(site.form))
    add_form(site, site.form, &row->availability, row->source.where, target, findings);
}

// The row of a field that tensormap.replace writes: of elemtype and swizzle_mode it depends on the number.
std::string replace_form(const OpcodeParts& parts, std::optional<std::uint64_t> number) {
  const std::string base = "tensormap.replace";
  if (parts.has("swizzle_atomicity")) return base + " swizzle_atomicity";
  if (!number) return base;
  if (parts.has("elemtype")) return base + (*number <= 12 ? " elemtype 0 to 12" : " elemtype 13 to 15");
  if (parts.has("swizzle_mode")) return base + (*number <= 3 ? " swizzle_mode 0 to 3" : " swizzle_mode 4, 96B");
  return base;
}

void add_replace_forms(const PtxValues& values, const Target& target, std::vector<Finding>& findings) {
  const auto& instructions = values.kernel().instructions;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    const PtxInstruction& one = instructions[i];
    if (!one.is("tensormap.replace") || one.operands == 0) continue;
    const std::string form =
        replace_form(OpcodeParts(one.opcode), values.number_of(values.of_operand(one, one.operands - 1)));
    const TmaForm& row = *find_tma_form(form);
    add_form(site_at(values.kernel(), i), form, &row.availability, row.source.where, target, findings);
  }
}

// A copy of rank 2 with three coordinates, im2col of rank 2: ptxas refuses both.
void add_counts(const TmaSite& site, const CopyOpcode& copy, std::vector<Finding>& findings) {
  if (site.rank == 0 || copy.coordinates() == 0) return;
  const bool gathers = site.mode == "tile::gather4" || site.mode == "tile::scatter4";
  if (gathers ? site.rank != 2 : site.mode != "tile" && site.rank < 3)
    findings.push_back(lint("tma-form", in_line(site) + site.mode + " does not exist with rank " +
                                            std::to_string(site.rank) + (gathers ? ": it is 2" : ": it is 3 to 5")));
  else if (std::ssize(site.coordinates) != copy.coordinates())
    findings.push_back(lint("tma-form", in_line(site) + site.mode + " of rank " + std::to_string(site.rank) +
                                            " takes " + plural(copy.coordinates(), "coordinate") + "; here are " +
                                            std::to_string(site.coordinates.size())));
}

std::string cluster_text(const PtxCluster& cluster) {
  return cluster.shape ? "a cluster of " + to_string(*cluster.shape)
                       : "clusters of at most " + plural(*cluster.most, "CTA");
}

void add_mask(const PtxSite& site, const SiteMask& mask, const PtxCluster& cluster, std::vector<Finding>& findings) {
  if (mask.is_known() && mask.named() == 0)
    findings.push_back(lint("mask-empty", in_line(site) + "the mask is 0: it names no CTA"));
  if (!cluster.most || *cluster.most >= 32) return;
  const ClusterMask inside = (ClusterMask{1} << *cluster.most) - 1, beyond = mask.named() & ~inside;
  if (beyond == 0) return;
  std::vector<std::string> ranks;
  for (const int rank : ranks_in(beyond)) ranks.push_back(std::to_string(rank));
  findings.push_back(
      lint("mask-beyond-cluster",
           in_line(site) + "the mask names " + (ranks.size() == 1 ? "rank " : "ranks ") + join_and(ranks) + "; " +
               cluster_text(cluster) + " has ranks 0 to " + std::to_string(*cluster.most - 1),
           (mask.is_known() ? "inside of it: " + mask_text(mask.named() & inside) + "; " : "") + mask_fault_text()));
}

void add_rank(const PtxSite& site, const std::optional<SiteOwner>& owner, const PtxCluster& cluster,
              std::vector<Finding>& findings) {
  if (!owner || !owner->rank || !cluster.most || *owner->rank < *cluster.most) return;
  findings.push_back(lint("rank-beyond-cluster", in_line(site) + "the address is mapped to rank " +
                                                     std::to_string(*owner->rank) + "; " + cluster_text(cluster) +
                                                     " has ranks 0 to " + std::to_string(*cluster.most - 1)));
}

}  // namespace

void add_cluster_findings(const KernelReport& report, const PtxValues& values, std::vector<Finding>& findings) {
  const bool asks_forms = report.target != nullptr && !values.module().is_machine_code();
  if (asks_forms) add_replace_forms(values, *report.target, findings);
  for (const TmaSite& site : report.tma) {
    if (asks_forms) {
      add_copy_form(site, *report.target, findings);
      add_counts(site, *copy_opcode(site.opcode), findings);
    }
    if (site.mask) add_mask(site, *site.mask, report.runs_in, findings);
  }
  for (const ClusterSite& site : report.cluster) {
    if (asks_forms) add_site_form(site, *report.target, findings);
    if (site.mask) add_mask(site, *site.mask, report.runs_in, findings);
    if (site.action == ClusterAction::mapa) add_rank(site, site.owner, report.runs_in, findings);
  }
}

}  // namespace swz
