// SPDX-License-Identifier: Apache-2.0
// MMAs: where their operands come from, which bits of their descriptors are proven, and what contradicts what.
//
// A field of a word is known where all of its bits are. The start of an operand is the field start_address times 16, as a form:
//
//   word 0x4000004000010000 | (smem + 2048*i) >> 4 & 0x3fff     start smem + 2048*i
//
// The rules of a word are asked with its start put where the proof leaves room, several times: what is said each time holds.
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "descriptor/instruction_descriptor.hpp"
#include "descriptor/operand_map.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "ptx/kernel_report.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/value_builder.hpp"

namespace swz {

namespace {

std::uint64_t number_after(std::string_view text, char letter, std::size_t& at) {
  if (at >= text.size() || text[at] != letter) return 0;
  std::uint64_t out = 0;
  for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    out = out * 10 + static_cast<std::uint64_t>(text[at] - '0');
  return out;
}

// "m64n128k16"
std::optional<MmaExtents> shape_of(const OpcodeParts& parts, std::string_view& name) {
  for (std::size_t i = 1; i < parts.count; ++i) {
    std::size_t at = 0;
    MmaExtents out;
    out.m = static_cast<int>(number_after(parts.all[i], 'm', at));
    out.n = static_cast<int>(number_after(parts.all[i], 'n', at));
    out.k = static_cast<int>(number_after(parts.all[i], 'k', at));
    if (out.m == 0 || out.n == 0 || out.k == 0 || at != parts.all[i].size()) continue;
    name = parts.all[i];
    return out;
  }
  return std::nullopt;
}

class MmaReader {
 public:
  MmaReader(const PtxValues& values, const Target* target) : v_(values), target_(target) {}

  std::optional<MmaSite> read(std::uint32_t instruction) {
    const PtxInstruction& one = v_.kernel().instructions[instruction];
    const OpcodeParts parts(one.opcode);
    operands_ = v_.module().operands_of(one);
    one_ = &one;
    MmaSite site;
    static_cast<PtxSite&>(site) = site_at(v_.kernel(), instruction);
    if (parts.first() == "mma" && operands_.size() >= 4) read_mma(parts, site);
    else if (parts.first() == "wgmma" && parts.all[1] == "mma_async") read_wgmma(parts, site);
    else if (parts.first() == "tcgen05" && parts.all[1] == "mma") read_tcgen05(parts, site);
    else return std::nullopt;
    return site;
  }

 private:
  ValueId value(std::size_t operand) const { return v_.of_operand(*one_, operand); }

  void read_mma(const OpcodeParts& parts, MmaSite& site) {
    std::string_view shape;
    if (shape_of(parts, shape)) site.mma = shape;
    std::vector<std::string_view> types, orders;
    for (std::size_t i = 1; i < parts.count; ++i) {
      if (parts.all[i] == "row" || parts.all[i] == "col") orders.push_back(parts.all[i]);
      else if (!types.empty() || (!orders.empty() && parts.all[i] != shape)) types.push_back(parts.all[i]);
    }
    if (types.size() >= 4) {
      site.a_type = types[1];
      site.b_type = types[2];
    }
    if (orders.size() == 2) {
      site.a.major = orders[0] == "row" ? Major::K : Major::MN;
      site.b.major = orders[1] == "col" ? Major::K : Major::MN;
    }
  }

