#include "view/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"
#include "view/banks.hpp"
#include "view/decode.hpp"

namespace swz {

namespace {

constexpr std::size_t most_rows = 12;

// ---- JSON

Json source_json(const PtxModule& module, const SourcePlace& source) {
  if (source.line == 0) return nullptr;
  const std::string_view file = source.file < module.files.size() ? module.files[source.file] : std::string_view();
  return {{"file", file.empty() ? Json() : Json(file)}, {"line", source.line}};
}

Json bytes_json(const std::optional<Bytes>& bytes) { return bytes ? Json(bytes->count) : Json(); }

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json start_json(const SiteAddress& start) {
  return {{"text", start.text},
          {"symbol", or_null(std::string(start.symbol))},
          {"offset", bytes_json(start.offset)},
          {"alignment", start.alignment}};
}

Json operand_json(const MmaOperandSite& operand) {
  return {{"in", to_string(operand.in)},
          {"major", operand.major ? Json(direction_name(*operand.major)) : Json()},
          {"word", operand.word ? Json(hex64(operand.word->word)) : Json()},
          {"known_bits", operand.word ? Json(hex64(operand.word->known)) : Json()},
          {"start", operand.start ? start_json(*operand.start) : Json()},
          {"leading_byte_offset", bytes_json(operand.leading_byte_offset)},
          {"stride_byte_offset", bytes_json(operand.stride_byte_offset)},
          {"base_offset", optional_json(operand.base_offset)},
          {"swizzle", operand.swizzle ? Json(operand.swizzle->name) : Json()},
          {"why", or_null(operand.why)}};
}

Json findings_json(const std::vector<Finding>& findings) {
  return json_list(findings, [](const Finding& one) {
    Json out = to_json(one);
    out["severity"] = to_string(one.severity);
    return out;
  });
}

Json site_json(const PtxModule& module, const PtxSite& site) {
  return {{"line", site.line}, {"source", source_json(module, site.source)}, {"instruction", site.opcode}};
}

Json mma_json(const PtxModule& module, const MmaSite& site) {
  Json out = site_json(module, site);
  out["mma"] = site.mma;
  out["a"] = operand_json(site.a);
  out["b"] = operand_json(site.b);
  out["idesc"] = nullptr;
  if (site.idesc)
    out["idesc"] = {{"word", hex32(static_cast<std::uint32_t>(site.idesc->word.word))},
                    {"known_bits", hex32(static_cast<std::uint32_t>(site.idesc->word.known))},
                    {"m", optional_json(site.idesc->m)},
                    {"n", optional_json(site.idesc->n)}};
  out["findings"] = findings_json(site.findings);
  return out;
}

Json count_json(const std::optional<double>& count) {
  if (!count) return nullptr;
  if (*count == std::floor(*count)) return static_cast<std::int64_t>(*count);
  return *count;
}

Json proof_json(SmemProof proof) {
  if (proof == SmemProof::none) return nullptr;
  return proof == SmemProof::all ? "all" : "sampled";
}

Json smem_json(const PtxModule& module, const SmemSite& site) {
  Json out = site_json(module, site);
  out["access"] = or_null(site.access);
  out["wavefronts"] = count_json(site.wavefronts);
  out["ideal"] = count_json(site.ideal);
  out["proof"] = proof_json(site.proof);
  out["why"] = or_null(site.why);
  out["address"] = or_null(site.address.text);
  return out;
}

Json tma_json(const PtxModule& module, const TmaSite& site) {
  Json out = site_json(module, site);
  out["direction"] = to_string(site.direction);
  out["rank"] = site.rank == 0 ? Json() : Json(site.rank);
  out["mode"] = or_null(site.mode);
  out["shared"] = site.shared ? start_json(*site.shared) : Json();
  out["map"] = or_null(site.map);
  out["bytes"] = bytes_json(site.bytes);
  out["multicast"] = site.multicast;
  return out;
}

Json tmem_json(const PtxModule& module, const TmemSite& site) {
  Json out = site_json(module, site);
  out["action"] = site.action;
  out["shape"] = or_null(site.shape);
  out["address"] = or_null(site.address);
  out["columns"] = optional_json(site.columns);
  return out;
}

// ---- text

std::string number_text(double value) {
  return value == std::floor(value) ? fmt::format("{}", static_cast<std::int64_t>(value)) : fmt::format("{:.2f}", value);
}

// "line 88", "gemm.cu:120 (line 88)"
std::string place_text(const PtxModule& module, const PtxSite& site) {
  if (site.source.line == 0 || site.source.file >= module.files.size() || module.files[site.source.file].empty())
    return fmt::format("line {}", site.line);
  const std::string_view path = module.files[site.source.file];
  return fmt::format("{}:{} (line {})", path.substr(path.rfind('/') + 1), site.source.line, site.line);
}

std::string lines_text(std::uint32_t first, std::uint32_t last) {
  return first == last ? fmt::format("line {}", first) : fmt::format("lines {}-{}", first, last);
}

std::string operand_text(const MmaOperandSite& operand) {
  std::string out(to_string(operand.in));
  if (operand.major) out += fmt::format(" {}", to_string(*operand.major));
  if (operand.in != MmaOperandPlace::smem) return out;
  out += operand.swizzle ? fmt::format(" mode {}", operand.swizzle->name) : " mode ?";
  const auto bytes = [](const std::optional<Bytes>& of) { return of ? fmt::format("{}", of->count) : std::string("?"); };
  out += fmt::format(", LBO {} SBO {}", bytes(operand.leading_byte_offset), bytes(operand.stride_byte_offset));
  if (operand.base_offset && *operand.base_offset != 0) out += fmt::format(", base offset {}", *operand.base_offset);
  return out;
}

// What MMAs of one row have in common.
auto group_of(const MmaSite& site) {
  return std::tuple(site.opcode, site.mma, operand_text(site.a), operand_text(site.b), site.a.start ? site.a.start->terms : "",
                    site.b.start ? site.b.start->terms : "");
}

// "smem + 16384*%r7 + 0, 32, 64, 96 B": what moves from MMA to MMA is the constant.
std::string starts_text(const std::vector<const MmaSite*>& sites, MmaOperandSite MmaSite::*operand) {
  const auto start = [&](std::size_t i) -> const std::optional<SiteAddress>& { return (sites[i]->*operand).start; };
  if (!start(0)) return "";
  std::vector<std::int64_t> constants;
  for (std::size_t i = 0; i < sites.size(); ++i) constants.push_back(start(i)->constant.count);
  if (std::ranges::all_of(constants, [&](std::int64_t one) { return one == constants[0]; })) return start(0)->text;
  constexpr std::size_t most_shown = 8;
  std::string list;
  for (std::size_t i = 0; i < constants.size() && i < most_shown; ++i) list += fmt::format("{}{}", i == 0 ? "" : ", ", constants[i]);
  return fmt::format("{} + {}{} B", start(0)->terms, list, constants.size() > most_shown ? ", …" : "");
}

void add_mma_rows(Document& d, const KernelReport& kernel) {
  if (kernel.mma.empty()) return;
  std::vector<std::vector<const MmaSite*>> groups;
  for (const MmaSite& site : kernel.mma) {
    if (groups.empty() || group_of(*groups.back().front()) != group_of(site)) groups.emplace_back();
    groups.back().push_back(&site);
  }
  Table table{"", fmt::format("{}", plural(std::ssize(kernel.mma), "MMA")), {{"", "lines"}, {"", "instruction"}, {"", "of"}, {"", "operand"}, {"", "start"}}, {}};
  for (const auto& group : groups) {
    const MmaSite& site = *group.front();
    const std::string_view opcode = site.opcode.substr(0, site.opcode.find('.'));
    const std::string type = site.a_type.empty() ? "" : fmt::format(" {}{}", site.a_type, site.a_type == site.b_type ? "" : " x " + site.b_type);
    const std::string count = group.size() == 1 ? "" : fmt::format("{} x ", group.size());
    table.rows.push_back({lines_text(site.line, group.back()->line), fmt::format("{}{} {}{}", count, opcode, site.mma, type), "A", operand_text(site.a), starts_text(group, &MmaSite::a)});
    table.rows.push_back({"", "", "B", operand_text(site.b), starts_text(group, &MmaSite::b)});
  }
  if (table.rows.size() > 2 * most_rows)
    table.fold = {table.rows.size() - 2 * most_rows, fmt::format("{} more rows: -f json, or --only mma --full", groups.size() - most_rows)};
  d.add(std::move(table));
}

void add_smem_rows(Document& d, const PtxModule& module, const KernelReport& kernel) {
  if (kernel.smem.empty()) return;
  std::vector<const SmemSite*> known;
  std::map<std::string, std::pair<std::size_t, const SmemSite*>> unknown;
  for (const SmemSite& site : kernel.smem) {
    if (site.wavefronts) {
      known.push_back(&site);
      continue;
    }
    auto& [count, first] = unknown[site.why];
    if (count++ == 0) first = &site;
  }
  std::ranges::stable_sort(known, std::greater(), [](const SmemSite* site) { return *site->wavefronts - *site->ideal; });
  const auto conflicts = std::ranges::count_if(known, [](const SmemSite* site) { return *site->wavefronts > *site->ideal; });
  Table table{"", fmt::format("accesses to shared memory: {} with conflicts, {} without, {} not known", conflicts,
                              std::ssize(known) - conflicts, std::ssize(kernel.smem) - std::ssize(known)),
              {{"", "place"}, {"", "access"}, {"", "wavefronts", Column::Align::right}, {"", "ideal", Column::Align::right}, {"", "proof"}, {"", "address"}}, {}};
  for (const SmemSite* site : known)
    table.rows.push_back({place_text(module, *site), site->access,
                          {*site->wavefronts, number_text(*site->wavefronts), *site->wavefronts > *site->ideal ? Tone::bad : Tone::plain},
                          {*site->ideal, number_text(*site->ideal)}, site->proof == SmemProof::all ? "all" : "sampled", site->address.text});
  const std::size_t shown = std::min<std::size_t>(most_rows, conflicts == 0 ? 3 : static_cast<std::size_t>(conflicts));
  if (table.rows.size() > shown)
    table.fold = {table.rows.size() - shown, fmt::format("{} more{}", table.rows.size() - shown, conflicts > std::ptrdiff_t(shown) ? "" : " without conflicts")};
  d.add(std::move(table));
  for (const auto& [why, of] : unknown)
    d.line("not known", fmt::format("{}: {}{}", place_text(module, *of.second), why.empty() ? "the address" : why, of.first > 1 ? fmt::format("; {} more", of.first - 1) : ""));
}

void add_tma_rows(Document& d, const PtxModule& module, const KernelReport& kernel) {
  if (kernel.tma.empty()) return;
  Table table{"", "bulk copies",
              {{"", "place"}, {"", "copy"}, {"", "shared memory"}, {"", "on a multiple of", Column::Align::right}, {"", "tensor map"}}, {}};
  for (const TmaSite& site : kernel.tma) {
    std::string what(to_string(site.direction));
    if (site.rank > 0) what += fmt::format(", rank {}{}", site.rank, site.mode == "tile" ? "" : ", " + site.mode);
    if (site.bytes) what += fmt::format(", {} B", site.bytes->count);
    if (site.multicast) what += ", multicast";
    table.rows.push_back({place_text(module, site), what, site.shared ? site.shared->text : "-", site.shared ? fmt::format("{} B", site.shared->alignment) : "-",
                          site.map.empty() ? "-" : site.map});
  }
  if (table.rows.size() > most_rows) table.fold = {table.rows.size() - most_rows, fmt::format("{} more", table.rows.size() - most_rows)};
  d.add(std::move(table));
}

void add_tmem_rows(Document& d, const PtxModule& module, const KernelReport& kernel) {
  if (kernel.tmem.empty()) return;
  Table table{"", "tensor memory", {{"", "place"}, {"", "access"}, {"", "shape"}, {"", "columns", Column::Align::right}, {"", "address"}}, {}};
  for (const TmemSite& site : kernel.tmem)
    table.rows.push_back({place_text(module, site), site.action, site.shape.empty() ? "-" : site.shape, site.columns ? fmt::format("{}", *site.columns) : "-", site.address});
  if (table.rows.size() > most_rows) table.fold = {table.rows.size() - most_rows, fmt::format("{} more", table.rows.size() - most_rows)};
  d.add(std::move(table));
}

// A rule once, with its first site and how many more there are.
struct ToldFinding {
  Finding finding;
  std::uint32_t line = 0;  // 0: of the kernel
  std::int64_t count = 0;
};

std::vector<ToldFinding> told_findings(const KernelReport& kernel) {
  std::vector<ToldFinding> all;
  const auto tell = [&](const Finding& finding, std::uint32_t line) {
    const auto found = std::ranges::find_if(all, [&](const ToldFinding& one) { return one.finding.rule == finding.rule && one.line != 0 && line != 0; });
    if (found == all.end()) all.push_back({finding, line, 1});
    else ++found->count;
  };
  for (const Finding& finding : kernel.findings) tell(finding, 0);
  for (const MmaSite& site : kernel.mma)
    for (const Finding& finding : site.findings) tell(finding, site.line);
  std::ranges::stable_sort(all, std::greater(), [](const ToldFinding& one) { return one.finding.severity != Severity::note; });
  return all;
}

std::string verdict_text(const std::vector<ToldFinding>& told) {
  const auto wrong = std::ranges::count_if(told, [](const ToldFinding& one) { return one.finding.severity != Severity::note; });
  return wrong == 0 ? "no contradiction found" : fmt::format("{}", plural(wrong, "finding"));
}

std::string threads_text(const KernelReport& kernel) {
  if (!kernel.threads) return "threads not said";
  const auto& t = *kernel.threads;
  const std::int64_t count = t[0] * t[1] * t[2];
  return t[1] * t[2] == 1 ? plural(count, "thread") : fmt::format("{} x {} x {} threads", t[0], t[1], t[2]);
}

std::string shared_text(const PtxSymbol& symbol) {
  return fmt::format("{}: {}, on {} B", symbol.name, symbol.bytes ? fmt::format("{} B", symbol.bytes->count) : std::string("as the launch says"), symbol.alignment);
}

void add_verdict(Document& d, const KernelReport& kernel) {
  const auto told = told_findings(kernel);
  const bool is_wrong = std::ranges::any_of(told, [](const ToldFinding& one) { return one.finding.severity != Severity::note; });
  d.line("verdict", verdict_text(told), is_wrong ? Tone::bad : Tone::good);
  for (const ToldFinding& one : told) {
    const std::string where = one.line == 0 ? "" : fmt::format("line {}: ", one.line);
    const std::string more = one.count > 1 ? fmt::format(" ({} more)", one.count - 1) : "";
    d.line(fmt::format("{}", one.finding.rule), where + one.finding.message + more, one.finding.severity == Severity::note ? Tone::plain : Tone::bad);
    if (!one.finding.hint.empty()) d.line("", one.finding.hint, Tone::faint);
  }
  for (const PtxSymbol& symbol : kernel.shared) d.line(&symbol == kernel.shared.data() ? "shared" : "", shared_text(symbol));
}

// `held` keeps the text that the report points into.
Document kernel_document(const std::shared_ptr<const std::vector<KernelText>>& held, const PtxModule& module, const KernelReport& kernel,
                         const ShownSites& shown) {
  Document d(fmt::format("{}  {}, {}", kernel.name, kernel.target_name, threads_text(kernel)));
  d.answers = {"mma", "smem", "findings"};
  d.json("name", kernel.name).json("target", kernel.target_name);
  d.json("threads", kernel.threads ? Json(*kernel.threads) : Json());
  d.json("shared", json_list(kernel.shared, [](const PtxSymbol& symbol) {
    return Json{{"name", symbol.name}, {"bytes", bytes_json(symbol.bytes)}, {"alignment", symbol.alignment}};
  }));
  const auto list = [&](bool is_shown, const auto& sites, const auto& json) {
    return is_shown ? json_list(sites, [&](const auto& site) { return json(module, site); }) : Json::array();
  };
  d.json("mma", list(shown.mma, kernel.mma, mma_json)).json("smem", list(shown.smem, kernel.smem, smem_json));
  d.json("tma", list(shown.tma, kernel.tma, tma_json)).json("tmem", list(shown.tmem, kernel.tmem, tmem_json));
  d.json("findings", findings_json(kernel.findings));
  d.add(Drawing{[held, &module, &kernel, shown](Medium medium) {
    Document text;
    if (medium == Medium::page) return text;
    add_verdict(text, kernel);
    if (shown.mma) add_mma_rows(text, kernel);
    if (shown.smem) add_smem_rows(text, module, kernel);
    if (shown.tma) add_tma_rows(text, module, kernel);
    if (shown.tmem) add_tmem_rows(text, module, kernel);
    return text;
  }});
  return d;
}

// ---- one site

struct FoundSite {
  const KernelReport* kernel = nullptr;
  const MmaSite* mma = nullptr;
  const SmemSite* smem = nullptr;
  const TmaSite* tma = nullptr;
  const TmemSite* tmem = nullptr;
};

template <class Sites, class Found>
void look_in(const Sites& sites, std::uint32_t line, std::uint32_t& nearest, const Found& found) {
  const auto distance = [&](std::uint32_t of) { return of < line ? line - of : of - line; };
  for (const auto& site : sites) {
    if (site.line == line) found(site);
    if (nearest == 0 || distance(site.line) < distance(nearest)) nearest = site.line;
  }
}

FoundSite site_in_line(const KernelText& text, std::uint32_t line) {
  FoundSite out;
  std::uint32_t nearest = 0;
  for (const KernelReport& kernel : text.kernels) {
    const auto in = [&](auto& member) {
      return [&](const auto& site) {
        out.kernel = &kernel;
        member = &site;
      };
    };
    look_in(kernel.mma, line, nearest, in(out.mma));
    look_in(kernel.smem, line, nearest, in(out.smem));
    look_in(kernel.tma, line, nearest, in(out.tma));
    look_in(kernel.tmem, line, nearest, in(out.tmem));
  }
  if (out.kernel == nullptr)
    throw Error(fmt::format("line {} has no MMA, access to shared memory, bulk copy or access to tensor memory", line),
                nearest == 0 ? "the text has none at all" : fmt::format("the nearest is in line {}", nearest));
  return out;
}

void add_operand(Document& d, std::string_view name, const MmaOperandSite& operand, const KernelReport& kernel) {
  d.line(std::string(name), operand_text(operand));
  if (operand.start) d.line("  start", fmt::format("{}, a multiple of {} B", operand.start->text, operand.start->alignment));
  if (operand.word) d.line("  word", fmt::format("{}, known bits {}", hex64(operand.word->word), hex64(operand.word->known)));
  if (!operand.why.empty()) d.line("  not known", operand.why);
  if (!operand.word || kernel.target == nullptr || kernel.target->descriptor == SmemDescriptorKind::none) return;
  // Bits that are not known are shown as 0.
  DecodedWords words;
  words.words.push_back({decode_smem(operand.word->word, kernel.target), {}});
  d.add(Drawing{[words](Medium) { return view_decoded(words); }});
}

}  // namespace

Document view_kernel_line(const KernelText& text, std::uint32_t line) {
  const FoundSite site = site_in_line(text, line);
  const PtxModule& module = text.module;
  const PtxSite& of = site.mma ? static_cast<const PtxSite&>(*site.mma) : site.smem ? *site.smem : site.tma ? static_cast<const PtxSite&>(*site.tma) : *site.tmem;
  Document d(fmt::format("{}, {}: {}", site.kernel->name, place_text(module, of), of.opcode));
  d.answers = {"site"};
  d.json("kernel", site.kernel->name);
  if (site.mma) {
    d.json("site", mma_json(module, *site.mma));
    d.line("MMA", fmt::format("{} {}", site.mma->mma, site.mma->a_type));
    add_operand(d, "A", site.mma->a, *site.kernel);
    add_operand(d, "B", site.mma->b, *site.kernel);
    if (site.mma->idesc) d.line("idesc", fmt::format("{}, known bits {}", hex32(static_cast<std::uint32_t>(site.mma->idesc->word.word)), hex32(static_cast<std::uint32_t>(site.mma->idesc->word.known))));
    for (const Finding& finding : site.mma->findings) d.line(finding.rule, finding.message, finding.severity == Severity::note ? Tone::plain : Tone::bad);
  } else if (site.smem) {
    const SmemSite& access = *site.smem;
    d.json("site", smem_json(module, access));
    d.line("address", fmt::format("{}, a multiple of {} B", access.address.text, access.address.alignment));
    if (access.wavefronts)
      d.line("wavefronts", fmt::format("{} a warp, ideal {}; {} of {}", number_text(*access.wavefronts), number_text(*access.ideal),
                                       access.proof == SmemProof::all ? "proven for every execution" : "sampled", plural(access.warps, "warp")),
             *access.wavefronts > *access.ideal ? Tone::bad : Tone::good);
    if (!access.why.empty()) d.line(access.wavefronts ? "remark" : "not known", access.why);
    if (access.worst) {
      const Target& target = site.kernel->target ? *site.kernel->target : default_target();
      d.line("lanes", "the warp with the most, up to what all its lanes share");
      d.add(Drawing{[pattern = *access.worst, &target](Medium) {
        return view_banks(RawBanksReport{&target, wavefront_report(pattern, target), warp_lanes}, Highlight());
      }});
    }
  } else if (site.tma) {
    d.json("site", tma_json(module, *site.tma));
    d.line("copy", fmt::format("{}{}", to_string(site.tma->direction), site.tma->rank > 0 ? fmt::format(", rank {}, {}", site.tma->rank, site.tma->mode) : ""));
    if (site.tma->shared) d.line("shared memory", fmt::format("{}, a multiple of {} B", site.tma->shared->text, site.tma->shared->alignment));
    if (!site.tma->map.empty()) d.line("tensor map", site.tma->map);
  } else {
    d.json("site", tmem_json(module, *site.tmem));
    d.line("access", fmt::format("{} {}", site.tmem->action, site.tmem->shape));
    d.line("address", site.tmem->address);
    if (site.tmem->columns) d.line("columns", fmt::format("{}", *site.tmem->columns));
  }
  return d;
}

Document view_kernels(std::vector<KernelText> texts, const ShownSites& shown) {
  const auto held = std::make_shared<const std::vector<KernelText>>(std::move(texts));
  Document d;
  Group kernels{"kernels", {}};
  for (const KernelText& text : *held)
    for (const KernelReport& kernel : text.kernels) kernels.members.push_back(kernel_document(held, text.module, kernel, shown));
  d.add(std::move(kernels));
  return d;
}

std::string annotated_ptx(const KernelText& text) {
  std::map<std::uint32_t, std::string> comments;
  const auto add = [&](std::uint32_t line, const std::string& comment) {
    std::string& all = comments[line];
    all += (all.empty() ? "" : "; ") + comment;
  };
  for (const KernelReport& kernel : text.kernels) {
    for (const MmaSite& site : kernel.mma) {
      add(site.line, fmt::format("{} {}: A {}{}, B {}{}", site.mma, site.a_type, operand_text(site.a), site.a.start ? " at " + site.a.start->text : "", operand_text(site.b),
                                 site.b.start ? " at " + site.b.start->text : ""));
      for (const Finding& finding : site.findings) add(site.line, fmt::format("{}: {}", finding.rule, finding.message));
    }
    for (const SmemSite& site : kernel.smem)
      add(site.line, site.wavefronts ? fmt::format("{}: {} wavefronts, ideal {} ({}), at {}", site.access, number_text(*site.wavefronts), number_text(*site.ideal),
                                                   site.proof == SmemProof::all ? "all" : "sampled", site.address.text)
                                     : fmt::format("wavefronts not known: {}", site.why));
    for (const TmaSite& site : kernel.tma)
      add(site.line, fmt::format("{}{}", to_string(site.direction), site.shared ? fmt::format(" at {}, a multiple of {} B", site.shared->text, site.shared->alignment) : ""));
    for (const TmemSite& site : kernel.tmem) add(site.line, fmt::format("{} {} at {}", site.action, site.shape, site.address));
  }
  std::string out;
  const std::string& ptx = *text.module.text;
  std::uint32_t line = 1;
  for (std::size_t at = 0; at < ptx.size(); ++line) {
    const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
    out += ptx.substr(at, end - at);
    if (const auto found = comments.find(line); found != comments.end()) out += "  // swz: " + found->second;
    out += '\n';
    at = end + 1;
  }
  return out;
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
