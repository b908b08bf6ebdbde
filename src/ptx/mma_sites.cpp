// SPDX-License-Identifier: Apache-2.0
// MMAs: what their opcodes and their operands say of A, B and the instruction.
#include <algorithm>
#include <map>
#include <tuple>

#include "arch/mma_choice.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "descriptor/instruction_descriptor.hpp"
#include "ptx/kernel_parts.hpp"
#include "ptx/mma_operand.hpp"
#include "ptx/opcode.hpp"

namespace swz {

namespace {

int number_after(std::string_view text, char letter, std::size_t& at) {
  if (at >= text.size() || text[at] != letter) return 0;
  std::uint64_t number = 0;
  for (++at; at < text.size() && is_digit(text[at]); ++at)
    number = number * 10 + static_cast<std::uint64_t>(text[at] - '0');
  return static_cast<int>(number);
}

// "m64n128k16", and its place in the opcode.
struct OpcodeShape {
  MmaExtents extents;
  std::size_t place = 0;
};
std::optional<OpcodeShape> shape_of(const OpcodeParts& parts) {
  for (std::size_t i = 1; i < parts.count; ++i) {
    std::size_t at = 0;
    OpcodeShape shape{.extents = {}, .place = i};
    shape.extents.m = number_after(parts.all[i], 'm', at);
    shape.extents.n = number_after(parts.all[i], 'n', at);
    shape.extents.k = number_after(parts.all[i], 'k', at);
    const bool is_whole = shape.extents.m != 0 && shape.extents.n != 0 && shape.extents.k != 0;
    if (is_whole && at == parts.all[i].size()) return shape;
  }
  return std::nullopt;
}

class MmaReader {
 public:
  MmaReader(const PtxValues& values, const Target* target) : v_(values), target_(target) {}

  std::optional<MmaSite> read(std::uint32_t index) {
    instruction_ = &v_.kernel().instructions[index];
    if (!instruction_->is("mma") && !instruction_->is("wgmma") && !instruction_->is("tcgen05")) return std::nullopt;
    operands_ = v_.module().operands_of(*instruction_);
    const OpcodeParts parts(instruction_->opcode);
    MmaSite site;
    static_cast<PtxSite&>(site) = site_at(v_.kernel(), index);
    if (instruction_->is("mma") && operands_.size() >= 4) read_mma(parts, site);
    else if (instruction_->is("wgmma.mma_async")) read_wgmma(parts, site);
    else if (instruction_->is("tcgen05.mma")) read_tcgen05(parts, site);
    else return std::nullopt;
    return site;
  }

 private:
  ValueId value(std::size_t operand) const { return v_.of_operand(*instruction_, operand); }
  bool is_address(std::size_t operand) const {
    return operand < operands_.size() && operands_[operand].kind == PtxOperandKind::address;
  }
  bool is_list(std::size_t operand) const {
    return operand < operands_.size() && operands_[operand].kind == PtxOperandKind::list;
  }

  void read_mma(const OpcodeParts& parts, MmaSite& site) {
    const auto shape = shape_of(parts);
    if (shape) site.mma = parts.all[shape->place];
    const NameParts said = read_parts(split(lower_case(instruction_->opcode), '.'));
    if (said.types.size() >= 4) {
      site.a_type = said.types[1];
      site.b_type = said.types[2];
    }
    if (said.orders.size() == 2) {
      site.a.major = said.orders[0] == OperandOrder::row ? Major::K : Major::MN;
      site.b.major = said.orders[1] == OperandOrder::col ? Major::K : Major::MN;
    }
    site.findings = scale_findings(v_, *instruction_, said);
  }