  void read_wgmma(const OpcodeParts& parts, MmaSite& site) {
    std::string_view shape;
    const auto extents = shape_of(parts, shape);
    if (!extents || operands_.size() < 4) return;
    site.mma = shape;
    const auto at = static_cast<std::size_t>(std::find(parts.all.begin(), parts.all.begin() + parts.count, shape) -
                                             parts.all.begin());
    if (at + 3 < parts.count) {
      site.a_type = parts.all[at + 2];
      site.b_type = parts.all[at + 3];
    }
    const bool is_sparse = parts.has("sp"), transposes = site.a_type == "f16" || site.a_type == "bf16";
    // d, a, b, {metadata, selector}, scale-d, {scale-a, scale-b, {trans-a}, trans-b}
    const std::size_t scale = is_sparse ? 5 : 3;
    const bool a_in_registers = operands_[1].kind == PtxOperandKind::list;
    site.adds = v_.number_of(value(scale)).value_or(0) != 0;
    const auto major = [&](std::size_t operand) -> std::optional<Major> {
      if (!transposes) return Major::K;
      const auto bit = v_.number_of(value(operand));
      if (!bit) return std::nullopt;
      return *bit == 0 ? Major::K : Major::MN;
    };
    site.b.major = major(scale + (a_in_registers ? 3 : 4));
    site.a.major = a_in_registers ? Major::K : major(scale + 3);
    if (!a_in_registers)
      read_operand(site.a, value(1), {extents->m, extents->k / (is_sparse ? 2 : 1)}, site.a_type, site, "A");
    read_operand(site.b, value(2), {extents->n, extents->k}, site.b_type, site, "B");
  }

  void read_tcgen05(const OpcodeParts& parts, MmaSite& site) {
    for (std::size_t i = 2; i < parts.count; ++i)
      if (parts.all[i].starts_with("kind::")) site.mma = parts.all[i];
    if (operands_.size() < 4) return;
    // [d], a, b, {[metadata]}, idesc, …
    std::size_t idesc = 3;
    while (idesc < operands_.size() && operands_[idesc].kind == PtxOperandKind::address) ++idesc;
    const ValueId word = value(idesc);
    // [scales], or the lanes that are left out, then whether D is read.
    std::size_t adds = idesc + 1;
    while (adds < operands_.size() &&
           (operands_[adds].kind == PtxOperandKind::address || operands_[adds].kind == PtxOperandKind::list))
      ++adds;
    site.adds = v_.number_of(value(adds)).value_or(0) != 0;
    std::optional<InstructionDescriptor> described;
    if (word != no_value && !site.mma.empty()) {
      const KnownValue& known = v_.known(word);
      site.idesc = MmaInstructionWord{{known.ones & low_mask(32), known.known() & low_mask(32)}, {}, {}};
      describe(site, described);
    }
    const auto in_tmem = [&](std::size_t operand) { return operands_[operand].kind == PtxOperandKind::address; };
    const bool is_sparse = parts.has("sp");
    const int pair = parts.has("cta_group::2") ? 2 : 1;
    TileExtents a{0, 0}, b{0, 0};
    if (described && site.idesc->m && site.idesc->n) {
      const int k = described->k();
      a = {*site.idesc->m / pair, k / (is_sparse ? 2 : 1)};
      b = {*site.idesc->n / pair, k};
    }
    if (in_tmem(1)) site.a.in = MmaOperandPlace::tmem;
    else read_operand(site.a, value(1), a, site.a_type, site, "A");
    read_operand(site.b, value(2), b, site.b_type, site, "B");
  }

  // M, N, majors and types of the instruction descriptor.
  void describe(MmaSite& site, std::optional<InstructionDescriptor>& described) {
    if (target_ == nullptr || target_->descriptor != SmemDescriptorKind::tcgen05) return;
    const MmaKindRow* kind = nullptr;
    for (const MmaKindRow& row : mma_kinds())
      if (site.mma == "kind::" + std::string(row.name)) kind = &row;
    if (kind == nullptr) return;
    const KnownWord& word = site.idesc->word;
    const InstructionDescriptor read(static_cast<std::uint32_t>(word.word), kind->kind, *target_);
    const auto knows = [&](FieldId field) {
      const FieldRow* row = read.format().find(field);
      return row != nullptr && (row->bits.mask() & ~word.known) == 0;
    };
    if (knows(FieldId::m)) site.idesc->m = read.m();
    if (knows(FieldId::n)) site.idesc->n = read.n();
    const auto major = [&](FieldId field) -> std::optional<Major> {
      if (read.format().find(field) == nullptr) return Major::K;
      if (!knows(field)) return std::nullopt;
      return read.flag(field) ? Major::MN : Major::K;
    };
    site.a.major = major(FieldId::transpose_a);
    site.b.major = major(FieldId::transpose_b);
    const auto type = [&](FieldId field) {
      return knows(field) && read.type(field) != nullptr ? std::string(read.type(field)->dtype) : std::string();
    };
    site.a_type = type(FieldId::a_type);
    site.b_type = type(FieldId::b_type);
    if ((word.known & low_mask(32)) != low_mask(32)) return;
    described.emplace(read);
    site.mma = "m" + std::to_string(read.m()) + "n" + std::to_string(read.n()) + "k" + std::to_string(read.k());
    for (Finding& finding : lint(read))
      if (finding.severity != Severity::note) site.findings.push_back(std::move(finding));
  }

