// SPDX-License-Identifier: Apache-2.0
// MMAs that follow each other on the same accumulators: how their operands step through K.
//
//   wgmma … %rd10, %rd11    A smem,      B smem + 16384
//   wgmma … %rd12, %rd13    A smem + 32, B smem + 18432     A, MN-major: advance-of-other-major; B is right
//
// descriptor/k_loop.hpp judges each operand. A kernel may read an operand twice on purpose, for example to multiply the
// parts of a split number, or leave every second k step to another warpgroup: the other operand decides whether it is a
// mistake.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <tuple>

#include "descriptor/k_loop.hpp"
#include "ptx/kernel_parts.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/opcode.hpp"

namespace swz {

namespace {

// The accumulators: the registers of the list, or the value of the address in tensor memory.
std::uint32_t accumulators(const PtxValues& values, const PtxInstruction& mma) {
  if (mma.operands == 0) return no_register;
  const PtxOperand& d = values.module().operands_of(mma)[0];
  if (d.kind == PtxOperandKind::list) return d.parts == 0 ? no_register : values.module().parts_of(d)[0].id;
  return values.of_operand(mma.operand);
}

bool follows(const PtxValues& values, const MmaSite& before, const MmaSite& site) {
  const auto& instructions = values.kernel().instructions;
  const PtxInstruction &first = instructions[before.instruction], &second = instructions[site.instruction];
  const auto& block_of = values.flow().block_of;
  return site.adds && first.opcode == second.opcode && before.mma == site.mma &&
         block_of[before.instruction] == block_of[site.instruction] &&
         accumulators(values, first) == accumulators(values, second);
}

// One operand of MMAs that follow each other.
class Loop {
 public:
  Loop(const PtxValues& values, const Target& target, std::span<MmaSite> sites, bool is_a)
      : v_(values), target_(target), sites_(sites), is_a_(is_a) {
    if (is_known_ = reads_one_operand() && find_offsets(); is_known_) judge();
  }

  const char* name() const { return is_a_ ? "A" : "B"; }
  bool is_known() const { return is_known_; }
  bool is_right() const { return is_known_ && loop_.is_right(); }
  const std::vector<Explanation>& mistakes() const { return loop_.mistakes; }
  bool repeats() const {
    std::vector<std::int64_t> sorted = offsets_;
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted) != sorted.end();
  }
  // The MMA starts where the MMA before it does.
  bool stays(std::size_t i) const { return offsets_[i] == offsets_[i - 1]; }
  // How many k steps lie between an MMA of a right loop and the MMA before it; none: they may be of different tiles.
  std::optional<std::int64_t> steps_to(std::size_t i) const {
    const LoopReading& reading = loop_.readings.front();
    if (reading.loops[i] != reading.loops[i - 1]) return std::nullopt;
    const std::int64_t steps = reading.k_steps[i] - reading.k_steps[i - 1];
    const SwizzleMode& mode = *operand(0).swizzle;
    const bool has_lines = reading.major == Major::K && mode.bits > 0;
    const bool is_near = has_lines ? offsets_[i] - offsets_[i - 1] == steps * reading.k_bytes &&
                                         std::abs(steps) * reading.k_bytes < mode.span.count
                                   : std::abs(steps) <= 2;
    return is_near ? std::optional(steps) : std::nullopt;
  }
  // Few steps that are in no order may be those of two tiles.
  bool has_order() const { return loop_.readings.front().is_in_order() || offsets_.size() >= 4; }

 private:
  const MmaOperandSite& operand(std::size_t i) const { return is_a_ ? sites_[i].a : sites_[i].b; }
  ValueId word(std::size_t i) const {
    return v_.of_operand(v_.kernel().instructions[sites_[i].instruction], is_a_ ? 1 : 2);
  }

  // Everything but the starts is known and equal.
  bool reads_one_operand() const {
    const MmaOperandSite& first = operand(0);
    const bool is_known = first.in == MmaOperandPlace::smem && first.major && first.swizzle &&
                          !first.has_absolute_lbo && first.leading_byte_offset && first.stride_byte_offset &&
                          first.base_offset;
    const auto fields = [](const MmaOperandSite& site) {
      return std::tie(site.in, site.major, site.swizzle, site.leading_byte_offset, site.has_absolute_lbo,
                      site.stride_byte_offset, site.base_offset);
    };
    for (std::size_t i = 0; i < sites_.size(); ++i)
      if (!is_known || fields(operand(i)) != fields(first)) return false;
    return k_bytes() == 32 || k_bytes() == 64;
  }

  // Nothing of the word depends on where the kernel's arrays are.
  bool is_constant(std::size_t i) const { return (start_field(i).bits.mask() & ~v_.known(word(i)).known()) == 0; }
  const FieldRow& start_field(std::size_t i) const {
    return *SmemDescriptor(v_.known(word(i)).ones, target_).format().find(FieldId::start_address);
  }
  std::int64_t start(std::size_t i) const {
    return SmemDescriptor(v_.known(word(i)).ones, target_).start_address().count;
  }

  bool find_offsets() {
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      if (is_constant(i) && is_constant(0)) {
        offsets_.push_back(start(i) - start(0));
        continue;
      }
      const LinearForm moved = difference(linear_form(v_, word(i), v_.shared_address_bits(), 4),
                                          linear_form(v_, word(0), v_.shared_address_bits(), 4));
      if (!moved.terms.empty()) return false;
      offsets_.push_back(moved.written);
    }
    return true;
  }

  // That one MMA reads of a row: 0 if its K or the type is not known.
  std::int64_t k_bytes() const { return operand(0).extents.k * operand(0).element_bits / 8; }

