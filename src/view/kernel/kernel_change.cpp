// SPDX-License-Identifier: Apache-2.0
#include "view/kernel/kernel_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/mangled_name.hpp"
#include "base/text.hpp"
#include "view/kernel/kernel_parts.hpp"

namespace swz {

namespace {

using enum Column::Align;

constexpr std::size_t most_changes = 12;

KernelBuild build_of(const KernelText& text, const KernelReport& report) {
  KernelBuild build{.module = &text.module, .report = &report};
  if (text.built) build.resources = &text.built->resources;
  if (text.changes) build.spills = text.changes->spills;
  if (text.built)
    if (const auto occupancy = occupancy_of(*text.built, report)) build.warps = occupancy->warps;
  return build;
}

// A number of a build: text leaves it out where it is 0 or not known in both builds.
struct Measure {
  std::string_view key, label;
  Json value;
};

Json whole(double value) {
  return value == static_cast<double>(static_cast<std::int64_t>(value)) ? Json(static_cast<std::int64_t>(value))
                                                                        : Json(value);
}

std::vector<Measure> measures_of(const KernelTotals& totals, const KernelBuild& build) {
  const KernelResources* r = build.resources;
  return {{"accesses", "accesses to shared memory", totals.accesses},
          {"conflicts", "  with conflicts", totals.conflicts},
          {"unknown", "  not known", totals.unknown},
          {"wavefronts", "wavefronts", whole(totals.wavefronts)},
          {"ideal", "  ideal", whole(totals.ideal)},
          {"mmas", "MMAs", totals.mmas},
          {"copies", "bulk copies", totals.copies},
          {"findings", "rules broken", totals.findings},
          {"registers", "registers", r != nullptr ? Json(r->registers) : Json()},
          {"stack", "bytes of stack a thread", r != nullptr ? Json(r->stack) : Json()},
          {"spills", "instructions that spill", Json(build.spills)},
          {"warps", "warps on an SM", Json(build.warps)},
          {"static_shared", "bytes of static shared memory", r != nullptr ? Json(r->static_shared) : Json()}};
}

Table measure_table(const std::vector<Measure>& before, const std::vector<Measure>& after) {
  Table table{"", "", {{"", ""}, {"", "before", right}, {"", "after", right}}, {}};
  table.columns.front().label = " ";
  const auto is_nothing = [](const Json& value) { return value.is_null() || value == 0; };
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Json &old = before[i].value, &now = after[i].value;
    if (is_nothing(old) && is_nothing(now)) continue;
    const auto cell = [](const Json& value) { return Cell(value, value.is_null() ? "-" : value.dump()); };
    table.rows.push_back({Cell(before[i].label), cell(old), cell(now)});
  }
  return table;
}

// "32/1"; "?" if it is not known, "-" if there is no access.
std::string counts_text(const SmemSite* site) {
  if (site == nullptr) return "-";
  if (!site->wavefronts) return "?";
  return fmt::format("{}{}/{}", site->counts_all_lanes ? "<= " : "", number_text(*site->wavefronts),
                     number_text(*site->ideal));
}

std::string line_text(const SmemSite* site) { return site == nullptr ? "-" : std::to_string(site->line); }

void add_changes(Document& d, const KernelBuild& before, const KernelBuild& after, const KernelChange& change) {
  std::vector<const AccessPair*> changed;
  for (const AccessPair& pair : change.accesses)
    if (pair.change != AccessChange::same) changed.push_back(&pair);
  std::ranges::stable_sort(changed, std::greater(),
                           [](const AccessPair* pair) { return pair->change == AccessChange::worse; });
  const auto facts = [](const KernelBuild& build, const SmemSite* site) {
    return site == nullptr ? Json() : to_json(facts_of(*build.module, *build.report, *site));
  };
  d.json("changes", json_list(changed, [&](const AccessPair* pair) {
           return Json{{"change", to_string(pair->change)},
                       {"before", facts(before, pair->before)},
                       {"after", facts(after, pair->after)}};
         }));
  if (changed.empty()) return;
  Table table{"",
              "changed accesses",
              {{"", "change"},
               {"", "access"},
               {"", "before", right},
               {"", "line", right},
               {"", "after", right},
               {"", "line", right},
               {"", "source"}},
              {}};
  for (const AccessPair* pair : changed) {
    const bool is_there = pair->after != nullptr;
    const SmemSite& shown = is_there ? *pair->after : *pair->before;
    const bool is_wider = is_there && pair->before != nullptr && pair->before->access != shown.access;
    table.rows.push_back(
        {Cell(to_string(pair->change), {}, pair->change == AccessChange::worse ? Tone::bad : Tone::plain),
         Cell(is_wider ? pair->before->access + " -> " + shown.access : shown.access), Cell(counts_text(pair->before)),
         Cell(line_text(pair->before)), Cell(counts_text(pair->after)), Cell(line_text(pair->after)),
         Cell(source_text(is_there ? *after.module : *before.module, shown))});
  }
  if (table.rows.size() > most_changes)
    table.fold = {table.rows.size() - most_changes, fmt::format("{} more: --full", table.rows.size() - most_changes)};
  d.add(std::move(table));
}

std::string verdict_text(const KernelChange& change) {
  const auto count = [&](AccessChange kind) { return std::ranges::count(change.accesses, kind, &AccessPair::change); };
  if (!change.worse.empty()) return "worse: " + plural(std::ssize(change.worse), "reason");
  if (change.is_none()) return "the accesses are the same";
  const auto better = count(AccessChange::better);
  return better > 0 ? fmt::format("better: {}", better == 1 ? "1 access" : fmt::format("{} accesses", better))
                    : "not worse";
}

Document change_document(const KernelBuild& before, const KernelBuild& after, const KernelChange& change) {
  const KernelReport &old = *before.report, &now = *after.report;
  Document d(fmt::format("{}  {}", name_path(now.name),
                         old.target_name == now.target_name
                             ? std::string(now.target_name)
                             : fmt::format("{} -> {}", old.target_name, now.target_name)));
  d.answers = {"worse", "before.wavefronts", "after.wavefronts"};
  d.json("name", now.name);
  d.line("verdict", verdict_text(change), change.worse.empty() ? Tone::good : Tone::bad);
  for (const Finding& one : change.worse) {
    d.line(one.rule, readable(one.message), Tone::bad);
    if (!one.hint.empty()) d.line(" ", one.hint, Tone::faint);
  }
  d.json("worse", json_list(change.worse, [](const Finding& one) { return to_json(one); }));
  const std::vector<Measure> was = measures_of(change.before, before), is = measures_of(change.after, after);
  for (const Measure& one : was) d.json("before." + std::string(one.key), one.value);
  for (const Measure& one : is) d.json("after." + std::string(one.key), one.value);
  d.add(measure_table(was, is));
  add_changes(d, before, after, change);
  return d;
}

// The report of the same name; of two texts with one kernel each, that one.
const KernelReport* counterpart(const KernelText& before, const KernelText& after, const KernelReport& report) {
  if (before.kernels.size() == 1 && after.kernels.size() == 1) return &before.kernels.front();
  const auto found = std::ranges::find(before.kernels, report.name, &KernelReport::name);
  return found == before.kernels.end() ? nullptr : &*found;
}

}  // namespace

ComparedKernels view_kernel_changes(const KernelText& before, const KernelText& after) {
  if (before.module.is_machine_code() != after.module.is_machine_code())
    throw Error("one of the builds is PTX, the other machine code: their accesses are not comparable",
                "--ptx reads the PTX of both, if it is there");
  ComparedKernels out;
  out.document.json("files", Json{{"before", before.name}, {"after", after.name}});
  Group kernels{"kernels", {}};
  for (const KernelReport& report : after.kernels) {
    const KernelReport* old = counterpart(before, after, report);
    if (old == nullptr) continue;
    const KernelBuild was = build_of(before, *old), is = build_of(after, report);
    const KernelChange change = kernel_change(was, is);
    out.is_worse = out.is_worse || !change.worse.empty();
    out.is_incomplete = out.is_incomplete || change.is_incomplete;
    kernels.members.push_back(change_document(was, is, change));
  }
  if (kernels.members.empty())
    throw Error(fmt::format("{} and {} have no kernel of one name", quoted(before.name), quoted(after.name)),
                "--entry takes a pattern: * is any text");
  out.document.add(std::move(kernels));
  return out;
}

}  // namespace swz