  // Of equal words that are read alike the same is said: it is found once.
  void read_operand(MmaOperandSite& out, ValueId word, TileExtents extents, const std::string& type, MmaSite& site,
                    std::string_view name) {
    const auto [found, is_new] = read_.try_emplace({word, out.major, extents.mn, extents.k, type, name});
    ReadOperand& read = found->second;
    if (is_new) {
      MmaSite alone;
      read.operand = out;
      read_new_operand(read.operand, word, extents, type, alone, name);
      read.findings = std::move(alone.findings);
    }
    out = read.operand;
    site.findings.insert(site.findings.end(), read.findings.begin(), read.findings.end());
  }

  void read_new_operand(MmaOperandSite& out, ValueId word, TileExtents extents, const std::string& type, MmaSite& site,
                        std::string_view name) {
    out.in = MmaOperandPlace::smem;
    out.extents = extents;
    if (word == no_value) {
      out.why = "the word is not known";
      return;
    }
    const KnownValue& known = v_.known(word);
    out.word = KnownWord{known.ones, known.known()};
    if (target_ == nullptr || target_->descriptor == SmemDescriptorKind::none) {
      out.why = "swz knows no descriptors of this target";
      return;
    }
    const SmemDescriptor descriptor(known.ones, *target_);
    const auto knows = [&](FieldId field) {
      const FieldRow* row = descriptor.format().find(field);
      return row == nullptr || (row->bits.mask() & ~known.known()) == 0;
    };
    if (knows(FieldId::leading_byte_offset)) out.leading_byte_offset = descriptor.leading_byte_offset();
    if (knows(FieldId::stride_byte_offset)) out.stride_byte_offset = descriptor.stride_byte_offset();
    if (knows(FieldId::base_offset)) out.base_offset = descriptor.base_offset();
    if (knows(FieldId::swizzle)) out.swizzle = descriptor.swizzle();
    out.start = site_address(v_, word, 4);
    const std::uint64_t start_bits = descriptor.format().find(FieldId::start_address)->bits.mask();
    // Bits that must be 0 are taken for 0 where nothing says otherwise: those behind the start hold what a sum may carry.
    if ((~known.known() & ~start_bits & ~descriptor.format().reserved_mask()) != 0) {
      out.why = because(v_, word);
      return;
    }
    judge(out, word, start_bits, extents, type, site, name);
  }

