// SPDX-License-Identifier: Apache-2.0
// The picture of what an MMA of a kernel reads through a word whose start is an expression: as that of swz map, with
// addresses counted from the expression.
//
//   start "global_smem + 4096*%r144 + 8192", mode 64B     byte 0x2000 on, from "global_smem + 4096*%r144"
//
// The XOR of a swizzle depends on absolute addresses. So there is a picture only if the bits of the start are known that
// the pattern of the mode depends on, and if the expression without its constant is a multiple of the pattern.
#include <fmt/format.h>

#include <algorithm>

#include "arch/dtype.hpp"
#include "base/error.hpp"
#include "descriptor/fields.hpp"
#include "view/kernel/kernel_parts.hpp"
#include "view/kernel/loop_ruler.hpp"
#include "view/map/map.hpp"

namespace swz {
namespace {

// Of the operand "A" or "B".
OperandRole role_of(const std::string& label) { return label == "A" ? OperandRole::a : OperandRole::b; }

// The word with the constant of its start as its start; none if that is not known well enough, or illegal.
std::optional<SmemDescriptor> word_from_terms(const MmaOperandSite& o, const Target& target) {
  const SmemDescriptor word(o.word->word, target);
  const FieldRow* start = word.format().find(FieldId::start_address);
  if (start == nullptr || o.swizzle == nullptr) return {};
  const std::int64_t pattern = o.swizzle->pattern().count, unit = chunk.count;
  const auto field = static_cast<std::int64_t>(start->bits.read(o.word->known)) * unit;
  const bool is_known = ((pattern - 1) & ~(unit - 1) & ~field) == 0;
  const std::int64_t known = word.start_address().count, constant = o.start->constant.count;
  constexpr std::int64_t end = std::int64_t{1} << 18;  // of what the field can say
  if (!is_known || constant < 0 || constant >= end || constant % unit != 0 || (known - constant) % pattern != 0)
    return {};
  return SmemDescriptor(start->bits.write(o.word->word, static_cast<std::uint64_t>(constant / unit)), target);
}

// What the operand reads, with the constant of its start as its address; none if that is not known well enough.
std::optional<MapAnswer> map_from_terms(const MmaOperandSite& o, OperandRole role, const std::string& type,
                                        const Target& target) {
  const DType* dtype = find_dtype(type);
  const bool is_mapped = o.word && o.start && o.major && o.extents.mn > 0 && o.extents.k > 0 && o.element_bits > 0 &&
                         o.stride_byte_offset && o.leading_byte_offset && !o.has_absolute_lbo && dtype != nullptr;
  if (!is_mapped) return {};
  const std::optional<SmemDescriptor> word = word_from_terms(o, target);
  if (!word) return {};
  try {
    return MapAnswer{
        operand_report(*word, operand_map(*word, o.extents, o.element_bits, *o.major)), dtype, role, {}, {}, {}};
  } catch (const Error&) {
    return {};  // a word that no MMA can read: its bits are drawn
  }
}

std::string base_text(const MmaOperandSite& o) {
  return fmt::format("Byte 0x0 is a multiple of {} B that is known only when the kernel runs.",
                     o.swizzle->pattern().count);
}

// Names the panels, whose addresses count from the part of the start that is not constant.
void name_panels(Figure& figure, const std::string& label, const MmaOperandSite& o) {
  figure.panels.front().front().title = fmt::format("{}: byte of each chunk", label);
  figure.panels.front().back().title =
      fmt::format("{} in shared memory: {},k of each chunk", label, row_word(role_of(label)));
  figure.caption = base_text(o);
}

// What the operands are, how their rows lie, and the way out.
std::string loop_text(const MmaFault& fault, const MmaOperandSite& o) {
  std::string text = fmt::format(" {}.", operands_text(fault, o));
  if (fault.operands.size() > 1) text += " B is read by the same steps.";
  const std::string way_out = told_fault({fault.rule, "", "", fault.hint}, true);
  return text + (way_out.empty() ? "" : fmt::format(" Instead: {}.", way_out));
}

// The first words of the k loop that has the site.
struct LoopOfSite {
  std::vector<MapAnswer> steps;
  std::vector<SmemDescriptor> words;
  std::vector<std::uint32_t> lines;  // of their MMAs
};

// None if a word is not known well enough, or if all are the same.
std::optional<LoopOfSite> loop_of_site(const KernelReport& kernel, const MmaSite& site, bool is_a) {
  constexpr std::size_t most_words = 4;
  const auto operand = is_a ? &MmaSite::a : &MmaSite::b;
  LoopOfSite loop;
  for (const std::vector<const MmaSite*>& run : runs_of(kernel)) {
    if (std::ranges::find(run, &site) == run.end()) continue;
    for (const MmaSite* one : run) {
      if (loop.words.size() == most_words) break;
      const std::string& type = is_a || one->b_type.empty() ? one->a_type : one->b_type;
      std::optional<MapAnswer> answer =
          map_from_terms(one->*operand, is_a ? OperandRole::a : OperandRole::b, type, *kernel.target);
      if (!answer) return {};
      loop.words.push_back(answer->report.word);
      loop.lines.push_back(one->line);
      loop.steps.push_back(std::move(*answer));
    }
  }
  if (loop.words.size() < 2 || loop.words.front().word() == loop.words.back().word()) return {};
  return loop;
}

// Beside the right loop, on one ruler of bytes.
std::optional<Figure> ruler_figure(const LoopOfSite& loop, const MmaFault& fault, const std::string& label,
                                   const MmaOperandSite& o) {
  if (o.major != Major::K) return {};
  std::vector<std::int64_t> starts;
  for (const SmemDescriptor& word : loop.words) starts.push_back(word.start_address().count);
  std::optional<Figure> figure =
      loop_ruler_figure({role_of(label), o.extents, o.element_bits, loop.words, loop.lines, wrong_steps(o, starts)});
  if (figure) figure->caption = fmt::format("{}. {} {}", operands_text(fault, o), figure->caption, base_text(o));
  return figure;
}

}  // namespace

std::optional<Figure> operand_site_figure(const std::string& label, const MmaOperandSite& o, const std::string& type,
                                          const Target& target) {
  const std::optional<MapAnswer> answer = map_from_terms(o, role_of(label), type, target);
  if (!answer) return {};
  Figure figure = map_figure(*answer);
  name_panels(figure, label, o);
  return figure;
}

std::optional<Figure> wrong_loop_figure(const KernelReport& kernel, const MmaSite& site) {
  const std::vector<MmaFault> faults = faults_of(site);
  if (faults.empty() || faults.front().loop.empty() || kernel.target == nullptr) return {};
  const bool is_a = faults.front().operands.starts_with("A");
  const MmaOperandSite& o = is_a ? site.a : site.b;
  std::optional<LoopOfSite> loop = loop_of_site(kernel, site, is_a);
  if (!loop) return {};
  const std::string label = is_a ? "A" : "B";
  if (std::optional<Figure> ruler = ruler_figure(*loop, faults.front(), label, o)) return ruler;
  constexpr std::int64_t most_rows = 8;
  Figure figure =
      map_loop_figure({std::move(loop->steps), k_loop(loop->words, {.major = o.major,
                                                                    .element_bits = o.element_bits,
                                                                    .rows = o.extents.mn,
                                                                    .k_bytes = o.extents.k * o.element_bits / 8,
                                                                    .has_words = false})},
                      most_rows);
  if (figure.panels.size() != 1 || figure.panels.front().size() != 2) return {};
  name_panels(figure, label, o);
  figure.steps.clear();
  for (const std::uint32_t line : loop->lines) {
    const std::size_t i = figure.steps.size();
    figure.steps.push_back(fmt::format("line {}", line));
    if (i < figure.legend.size()) figure.legend[i].text = figure.steps.back();
  }
  figure.caption += fmt::format(" Drawn: {} 0-{} of {}.{}", rows_word(role_of(label)), most_rows - 1, o.extents.mn,
                                loop_text(faults.front(), o));
  return figure;
}

}  // namespace swz
