// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "base/mangled_name.hpp"
#include "base/text.hpp"
#include "view/kernel/kernel_parts.hpp"

namespace swz {

namespace {

constexpr std::size_t most_site_rows = 12;

// The first columns of a table of sites: the line, and the line of the author's source if any site has one.
template <class Sites>
std::vector<Column> site_columns(const PtxModule& module, const Sites& sites, std::vector<Column> more) {
  const bool has_source =
      std::ranges::any_of(sites, [&](const auto& site) { return source_text(module, site) != "-"; });
  more.insert(more.begin(), {{"", "line", Column::Align::right}, {"", has_source ? "source" : ""}});
  return more;
}

std::string lines_text(std::uint32_t first, std::uint32_t last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

// What the MMAs of one row have in common.
auto group_of(const MmaSite& site) {
  return std::tuple(site.opcode, site.mma, operand_text(site.a), operand_text(site.b),
                    site.a.start ? site.a.start->terms : "", site.b.start ? site.b.start->terms : "");
}

// "smem + 16384*%r7 + 0, 32, 64, 96 B": only the constant changes from MMA to MMA.
std::string starts_text(const std::vector<const MmaSite*>& sites, MmaOperandSite MmaSite::*operand) {
  const auto start = [&](std::size_t i) -> const std::optional<SiteAddress>& { return (sites[i]->*operand).start; };
  if (!start(0)) return "";
  std::vector<std::int64_t> constants;
  for (std::size_t i = 0; i < sites.size(); ++i) constants.push_back(start(i)->constant.count);
  if (std::ranges::all_of(constants, [&](std::int64_t one) { return one == constants[0]; })) return start(0)->text;
  constexpr std::size_t most_starts = 8;
  std::string list;
  for (std::size_t i = 0; i < constants.size() && i < most_starts; ++i)
    list += fmt::format("{}{}", i == 0 ? "" : ", ", constants[i]);
  return fmt::format("{} + {}{} B", start(0)->terms, list, constants.size() > most_starts ? ", …" : "");
}

void add_mma_rows(Document& d, const KernelReport& kernel) {
  if (kernel.mma.empty()) return;
  std::vector<std::vector<const MmaSite*>> groups;
  for (const MmaSite& site : kernel.mma) {
    if (groups.empty() || group_of(*groups.back().front()) != group_of(site)) groups.emplace_back();
    groups.back().push_back(&site);
  }
  Table table{"",
              fmt::format("{}", plural(std::ssize(kernel.mma), "MMA")),
              {{"", "line"}, {"", "instruction"}, {"", "of"}, {"", "operand"}, {"", "start"}},
              {}};
  for (const auto& group : groups) {
    const MmaSite& site = *group.front();
    const std::string_view opcode = site.opcode.substr(0, site.opcode.find('.'));
    const std::string type =
        site.a_type.empty() ? ""
                            : fmt::format(" {}{}", site.a_type, site.a_type == site.b_type ? "" : " x " + site.b_type);
    const std::string count = group.size() == 1 ? "" : fmt::format("{} x ", group.size());
    table.rows.push_back({lines_text(site.line, group.back()->line),
                          fmt::format("{}{} {}{}", count, opcode, site.mma, type), "A", operand_text(site.a),
                          starts_text(group, &MmaSite::a)});
    table.rows.push_back({"", "", "B", operand_text(site.b), starts_text(group, &MmaSite::b)});
  }
  if (table.rows.size() > 2 * most_site_rows)
    table.fold = {table.rows.size() - 2 * most_site_rows,
                  fmt::format("{} more rows: -f json, or --only mma --full", groups.size() - most_site_rows)};
  d.add(std::move(table));
}

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
  std::ptrdiff_t count = 0;
  const SmemSite* first = nullptr;
  bool is_one_cause = true;
};

void add_unknown_sites(Document& d, const PtxModule& module, const KernelReport& kernel) {
  std::map<std::string, UnknownSites> unknown;
  for (const SmemSite& site : kernel.smem) {
    if (site.wavefronts) continue;
    UnknownSites& of = unknown[without_numbers(site.why)];
    if (of.count++ == 0) of.first = &site;
    of.is_one_cause = of.is_one_cause && of.first->why == site.why;
  }
  for (const auto& [_, of] : unknown) {
    const std::string more =
        of.count == 1 ? "" : fmt::format("; {} more{}", of.count - 1, of.is_one_cause ? "" : " alike");
    d.line("not known", fmt::format("{}: {}{}", place_text(module, *of.first),
                                    of.first->why.empty() ? "the address" : of.first->why, more));
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

void add_smem_rows(Document& d, const PtxModule& module, const KernelReport& kernel) {
  if (kernel.smem.empty()) return;
  std::vector<const SmemSite*> known;
  for (const SmemSite& site : kernel.smem)
    if (site.wavefronts) known.push_back(&site);
  std::ranges::stable_sort(known, std::greater(),
                           [](const SmemSite* site) { return *site->wavefronts - *site->ideal; });
  const auto conflicts =
      std::ranges::count_if(known, [](const SmemSite* site) { return *site->wavefronts > *site->ideal; });
  const bool has_remarks = std::ranges::any_of(known, [](const SmemSite* site) { return !remark_text(*site).empty(); });
  Table table{"",
              fmt::format("accesses to shared memory: {} with conflicts, {} without, {} not known", conflicts,
                          std::ssize(known) - conflicts, std::ssize(kernel.smem) - std::ssize(known)),
              site_columns(module, kernel.smem,
                           {{"", "access"},
                            {"", "wavefronts", Column::Align::right},
                            {"", "ideal", Column::Align::right},
                            {"", "proof"},
                            {"", "address"},
                            {"", has_remarks ? "remark" : ""}}),
              {}};
  for (const SmemSite* site : known) {
    const bool is_bound = site->counts_all_lanes;
    table.rows.push_back({site->line,
                          source_text(module, *site),
                          site->access,
                          {*site->wavefronts, (is_bound ? "<= " : "") + number_text(*site->wavefronts),
                           *site->wavefronts > *site->ideal ? Tone::bad : Tone::plain},
                          {*site->ideal, number_text(*site->ideal)},
                          site->proof == SmemProof::all ? "all"
                          : is_bound                    ? "bound"
                                                        : "sampled",
                          site->address.text,
                          remark_text(*site)});
  }
  const std::size_t shown =
      std::min<std::size_t>(most_site_rows, conflicts == 0 ? 3 : static_cast<std::size_t>(conflicts));
  if (table.rows.size() > shown)
    table.fold = {table.rows.size() - shown,
                  fmt::format("{} more{}", table.rows.size() - shown,
                              conflicts > std::ptrdiff_t(shown) ? "" : " without conflicts")};
  d.add(std::move(table));
  if (conflicts > 0) {
    add_remedy(d, kernel, *known.front());
    d.line("lanes", fmt::format("--line {} shows them", known.front()->line), Tone::faint);
  }
  add_unknown_sites(d, module, kernel);
  add_limits_of_counts(d, kernel);
}

void add_tma_rows(Document& d, const PtxModule& module, const KernelReport& kernel) {
  if (kernel.tma.empty()) return;
  Table table{"",
              "bulk copies",
              site_columns(
                  module, kernel.tma,
                  {{"", "copy"}, {"", "shared memory"}, {"", "multiple of", Column::Align::right}, {"", "tensor map"}}),
              {}};
  for (const TmaSite& site : kernel.tma) {
    std::string what(to_string(site.direction));
    if (site.rank > 0) what += fmt::format(", rank {}{}", site.rank, site.mode == "tile" ? "" : ", " + site.mode);
    if (site.bytes) what += fmt::format(", {} B", site.bytes->count);
    if (site.multicast) what += ", multicast";
    table.rows.push_back({site.line, source_text(module, site), what, site.shared ? site.shared->text : "-",
                          site.shared ? fmt::format("{} B", site.shared->alignment) : "-",
                          site.map.empty() ? "-"
                          : site.built     ? built_text(kernel.maps[*site.built])
                                           : site.map});
  }
  if (table.rows.size() > most_site_rows)
    table.fold = {table.rows.size() - most_site_rows, fmt::format("{} more", table.rows.size() - most_site_rows)};
  d.add(std::move(table));
}

void add_tmem_rows(Document& d, const PtxModule& module, const KernelReport& kernel) {
  if (kernel.tmem.empty()) return;
  Table table{"",
              "tensor memory",
              site_columns(module, kernel.tmem,
                           {{"", "access"}, {"", "shape"}, {"", "columns", Column::Align::right}, {"", "address"}}),
              {}};
  for (const TmemSite& site : kernel.tmem)
    table.rows.push_back({site.line, source_text(module, site), site.action, site.shape.empty() ? "-" : site.shape,
                          site.columns ? fmt::format("{}", *site.columns) : "-", site.address});
  if (table.rows.size() > most_site_rows)
    table.fold = {table.rows.size() - most_site_rows, fmt::format("{} more", table.rows.size() - most_site_rows)};
  d.add(std::move(table));
}

// A rule once, with its first site and how often it is broken.
struct ToldFinding {
  Finding finding;
  std::uint32_t line = 0;  // of the first MMA; 0: of the kernel
  std::uint32_t last = 0;  // of the last MMA
  std::int64_t count = 0;  // of operands and words
  std::int64_t mmas = 0;
};

std::vector<ToldFinding> told_findings(const KernelReport& kernel) {
  std::vector<ToldFinding> all;
  const auto tell = [&](const Finding& finding, std::uint32_t line) {
    const auto found = std::ranges::find_if(
        all, [&](const ToldFinding& one) { return one.finding.rule == finding.rule && one.line != 0 && line != 0; });
    if (found == all.end()) {
      all.push_back({finding, line, line, 1, 1});
      return;
    }
    ++found->count;
    if (std::exchange(found->last, line) != line) ++found->mmas;
  };
  for (const Finding& finding : kernel.findings) tell(finding, 0);
  for (const MmaSite& site : kernel.mma)
    for (const Finding& finding : site.findings) tell(finding, site.line);
  std::ranges::stable_sort(all, std::greater(),
                           [](const ToldFinding& one) { return one.finding.severity != Severity::note; });
  return all;
}

std::string verdict_text(const std::vector<ToldFinding>& told) {
  const auto wrong =
      std::ranges::count_if(told, [](const ToldFinding& one) { return one.finding.severity != Severity::note; });
  return wrong == 0 ? "no contradiction found" : fmt::format("{}", plural(wrong, "finding"));
}

std::string threads_text(const KernelReport& kernel) {
  if (!kernel.threads) return "threads not said";
  const auto& t = *kernel.threads;
  const std::int64_t count = t[0] * t[1] * t[2];
  return (kernel.threads_are_most ? "at most " : "") +
         (t[1] * t[2] == 1 ? plural(count, "thread") : fmt::format("{} x {} x {} threads", t[0], t[1], t[2]));
}

std::string shared_text(const PtxSymbol& symbol) {
  return fmt::format("{}: {}, on {} B", name_path(symbol.name),
                     symbol.bytes ? fmt::format("{} B", symbol.bytes->count) : std::string("as the launch says"),
                     symbol.alignment);
}

void add_verdict(Document& d, const KernelReport& kernel) {
  const auto told = told_findings(kernel);
  const bool is_wrong =
      std::ranges::any_of(told, [](const ToldFinding& one) { return one.finding.severity != Severity::note; });
  d.line("verdict", verdict_text(told), is_wrong ? Tone::bad : Tone::good);
  if (!is_wrong) add_summary(d, kernel);
  for (const ToldFinding& one : told) {
    const std::string where = one.line == 0 ? "" : fmt::format("line {}: ", one.line);
    const std::string more =
        one.count == 1 ? ""
                       : fmt::format(" ({}{})", one.count == one.mmas ? "" : fmt::format("{} times in ", one.count),
                                     plural(one.mmas, "MMA"));
    d.line(fmt::format("{}", one.finding.rule), where + one.finding.message + more,
           one.finding.severity == Severity::note ? Tone::plain : Tone::bad);
    if (!one.finding.hint.empty()) d.line(" ", one.finding.hint, Tone::faint);
  }
  for (const PtxSymbol& symbol : kernel.shared)
    d.line(&symbol == kernel.shared.data() ? "shared" : " ", shared_text(symbol));
}

// "gemm_device"; the mangled name is shown below it.
std::string title_name(std::string_view name) {
  constexpr std::size_t most_letters = 72;
  const std::string path = name_path(name);
  return path.size() <= most_letters ? path : fmt::format("{}…", path.substr(0, most_letters - 1));
}

bool has_sites(const KernelReport& kernel) {
  return !(kernel.mma.empty() && kernel.smem.empty() && kernel.tma.empty() && kernel.tmem.empty());
}

Document kernel_text(const PtxModule& module, const KernelReport& kernel, const ShownSites& shown) {
  Document text;
  if (name_path(kernel.name) != kernel.name) text.line("name", shortened(kernel.name), Tone::faint);
  if (!has_sites(kernel) && kernel.findings.empty()) return text.line("sites", "none");
  add_verdict(text, kernel);
  if (shown.mma) add_mma_rows(text, kernel);
  if (shown.smem) add_smem_rows(text, module, kernel);
  if (shown.tma) add_tma_rows(text, module, kernel);
  if (shown.tmem) add_tmem_rows(text, module, kernel);
  return text;
}

// `held` keeps the text alive that the report points into.
Document kernel_document(const std::shared_ptr<const std::vector<KernelText>>& held, const PtxModule& module,
                         const KernelReport& kernel, const ShownSites& shown) {
  Document d(fmt::format("{}  {}, {}", title_name(kernel.name), kernel.target_name, threads_text(kernel)));
  d.answers = {"mma", "smem", "findings"};
  d.json("name", kernel.name).json("target", kernel.target_name);
  d.json("threads", kernel.threads ? Json(*kernel.threads) : Json());
  d.json("shared", json_list(kernel.shared, [](const PtxSymbol& symbol) {
           return Json{{"name", symbol.name},
                       {"bytes", symbol.bytes ? Json(symbol.bytes->count) : Json()},
                       {"alignment", symbol.alignment}};
         }));
  const auto list = [&](bool is_shown, const auto& sites, const auto& json) {
    return is_shown ? json_list(sites, [&](const auto& site) { return json(module, site); }) : Json::array();
  };
  d.json("mma", list(shown.mma, kernel.mma, mma_json)).json("smem", list(shown.smem, kernel.smem, smem_json));
  const auto copy_json = [&](const PtxModule& of, const TmaSite& site) { return tma_json(of, kernel, site); };
  d.json("tma", list(shown.tma, kernel.tma, copy_json)).json("tmem", list(shown.tmem, kernel.tmem, tmem_json));
  d.json("findings", kernel_findings_json(kernel));
  d.add(Drawing{[held, &module, &kernel, shown](Medium medium) {
    return medium == Medium::page ? Document() : kernel_text(module, with_readable_names(kernel), shown);
  }});
  return d;
}

}  // namespace

Document view_kernels(std::vector<KernelText> texts, const ShownSites& shown) {
  const auto held = std::make_shared<const std::vector<KernelText>>(std::move(texts));
  Document d;
  Group kernels{"kernels", {}};
  for (const KernelText& text : *held)
    for (const KernelReport& kernel : text.kernels)
      kernels.members.push_back(kernel_document(held, text.module, kernel, shown));
  d.add(std::move(kernels));
  return d;
}

bool is_incomplete(const std::vector<KernelText>& texts) {
  const auto is_open = [](const KernelReport& kernel) {
    return std::ranges::any_of(kernel.smem, [](const SmemSite& site) { return site.proof != SmemProof::all; }) ||
           std::ranges::any_of(kernel.mma,
                               [](const MmaSite& site) { return !site.a.why.empty() || !site.b.why.empty(); });
  };
  return std::ranges::any_of(texts, [&](const KernelText& text) { return std::ranges::any_of(text.kernels, is_open); });
}

bool has_lints(const std::vector<KernelText>& texts) {
  const auto is_lint = [](const Finding& one) { return one.severity != Severity::note; };
  for (const KernelText& text : texts)
    for (const KernelReport& kernel : text.kernels) {
      if (std::ranges::any_of(kernel.findings, is_lint)) return true;
      for (const MmaSite& site : kernel.mma)
        if (std::ranges::any_of(site.findings, is_lint)) return true;
    }
  return false;
}

}  // namespace swz