  // What holds of the word wherever the proof lets it start.
  void judge(const MmaOperandSite& out, ValueId word, std::uint64_t start_bits, TileExtents extents,
             const std::string& type, MmaSite& site, std::string_view name) {
    const KnownValue& known = v_.known(word);
    const LinearForm form = linear_form(v_, word, shared_address_bits, 4);
    // The start modulo the pattern of the mode, where the terms vanish; else only its alignment is known.
    const std::int64_t pattern = out.swizzle == nullptr ? 16 : out.swizzle->pattern().count;
    const int pattern_bits = std::countr_zero(static_cast<std::uint64_t>(pattern));
    std::optional<std::int64_t> in_pattern = start_in_pattern(word, pattern_bits);
    if (out.swizzle != nullptr && pattern > 16 && (!in_pattern || rests_on_placement(word, form, pattern)))
      tell_alignment(out, form, pattern, site, name);

    std::optional<std::vector<Finding>> all;
    for (const std::int64_t base : {std::int64_t{1024}, std::int64_t{8192}, std::int64_t{13} * 1024}) {
      const bool is_taken = (known.known() & start_bits) != start_bits;
      const std::uint64_t start =
          is_taken ? static_cast<std::uint64_t>(base + in_pattern.value_or(0)) : (known.ones & start_bits) << 4;
      const SmemDescriptor placed((known.ones & ~start_bits) | (start >> 4 & start_bits), *target_);
      std::vector<Finding> said = of_operand(placed, out, extents, type);
      for (Finding& one : said)
        if (is_taken) one.message = "were its start " + hex32(static_cast<std::uint32_t>(start)) + ", " + one.message;
      std::erase_if(said, [](const Finding& one) { return one.severity == Severity::note; });
      if (!all) all = std::move(said);
      else
        std::erase_if(*all, [&](const Finding& one) {
          return std::ranges::none_of(said, [&](const Finding& other) { return other.rule == one.rule; });
        });
    }
    for (Finding& one : *all) {
      one.message = std::string(name) + ": " + one.message;
      site.findings.push_back(std::move(one));
    }
    tell_size(out, form, extents, type, known, start_bits, site, name);
  }

  std::optional<std::int64_t> start_in_pattern(ValueId word, int pattern_bits) const {
    const LinearForm form = linear_form(v_, word, pattern_bits, 4);
    for (const LinearTerm& term : form.terms)
      if (std::countr_zero(term.factor) + proven_zeros(v_, term) < pattern_bits) return std::nullopt;
    return static_cast<std::int64_t>(form.constant);
  }

  std::optional<OperandMap> map_of(const SmemDescriptor& word, const MmaOperandSite& out, TileExtents extents,
                                   const std::string& type) const {
    const DType* dtype = find_dtype(type);
    if (dtype == nullptr || !out.major || extents.mn == 0 || out.swizzle == nullptr) return std::nullopt;
    try {
      return operand_map(word, extents, dtype->memory_bits, *out.major);
    } catch (const Error&) {
      return std::nullopt;  // no such operand: the rules of the word say why
    }
  }

  std::vector<Finding> of_operand(const SmemDescriptor& word, const MmaOperandSite& out, TileExtents extents,
                                  const std::string& type) const {
    if (const auto map = map_of(word, out, extents, type)) return operand_report(word, *map).findings;
    return lint(word);
  }

  // The array that a start lies in. Null: none.
  const PtxSymbol* symbol_of(const LinearForm& form) const {
    const PtxSymbol* symbol = nullptr;
    for (const LinearTerm& term : form.terms)
      if (v_[term.value].op == ValueOp::symbol) symbol = &v_.module().symbols[v_[term.value].number];
    return symbol;
  }

  // The start is proven because the array is alone, and by nothing that the author wrote: an alignment, or a sum that is rounded.
  bool rests_on_placement(ValueId word, const LinearForm& form, std::int64_t pattern) const {
    const PtxSymbol* symbol = symbol_of(form);
    if (symbol == nullptr || symbol->space != PtxSpace::shared || symbol->alignment >= pattern) return false;
    constexpr std::size_t most_parts = 256;
    std::vector<ValueId> parts = {word};
    for (std::size_t i = 0; i < parts.size() && parts.size() < most_parts; ++i) {
      const PtxValue& value = v_[parts[i]];
      const auto number = v_.number_of(value.b);
      if (value.op == ValueOp::bit_and && number && *number != 0 &&
          (*number & static_cast<std::uint64_t>(pattern - 1)) == 0)
        return false;
      for (const ValueId part : {value.a, value.b, value.c})
        if (part != no_value) parts.push_back(part);
    }
    return true;
  }