  LoopOperand known() const {
    constexpr std::int64_t most_rows = 256;
    const MmaOperandSite& first = operand(0);
    const std::int64_t rows = first.extents.mn % 8 == 0 && first.extents.mn <= most_rows ? first.extents.mn : 0;
    return {.major = first.major, .element_bits = first.element_bits, .rows = rows, .k_bytes = k_bytes()};
  }

  // The first start modulo the pattern of the mode. None: not known.
  std::optional<std::int64_t> start_in_pattern() const {
    const int bits = std::countr_zero(static_cast<std::uint64_t>(operand(0).swizzle->pattern().count));
    return proven_remainder(v_, word(0), bits, 4);
  }

  // The words if the first one starts there. Empty: they do not fit in the window of a start address.
  std::vector<SmemDescriptor> words(std::int64_t start) const {
    const SmemDescriptor sample(v_.known(word(0)).ones, target_);
    std::vector<SmemDescriptor> placed;
    for (const std::int64_t offset : offsets_) {
      if (start + offset < 0 || start + offset >= start_window(sample) || (start + offset) % chunk.count != 0)
        return {};
      placed.emplace_back(
          start_field(0).bits.write(sample.word(), static_cast<std::uint64_t>((start + offset) / chunk.count)),
          target_);
    }
    return placed;
  }

  void judge() {
    LoopOperand known = this->known();
    known.has_words = is_constant(0);
    const std::vector<std::int64_t> starts = known.has_words ? std::vector{start(0)} : possible_starts(known.k_bytes);
    std::optional<KLoop> all;
    for (const std::int64_t start : starts) {
      const std::vector<SmemDescriptor> placed = words(start);
      if (placed.empty()) continue;
      KLoop loop = k_loop(placed, known);
      if (all && !loop.is_right())
        std::erase_if(all->mistakes, [&](const Explanation& mistake) {
          return std::ranges::find(loop.mistakes, mistake.rule, &Explanation::rule) == loop.mistakes.end();
        });
      if (!all || loop.is_right()) all = std::move(loop);
      if (all->is_right()) break;
    }
    is_known_ = all && (all->is_right() || !all->mistakes.empty());
    if (all) loop_ = std::move(*all);
  }

  // After the operand's lowest word; if the place of the first word in the pattern is not known, at each k step of a
  // line.
  std::vector<std::int64_t> possible_starts(std::int64_t k_bytes) const {
    const SwizzleMode& mode = *operand(0).swizzle;
    const std::int64_t pattern = mode.pattern().count, least = std::ranges::min(offsets_);
    const std::int64_t base = (-least + pattern - 1) / pattern * pattern;
    if (const auto at = start_in_pattern()) return {base + *at};
    std::vector<std::int64_t> starts = {base};
    for (std::int64_t at = k_bytes; mode.bits > 0 && operand(0).major == Major::K && at < mode.span.count;
         at += k_bytes)
      starts.push_back(base + at);
    return starts;
  }

  const PtxValues& v_;
  const Target& target_;
  std::span<MmaSite> sites_;
  bool is_a_, is_known_ = false;
  std::vector<std::int64_t> offsets_;
  KLoop loop_;
};

std::string lines(std::span<const MmaSite> sites) {
  return "lines " + std::to_string(sites.front().line) + " to " + std::to_string(sites.back().line);
}

// What is wrong with `loop`, whose MMAs read `partner` as well.
void add_mistakes(const Loop& loop, const Loop& partner, std::span<MmaSite> sites) {
  if (!loop.is_known() || loop.is_right()) return;
  if (loop.repeats()) {
    // To read the same words again is a mistake if the partner goes on along k.
    bool goes_on = false;
    for (std::size_t i = 1; partner.is_right() && i < sites.size(); ++i)
      goes_on = goes_on || (loop.stays(i) && partner.steps_to(i).value_or(0) != 0);
    if (!goes_on) return;
  }
  for (const Explanation& mistake : loop.mistakes()) {
    const bool is_vague = mistake.rule == advance_at_all || mistake.rule == advance_skips;
    if (is_vague && !partner.is_right()) continue;
    Finding finding = mistake;
    finding.message = std::string(loop.name()) + " of the MMAs in " + lines(sites) + ": " + mistake.message;
    if (mistake.rule == advance_at_all) finding.severity = Severity::note;  // the words may be of several tiles
    sites[1].findings.push_back(std::move(finding));
  }
}

void add_other_k(const Loop& a, const Loop& b, std::span<MmaSite> sites) {
  if (!a.is_right() || !b.is_right() || !a.has_order() || !b.has_order()) return;
  for (std::size_t i = 1; i < sites.size(); ++i) {
    const auto of_a = a.steps_to(i), of_b = b.steps_to(i);
    if (!of_a || !of_b || *of_a == *of_b) continue;
    sites[i].findings.push_back(lint("advance-differs",
                                     "from the MMA in line " + std::to_string(sites[i - 1].line) + " A goes " +
                                         std::to_string(*of_a) + " k steps and B " + std::to_string(*of_b),
                                     "A and B of an MMA are of the same k"));
    return;
  }
}

}  // namespace

void add_k_loop_findings(const PtxValues& values, const Target* target, std::vector<MmaSite>& sites) {
  if (target == nullptr || target->descriptor == SmemDescriptorKind::none) return;
  for (std::size_t first = 0, end = 1; first < sites.size(); first = end++) {
    while (end < sites.size() && follows(values, sites[end - 1], sites[end])) ++end;
    const std::span<MmaSite> run = std::span(sites).subspan(first, end - first);
    if (run.size() < 2) continue;
    const Loop a(values, *target, run, true), b(values, *target, run, false);
    add_mistakes(a, b, run);
    add_mistakes(b, a, run);
    add_other_k(a, b, run);
  }
}

}  // namespace swz