  void read_wgmma(const OpcodeParts& parts, MmaSite& site) {
    const auto shape = shape_of(parts);
    if (!shape || operands_.size() < 4) return;
    const MmaExtents& extents = shape->extents;
    site.mma = parts.all[shape->place];
    if (shape->place + 3 < parts.count) {
      site.a_type = parts.all[shape->place + 2];
      site.b_type = parts.all[shape->place + 3];
    }
    const bool is_sparse = parts.has("sp"), transposes = site.a_type == "f16" || site.a_type == "bf16";
    // d, a, b, {metadata, selector}, scale-d, {scale-a, scale-b, {trans-a}, trans-b}
    const std::size_t scale = is_sparse ? 5 : 3;
    site.adds = v_.number_of(value(scale)).value_or(0) != 0;
    const auto major = [&](std::size_t operand) -> std::optional<Major> {
      if (!transposes) return Major::K;
      const auto bit = v_.number_of(value(operand));
      if (!bit) return std::nullopt;
      return *bit == 0 ? Major::K : Major::MN;
    };
    site.b.major = major(scale + (is_list(1) ? 3 : 4));
    site.a.major = is_list(1) ? Major::K : major(scale + 3);
    site.a.element_bits = memory_bits(site.a_type);
    site.b.element_bits = memory_bits(site.b_type);
    if (!is_list(1)) read_operand(value(1), {extents.m, extents.k / (is_sparse ? 2 : 1)}, "A", site.a, site);
    read_operand(value(2), {extents.n, extents.k}, "B", site.b, site);
  }

  static int memory_bits(std::string_view type) {
    const DType* dtype = find_dtype(type);
    return dtype == nullptr ? 0 : dtype->memory_bits;
  }

  void read_tcgen05(const OpcodeParts& parts, MmaSite& site) {
    for (std::size_t i = 2; i < parts.count; ++i)
      if (parts.all[i].starts_with("kind::")) site.mma = parts.all[i];
    if (operands_.size() < 4) return;
    // [d], a, b, {[metadata]}, idesc, …
    std::size_t idesc = 3;
    while (is_address(idesc)) ++idesc;
    // [scales], or the lanes that are left out, then whether D is read.
    std::size_t adds = idesc + 1;
    while (is_address(adds) || is_list(adds)) ++adds;
    site.adds = v_.number_of(value(adds)).value_or(0) != 0;
    TileExtents a{0, 0}, b{0, 0};
    if (const auto described = read_idesc(value(idesc), site); described && site.idesc->m && site.idesc->n) {
      const int ctas = parts.has("cta_group::2") ? 2 : 1, k = described->k();
      // SASS has one name for dense and sparse.
      const bool is_sparse = parts.has("sp") || (v_.module().is_machine_code() && described->flag(FieldId::sparse));
      a = {*site.idesc->m / ctas, k / (is_sparse ? 2 : 1)};
      b = {*site.idesc->n / ctas, k};
      // Narrow types are in bytes of their own, but for the MMAs of sm_107 with twice the K.
      const bool has_slots = described->kind_row().has_8bit_slots && described->k_size() == KSize::usual;
      site.a.element_bits = has_slots ? 8 : memory_bits(site.a_type);
      site.b.element_bits = has_slots ? 8 : memory_bits(site.b_type);
      check_opcode(*described, parts, site);
    }
    if (is_address(1)) site.a.in = MmaOperandPlace::tmem;
    else read_operand(value(1), a, "A", site.a, site);
    if (parts.has("decompress::lut::b")) read_table_indices(value(2), site);
    else read_operand(value(2), b, "B", site.b, site);
  }

  // B is indices of 3 bits into a table, 48 bytes for a row: the rules of strides and atoms are not its rules.
  void read_table_indices(ValueId word, MmaSite& site) {
    std::vector<Finding> others = std::move(site.findings);
    site.findings.clear();
    site.b.element_bits = 0;
    read_operand(word, {0, 0}, "B", site.b, site);
    std::erase_if(site.findings, [](const Finding& one) { return one.severity != Severity::format; });
    site.findings.insert(site.findings.begin(), others.begin(), others.end());
  }

