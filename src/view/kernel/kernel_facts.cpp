// SPDX-License-Identifier: Apache-2.0
// What is known of each site (docs/json.md has the keys), and its words in text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/mangled_name.hpp"
#include "base/text.hpp"
#include "view/descriptor/decode.hpp"
#include "view/kernel/kernel_parts.hpp"

namespace swz {

namespace {

Json source_json(const PtxModule& module, const SourcePlace& source) {
  if (source.line == 0) return nullptr;
  const std::string_view file = source.file < module.files.size() ? module.files[source.file] : std::string_view();
  return {{"file", or_null(file)}, {"line", source.line}};
}

// A mean that is a whole number is one in JSON.
Json count_json(const std::optional<double>& count) {
  if (!count) return nullptr;
  if (*count == std::floor(*count)) return static_cast<std::int64_t>(*count);
  return *count;
}

Json finding_json(const Finding& one) {
  Json out = to_json(one);
  out["severity"] = to_string(one.severity);
  return out;
}

// ---- MMAs

// The findings of the operand: "A: …".
std::vector<Finding> findings_of(const std::vector<Finding>& all, const std::string& operand) {
  std::vector<Finding> own;
  for (const Finding& finding : all)
    if (finding.message.starts_with(operand + ": ")) own.push_back(finding);
  return own;
}

bool has_words(const Target* target) { return target != nullptr && target->descriptor != SmemDescriptorKind::none; }

// The bits of the word among the lines of a text.
Drawing word_drawing(const KnownWord& word, const Target* target) {
  return {[=](Medium medium) {
    if (medium == Medium::page) return Document();
    if (word.known != ~std::uint64_t{0}) return view_partly_known(SmemDescriptor(word.word, *target), word.known, "");
    DecodedWords words;
    words.words.push_back({decode_smem(word.word, target), {}});
    return view_decoded(words);
  }};
}

// "0xc00000400001??42": a digit with a bit that is not known is "?".
std::string known_hex(const KnownWord& word) {
  std::string text = hex64(word.word);
  for (std::size_t i = 0; i < 16; ++i)
    if ((~word.known >> (4 * i) & 0xf) != 0) text[text.size() - 1 - i] = '?';
  return text;
}

// The picture of what is read; none of a word with a lint, whose bits are drawn with one field in red.
std::optional<Figure> what_is_read(const std::string& label, const MmaOperandSite& operand, const std::string& type,
                                   const Target* target, const std::vector<Finding>& findings) {
  const std::vector<Finding> own = findings_of(findings, label);
  const bool has_lint = std::ranges::any_of(own, [](const Finding& f) { return f.severity != Severity::note; });
  if (has_lint || !has_words(target)) return {};
  return operand_site_figure(label, operand, type, *target);
}

// The operand "a" in JSON is A in text.
void add_operand(Document& d, const std::string& key, const std::string& label, const MmaOperandSite& operand,
                 const Target* target) {
  const auto& word = operand.word;
  d.line(label, operand_text(operand));
  if (operand.start) d.line("  start", aligned_text(*operand.start));
  d.json(key + ".in", to_string(operand.in));
  d.json(key + ".major", operand.major ? Json(direction_name(*operand.major)) : Json());
  d.known(key + ".word", "  word", word ? Json(hex64(word->word)) : Json(),
          word ? fmt::format("{}, known bits {}", hex64(word->word), hex64(word->known)) : "");
  d.json(key + ".known_bits", word ? Json(hex64(word->known)) : Json());
  add_address(d, key + ".start", operand.start);
  d.json(key + ".leading_byte_offset", bytes_json(operand.leading_byte_offset));
  d.json(key + ".stride_byte_offset", bytes_json(operand.stride_byte_offset));
  d.json(key + ".absolute_lbo", operand.has_absolute_lbo);
  d.json(key + ".base_offset", operand.base_offset);
  d.json(key + ".swizzle", operand.swizzle ? Json(operand.swizzle->name) : Json());
  d.known(key + ".why", "  not known", or_null(operand.why), readable(operand.why));
  if (word && has_words(target)) d.add(word_drawing(*word, target));
}

// "0x2010" and "0x10" are 0x2000 apart, equal texts 0; none of texts that differ otherwise.
std::optional<std::int64_t> distance_of(const std::string& a, const std::string& b) {
  if (a == b) return 0;
  constexpr int hex = 16;
  const auto is_address = [](const std::string& text) { return text.starts_with("0x"); };
  if (!is_address(a) || !is_address(b)) return {};
  return std::stoll(b, nullptr, hex) - std::stoll(a, nullptr, hex);
}

// By how much all addresses of the second figure are higher; none if the two differ in anything else, or are equal.
std::optional<std::int64_t> distance_of(const Figure& a, const Figure& b) {
  std::int64_t distance = 0;
  const auto is_shifted = [&](const std::string& from, const std::string& to) {
    const std::optional<std::int64_t> is = distance_of(from, to);
    if (is && distance == 0) distance = *is;
    // What is no address is equal in both.
    return is && (from.starts_with("0x") ? *is == distance : *is == 0);
  };
  const auto is_same_square = [&](const Grid::Square& from, const Grid::Square& to) {
    return from.tint == to.tint && from.mark == to.mark && is_shifted(from.text, to.text);
  };
  const auto is_same_row = [&](const auto& from, const auto& to) {
    return std::ranges::equal(from, to, is_same_square);
  };
  const auto is_same_grid = [&](const Grid& from, const Grid& to) {
    return from.column_labels == to.column_labels && std::ranges::equal(from.row_labels, to.row_labels, is_shifted) &&
           std::ranges::equal(from.squares, to.squares, is_same_row);
  };
  if (a.panels.size() != 1 || b.panels.size() != 1 || a.caption != b.caption ||
      !std::ranges::equal(a.panels.front(), b.panels.front(), is_same_grid) || distance <= 0)
    return {};
  return distance;
}

// A and B in one picture; A, and how far after it B lies, if they are equal.
Drawing operands_drawing(std::vector<Figure> figures) {
  return {[figures = std::move(figures)](Medium medium) {
    if (medium != Medium::page || figures.empty()) return Document();
    Figure figure = figures.front();
    if (const auto distance = figures.size() == 2 ? distance_of(figures[0], figures[1]) : std::nullopt) {
      for (Grid& grid : figure.panels.front()) grid.title.replace(0, 1, fmt::format("A, B + {:#x}", *distance));
      figure.caption += fmt::format(" B is in the same order, {:#x} B after A.", *distance);
      return Document().add(std::move(figure));
    }
    for (std::size_t i = 1; i < figures.size(); ++i) {
      for (const std::vector<Grid>& row : figures[i].panels) figure.panels.push_back(row);
      for (const LegendEntry& entry : figures[i].legend)
        if (std::ranges::find(figure.legend, entry.text, &LegendEntry::text) == figure.legend.end())
          figure.legend.push_back(entry);
      if (figures[i].caption != figure.caption) figure.caption += " " + figures[i].caption;
    }
    return Document().add(std::move(figure));
  }};
}

// Whether the words are known to differ in their starts only.
bool differ_in_start(const KnownWord& a, const KnownWord& b, const Target& target) {
  const std::uint64_t others = ~SmemDescriptor(a.word, target).format().find(FieldId::start_address)->bits.mask();
  return ((a.word ^ b.word) & others) == 0 && ((a.known ^ b.known) & others) == 0;
}

// The bits of A and B of which nothing that is read is drawn, with their faults, each once; only those of A where B has
// the same fields and faults.
Drawing wrong_words_drawing(const MmaSite& site, const Target* target) {
  return {[site, target](Medium medium) {
    Document d;
    if (medium != Medium::page || !has_words(target)) return d;
    const std::vector<MmaFault> faults = faults_of(site);
    const bool has_loop = !faults.empty() && !faults.front().loop.empty();
    const auto of_both = [](const MmaFault& f) { return f.operands == "A and B" || f.operands.empty(); };
    const bool is_alike = site.a.word && site.b.word && !faults.empty() && std::ranges::all_of(faults, of_both) &&
                          differ_in_start(*site.a.word, *site.b.word, *target);
    const auto title = [&](const std::string& label, const MmaOperandSite& o) {
      return fmt::format("{}: {}, {}", label, known_hex(*o.word), reading_text(o));
    };
    std::vector<std::string> said;
    for (const auto& [label, o, type] : {std::tuple("A", &site.a, site.a_type),
                                         std::tuple("B", &site.b, site.b_type.empty() ? site.a_type : site.b_type)}) {
      if (!o->word || what_is_read(label, *o, type, target, site.findings)) continue;
      std::vector<Finding> own;
      for (const MmaFault& fault : faults) {
        if (fault.operands.find(label) == std::string::npos) continue;
        const std::string text = told_fault(fault, !fault.loop.empty() || !has_loop);
        const bool is_new = std::ranges::find(said, text) == said.end();
        own.push_back(lint(fault.rule, is_new ? text : ""));
        said.push_back(text);
      }
      const bool is_last = is_alike && label == std::string_view("A");
      d.add(view_partly_known(SmemDescriptor(o->word->word, *target), o->word->known,
                              title(label, *o) + (is_last ? "\n" + title("B", site.b) + ": the same fields" : ""), own)
                .blocks.front());
      if (is_last) break;
    }
    return d;
  }};
}

void add_instruction_word(Document& d, const std::optional<MmaInstructionWord>& idesc) {
  if (!idesc) {
    d.json("idesc", nullptr);
    return;
  }
  const std::string word = hex32(static_cast<std::uint32_t>(idesc->word.word));
  const std::string known = hex32(static_cast<std::uint32_t>(idesc->word.known));
  d.field("idesc.word", "idesc", word, fmt::format("{}, known bits {}", word, known)).json("idesc.known_bits", known);
  d.json("idesc.m", idesc->m).json("idesc.n", idesc->n);
}

// ---- accesses to shared memory

Json joined_json(const std::optional<JoinedAccess>& joined) {
  if (!joined) return nullptr;
  return {
      {"access", joined->access}, {"wavefronts", count_json(joined->wavefronts)}, {"ideal", count_json(joined->ideal)}};
}

Json proof_json(SmemProof proof) {
  if (proof == SmemProof::none) return nullptr;
  return proof == SmemProof::all ? "all" : "sampled";
}

// A count has a line, and is in three columns of the table.
void add_count(Document& d, const SmemSite& site) {
  const std::string wavefronts = number_text(*site.wavefronts), ideal = number_text(*site.ideal);
  const bool has_conflict = *site.wavefronts > *site.ideal, is_proven = site.proof == SmemProof::all;
  d.line("wavefronts",
         fmt::format("{} a warp, ideal {}; {}, counted in {}", wavefronts, ideal,
                     is_proven ? "proven for every execution" : "sampled", plural(site.warps, "execution")),
         has_conflict ? Tone::bad : Tone::good);
  d.field("wavefronts", "", count_json(site.wavefronts), (site.counts_all_lanes ? "<= " : "") + wavefronts,
          has_conflict ? Tone::bad : Tone::plain);
  d.field("ideal", "", count_json(site.ideal), ideal);
  d.field("proof", "", proof_json(site.proof), site.counts_all_lanes && !is_proven ? "bound" : "");
}

// How often a warp executes it, and what it is of all that a warp pays.
void add_trips(Document& d, const SmemSite& site) {
  const std::string trips = site.trips ? number_text(*site.trips) : "?";
  const std::string share = site.share ? fmt::format("{:.0f} %", 100 * *site.share) : "?";
  if (site.trips && site.share)
    d.line("paid",
           fmt::format("{} wavefronts a warp ({} x {}), {} of those that are known",
                       number_text(*site.wavefronts * *site.trips), number_text(*site.wavefronts), trips, share));
  d.field("trips", "", count_json(site.trips), trips).field("share", "", Json(site.share), share);
}

// ---- counts of Nsight Compute

// "512"; "160 to 512" warps with a thread, if a predicate left threads out.
std::string warps_text(const SiteCount& counted) {
  if (counted.threads == counted.warps * 32) return fmt::format("{}", counted.warps);
  return fmt::format("{} to {}", (counted.threads + 31) / 32, std::min(counted.warps, counted.threads));
}

// unit: "wavefronts". It has a line, and is in two columns of the table.
void add_site_count(Document& d, const std::optional<SiteCount>& counted, const std::string& unit) {
  if (!counted) {
    d.json("counted", nullptr);
    return;
  }
  const SiteCount& c = *counted;
  const bool differs = c.verdict == CountVerdict::differs;
  d.line("counted",
         fmt::format("{} {} by {} with {} threads: {}", c.count, unit,
                     plural(static_cast<std::int64_t>(c.warps), "warp"), c.threads, verdict_text(c.verdict)),
         differs ? Tone::bad : Tone::plain);
  d.field("counted.warps", "", c.warps, warps_text(c)).json("counted.threads", c.threads);
  d.field("counted." + unit, "", c.count, fmt::format("{}", c.count), differs ? Tone::bad : Tone::plain);
  d.json("counted.verdict", to_string(c.verdict));
}

// ---- accesses to global memory

// "4"; "4 to 5", as the lanes begin in a sector; ">= 4", if the lanes may be further apart.
std::string sectors_text(const GmemSite& site) {
  if (!site.sectors) return "?";
  const std::string least = number_text(*site.sectors);
  if (!site.most) return ">= " + least;
  return *site.most == *site.sectors ? least : fmt::format("{} to {}", least, number_text(*site.most));
}

}  // namespace

Json bytes_json(const std::optional<Bytes>& bytes) { return bytes ? Json(bytes->count) : Json(); }

Document facts_of_every_kind(const PtxModule& module, const PtxSite& site) {
  Document d;
  d.blocks.reserve(16);  // a kernel can have thousands of sites
  d.json("line", site.line).field("source", "", source_json(module, site.source), source_text(module, site));
  if (module.is_machine_code()) d.field("offset", "", site.offset, fmt::format("{:#06x}", site.offset));
  else d.json("offset", nullptr);
  d.json("instruction", site.written);
  return d;
}

void add_address(Document& d, const std::string& key, const std::optional<SiteAddress>& address) {
  if (!address) {
    d.json(key, nullptr);
    return;
  }
  d.field(key + ".text", "", address->text, readable(address->text));
  d.json(key + ".symbol", or_null(address->symbol)).json(key + ".offset", bytes_json(address->offset));
  d.field(key + ".alignment", "", address->alignment, fmt::format("{} B", address->alignment));
}

Document facts_of(const PtxModule& module, const KernelReport& kernel, const MmaSite& site) {
  Document d = facts_of_every_kind(module, site);
  d.field("mma", "MMA", site.mma, fmt::format("{} {}", site.mma, site.a_type));
  add_operand(d, "a", "A", site.a, kernel.target);
  add_operand(d, "b", "B", site.b, kernel.target);
  add_instruction_word(d, site.idesc);
  for (const Finding& finding : site.findings)
    d.line(finding.rule, readable(finding.message), finding.severity == Severity::note ? Tone::plain : Tone::bad);
  d.json("findings", json_list(site.findings, finding_json));
  return d;
}

void add_operand_drawings(Document& d, const MmaSite& site, const Target* target) {
  d.add(wrong_words_drawing(site, target));
  std::vector<Figure> figures;
  for (auto& figure :
       {what_is_read("A", site.a, site.a_type, target, site.findings),
        what_is_read("B", site.b, site.b_type.empty() ? site.a_type : site.b_type, target, site.findings)})
    if (figure) figures.push_back(*figure);
  d.add(operands_drawing(std::move(figures)));
}

Document facts_of(const PtxModule& module, const KernelReport&, const SmemSite& site) {
  Document d = facts_of_every_kind(module, site);
  d.line("address", aligned_text(site.address));
  d.json("access", or_null(site.access));
  if (site.wavefronts) add_count(d, site);
  else d.json("wavefronts", nullptr).json("ideal", nullptr).json("proof", nullptr);
  add_trips(d, site);
  add_site_count(d, site.counted, "wavefronts");
  d.json("at_most", site.counts_all_lanes || site.may_shrink).json("may_join", joined_json(site.may_join));
  d.known("why", site.wavefronts ? "remark" : "not known", or_null(site.why), readable(site.why));
  d.field("address", "", or_null(site.address.text), readable(site.address.text));
  return d;
}

Document facts_of(const PtxModule& module, const KernelReport&, const GmemSite& site) {
  Document d = facts_of_every_kind(module, site);
  if (site.sectors)
    d.line("sectors",
           fmt::format("{} of 32 B a warp, ideal {}; {}", sectors_text(site), number_text(*site.ideal),
                       site.is_proven ? "proven for every execution" : "sampled"),
           site.has_excess() ? Tone::bad : Tone::good);
  d.json("bytes", site.bytes.count);
  d.field("sectors", "", count_json(site.sectors), sectors_text(site), site.has_excess() ? Tone::bad : Tone::plain);
  d.json("most", count_json(site.most));
  d.field("ideal", "", count_json(site.ideal), site.ideal ? number_text(*site.ideal) : "?");
  d.json("proof", site.sectors ? Json(site.is_proven ? "all" : "sampled") : Json());
  add_site_count(d, site.counted, "sectors");
  d.json("at_most", site.counts_all_lanes);
  d.known("why", "not known", or_null(site.why), readable(site.why));
  d.field("address", "address", site.address, readable(site.address));
  return d;
}

Document facts_of(const PtxModule& module, const KernelReport&, const TmemSite& site) {
  Document d = facts_of_every_kind(module, site);
  d.line("access", fmt::format("{} {}", site.action, site.shape));
  d.json("action", site.action).json("shape", or_null(site.shape));
  const std::string address = readable(site.address);
  d.line("address", address);
  d.field("address", "", or_null(site.address), address.empty() ? " " : address);  // the table leaves it blank
  d.known("columns", "columns", site.columns);
  return d;
}

Json kernel_findings_json(const KernelReport& kernel) {
  return json_list(kernel.findings, [&](const Finding& one) {
    Json out = finding_json(one);
    if (one.rule != "bank-conflict" || !kernel.conflict) return out;
    const SmemSite& site = kernel.smem[*kernel.conflict];
    out["line"] = site.line;
    out["wavefronts"] = count_json(site.wavefronts);
    out["ideal"] = count_json(site.ideal);
    return out;
  });
}

std::string_view verdict_text(CountVerdict verdict) {
  switch (verdict) {
    case CountVerdict::equal: return "as predicted";
    case CountVerdict::at_most: return "fewer than predicted for all lanes";
    case CountVerdict::global_lines: return "lines of global memory add to it, lanes that copy nothing take from it";
    case CountVerdict::retried: return "the kernel tries atomics until they succeed";
    case CountVerdict::not_executed: return "not executed";
    case CountVerdict::not_stated: return "nothing is predicted";
    default: return "not as predicted";
  }
}

std::string shortened(std::string_view name) {
  constexpr std::size_t most_letters = 96, tail = 32;
  if (name.size() <= most_letters) return std::string(name);
  return fmt::format("{}…{}", name.substr(0, most_letters - tail - 1), name.substr(name.size() - tail));
}

std::string readable(const std::string& text) {
  if (text.find("_Z") == text.npos) return text;
  const std::string named = with_name_paths(text);
  std::string out;
  for (std::size_t at = 0; at < named.size();) {
    std::size_t end = at;
    while (end < named.size() && (is_word(named[end]) || named[end] == '$' || named[end] == ':')) ++end;
    end = std::max(end, at + 1);
    out += end - at > 1 ? shortened(std::string_view(named).substr(at, end - at)) : named.substr(at, end - at);
    at = end;
  }
  return out;
}

std::string number_text(double value) {
  return value == std::floor(value) ? fmt::format("{}", static_cast<std::int64_t>(value))
                                    : fmt::format("{:.2f}", value);
}

std::string source_text(const PtxModule& module, const PtxSite& site) {
  if (site.source.line == 0 || site.source.file >= module.files.size() || module.files[site.source.file].empty())
    return "-";
  const std::string_view path = module.files[site.source.file];
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), site.source.line);
}

