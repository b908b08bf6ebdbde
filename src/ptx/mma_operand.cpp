// SPDX-License-Identifier: Apache-2.0
#include "ptx/mma_operand.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/operand_map.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "ptx/kernel_parts.hpp"
#include "ptx/linear_form.hpp"

namespace swz {

namespace {

class OperandReader {
 public:
  OperandReader(const PtxValues& values, const Target* target, const MmaOperandWord& asked)
      : v_(values), target_(target), asked_(asked) {
    operand_.in = MmaOperandPlace::smem;
    operand_.major = asked.major;
    operand_.extents = asked.extents;
    operand_.element_bits = asked.element_bits;
  }

  ReadMmaOperand read() {
    read_fields();
    if (operand_.why.empty()) {
      form_ = linear_form(v_, asked_.word, v_.shared_address_bits(), 4);
      check_alignment();
      check_rules();
      check_end();
    }
    return {std::move(operand_), std::move(findings_)};
  }

 private:
  void read_fields() {
    if (asked_.word == no_value) {
      operand_.why = "the word is not known";
      return;
    }
    known_ = v_.known(asked_.word);
    operand_.word = KnownWord{known_.ones, known_.known()};
    if (target_ == nullptr || target_->descriptor == SmemDescriptorKind::none) {
      operand_.why = "swz knows no descriptors of this target";
      return;
    }
    const SmemDescriptor descriptor(known_.ones, *target_);
    const auto knows = [&](FieldId field) {
      const FieldRow* row = descriptor.format().find(field);
      return row == nullptr || (row->bits.mask() & ~known_.known()) == 0;
    };
    if (knows(FieldId::leading_byte_offset)) operand_.leading_byte_offset = descriptor.leading_byte_offset();
    if (knows(FieldId::stride_byte_offset)) operand_.stride_byte_offset = descriptor.stride_byte_offset();
    if (knows(FieldId::base_offset)) operand_.base_offset = descriptor.base_offset();
    if (knows(FieldId::swizzle)) operand_.swizzle = descriptor.swizzle();
    operand_.has_absolute_lbo = descriptor.absolute_lbo();
    operand_.start = site_address(v_, asked_.word, 4);
    start_bits_ = descriptor.format().find(FieldId::start_address)->bits.mask();
    // Bits that must be 0 count as 0 if they are not known: those above the start hold what a sum may carry.
    if ((~known_.known() & ~start_bits_ & ~descriptor.format().reserved_mask()) != 0)
      operand_.why = because(v_, asked_.word);
  }

  void add(Finding finding) {
    finding.message = std::string(asked_.name) + ": " + finding.message;
    findings_.push_back(std::move(finding));
  }

  // The word if the operand starts there.
  SmemDescriptor word_at(std::int64_t start) const {
    return SmemDescriptor((known_.ones & ~start_bits_) | (static_cast<std::uint64_t>(start) >> 4 & start_bits_),
                          *target_);
  }

  // ---- what holds of the word wherever the proof lets it start

  void check_rules() {
    std::optional<std::vector<Finding>> common;
    std::set<std::string> is_of_one_start;  // the rules whose message has numbers of the first start
    const std::vector<std::int64_t> starts = possible_starts();
    for (const std::int64_t start : starts) {
      std::vector<Finding> findings = findings_at(start);
      std::erase_if(findings, [](const Finding& finding) { return finding.severity == Severity::note; });
      for (Finding& finding : findings) name_start(finding.message);
      if (!common) {
        common = std::move(findings);
        continue;
      }
      std::erase_if(*common, [&](Finding& finding) {
        const auto same = std::ranges::find(findings, finding.rule, &Finding::rule);
        if (same != findings.end() && same->message != finding.message) is_of_one_start.insert(finding.rule);
        return same == findings.end();
      });
    }
    const std::string first = hex32(static_cast<std::uint32_t>(starts.front()));
    for (Finding& finding : *common) {
      if (is_of_one_start.contains(finding.rule)) finding.message += ", were its start " + first;
      add(std::move(finding));
    }
  }

  // Starts that agree with what is proven: with the known bits of the word, and with the place in the pattern. If that
  // place is not known, each line of the pattern.
  std::vector<std::int64_t> possible_starts() const {
    const auto known = static_cast<std::int64_t>((known_.known() & start_bits_) << 4);
    const auto ones = static_cast<std::int64_t>((known_.ones & start_bits_) << 4);
    if (is_start_known()) return {ones};
    const std::int64_t pattern = operand_.swizzle == nullptr ? chunk.count : operand_.swizzle->pattern().count;
    std::vector<std::int64_t> starts;
    for (const std::int64_t base : {1024, 8192, 13 * 1024})
      for (std::int64_t at = 0; at < (in_pattern_ ? 1 : pattern); at += bank_row.count)
        starts.push_back(((base + in_pattern_.value_or(at)) & ~known) | ones);
    return starts;
  }
  bool is_start_known() const { return (known_.known() & start_bits_) == start_bits_; }

  // A start that is not known has no number: "the start address 0x420 (1056 B)" becomes "the start".
  void name_start(std::string& message) const {
    const auto at = message.find(" address 0x");
    if (is_start_known() || at == message.npos || !message.starts_with("the start address 0x")) return;
    message.erase(at, message.find(')', at) + 1 - at);
  }

