// SPDX-License-Identifier: Apache-2.0
#include "view/kernel/kernel_sarif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/mangled_name.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "view/kernel/kernel_parts.hpp"

namespace swz {

namespace {

// The names of levels in SARIF.
std::string_view level_name(Severity severity) {
  switch (severity) {
    case Severity::format: return "error";
    case Severity::lint: return "warning";
    default: return "note";
  }
}

// A path as a reference of RFC 3986.
std::string uri_of(std::string_view path) {
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path)
    if (is_word(c) || std::string_view("/.-~").find(c) != std::string_view::npos) out += c;
    else out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

struct SarifPlace {
  std::string file;
  std::uint32_t line = 0;                    // 0: of no line
  std::optional<std::uint32_t> offset = {};  // in the code of the kernel, in bytes

  auto operator<=>(const SarifPlace&) const = default;
};

// What is found at one place.
struct SarifResult {
  Severity severity = Severity::note;
  std::string message;
  std::string hint;
  double excess = 0;  // of an access with a conflict: wavefronts too many
  std::int64_t count = 1;
};

using ResultsByPlace = std::map<std::pair<SarifPlace, std::string>, SarifResult>;  // by place and rule

SarifPlace place_of(const KernelText& text, const PtxSite& site) {
  const std::vector<std::string_view>& files = text.module.files;
  if (site.source.line != 0 && site.source.file < files.size() && !files[site.source.file].empty())
    return {std::string(files[site.source.file]), site.source.line};
  if (text.is_disassembled) return {text.name, 0, site.offset};
  return {text.name, site.line};
}

void add_result(ResultsByPlace& results, SarifPlace place, const std::string& rule, SarifResult result) {
  const auto [entry, is_new] = results.try_emplace({std::move(place), rule}, result);
  if (is_new) return;
  SarifResult& known = entry->second;
  result.count = known.count + 1;
  if (result.excess > known.excess) known = std::move(result);
  else known.count = result.count;
}

SarifResult result_of(const Finding& finding) { return {finding.severity, readable(finding.message), finding.hint}; }

ResultsByPlace results_of(const KernelText& text, const KernelReport& kernel) {
  ResultsByPlace results;
  for (const Finding& finding : kernel.findings)
    if (finding.rule != "bank-conflict") add_result(results, {text.name}, finding.rule, result_of(finding));
  for (const MmaSite& site : kernel.mma)
    for (const Finding& finding : site.findings)
      add_result(results, place_of(text, site), finding.rule, result_of(finding));
  for (const SmemSite& site : kernel.smem) {
    if (!site.wavefronts || *site.wavefronts <= *site.ideal) continue;
    SarifResult result = result_of(conflict_finding(site));
    result.excess = *site.wavefronts - *site.ideal;
    add_result(results, place_of(text, site), "bank-conflict", std::move(result));
  }
  return results;
}

Json location_json(const SarifPlace& place, const KernelReport& kernel) {
  Json physical{{"artifactLocation", {{"uri", uri_of(place.file)}}}};
  if (place.line != 0) physical["region"] = Json{{"startLine", place.line}};
  if (place.offset) physical["address"] = Json{{"offsetFromParent", *place.offset}, {"kind", "instruction"}};
  const Json function{{"name", name_path(kernel.name)}, {"fullyQualifiedName", kernel.name}, {"kind", "function"}};
  return {{"physicalLocation", physical}, {"logicalLocations", Json::array({function})}};
}

Json result_json(const SarifPlace& place, const std::string& rule, const SarifResult& result,
                 const KernelReport& kernel, std::int64_t number) {
  const std::string hint = result.hint.empty() ? "" : "; " + result.hint;
  return {{"ruleId", rule},
          {"level", level_name(result.severity)},
          {"message", {{"text", result.message + hint}}},
          {"locations", Json::array({location_json(place, kernel)})},
          {"occurrenceCount", result.count},
          // It stays the same if lines move.
          {"partialFingerprints", {{"kernelRuleNumber/v1", fmt::format("{}/{}/{}", kernel.name, rule, number)}}}};
}

// What was not decided, if anything.
std::string undecided_text(const KernelReport& kernel) {
  const auto accesses = std::ranges::count_if(kernel.smem, [](const SmemSite& site) { return !site.wavefronts; });
  const auto operands = std::ranges::count_if(kernel.mma, has_unknown_operand);
  if (accesses == 0 && operands == 0) return "";
  return fmt::format("{}: not known are the wavefronts of {} of {}, and an operand of {} of {}", name_path(kernel.name),
                     accesses, plural(std::ssize(kernel.smem), "access"), operands,
                     plural(std::ssize(kernel.mma), "MMA"));
}

Json rules_json(const std::vector<Json>& results) {
  std::map<std::string, Json> rules;
  for (const Json& result : results) {
    const auto id = result.at("ruleId").get<std::string>();
    std::string words = id;
    std::ranges::replace(words, '-', ' ');
    rules.try_emplace(id, Json{{"id", id}, {"shortDescription", {{"text", words}}}});
  }
  Json list = Json::array();
  for (auto& [_, rule] : rules) list.push_back(std::move(rule));
  return list;
}

}  // namespace

void KernelSarif::add(const KernelText& text) {
  for (const KernelReport& kernel : text.kernels) {
    std::map<std::string, std::int64_t> numbers;
    for (const auto& [at, result] : results_of(text, kernel))
      results_.push_back(result_json(at.first, at.second, result, kernel, ++numbers[at.second]));
    if (const std::string undecided = undecided_text(kernel); !undecided.empty())
      notifications_.push_back(Json{{"level", "note"}, {"message", {{"text", undecided}}}});
  }
}

void KernelSarif::add_unread(std::string_view kernel, std::string_view why) {
  is_whole_ = false;
  notifications_.push_back(
      Json{{"level", "error"}, {"message", {{"text", fmt::format("{}: {}", name_path(kernel), why)}}}});
}

std::string KernelSarif::text() const {
  const Json driver{{"name", "swz"}, {"version", program_version}, {"rules", rules_json(results_)}};
  const Json invocation{{"executionSuccessful", is_whole_}, {"toolExecutionNotifications", notifications_}};
  const Json run{{"tool", {{"driver", driver}}}, {"invocations", Json::array({invocation})}, {"results", results_}};
  const Json log{
      {"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", Json::array({run})}};
  return log.dump() + "\n";
}

}  // namespace swz
