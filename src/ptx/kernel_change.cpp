// SPDX-License-Identifier: Apache-2.0
#include "ptx/kernel_change.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <string>
#include <unordered_map>

#include "base/text.hpp"

namespace swz {

namespace {

double excess(const SmemSite& site) { return site.wavefronts ? *site.wavefronts - *site.ideal : 0; }

// "smem + #*%r + #" of "smem + 128*%r74 + 16"
std::string form_of(const SiteAddress& address) {
  std::string form;
  for (const char c : address.text)
    if (!is_digit(c)) form += c;
    else if (form.empty() || form.back() != '#') form += '#';
  return form;
}

// "gemm.cu:120"; empty: not known.
std::string source_of(const PtxModule& module, const SmemSite& site) {
  if (site.source.line == 0 || site.source.file >= module.files.size()) return {};
  const std::string_view path = module.files[site.source.file];
  return std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(site.source.line);
}

// "ld", "stmatrix"
std::string action_of(const SmemSite& site) {
  const std::string_view name = site.access.empty() ? site.opcode : std::string_view(site.access);
  return std::string(name.substr(0, name.find('.')));
}

constexpr std::size_t key_kinds = 5;

// What an access may have in common with another, most first. Empty: it has nothing of this kind.
std::array<std::string, key_kinds> keys_of(const PtxModule& module, const SmemSite& site) {
  const std::string instruction = (site.access.empty() ? std::string(site.opcode) : site.access) + "\n";
  const std::string form = form_of(site.address), source = source_of(module, site);
  const auto with_source = [&](const std::string& key) { return source.empty() ? std::string() : key + source; };
  return {with_source(instruction + form + "\n"), instruction + form, with_source(instruction),
          with_source(action_of(site) + "\n"), instruction};
}

AccessChange change_of(const AccessPair& pair) {
  if (pair.before == nullptr) return excess(*pair.after) > 0 ? AccessChange::worse : AccessChange::added;
  if (pair.after == nullptr) return excess(*pair.before) > 0 ? AccessChange::better : AccessChange::gone;
  const SmemSite &before = *pair.before, &after = *pair.after;
  if (before.wavefronts && after.wavefronts && excess(before) != excess(after))
    return excess(after) > excess(before) ? AccessChange::worse : AccessChange::better;
  return before.access == after.access && before.wavefronts == after.wavefronts ? AccessChange::same
                                                                                : AccessChange::other;
}

std::vector<AccessPair> pairs_of(const KernelBuild& before, const KernelBuild& after) {
  using Keys = std::vector<std::array<std::string, key_kinds>>;
  const auto keys = [](const KernelBuild& build) {
    Keys all;
    for (const SmemSite& site : build.report->smem) all.push_back(keys_of(*build.module, site));
    return all;
  };
  const Keys old_keys = keys(before), new_keys = keys(after);
  std::vector<AccessPair> pairs;
  for (const SmemSite& site : after.report->smem) pairs.push_back({nullptr, &site});
  std::vector<bool> is_paired(old_keys.size());
  for (std::size_t kind = 0; kind < key_kinds; ++kind) {
    std::unordered_map<std::string, std::deque<std::size_t>> open;
    for (std::size_t i = 0; i < old_keys.size(); ++i)
      if (!is_paired[i] && !old_keys[i][kind].empty()) open[old_keys[i][kind]].push_back(i);
    for (std::size_t i = 0; i < new_keys.size(); ++i) {
      if (pairs[i].before != nullptr) continue;
      const auto found = open.find(new_keys[i][kind]);
      if (found == open.end() || found->second.empty()) continue;
      const std::size_t old = found->second.front();
      found->second.pop_front();
      is_paired[old] = true;
      pairs[i].before = &before.report->smem[old];
    }
  }
  for (std::size_t i = 0; i < old_keys.size(); ++i)
    if (!is_paired[i]) pairs.push_back({&before.report->smem[i], nullptr});
  for (AccessPair& pair : pairs) pair.change = change_of(pair);
  return pairs;
}

// The rules of the lints, except that on conflicts, which are compared one by one.
std::set<std::string> broken_rules(const KernelReport& report) {
  std::set<std::string> rules;
  const auto add = [&](const std::vector<Finding>& findings) {
    for (const Finding& one : findings)
      if (one.severity != Severity::note && one.rule != "bank-conflict") rules.insert(one.rule);
  };
  add(report.findings);
  for (const MmaSite& site : report.mma) add(site.findings);
  return rules;
}

KernelTotals totals_of(const KernelReport& report) {
  KernelTotals totals{.accesses = std::ssize(report.smem),
                      .mmas = std::ssize(report.mma),
                      .copies = std::ssize(report.tma),
                      .findings = std::ssize(broken_rules(report))};
  for (const SmemSite& site : report.smem) {
    if (!site.wavefronts) {
      ++totals.unknown;
      continue;
    }
    totals.wavefronts += *site.wavefronts;
    totals.ideal += *site.ideal;
    if (excess(site) > 0) ++totals.conflicts;
  }
  return totals;
}

std::string count_text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string told(const SmemSite& site, const std::string& unit = "") {
  return count_text(*site.wavefronts) + unit + " where " + count_text(*site.ideal) + " would do";
}

void add_conflicts(KernelChange& change) {
  const AccessPair* first = nullptr;
  std::int64_t count = 0;
  const auto growth = [](const AccessPair& pair) {
    return excess(*pair.after) - (pair.before != nullptr ? excess(*pair.before) : 0);
  };
  for (const AccessPair& pair : change.accesses) {
    if (pair.change != AccessChange::worse) continue;
    ++count;
    if (first == nullptr || growth(pair) > growth(*first)) first = &pair;
  }
  if (first == nullptr) return;
  const std::string before = first->before != nullptr ? "before " + told(*first->before) : "before it was not there";
  change.worse.push_back(lint("more-conflicts",
                              "line " + std::to_string(first->after->line) + ": " + first->after->access + " takes " +
                                  told(*first->after, " wavefronts") + ", " + before +
                                  (count > 1 ? "; " + std::to_string(count - 1) + " more are worse" : ""),
                              "swz swizzle find looks for a swizzle; a padded pitch is the other way"));
}

void add_more(KernelChange& change, const std::string& rule, std::optional<std::int64_t> before,
              std::optional<std::int64_t> after, const std::string& what) {
  if (before && after && *after > *before)
    change.worse.push_back(lint(rule, std::to_string(*after) + what + ", before " + std::to_string(*before)));
}

std::optional<std::int64_t> stack_of(const KernelBuild& build) {
  if (build.resources == nullptr || !build.resources->stack) return std::nullopt;
  return *build.resources->stack;
}

}  // namespace

bool KernelChange::is_none() const {
  return worse.empty() &&
         std::ranges::all_of(accesses, [](const AccessPair& pair) { return pair.change == AccessChange::same; });
}

KernelChange kernel_change(const KernelBuild& before, const KernelBuild& after) {
  KernelChange change;
  change.before = totals_of(*before.report);
  change.after = totals_of(*after.report);
  change.accesses = pairs_of(before, after);
  change.is_incomplete = std::ranges::any_of(change.accesses, [](const AccessPair& pair) {
    return pair.after != nullptr && !pair.after->wavefronts && (pair.before == nullptr || pair.before->wavefronts);
  });
  add_conflicts(change);
  const std::set<std::string> old_rules = broken_rules(*before.report);
  for (const std::string& rule : broken_rules(*after.report))
    if (!old_rules.contains(rule))
      change.worse.push_back(lint("new-finding", rule + ": before there was none", "swz kernel FILE tells it"));
  add_more(change, "more-stack", stack_of(before), stack_of(after), " B of stack a thread");
  add_more(change, "more-spills", before.spills, after.spills, " instructions that spill");
  if (before.warps && after.warps && *after.warps < *before.warps)
    change.worse.push_back(lint(
        "fewer-warps", "an SM holds " + plural(*after.warps, "warp") + ", before " + std::to_string(*before.warps)));
  return change;
}

}  // namespace swz