  std::vector<Finding> findings_at(std::int64_t start) const {
    const SmemDescriptor word = word_at(start);
    if (const auto map = map_of(word)) return operand_report(word, *map).findings;
    return lint(word);
  }

  std::optional<OperandMap> map_of(const SmemDescriptor& word) const {
    if (asked_.element_bits == 0 || !operand_.major || asked_.extents.mn == 0 || operand_.swizzle == nullptr)
      return std::nullopt;
    try {
      return operand_map(word, asked_.extents, asked_.element_bits, *operand_.major);
    } catch (const Error&) {
      return std::nullopt;  // there is no such operand: the rules of the word say why
    }
  }

  // ---- the array that the operand starts in

  // Null: none.
  const PtxSymbol* symbol() const {
    const PtxSymbol* symbol = nullptr;
    for (const LinearTerm& term : form_.terms)
      if (v_[term.value].op == ValueOp::symbol) symbol = &v_.module().symbols[v_[term.value].number];
    return symbol;
  }
  bool is_dynamic(const PtxSymbol& symbol) const {
    return v_.shared().is_dynamic(v_.module(), static_cast<std::uint32_t>(&symbol - v_.module().symbols.data()));
  }

  // The start modulo the pattern of the mode is known if the terms vanish there; otherwise only its alignment.
  void check_alignment() {
    const std::int64_t pattern = operand_.swizzle == nullptr ? 16 : operand_.swizzle->pattern().count;
    in_pattern_ = proven_remainder(v_, asked_.word, std::countr_zero(static_cast<std::uint64_t>(pattern)), 4);
    if (operand_.swizzle == nullptr || pattern <= 16 || (in_pattern_ && !rests_on_placement(pattern))) return;
    const std::string repeats =
        "mode " + std::string(operand_.swizzle->name) + " repeats every " + std::to_string(pattern) + " B";
    const PtxSymbol* array = symbol();
    if (array == nullptr || array->alignment >= pattern) {
      add(note("start-not-proven", "the start " + operand_.start->text + " is proven to be a multiple of " +
                                       std::to_string(operand_.start->alignment) + " B only; " + repeats));
      return;
    }
    const std::string message = std::string(array->name) + " is declared with .align " +
                                std::to_string(array->alignment) + "; " + repeats +
                                ", so that the start is not proven to lie on the pattern";
    const std::string align = ".align " + std::to_string(pattern);
    if (v_.shared().is_alone)
      add(note("start-alignment", message,
               "the " + std::string(is_dynamic(*array) ? "dynamic " : "") +
                   "array is the only one in shared memory and begins at 1024 (measured); " + align +
                   " would prove it"));
    else add(lint("start-alignment", message, "declare it with " + align + " (__align__ or alignas)"));
  }

  // The start is proven only because it is the only array, and by nothing that the author wrote: an alignment, a
  // rounded sum.
  bool rests_on_placement(std::int64_t pattern) const {
    const PtxSymbol* array = symbol();
    if (array == nullptr || array->space != PtxSpace::shared || array->alignment >= pattern) return false;
    constexpr std::size_t most_parts = 256;
    std::vector<ValueId> parts = {asked_.word};
    for (std::size_t i = 0; i < parts.size() && parts.size() < most_parts; ++i) {
      const PtxValue& value = v_[parts[i]];
      const auto mask = v_.number_of(value.b);
      if (value.op == ValueOp::bit_and && mask && *mask != 0 && (*mask & static_cast<std::uint64_t>(pattern - 1)) == 0)
        return false;
      for (const ValueId part : {value.a, value.b, value.c})
        if (part != no_value) parts.push_back(part);
    }
    return true;
  }

  // The operand must end within its array, and within what a CTA may have.
  void check_end() {
    const PtxSymbol* array = symbol();
    if (!operand_.start->offset || operand_.start->symbol.empty() || array == nullptr) return;
    constexpr std::int64_t base = 8192;  // a multiple of 1024, so that the pattern begins at the same place
    const std::int64_t offset = operand_.start->offset->count;
    if (offset < 0 || base + offset >= (std::int64_t{1} << v_.shared_address_bits())) return;
    const SmemDescriptor placed = word_at(base + offset);
    const auto map = map_of(placed);
    if (!map) return;
    const std::int64_t end = operand_report(placed, *map).highest.count + 1 - base;
    const std::string ends =
        "the operand ends " + std::to_string(end) + " B past the start of " + std::string(array->name);
    if (!is_dynamic(*array) && end > array->bytes->count)
      add(lint("operand-outside", ends + ", which has " + std::to_string(array->bytes->count) + " B"));
    else if (is_dynamic(*array) && end > target_->max_smem_per_cta.count)
      add(lint("operand-outside", ends + "; a CTA of " + std::string(target_->name) + " has at most " +
                                      std::to_string(target_->max_smem_per_cta.count) + " B"));
  }

  const PtxValues& v_;
  const Target* target_;
  const MmaOperandWord& asked_;
  MmaOperandSite operand_;
  std::vector<Finding> findings_;
  // After read_fields, if `why` is empty:
  KnownValue known_;
  std::uint64_t start_bits_ = 0;
  LinearForm form_;  // of the start
  std::optional<std::int64_t> in_pattern_;
};

}  // namespace

ReadMmaOperand read_mma_operand(const PtxValues& values, const Target* target, const MmaOperandWord& word) {
  return OperandReader(values, target, word).read();
}

}  // namespace swz