std::string place_text(const PtxModule& module, const PtxSite& site) {
  const std::string source = source_text(module, site);
  return source == "-" ? fmt::format("line {}", site.line) : fmt::format("{} (line {})", source, site.line);
}

std::string mma_text(const MmaSite& site) {
  return fmt::format("{} {}", site.written.substr(0, site.written.find('.')), site.mma);
}

std::string types_text(const MmaSite& site) {
  return site.a_type == site.b_type ? site.a_type : site.a_type + " x " + site.b_type;
}

std::string operand_text(const MmaOperandSite& operand) {
  std::string out = operand.in == MmaOperandPlace::smem ? "" : fmt::format("{} ", to_string(operand.in));
  if (operand.major) out += to_string(*operand.major);
  if (operand.in != MmaOperandPlace::smem) return out;
  out += operand.swizzle ? fmt::format(" {}", operand.swizzle->name) : " mode ?";
  const auto bytes = [](const std::optional<Bytes>& of) { return of ? std::to_string(of->count) : "?"; };
  out += fmt::format(", LBO {}{}, SBO {}", operand.has_absolute_lbo ? "absolute " : "",
                     bytes(operand.leading_byte_offset), bytes(operand.stride_byte_offset));
  if (operand.base_offset && *operand.base_offset != 0) out += fmt::format(", base offset {}", *operand.base_offset);
  return out;
}