  void tell_alignment(const MmaOperandSite& out, const LinearForm& form, std::int64_t pattern, MmaSite& site,
                      std::string_view name) const {
    const PtxSymbol* symbol = symbol_of(form);
    const std::string mode(out.swizzle->name);
    if (symbol == nullptr || symbol->alignment >= pattern) {
      site.findings.push_back(note("start-not-proven", std::string(name) + ": the start " + out.start->text +
                                                           " is proven to be a multiple of " +
                                                           std::to_string(out.start->alignment) + " B only; mode " +
                                                           mode + " repeats every " + std::to_string(pattern) + " B"));
      return;
    }
    std::string message = std::string(name) + ": " + std::string(symbol->name) + " is declared with .align " +
                          std::to_string(symbol->alignment) + "; mode " + mode + " repeats every " +
                          std::to_string(pattern) + " B, so that the start is not proven to lie on the pattern";
    const SharedArrays& shared = v_.shared();
    const bool is_dynamic =
        shared.is_dynamic(v_.module(), static_cast<std::uint32_t>(symbol - v_.module().symbols.data()));
    if (shared.is_alone)
      site.findings.push_back(note("start-alignment", message,
                                   "the " + std::string(is_dynamic ? "dynamic " : "") +
                                       "array is alone in shared memory and begins at 1024 (measured); .align " +
                                       std::to_string(pattern) + " would prove it"));
    else
      site.findings.push_back(lint("start-alignment", message,
                                   "declare it with .align " + std::to_string(pattern) + " (__align__ or alignas)"));
  }

  // The operand ends behind its array, or behind what a CTA may have.
  void tell_size(const MmaOperandSite& out, const LinearForm& form, TileExtents extents, const std::string& type,
                 const KnownValue& known, std::uint64_t start_bits, MmaSite& site, std::string_view name) const {
    if (!out.start->offset || out.start->symbol.empty()) return;
    const PtxSymbol* symbol = symbol_of(form);
    if (symbol == nullptr) return;
    // From a multiple of 1024, so that the pattern is where it is.
    constexpr std::int64_t base = 8192;
    const std::int64_t start = base + out.start->offset->count;
    if (out.start->offset->count < 0 || start >= (std::int64_t{1} << shared_address_bits)) return;
    const SmemDescriptor placed((known.ones & ~start_bits) | (static_cast<std::uint64_t>(start) >> 4 & start_bits),
                                *target_);
    const auto map = map_of(placed, out, extents, type);
    if (!map) return;
    const OperandReport report = operand_report(placed, *map);
    const std::int64_t end = report.highest.count + 1 - base;
    const bool is_dynamic =
        v_.shared().is_dynamic(v_.module(), static_cast<std::uint32_t>(symbol - v_.module().symbols.data()));
    if (!is_dynamic && end > symbol->bytes->count)
      site.findings.push_back(lint("operand-outside", std::string(name) + ": the operand ends " + std::to_string(end) +
                                                          " B behind the start of " + std::string(symbol->name) +
                                                          ", which has " + std::to_string(symbol->bytes->count) +
                                                          " B"));
    else if (is_dynamic && end > target_->max_smem_per_cta.count)
      site.findings.push_back(lint("operand-outside", std::string(name) + ": the operand ends " + std::to_string(end) +
                                                          " B behind the start of " + std::string(symbol->name) +
                                                          "; a CTA of " + std::string(target_->name) + " has at most " +
                                                          std::to_string(target_->max_smem_per_cta.count) + " B"));
  }

  const PtxValues& v_;
  const Target* target_;
  std::span<const PtxOperand> operands_;
  const PtxInstruction* one_ = nullptr;
  struct ReadOperand {
    MmaOperandSite operand;
    std::vector<Finding> findings;
  };
  std::map<std::tuple<ValueId, std::optional<Major>, std::int64_t, std::int64_t, std::string, std::string_view>,
           ReadOperand>
      read_;
};

}  // namespace

std::vector<MmaSite> mma_sites(const PtxValues& values, const Target* target) {
  std::vector<MmaSite> sites;
  MmaReader reader(values, target);
  for (std::uint32_t i = 0; i < values.kernel().instructions.size(); ++i)
    if (auto site = reader.read(i)) {
      sites.push_back(std::move(*site));
      require_within(limits::ptx_sites, std::ssize(sites));
    }
  tell_k_loops(values, target, sites);
  return sites;
}

}  // namespace swz
