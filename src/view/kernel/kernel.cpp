// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "base/mangled_name.hpp"
#include "base/text.hpp"
#include "view/document/headline.hpp"
#include "view/kernel/kernel_parts.hpp"

namespace swz {

namespace {

using enum Column::Align;

constexpr std::size_t most_site_rows = 12;

// The first columns of a table of sites: the line, and the line of the author's source if any site has one.
template <class Site>
std::vector<Column> site_columns(const PtxModule& module, const std::vector<Site>& sites, std::vector<Column> more) {
  const bool has_source =
      std::ranges::any_of(sites, [&](const Site& site) { return source_text(module, site) != "-"; });
  more.insert(more.begin(), {{"line", "line", right},
                             {"offset", module.is_machine_code() ? "offset" : "", right},
                             {"source", has_source ? "source" : ""}});
  return more;
}

// Shows as many rows of the table as there is room for.
void add_folded(Document& d, Table table, std::size_t most_rows, std::string_view what = "") {
  if (table.rows.size() > most_rows)
    table.fold = {table.rows.size() - most_rows, fmt::format("{} more{}", table.rows.size() - most_rows, what)};
  d.add(std::move(table));
}

template <class Site>
void add_site_table(Document& d, const PtxModule& module, const KernelReport& kernel, std::string title,
                    const std::vector<Site>& sites, std::vector<Column> columns) {
  if (sites.empty()) return;
  Table table{"", std::move(title), site_columns(module, sites, std::move(columns)), {}};
  for (const Site& site : sites) table.rows.push_back(cells_of(facts_of(module, kernel, site), table.columns));
  add_folded(d, std::move(table), most_site_rows);
}

// ---- MMAs

std::string lines_text(std::uint32_t first, std::uint32_t last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

// "smem + 16384*%r7 + 0, 32, 64, 96 B": only the constant changes from MMA to MMA.
std::string starts_text(const std::vector<const MmaSite*>& sites, MmaOperandSite MmaSite::*operand) {
  constexpr std::size_t most_starts = 8;
  const std::optional<SiteAddress>& first = (sites.front()->*operand).start;
  if (!first) return "";
  std::vector<std::int64_t> constants;
  for (const MmaSite* site : sites) constants.push_back((site->*operand).start->constant.count);
  if (std::ranges::count(constants, constants[0]) == std::ssize(constants)) return readable(first->text);
  const std::span shown(constants.data(), std::min(constants.size(), most_starts));
  return fmt::format("{} + {}{} B", readable(first->terms), fmt::join(shown, ", "),
                     constants.size() > most_starts ? ", …" : "");
}

void add_mma_rows(Document& d, const KernelReport& kernel) {
  if (kernel.mma.empty()) return;
  const std::vector<std::vector<const MmaSite*>> groups = runs_of(kernel);
  Table table{"",
              plural(std::ssize(kernel.mma), "MMA"),
              {{"", "line"}, {"", "instruction"}, {"", "of"}, {"", "operand"}, {"", "start"}},
              {}};
  for (const auto& group : groups) {
    const MmaSite& site = *group.front();
    const std::string count = group.size() == 1 ? "" : fmt::format("{} x ", group.size());
    const std::string types = site.a_type.empty() ? "" : " " + types_text(site);
    table.rows.push_back({lines_text(site.line, group.back()->line), count + mma_text(site) + types, "A",
                          operand_text(site.a), starts_text(group, &MmaSite::a)});
    table.rows.push_back({"", "", "B", operand_text(site.b), starts_text(group, &MmaSite::b)});
  }
  if (groups.size() > most_site_rows)
    table.fold = {2 * (groups.size() - most_site_rows),
                  fmt::format("{} more rows: -f json, or --only mma --full", groups.size() - most_site_rows)};
  d.add(std::move(table));
}

// ---- accesses to shared memory

// The remark on a row whose count is not that of every execution of this instruction.
std::string remark_text(const SmemSite& site) {
  std::vector<std::string> parts;
  if (site.opcode.starts_with("cp.async")) parts.push_back("lines of global memory may add more");
  if (site.may_shrink) parts.push_back("ptxas may load less: not all of it is used");
  if (site.may_join)
    parts.push_back(fmt::format(
        "ptxas may make one {} of it and its neighbours{}", site.may_join->access,
        site.may_join->wavefronts
            ? fmt::format(": {}, ideal {}", number_text(*site.may_join->wavefronts), number_text(*site.may_join->ideal))
            : ""));
  if (site.counted && site.counted->verdict != CountVerdict::equal)
    parts.push_back(fmt::format("counted: {}", verdict_text(site.counted->verdict)));
  return fmt::format("{}", fmt::join(parts, "; "));
}

// Causes that differ only in a number are the same.
std::string without_numbers(std::string text) {
  std::string out;
  for (const char c : text)
    if (!is_digit(c)) out += c;
    else if (out.empty() || out.back() != '#') out += '#';
  return out;
}

struct UnknownSites {
  const SmemSite* first = nullptr;
  std::string why;  // of the first
  std::ptrdiff_t count = 0;
  bool is_one_cause = true;
};

void add_unknown_sites(Document& d, const PtxModule& module, const KernelReport& kernel) {
  std::map<std::string, UnknownSites> unknown;
  for (const SmemSite& site : kernel.smem) {
    if (site.wavefronts) continue;
    const std::string why = site.why.empty() ? "the address" : readable(site.why);
    UnknownSites& of = unknown.try_emplace(without_numbers(why), UnknownSites{&site, why}).first->second;
    ++of.count;
    of.is_one_cause = of.is_one_cause && of.why == why;
  }
  for (const auto& [_, of] : unknown) {
    const std::string more =
        of.count == 1 ? "" : fmt::format("; {} more{}", of.count - 1, of.is_one_cause ? "" : " alike");
    d.line("not known", fmt::format("{}: {}{}", place_text(module, *of.first), of.why, more));
  }
}

// What the counts rest on, where it is not all lanes of all launches.
void add_limits_of_counts(Document& d, const KernelReport& kernel) {
  if (const auto all_lanes = std::ranges::count(kernel.smem, true, &SmemSite::counts_all_lanes); all_lanes > 0)
    d.line("bound",
           fmt::format("{} counted for all lanes, because it is not known which of them execute the access; fewer take "
                       "at most as many, and --line says more",
                       all_lanes),
           Tone::faint);
  if (!kernel.threads_are_most || std::ranges::count(kernel.smem, SmemProof::sampled, &SmemSite::proof) == 0) return;
  const auto& t = *kernel.threads;
  const std::string all = t[1] * t[2] == 1 ? std::to_string(t[0]) : fmt::format("{},{},{}", t[0], t[1], t[2]);
  d.line("sampled",
         fmt::format(".maxntid lets a launch have fewer threads: --threads {} says that it has them all", all),
         Tone::faint);
}

// What it takes above its ideal: as counted, or of all its trips, or of one.
double excess_of(const SmemSite& site, bool is_counted, bool by_trips) {
  if (is_counted && site.counted) {
    const auto warps = static_cast<double>(site.counted->warps);
    return std::max(0.0, static_cast<double>(site.counted->count) - warps * *site.ideal);
  }
  return (*site.wavefronts - *site.ideal) * (by_trips ? site.trips.value_or(1) : 1);
}

bool is_counted(const KernelReport& kernel) {
  return std::ranges::any_of(kernel.smem, [](const SmemSite& site) { return site.counted.has_value(); });
}

// The accesses whose count is known, those with the largest excess first: as counted; else of all their trips, if those
// of each conflict are known.
std::vector<const SmemSite*> known_sites(const KernelReport& kernel) {
  std::vector<const SmemSite*> known;
  for (const SmemSite& site : kernel.smem)
    if (site.wavefronts) known.push_back(&site);
  const bool by_trips =
      std::ranges::all_of(known, [](const SmemSite* site) { return site->trips || *site->wavefronts == *site->ideal; });
  const bool has_counts = is_counted(kernel);
  std::ranges::stable_sort(known, std::greater(),
                           [&](const SmemSite* site) { return excess_of(*site, has_counts, by_trips); });
  return known;
}

// Whether it matters how often each access is executed, and is known of some.
bool shows_trips(const KernelReport& kernel) {
  return std::ranges::any_of(kernel.smem, [](const SmemSite& site) { return site.trips.value_or(1) != 1; });
}

void add_smem_rows(Document& d, const PtxModule& module, const KernelReport& kernel) {
  if (kernel.smem.empty()) return;
  const std::vector<const SmemSite*> known = known_sites(kernel);
  const auto conflicts =
      std::ranges::count_if(known, [](const SmemSite* site) { return *site->wavefronts > *site->ideal; });
  const bool has_remarks = std::ranges::any_of(known, [](const SmemSite* site) { return !remark_text(*site).empty(); });
  Table table{"",
              fmt::format("accesses to shared memory: {} with conflicts, {} without, {} not known", conflicts,
                          std::ssize(known) - conflicts, std::ssize(kernel.smem) - std::ssize(known)),
              site_columns(module, kernel.smem,
                           {{"access", "access"},
                            {"wavefronts", "wavefronts", right},
                            {"ideal", "ideal", right},
                            {"counted.wavefronts", is_counted(kernel) ? "counted" : "", right},
                            {"counted.warps", is_counted(kernel) ? "by warps" : "", right},
                            {"proof", "proof"},
                            {"trips", shows_trips(kernel) ? "trips" : "", right},
                            {"share", shows_trips(kernel) ? "share" : "", right},
                            {"address", "address"},
                            {"", has_remarks ? "remark" : ""}}),
              {}};
  for (const SmemSite* site : known) {
    table.rows.push_back(cells_of(facts_of(module, kernel, *site), table.columns));
    table.rows.back().back() = remark_text(*site);
  }
  const std::size_t shown =
      std::min<std::size_t>(most_site_rows, conflicts == 0 ? 3 : static_cast<std::size_t>(conflicts));
  add_folded(d, std::move(table), shown, conflicts > std::ptrdiff_t(shown) ? "" : " without conflicts");
  if (conflicts > 0) {
    add_remedy(d, kernel, *known.front());
    d.line("lanes", fmt::format("--line {} shows them", known.front()->line), Tone::faint);
  }
  add_unknown_sites(d, module, kernel);
  add_limits_of_counts(d, kernel);
}

// ---- accesses to global memory

// Only those that touch more sectors than their bytes need.
void add_gmem_rows(Document& d, const PtxModule& module, const KernelReport& kernel) {
  std::vector<GmemSite> excess;
  std::ranges::copy_if(kernel.gmem, std::back_inserter(excess), &GmemSite::has_excess);
  std::ranges::stable_sort(excess, std::greater(), [](const GmemSite& site) { return *site.sectors - *site.ideal; });
  add_site_table(
      d, module, kernel,
      fmt::format("accesses to global memory with more sectors of 32 B than their bytes need: {} of {}", excess.size(),
                  kernel.gmem.size()),
      excess,
      {{"instruction", "access"}, {"sectors", "sectors", right}, {"ideal", "ideal", right}, {"address", "address"}});
}

// ---- other CTAs

void add_cluster_rows(Document& d, const PtxModule& module, const KernelReport& kernel) {
  if (kernel.cluster.empty()) return;
  Table table{
      "",
      "what reaches other CTAs",
      site_columns(module, kernel.cluster,
                   {{"action", "instruction"}, {"address.text", "address"}, {"", "whom"}, {"bytes", "bytes", right}}),
      {}};
  const auto whom = table.columns.size() - 2;
  for (const ClusterSite& site : kernel.cluster) {
    table.rows.push_back(cells_of(facts_of(module, kernel, site), table.columns));
    table.rows.back()[whom] = cluster_cell(site, kernel.runs_in);
  }
  add_folded(d, std::move(table), most_site_rows);
}

// Null: neither the PTX nor the cubin says it.
Json cluster_json(const PtxCluster& cluster) {
  if (!cluster.most) return nullptr;
  const auto& shape = cluster.shape;
  return {{"shape", shape ? Json{shape->x, shape->y, shape->z} : Json()}, {"most", *cluster.most}};
}

std::string cluster_text(const PtxCluster& cluster) {
  return cluster.shape ? fmt::format("{}: {}", to_string(*cluster.shape), plural(cluster.shape->size(), "CTA"))
                       : fmt::format("at most {}", plural(*cluster.most, "CTA"));
}

// ---- the whole kernel

// A rule once, with its first site and how often it is broken.
struct ToldFinding {
  Finding finding;
  std::uint32_t line = 0;  // of the first MMA; 0: of the kernel
  std::uint32_t last = 0;  // of the last MMA
  std::int64_t count = 0;  // of operands and words
  std::int64_t mmas = 0;

  bool is_lint() const { return finding.severity != Severity::note; }
};

// "A: …" and "B: …" are of words, the others of the MMA.
bool is_of_word(const Finding& finding) { return finding.message.substr(1, 2) == ": "; }

std::vector<ToldFinding> told_findings(const KernelReport& kernel) {
  std::vector<ToldFinding> all;
  for (const Finding& finding : kernel.findings) all.push_back({finding, 0, 0, 1, 1});
  for (const MmaSite& site : kernel.mma)
    for (const Finding& finding : site.findings) {
      const auto found = std::ranges::find_if(all, [&](const ToldFinding& one) {
        return one.finding.rule == finding.rule && one.line != 0 && is_of_word(one.finding) == is_of_word(finding);
      });
      if (found == all.end()) {
        all.push_back({finding, site.line, site.line, 1, 1});
        continue;
      }
      ++found->count;
      if (std::exchange(found->last, site.line) != site.line) ++found->mmas;
    }
  std::ranges::stable_sort(all, std::greater(), &ToldFinding::is_lint);
  return all;
}

std::string threads_text(const KernelReport& kernel) {
  if (!kernel.threads) return "threads not said";
  const auto& t = *kernel.threads;
  const std::int64_t count = t[0] * t[1] * t[2];
  return (kernel.threads_are_most ? "at most " : "") +
         (t[1] * t[2] == 1 ? plural(count, "thread") : fmt::format("{} x {} x {} threads", t[0], t[1], t[2]));
}

std::string shared_text(const SharedArray& array, const KernelText& text) {
  std::string bytes = "as the launch says";
  if (array.bytes) bytes = fmt::format("{} B", array.bytes->count);
  else if (text.built && text.built->dynamic_shared)
    bytes = fmt::format("{} B of the launch", *text.built->dynamic_shared);
  const std::string place = text.built && array.begin ? fmt::format(", at {}", *array.begin) : "";
  return fmt::format("{}: {}, on {} B{}", name_path(array.name), bytes, array.alignment, place);
}

// "joined 3 accesses to 1 wider one, cloned 2, 12 spills": what it did beside assembling.
std::string changes_text(const AssembledChanges& changes) {
  std::vector<std::string> parts;
  if (changes.wider > 0) parts.push_back(fmt::format("made {}", plural(changes.wider, "wider instruction")));
  if (changes.without > 0)
    parts.push_back(fmt::format("left {} of {} no instruction of their own", changes.without, changes.accesses));
  if (changes.several > 0) parts.push_back(fmt::format("made several instructions of {}", changes.several));
  if (changes.spills > 0) parts.push_back(fmt::format("spills with {}", plural(changes.spills, "instruction")));
  return fmt::format("{}", fmt::join(parts, ", "));
}

constexpr CountVerdict count_verdicts[] = {CountVerdict::equal,     CountVerdict::at_most, CountVerdict::global_lines,
                                           CountVerdict::retried,   CountVerdict::differs, CountVerdict::not_executed,
                                           CountVerdict::not_stated};

std::ptrdiff_t accesses_with(const KernelReport& kernel, CountVerdict verdict) {
  return std::ranges::count_if(kernel.smem,
                               [&](const SmemSite& site) { return site.counted && site.counted->verdict == verdict; });
}

// Null without counts.
Json counted_json(const KernelReport& kernel) {
  if (!is_counted(kernel)) return nullptr;
  Json out = Json::object();
  for (const CountVerdict verdict : count_verdicts) {
    std::string key(to_string(verdict));
    std::ranges::replace(key, '-', '_');
    out[key] = accesses_with(kernel, verdict);
  }
  return out;
}

// "as predicted 130; not executed 2"
void add_counted(Document& d, const KernelReport& kernel) {
  if (!is_counted(kernel)) return;
  std::vector<std::string> parts;
  for (const CountVerdict verdict : count_verdicts)
    if (const std::ptrdiff_t count = accesses_with(kernel, verdict); count > 0)
      parts.push_back(fmt::format("{} {}", verdict_text(verdict), count));
  const bool differs = accesses_with(kernel, CountVerdict::differs) > 0;
  d.line("counted", fmt::format("{}", fmt::join(parts, "; ")), differs ? Tone::bad : Tone::good);
  if (differs) d.line(" ", "the launch may have had another block: --threads X,Y,Z", Tone::faint);
}

Json changes_json(const AssembledChanges& changes) {
  return {{"accesses", changes.accesses},
          {"wider", changes.wider},
          {"without_instruction", changes.without},
          {"several_instructions", changes.several},
          {"spills", changes.spills}};
}

void add_built(Document& d, const KernelText& text, const KernelReport& kernel) {
  if (!text.built) return;
  d.line("resources", resources_text(*text.built));
  d.line("occupancy", occupancy_text(*text.built, kernel));
  d.line("parameters", parameters_text(text.built->resources));
  if (text.changes && !text.changes->are_none()) d.line("ptxas", changes_text(*text.changes));
}

void add_verdict(Document& d, const KernelReport& kernel, const KernelText& of) {
  const std::vector<ToldFinding> told = told_findings(kernel);
  const auto wrong = std::ranges::count_if(told, &ToldFinding::is_lint);
  if (wrong > 0) d.line("verdict", plural(wrong, "finding"), Tone::bad);
  else {
    d.line("verdict", "no contradiction found", Tone::good);
    add_summary(d, kernel);
  }
  for (const ToldFinding& one : told) {
    const std::string where = one.line == 0 ? "" : fmt::format("line {}: ", one.line);
    const std::string times = one.count == one.mmas ? "" : fmt::format("{} times in ", one.count);
    const std::string more = one.count == 1 ? "" : fmt::format(" ({}{})", times, plural(one.mmas, "MMA"));
    d.line(one.finding.rule, where + readable(one.finding.message) + more, one.is_lint() ? Tone::bad : Tone::plain);
    if (!one.finding.hint.empty()) d.line(" ", one.finding.hint, Tone::faint);
  }
  add_counted(d, kernel);
  add_built(d, of, kernel);
  if (kernel.runs_in.most && !(kernel.tma.empty() && kernel.cluster.empty()))
    d.line("cluster", cluster_text(kernel.runs_in));
  for (const SharedArray& array : kernel.shared)
    d.line(&array == kernel.shared.data() ? "shared" : " ", shared_text(array, of));
}

// "gemm_device"; the mangled name is shown below it.
std::string title_name(std::string_view name) {
  constexpr std::size_t most_letters = 72;
  const std::string path = name_path(name);
  return path.size() <= most_letters ? path : fmt::format("{}…", path.substr(0, most_letters - 1));
}

std::string title_of(const KernelReport& kernel) {
  return fmt::format("{}  {}, {}", title_name(kernel.name), kernel.target_name, threads_text(kernel));
}

Document kernel_text(const KernelText& of, const KernelReport& kernel, const ShownSites& shown) {
  const PtxModule& module = of.module;
  const bool has_sites = !(kernel.mma.empty() && kernel.smem.empty() && kernel.tma.empty() && kernel.cluster.empty() &&
                           kernel.tmem.empty()) ||
                         std::ranges::any_of(kernel.gmem, &GmemSite::has_excess);
  Document text;
  if (name_path(kernel.name) != kernel.name) text.line("name", shortened(kernel.name), Tone::faint);
  if (!has_sites && kernel.findings.empty()) {
    text.line("sites", "none");
    add_built(text, of, kernel);
    return text;
  }
  add_verdict(text, kernel, of);
  if (shown.mma) add_mma_rows(text, kernel);
  if (shown.smem) add_smem_rows(text, module, kernel);
  if (shown.gmem) add_gmem_rows(text, module, kernel);
  if (shown.tma)
    add_site_table(text, module, kernel, "bulk copies", kernel.tma,
                   {{"direction", "copy"},
                    {"shared.text", "shared memory"},
                    {"shared.alignment", "multiple of", right},
                    {"map", "tensor map"},
                    {"coordinates", "coordinates"}});
  if (shown.cluster) add_cluster_rows(text, module, kernel);
  if (shown.tmem)
    add_site_table(text, module, kernel, "tensor memory", kernel.tmem,
                   {{"action", "access"}, {"shape", "shape"}, {"columns", "columns", right}, {"address", "address"}});
  return text;
}

// `held` keeps the text alive that the report points into.
Document kernel_document(const std::shared_ptr<const std::vector<KernelText>>& held, const KernelText& of,
                         const KernelReport& kernel, const ShownSites& shown) {
  const PtxModule& module = of.module;
  Document d(title_of(kernel));
  d.answers = {"mma", "smem", "findings"};
  d.json("name", kernel.name).json("target", kernel.target_name).json("threads", kernel.threads);
  if (of.built)
    d.json("built", built_json(*of.built)).json("occupancy", occupancy_json(occupancy_of(*of.built, kernel)));
  d.json("ptxas", of.changes ? changes_json(*of.changes) : Json()).json("counted", counted_json(kernel));
  d.json("shared", json_list(kernel.shared, [](const SharedArray& array) {
           return Json{{"name", array.name},
                       {"bytes", array.bytes ? Json(array.bytes->count) : Json()},
                       {"alignment", array.alignment},
                       {"begin", array.begin}};
         }));
  const auto list = [&](bool is_shown, const auto& sites) {
    const auto facts = [&](const auto& site) { return to_json(facts_of(module, kernel, site)); };
    return is_shown ? json_list(sites, facts) : Json::array();
  };
  d.json("mma", list(shown.mma, kernel.mma)).json("smem", list(shown.smem, kernel.smem));
  d.json("gmem", list(shown.gmem, kernel.gmem));
  d.json("tma", list(shown.tma, kernel.tma)).json("cluster", list(shown.cluster, kernel.cluster));
  d.json("tmem", list(shown.tmem, kernel.tmem)).json("runs_in", cluster_json(kernel.runs_in));
  d.json("findings", kernel_findings_json(kernel));
  d.add(Drawing{[held, &of, &kernel, shown](Medium medium) {
    return medium == Medium::page ? Document() : kernel_text(of, kernel, shown);
  }});
  return d;
}

// What is wrong with the kernel, or that nothing is known to be: "line 291, A and B: +32 B a step leaves …".
std::string headline_of(const KernelReport& kernel) {
  for (const MmaSite& site : kernel.mma)
    if (const std::vector<MmaFault> faults = faults_of(site); !faults.empty() && !faults.front().loop.empty())
      return headline_of(faults.front(), fmt::format("line {}", site.line));
  for (const ToldFinding& one : told_findings(kernel))
    if (one.is_lint()) {
      for (const MmaSite& site : kernel.mma)
        if (site.line == one.line && !faults_of(site).empty())
          return headline_of(faults_of(site).front(), fmt::format("line {}", one.line));
      const MmaFault fault{one.finding.rule, "", readable(one.finding.message), one.finding.hint};
      return headline_of(fault, one.line == 0 ? "" : fmt::format("line {}", one.line));
    }
  return fmt::format("{}: no contradiction found", short_sentence(name_path(kernel.name)));
}

// Whether the first finding, which is the headline, is a bank conflict.
bool is_about_banks(const KernelReport& kernel) {
  const std::vector<ToldFinding> told = told_findings(kernel);
  const auto first = std::ranges::find_if(told, &ToldFinding::is_lint);
  return kernel.conflict.has_value() && first != told.end() && first->finding.rule == "bank-conflict";
}

}  // namespace

Document view_kernels(std::vector<KernelText> texts, const ShownSites& shown) {
  const auto held = std::make_shared<const std::vector<KernelText>>(std::move(texts));
  Document d;
  Group kernels{"kernels", {}};
  const KernelReport* only = nullptr;
  for (const KernelText& text : *held)
    for (const KernelReport& kernel : text.kernels) {
      only = kernels.members.empty() ? &kernel : nullptr;
      kernels.members.push_back(kernel_document(held, text, kernel, shown));
    }
  if (only != nullptr) {
    d.headline = headline_of(*only);
    d.add(Drawing{[held, only](Medium medium) {
      Document drawn;
      if (medium == Medium::terminal) return drawn;
      if (auto sketch = wrong_loop_sketch(*only, title_of(*only))) drawn.add(std::move(*sketch));
      else if (auto figure = is_about_banks(*only) ? conflict_figure(*only) : std::nullopt) {
        figure->title = title_of(*only);
        drawn.add(std::move(*figure));
      }
      return drawn;
    }});
  }
  if (kernels.members.empty()) d.line("verdict", "no kernel: the text has no .entry");
  d.add(std::move(kernels));
  return d;
}

bool is_incomplete(std::span<const KernelText> texts) {
  const auto is_open = [](const KernelReport& kernel) {
    return std::ranges::any_of(kernel.smem, [](const SmemSite& site) { return site.proof != SmemProof::all; }) ||
           std::ranges::any_of(kernel.mma, has_unknown_operand);
  };
  const auto has_none = [](const KernelText& text) { return text.kernels.empty(); };
  return std::ranges::all_of(texts, has_none) ||
         std::ranges::any_of(texts, [&](const KernelText& text) { return std::ranges::any_of(text.kernels, is_open); });
}

bool has_lints(std::span<const KernelText> texts) {
  const auto is_wrong = [](const KernelReport& kernel) {
    return has_lints(kernel.findings) ||
           std::ranges::any_of(kernel.mma, [](const MmaSite& site) { return has_lints(site.findings); });
  };
  return std::ranges::any_of(texts,
                             [&](const KernelText& text) { return std::ranges::any_of(text.kernels, is_wrong); });
}

}  // namespace swz