std::string reading_text(const MmaOperandSite& operand) {
  if (!operand.major || operand.swizzle == nullptr) return operand_text(operand);
  return fmt::format("{} in mode {}", to_string(*operand.major), operand.swizzle->name);
}

// How far apart the groups of rows of a swizzled K-major operand are; empty of others.
static std::string stride_text(const MmaOperandSite& operand) {
  if (operand.major != Major::K || operand.swizzle == nullptr || operand.swizzle->bits == 0 ||
      !operand.stride_byte_offset)
    return "";
  const SwizzleMode& mode = *operand.swizzle;
  std::string text = fmt::format("groups of {} rows are {} B apart", mode.lines, operand.stride_byte_offset->count);
  // A stride that is the atom of another mode is often the trace of a wrong mode.
  for (const SwizzleMode& other : swizzle_modes())
    if (other.family == mode.family && other.bits > 0 && &other != &mode && other.atom() == *operand.stride_byte_offset)
      text += fmt::format(", as in mode {}; in mode {} they take {} B", other.name, mode.name, mode.atom().count);
  return text;
}

std::string operands_text(const MmaFault& fault, const MmaOperandSite& operand) {
  const std::string stride = stride_text(operand);
  return fmt::format("{}: {}{}", fault.operands, reading_text(operand), stride.empty() ? "" : "; " + stride);
}

std::string aligned_text(const SiteAddress& address) {
  return fmt::format("{}, a multiple of {} B", readable(address.text), address.alignment);
}

}  // namespace swz
