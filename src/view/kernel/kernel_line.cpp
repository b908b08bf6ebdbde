// SPDX-License-Identifier: Apache-2.0
// One site of a kernel with its picture, and the PTX with comments.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <type_traits>
#include <variant>

#include "base/error.hpp"
#include "base/mangled_name.hpp"
#include "view/banks/banks.hpp"
#include "view/document/headline.hpp"
#include "view/document/highlight.hpp"
#include "view/kernel/kernel_parts.hpp"

namespace swz {

namespace {

struct FoundSite {
  const KernelReport* kernel = nullptr;
  std::variant<const MmaSite*, const SmemSite*, const GmemSite*, const TmaSite*, const ClusterSite*, const TmemSite*>
      site;
};

FoundSite site_in_line(const std::vector<KernelReport>& kernels, std::uint32_t line) {
  FoundSite found;
  std::uint32_t nearest = 0;
  const auto distance = [&](std::uint32_t of) { return of < line ? line - of : of - line; };
  for (const KernelReport& kernel : kernels)
    for_each_site(kernel, [&]<class Site>(const Site& site) {
      // A line can have several instructions; those of the first kind are preferred.
      if (site.line == line && (found.kernel == nullptr || std::holds_alternative<const Site*>(found.site)))
        found = {&kernel, &site};
      if (nearest == 0 || distance(site.line) < distance(nearest)) nearest = site.line;
    });
  if (found.kernel == nullptr)
    throw Error(
        fmt::format("line {} has no MMA, access to shared or global memory or to another CTA, bulk copy or access to "
                    "tensor memory",
                    line),
        nearest == 0 ? "the text has none at all" : fmt::format("the nearest is in line {}", nearest));
  return found;
}

// Adds what collides, and the lanes of the worst warp as a picture.
void add_lanes(Document& d, const KernelReport& kernel, const SmemSite& access) {
  if (!access.worst) return;
  add_remedy(d, kernel, access);
  const Target& target = kernel.target ? *kernel.target : default_target();
  d.line("lanes", "the warp with the most, up to what all its lanes share");
  d.add(Drawing{[pattern = *access.worst, &target](Medium) {
    return view_banks(RawBanksReport{&target, wavefront_report(pattern, target), warp_lanes}, Highlight());
  }});
}

// ---- comments

std::string comment_of(const MmaSite& site) {
  const auto operand = [](const MmaOperandSite& of) {
    return operand_text(of) + (of.start ? " at " + readable(of.start->text) : "");
  };
  std::string text = fmt::format("{} {}: A {}, B {}", site.mma, site.a_type, operand(site.a), operand(site.b));
  for (const Finding& finding : site.findings) text += fmt::format("; {}: {}", finding.rule, readable(finding.message));
  return text;
}

std::string comment_of(const SmemSite& site) {
  if (!site.wavefronts) return fmt::format("wavefronts not known: {}", readable(site.why));
  return fmt::format("{}: {} wavefronts, ideal {} ({}), at {}", site.access, number_text(*site.wavefronts),
                     number_text(*site.ideal), site.proof == SmemProof::all ? "all" : "sampled",
                     readable(site.address.text));
}

std::string comment_of(const GmemSite& site) {
  if (!site.sectors) return fmt::format("sectors not known: {}", readable(site.why));
  return fmt::format("{} sectors of 32 B, ideal {}, at {}", number_text(*site.sectors), number_text(*site.ideal),
                     readable(site.address));
}

std::string comment_of(const TmaSite& site) {
  return fmt::format("{}{}", to_string(site.direction), site.shared ? " at " + aligned_text(*site.shared) : "");
}

std::string comment_of(const ClusterSite& site) {
  return fmt::format("{}{}{}", to_string(site.action), site.address ? " at " + aligned_text(*site.address) : "",
                     site.owner ? ", " + readable(site.owner->text) : "");
}

std::string comment_of(const TmemSite& site) {
  return fmt::format("{} {} at {}", site.action, site.shape, readable(site.address));
}

// What is known of a place where nothing is wrong.
std::string sentence_of(const MmaSite& site) {
  const std::string a = reading_text(site.a), b = reading_text(site.b);
  return fmt::format("nothing is wrong: {} reads {}", site.mma,
                     a == b ? "A and B " + a : fmt::format("A {}, B {}", a, b));
}

std::string sentence_of(const SmemSite& site) {
  if (!site.wavefronts) return "the wavefronts are not known: " + readable(site.why);
  const std::string is = number_text(*site.wavefronts), ideal = number_text(*site.ideal);
  return fmt::format("{} wavefronts of {}, {}", is, site.access,
                     is == ideal ? std::string("the ideal") : fmt::format("where {} would do", ideal));
}

template <class Site>
std::string sentence_of(const Site& site) {
  return comment_of(site);
}

// What is wrong at the place, otherwise what is known of it.
std::string headline_of(const MmaSite& site) {
  const std::vector<MmaFault> faults = faults_of(site);
  return faults.empty() ? short_sentence(sentence_of(site)) : headline_of(faults.front());
}

template <class Site>
std::string headline_of(const Site& site) {
  if constexpr (requires { site.findings; })
    for (const Finding& finding : site.findings)
      if (finding.severity != Severity::note) return short_sentence(readable(finding.message));
  return short_sentence(sentence_of(site));
}

Drawing page_drawing(Figure figure) {
  return {[figure = std::move(figure)](Medium medium) {
    return medium == Medium::page ? Document().add(figure) : Document();
  }};
}

}  // namespace

Document view_kernel_line(const KernelText& text, std::uint32_t line) {
  const FoundSite found = site_in_line(text.kernels, line);
  const KernelReport& kernel = *found.kernel;
  return std::visit(
      [&](const auto* site) {
        Document d(fmt::format("{}, {}: {}", name_path(kernel.name), place_text(text.module, *site), site->opcode));
        d.headline = headline_of(*site);
        d.answers = {"site"};
        d.json("kernel", kernel.name);
        if constexpr (std::is_same_v<decltype(site), const MmaSite*>)
          if (!faults_of(*site).empty()) d.line("verdict", d.headline, Tone::bad);
        Document facts = facts_of(text.module, kernel, *site);
        if (const auto* access = std::get_if<const SmemSite*>(&found.site)) add_lanes(facts, kernel, **access);
        d.add(Group{"site", {std::move(facts)}, true, true});
        if constexpr (std::is_same_v<decltype(site), const MmaSite*>) {
          d.subject =
              fmt::format("{}, line {}: {} {}", name_path(kernel.name), site->line, mma_text(*site), types_text(*site));
          // The picture of a wrong loop explains its words.
          if (std::optional<Figure> loop = wrong_loop_figure(kernel, *site)) d.add(page_drawing(std::move(*loop)));
          else add_operand_drawings(d, *site, kernel.target);
        }
        return d;
      },
      found.site);
}

std::string annotated_ptx(const KernelText& text) {
  std::map<std::uint32_t, std::string> comments;
  for (const KernelReport& kernel : text.kernels)
    for_each_site(kernel, [&](const auto& site) {
      std::string& all = comments[site.line];
      all += (all.empty() ? "" : "; ") + comment_of(site);
    });
  std::string out;
  const std::string& ptx = text.module.is_machine_code() ? *text.module.lifted_from : *text.module.text;
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