  // What the opcode says against what the instruction descriptor says. ptxas does not see the descriptor.
  void check_opcode(const InstructionDescriptor& word, const OpcodeParts& parts, MmaSite& site) const {
    const bool is_sparse = parts.has("sp");
    if (word.flag(FieldId::sparse) != is_sparse) {
      site.findings.push_back(lint("idesc-sparse", std::string("the instruction descriptor is that of a ") +
                                                       (is_sparse ? "dense" : "sparse") + " MMA, the opcode has " +
                                                       (is_sparse ? "" : "no ") + ".sp"));
      return;
    }
    const MmaShapeQuery shape = word.shape();
    if (!fits_on(*target_, shape)) return;  // the rules of the word say so
    const MmaChoice choice{.kinds = kind_set({word.kind()}),
                           .m = shape.m,
                           .n = shape.n,
                           .cta_group = parts.has("cta_group::2") ? 2 : 1,
                           .ws = parts.has("ws"),
                           .sparse = is_sparse,
                           .k = shape.k,
                           .transposed_8bit_b = shape.transposed_8bit_b,
                           .target = target_};
    if (const auto refusal = refusal_of(choice))
      site.findings.push_back(
          lint("idesc-opcode", refusal->advice.message, refusal->advice.hint, to_string(refusal->source)));
    const bool has_bad_id = std::ranges::find(site.findings, "scale-id", &Finding::rule) != site.findings.end();
    if (const int vec = scale_vector(word, parts); vec != 0 && !has_bad_id) {
      try {
        require_scale_ids(word, vec);
      } catch (const Error& error) {
        site.findings.push_back(lint("idesc-scale-id", error.message(), error.hint));
      }
    }
  }

  // The elements that share a scale factor; 0: none do.
  static int scale_vector(const InstructionDescriptor& word, const OpcodeParts& parts) {
    if (!word.kind_row().block_scaled) return 0;
    return parts.has("block16") || parts.has("scale_vec::4X") ? 16 : 32;
  }

  // M, N, majors and types of the instruction descriptor, as far as they are known. The descriptor, if all of it is
  // known.
  std::optional<InstructionDescriptor> read_idesc(ValueId id, MmaSite& site) const {
    if (id == no_value || site.mma.empty()) return std::nullopt;
    const KnownValue& value = v_.known(id);
    const KnownWord word{value.ones & low_mask(32), value.known() & low_mask(32)};
    site.idesc = MmaInstructionWord{word, {}, {}};
    if (target_ == nullptr || target_->descriptor != SmemDescriptorKind::tcgen05) return std::nullopt;
    // SASS has one name for kind::f16 and kind::tf32: UTCHMMA. The type of A tells them apart.
    constexpr std::uint64_t type_of_a = 0x380, tf32 = 0x100;
    const bool has_type = (word.known & type_of_a) == type_of_a && (word.word & type_of_a) == tf32;
    if (v_.module().is_machine_code() && site.mma == "kind::f16" && has_type) site.mma = "kind::tf32";
    const MmaKindRow* kind = nullptr;
    for (const MmaKindRow& row : mma_kinds())
      if (site.mma == "kind::" + std::string(row.name)) kind = &row;
    if (kind == nullptr) return std::nullopt;
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
    if (word.known != low_mask(32)) return std::nullopt;
    site.mma = "m" + std::to_string(read.m()) + "n" + std::to_string(read.n()) + "k" + std::to_string(read.k());
    for (Finding& finding : lint(read))
      if (finding.severity != Severity::note) site.findings.push_back(std::move(finding));
    return read;
  }

  // Equal words that are read alike give equal results: they are worked out once.
  void read_operand(ValueId id, TileExtents extents, std::string_view name, MmaOperandSite& operand, MmaSite& site) {
    const MmaOperandWord word{id, operand.major, extents, operand.element_bits, name};
    const auto [entry, is_new] = read_.try_emplace({id, word.major, extents.mn, extents.k, word.element_bits, name});
    if (is_new) entry->second = read_mma_operand(v_, target_, word);
    const std::vector<Finding>& findings = entry->second.findings;
    operand = entry->second.operand;
    site.findings.insert(site.findings.end(), findings.begin(), findings.end());
  }

  const PtxValues& v_;
  const Target* target_;
  const PtxInstruction* instruction_ = nullptr;
  std::span<const PtxOperand> operands_;
  std::map<std::tuple<ValueId, std::optional<Major>, std::int64_t, std::int64_t, int, std::string_view>, ReadMmaOperand>
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
  add_k_loop_findings(values, target, sites);
  return sites;
}

}  // namespace swz
