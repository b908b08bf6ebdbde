// SPDX-License-Identifier: Apache-2.0
// What is wrong with a kernel as a whole, as no single site shows it.
#include <algorithm>
#include <map>

#include "arch/tcgen05.hpp"
#include "arch/tensor_memory.hpp"
#include "base/text.hpp"
#include "ptx/kernel_parts.hpp"
#include "ptx/opcode.hpp"

namespace swz {

namespace {

std::string in_line(std::uint32_t line) { return "line " + std::to_string(line); }

double excess(const SmemSite& site) { return site.wavefronts ? *site.wavefronts - *site.ideal : 0; }

// ptxas may join it with its neighbours to an access without a conflict.
bool may_be_mended(const SmemSite& site) {
  return site.may_join && site.may_join->wavefronts && *site.may_join->wavefronts <= *site.may_join->ideal;
}

std::string count_text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

void add_conflict(const KernelReport& report, std::vector<Finding>& findings) {
  if (!report.conflict) return;
  const SmemSite& worst = report.smem[*report.conflict];
  const auto alike = [&](const SmemSite& site) {
    return excess(site) > 0 && may_be_mended(site) == may_be_mended(worst);
  };
  Finding finding = conflict_finding(worst, std::ranges::count_if(report.smem, alike) - 1);
  finding.message.insert(0, in_line(worst.line) + ": ");
  findings.push_back(std::move(finding));
}

void add_size(const KernelReport& report, std::vector<Finding>& findings) {
  if (report.target == nullptr) return;
  std::int64_t bytes = 0;
  for (const PtxSymbol& symbol : report.shared)
    if (symbol.bytes)
      bytes = (bytes + symbol.alignment - 1) / symbol.alignment * symbol.alignment + symbol.bytes->count;
  // ptxas refuses more; more must be requested at launch. The row of sm_90a has also what is compiled for sm_90, which
  // has 48 KiB of arrays as every target that is not of one architecture.
  const bool is_of_row = report.target_name == report.target->name;
  const std::int64_t most_static = is_of_row ? report.target->static_smem.count : 48 * 1024;
  if (bytes > most_static)
    findings.push_back(lint("static-shared",
                            "the declared arrays have " + std::to_string(bytes) + " B; ptxas takes at most " +
                                std::to_string(most_static) + " B",
                            "take an extern array, and cudaFuncSetAttribute for that many: up to " +
                                std::to_string(report.target->max_smem_per_cta.count) + " B"));
}

void add_copies(const KernelReport& report, std::vector<Finding>& findings) {
  for (const TmaSite& site : report.tma) {
    if (const BuiltTensorMap* map = site.built ? &report.maps[*site.built] : nullptr;
        map != nullptr && map->knows("rank") && map->map.rank != site.rank)
      findings.push_back(lint("copy-rank", in_line(site.line) + ": a copy of rank " + std::to_string(site.rank) +
                                               " by the tensor map that line " + std::to_string(map->line) +
                                               " begins, of rank " + std::to_string(map->map.rank)));
    if (!site.shared || !site.shared->offset) continue;
    const std::int64_t wanted = site.rank > 0 ? 128 : 16;
    if (site.shared->offset->count % wanted == 0) continue;
    const bool is_aligned = std::ranges::any_of(report.shared, [&](const PtxSymbol& symbol) {
      return symbol.name.data() == site.shared->symbol.data() && symbol.alignment >= wanted;  // not another of its name
    });
    if (!is_aligned) continue;
    findings.push_back(lint("copy-alignment", in_line(site.line) + ": the copy's place " + site.shared->text +
                                                  " is not a multiple of " + std::to_string(wanted) + " B"));
  }
}

// A number of columns that cannot be allocated. ptxas takes every multiple of 32 for alloc.exclusive.
void add_columns(const KernelReport& report, std::vector<Finding>& findings) {
  for (const TmemSite& site : report.tmem) {
    const OpcodeParts parts(site.opcode);
    if (site.action != "alloc" || !site.columns) continue;
    const bool is_exclusive = parts.has("exclusive");
    const int of_target =
        report.target == nullptr || report.target->tmem_columns == 0 ? most_tmem_columns : report.target->tmem_columns;
    const int columns = static_cast<int>(std::min<std::int64_t>(*site.columns, 1 << 20));
    if (is_exclusive ? is_exclusive_allocation(columns, of_target) : is_allocation(columns)) continue;
    findings.push_back(
        lint("tmem-columns", in_line(site.line) + ": tcgen05.alloc" + (is_exclusive ? ".exclusive" : "") + " of " +
                                 std::to_string(*site.columns) + " columns: it must be " +
                                 (is_exclusive ? "a multiple of 32 from 32 to " + std::to_string(of_target)
                                               : "a power of two from 32 to 512")));
  }
}

// Accesses that may or may not be to shared memory, as in code that is compiled for a debugger.
void add_generic(const KernelReport& report, const PtxValues& values, std::vector<Finding>& findings) {
  const auto& all = values.kernel().instructions;
  std::int64_t count = std::ranges::count_if(all, has_generic_address);
  count -= std::ranges::count_if(report.smem,
                                 [&](const SmemSite& site) { return has_generic_address(all[site.instruction]); });
  if (count == 0) return;
  findings.push_back(note(
      "generic-address",
      std::to_string(count) +
          " accesses have generic addresses: whether they are to shared memory is not known, and they are not listed",
      "code compiled with optimisation names the state space"));
}

// Of machine code: opcodes after which nothing is known of any register.
void add_unknown_opcodes(const PtxValues& values, std::vector<Finding>& findings) {
  std::vector<std::string> names;
  for (const PtxInstruction& instruction : values.kernel().instructions) {
    if (instruction.opcode != "sass_unknown.registers" || instruction.written.starts_with("CALL")) continue;
    const std::string name(instruction.written.substr(0, instruction.written.find('.')));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (names.empty()) return;
  findings.push_back(note("unknown-opcode", "swz does not know " + join_and(names) + "; after " +
                                                (names.size() == 1 ? "it" : "them") + " no register is known"));
}

}  // namespace

Finding conflict_finding(const SmemSite& site, std::int64_t others) {
  std::string message = site.access + (site.counts_all_lanes ? " takes up to " : " takes ") +
                        count_text(*site.wavefronts) + " wavefronts per warp where " + count_text(*site.ideal) +
                        " would do" +
                        (others == 1  ? ", and 1 more access has a conflict"
                         : others > 1 ? ", and " + std::to_string(others) + " more accesses have conflicts"
                                      : "");
  const bool is_mended = may_be_mended(site);
  if (site.may_join) {
    const JoinedAccess& joined = *site.may_join;
    message += "; ptxas may make one " + std::string(joined.access) + " of it and its neighbours";
    if (is_mended) message += ", which has no conflict";
    else if (joined.wavefronts)
      message +=
          ", which takes " + count_text(*joined.wavefronts) + " where " + count_text(*joined.ideal) + " would do";
  }
  if (is_mended) return note("bank-conflict", message, "cuobjdump -sass shows what ptxas made of it");
  return lint("bank-conflict", message, "swz swizzle find looks for a swizzle; a padded pitch is the other way");
}

std::optional<std::size_t> worst_conflict(const KernelReport& report) {
  std::optional<std::size_t> worst;
  const auto rank = [&](std::size_t i) { return std::pair(!may_be_mended(report.smem[i]), excess(report.smem[i])); };
  for (std::size_t i = 0; i < report.smem.size(); ++i)
    if (excess(report.smem[i]) > 0 && (!worst || rank(i) > rank(*worst))) worst = i;
  return worst;
}

std::vector<Finding> kernel_findings(const KernelReport& report, const PtxValues& values) {
  std::vector<Finding> findings = tensor_map_findings(report.maps, report.target);
  add_size(report, findings);
  add_copies(report, findings);
  add_columns(report, findings);
  add_cluster_findings(report, values, findings);
  add_transaction_findings(report, values, findings);
  add_generic(report, values, findings);
  add_unknown_opcodes(values, findings);
  add_conflict(report, findings);
  return findings;
}

}  // namespace swz
