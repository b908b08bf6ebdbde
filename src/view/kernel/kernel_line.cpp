// SPDX-License-Identifier: Apache-2.0
// One site of a kernel with its picture, and the PTX with comments.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/mangled_name.hpp"
#include "base/text.hpp"
#include "view/banks/banks.hpp"
#include "view/descriptor/decode.hpp"
#include "view/document/highlight.hpp"
#include "view/kernel/kernel_parts.hpp"

namespace swz {

namespace {

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

FoundSite site_in_line(const std::vector<KernelReport>& kernels, std::uint32_t line) {
  FoundSite out;
  std::uint32_t nearest = 0;
  for (const KernelReport& kernel : kernels) {
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
  if (operand.start)
    d.line("  start", fmt::format("{}, a multiple of {} B", operand.start->text, operand.start->alignment));
  if (operand.word)
    d.line("  word", fmt::format("{}, known bits {}", hex64(operand.word->word), hex64(operand.word->known)));
  if (!operand.why.empty()) d.line("  not known", operand.why);
  if (!operand.word || kernel.target == nullptr || kernel.target->descriptor == SmemDescriptorKind::none) return;
  d.add(Drawing{[word = *operand.word, target = kernel.target,
                 title = fmt::format("{}: {}", name, operand_text(operand))](Medium) {
    if (word.known != ~std::uint64_t{0})
      return view_partly_known(SmemDescriptor(word.word, *target), word.known, title);
    DecodedWords words;
    words.words.push_back({decode_smem(word.word, target), {}});
    return view_decoded(words);
  }});
}

}  // namespace

Document view_kernel_line(const KernelText& text, std::uint32_t line) {
  const FoundSite written = site_in_line(text.kernels, line);
  const std::vector<KernelReport> readable = {with_readable_names(*written.kernel)};
  const FoundSite site = site_in_line(readable, line);
  const PtxModule& module = text.module;
  const PtxSite& of = site.mma    ? static_cast<const PtxSite&>(*site.mma)
                      : site.smem ? *site.smem
                      : site.tma  ? static_cast<const PtxSite&>(*site.tma)
                                  : *site.tmem;
  Document d(fmt::format("{}, {}: {}", name_path(site.kernel->name), place_text(module, of), of.opcode));
  d.answers = {"site"};
  d.json("kernel", site.kernel->name);
  if (site.mma) {
    d.json("site", mma_json(module, *written.mma));
    d.line("MMA", fmt::format("{} {}", site.mma->mma, site.mma->a_type));
    add_operand(d, "A", site.mma->a, *site.kernel);
    add_operand(d, "B", site.mma->b, *site.kernel);
    if (site.mma->idesc)
      d.line("idesc", fmt::format("{}, known bits {}", hex32(static_cast<std::uint32_t>(site.mma->idesc->word.word)),
                                  hex32(static_cast<std::uint32_t>(site.mma->idesc->word.known))));
    for (const Finding& finding : site.mma->findings)
      d.line(finding.rule, finding.message, finding.severity == Severity::note ? Tone::plain : Tone::bad);
  } else if (site.smem) {
    const SmemSite& access = *site.smem;
    d.json("site", smem_json(module, *written.smem));
    d.line("address", fmt::format("{}, a multiple of {} B", access.address.text, access.address.alignment));
    if (access.wavefronts)
      d.line("wavefronts",
             fmt::format("{} a warp, ideal {}; {}, counted in {}", number_text(*access.wavefronts),
                         number_text(*access.ideal),
                         access.proof == SmemProof::all ? "proven for every execution" : "sampled",
                         plural(access.warps, "execution")),
             *access.wavefronts > *access.ideal ? Tone::bad : Tone::good);
    if (!access.why.empty()) d.line(access.wavefronts ? "remark" : "not known", access.why);
    add_remedy(d, *site.kernel, access);
    if (access.worst) {
      const Target& target = site.kernel->target ? *site.kernel->target : default_target();
      d.line("lanes", "the warp with the most, up to what all its lanes share");
      d.add(Drawing{[pattern = *access.worst, &target](Medium) {
        return view_banks(RawBanksReport{&target, wavefront_report(pattern, target), warp_lanes}, Highlight());
      }});
    }
  } else if (site.tma) {
    d.json("site", tma_json(module, *written.kernel, *written.tma));
    d.line("copy", fmt::format("{}{}", to_string(site.tma->direction),
                               site.tma->rank > 0 ? fmt::format(", rank {}, {}", site.tma->rank, site.tma->mode) : ""));
    if (site.tma->shared)
      d.line("shared memory",
             fmt::format("{}, a multiple of {} B", site.tma->shared->text, site.tma->shared->alignment));
    if (!site.tma->map.empty()) d.line("tensor map", site.tma->map);
    if (site.tma->built) d.line("  holds", built_text(site.kernel->maps[*site.tma->built]));
    if (site.tma->bytes) d.line("bytes", fmt::format("{}", site.tma->bytes->count));
  } else {
    d.json("site", tmem_json(module, *written.tmem));
    d.line("access", fmt::format("{} {}", site.tmem->action, site.tmem->shape));
    d.line("address", site.tmem->address);
    if (site.tmem->columns) d.line("columns", fmt::format("{}", *site.tmem->columns));
  }
  return d;
}

std::string annotated_ptx(const KernelText& text) {
  std::map<std::uint32_t, std::string> comments;
  const auto add = [&](std::uint32_t line, const std::string& comment) {
    std::string& all = comments[line];
    all += (all.empty() ? "" : "; ") + comment;
  };
  for (const KernelReport& report : text.kernels) {
    const KernelReport kernel = with_readable_names(report);
    for (const MmaSite& site : kernel.mma) {
      add(site.line, fmt::format("{} {}: A {}{}, B {}{}", site.mma, site.a_type, operand_text(site.a),
                                 site.a.start ? " at " + site.a.start->text : "", operand_text(site.b),
                                 site.b.start ? " at " + site.b.start->text : ""));
      for (const Finding& finding : site.findings) add(site.line, fmt::format("{}: {}", finding.rule, finding.message));
    }
    for (const SmemSite& site : kernel.smem)
      add(site.line, site.wavefronts ? fmt::format("{}: {} wavefronts, ideal {} ({}), at {}", site.access,
                                                   number_text(*site.wavefronts), number_text(*site.ideal),
                                                   site.proof == SmemProof::all ? "all" : "sampled", site.address.text)
                                     : fmt::format("wavefronts not known: {}", site.why));
    for (const TmaSite& site : kernel.tma)
      add(site.line,
          fmt::format(
              "{}{}", to_string(site.direction),
              site.shared ? fmt::format(" at {}, a multiple of {} B", site.shared->text, site.shared->alignment) : ""));
    for (const TmemSite& site : kernel.tmem)
      add(site.line, fmt::format("{} {} at {}", site.action, site.shape, site.address));
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

}  // namespace swz
