// SPDX-License-Identifier: Apache-2.0
// What is wrong with an MMA, for titles and pictures: a finding once for both operands, the one of the k loop first.
//
//   findings   start-off-pattern  A: the start with base offset 0 lies 32 B past …
//              start-off-pattern  B: the same
//              advance-past-atom  A of the MMAs in lines 272 to 329: +32 B a step (field +2) leaves the 32 B line …
//              advance-past-atom  B of the MMAs in lines 272 to 329: the same
//   faults     advance-past-atom, A and B, of lines 272 to 329; start-off-pattern, A and B
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "descriptor/smem_descriptor.hpp"
#include "view/document/headline.hpp"
#include "view/kernel/kernel_parts.hpp"

namespace swz {
namespace {

// "A of the MMAs in lines 272 to 329: +32 B …" and "A: the start …" without what the finding is of.
MmaFault fault_of(const Finding& finding) {
  MmaFault fault{finding.rule, {}, readable(finding.message), finding.hint, {}};
  const std::string loop = " of the MMAs in ";
  const auto colon = fault.message.find(": ");
  const bool is_of_operand = fault.message.starts_with("A") || fault.message.starts_with("B");
  if (!is_of_operand || colon == fault.message.npos) return fault;
  if (fault.message.compare(1, loop.size(), loop) == 0)
    fault.loop = fault.message.substr(1 + loop.size(), colon - 1 - loop.size());
  else if (colon != 1) return fault;
  fault.operands = fault.message.substr(0, 1);
  fault.message.erase(0, colon + 2);
  return fault;
}

// Without what a picture leaves to the text: the field of a word, and how far it is to the next atom.
std::string without_fields(std::string text) {
  if (const auto at = text.find(" (field "); at != text.npos) text.erase(at, text.find(')', at) + 1 - at);
  return text.substr(0, text.find(", rows / 8 x SBO"));
}

}  // namespace

std::vector<MmaFault> faults_of(const MmaSite& site) {
  std::vector<MmaFault> faults;
  for (const Finding& finding : site.findings) {
    if (finding.severity == Severity::note) continue;
    MmaFault fault = fault_of(finding);
    const auto same = std::ranges::find_if(faults, [&](const MmaFault& other) {
      return other.rule == fault.rule && other.message == fault.message && other.loop == fault.loop &&
             other.operands != fault.operands;
    });
    if (same == faults.end()) faults.push_back(std::move(fault));
    else same->operands += " and " + fault.operands;
  }
  std::stable_partition(faults.begin(), faults.end(), [](const MmaFault& fault) { return !fault.loop.empty(); });
  return faults;
}

std::string headline_of(const MmaFault& fault, const std::string& place) {
  const std::string message = without_fields(fault.message);
  const std::string both = place + (place.empty() || fault.operands.empty() ? "" : ", ") + fault.operands;
  const std::string part = short_sentence(message);
  std::vector<std::string> texts{message};
  constexpr std::size_t whole_thought = 24;
  if (part.size() >= whole_thought) texts.push_back(part);
  const auto rule = std::ranges::find(smem_rules(), fault.rule, &DescriptorRule<SmemDescriptor>::name);
  if (rule != smem_rules().end()) texts.push_back(short_sentence(std::string(rule->what)));
  for (const std::string& text : texts)
    for (const std::string& of : {both, place, fault.operands, std::string()}) {
      const std::string all = of + (of.empty() ? "" : ": ") + text;
      if (all.size() <= headline_letters && all.find(": ") == all.rfind(": ")) return all;
    }
  return part.size() <= headline_letters || both.empty() ? part : both + ": a mistake";
}

std::string told_fault(const MmaFault& fault, bool says_way_out) {
  const std::string hint = without_options(fault.hint);
  const std::string said = without_fields(says_way_out && !hint.empty() ? hint : fault.message);
  return fault.operands.empty() ? said : fmt::format("{}: {}", fault.operands, said);
}

std::vector<std::vector<const MmaSite*>> runs_of(const KernelReport& kernel) {
  const auto terms = [](const MmaOperandSite& of) { return of.start ? readable(of.start->terms) : ""; };
  const auto common = [&](const MmaSite& site) {
    return std::tuple(site.opcode, site.mma, operand_text(site.a), operand_text(site.b), terms(site.a), terms(site.b));
  };
  std::vector<std::vector<const MmaSite*>> runs;
  for (const MmaSite& site : kernel.mma) {
    if (runs.empty() || common(*runs.back().front()) != common(site)) runs.emplace_back();
    runs.back().push_back(&site);
  }
  return runs;
}

}  // namespace swz
