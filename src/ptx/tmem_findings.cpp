// SPDX-License-Identifier: Apache-2.0
// Columns of tensor memory after those that the kernel allocates:
//
//   tcgen05.alloc… [columns], 64;                  columns, in shared memory, gets the address d
//   ld.shared.u32 %r1, [columns];                  %r1 is d
//   tcgen05.mma… [%r1 + 32], a, b, idesc, p;       N 64: columns d + 32 to d + 95; the last 32 are not the kernel's
//
// It is reported only if it is certain: the kernel allocates a known number of columns once, not in a loop; the base
// was loaded from where the alloc stored it, and no instruction between the two may have written there; what is added
// is constant.
#include <algorithm>

#include "arch/tensor_memory.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "ptx/kernel_parts.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/opcode.hpp"
#include "tmem/accumulator.hpp"

namespace swz {

namespace {

// Blocks that control may enter after the end of `from`; backwards: those from which it comes to the begin of `from`.
std::vector<bool> blocks_after(const PtxFlow& flow, std::uint32_t from, bool backwards) {
  std::vector<bool> seen(flow.blocks.size(), false);
  std::vector<std::uint32_t> ways = {from};
  while (!ways.empty()) {
    const PtxBlock& block = flow.blocks[ways.back()];
    ways.pop_back();
    for (const std::uint32_t next : backwards ? block.previous : block.next)
      if (!seen[next]) {
        seen[next] = true;
        ways.push_back(next);
      }
  }
  return seen;
}

// May write a word of shared memory that is not an mbarrier.
bool may_write_shared(const PtxInstruction& instruction) {
  constexpr std::string_view stores[] = {"st", "atom", "red", "multimem"};
  constexpr std::string_view writers[] = {"call",         "stmatrix", "cp", "tensormap", "clusterlaunchcontrol",
                                          "tcgen05.alloc"};
  const auto is = [&](std::string_view name) { return instruction.is(name); };
  if (std::ranges::any_of(stores, is)) return !OpcodeParts(instruction.opcode).has("global");
  return std::ranges::any_of(writers, is);
}

class TmemColumns {
 public:
  TmemColumns(const PtxValues& values, const TmemSite& alloc) : v_(values), alloc_(alloc.instruction) {
    place_ = site_address(v_, v_.of_operand(v_.kernel().instructions[alloc_], 0));
    after_ = blocks_after(v_.flow(), block_of(alloc_), false);
  }

  // The column in an operand's address, counted from the first that is allocated; none if that is not certain.
  std::optional<std::int64_t> column(ValueId address) {
    if (address == no_value || !place_.offset || after_[block_of(alloc_)]) return std::nullopt;
    const LinearForm form = linear_form(v_, address, 16);  // the lane is above
    if (form.terms.size() != 1 || form.terms[0].factor != 1 || form.terms[0].is_progress ||
        !is_base(form.terms[0].value))
      return std::nullopt;
    return as_signed(form.constant, 16);
  }

 private:
  std::uint32_t block_of(std::uint32_t instruction) const { return v_.flow().block_of[instruction]; }

  bool is_base(ValueId id) {
    const PtxValue& value = v_[id];
    if (value.op != ValueOp::unknown || value.number >> 8 >= v_.kernel().instructions.size()) return false;
    const auto load = static_cast<std::uint32_t>(value.number >> 8);
    if (load != asked_) {
      asked_ = load;
      loads_base_ = is_load_of_base(load);
    }
    return loads_base_;
  }

  bool is_load_of_base(std::uint32_t load) const {
    const auto& all = v_.kernel().instructions;
    const PtxInstruction& instruction = all[load];
    const OpcodeParts parts(instruction.opcode);
    if (!instruction.is("ld") || !(parts.has("shared") || parts.has("shared::cta")) ||
        operand_type(parts.last()).bits != 32 || instruction.operands != 2)
      return false;
    if (v_.module().operands_of(instruction)[0].kind != PtxOperandKind::reg) return false;
    const SiteAddress from = site_address(v_, v_.of_operand(instruction, 1));
    if (from.symbol != place_.symbol || from.offset != place_.offset) return false;
    const std::uint32_t first = block_of(alloc_), last = block_of(load);
    if (first == last) return alloc_ < load && is_kept(alloc_ + 1, load);
    if (!after_[last]) return false;
    const std::vector<bool> before = blocks_after(v_.flow(), last, true);
    for (std::uint32_t block = 0; block < before.size(); ++block) {
      const PtxBlock& range = v_.flow().blocks[block];
      const bool is_between = after_[block] && before[block];
      // Control may enter the load's block again from a loop: then all of it is between.
      const std::uint32_t begin = block == first ? alloc_ + 1 : range.first,
                          end = block == last && !is_between ? load : range.end;
      if ((is_between || block == first || block == last) && !is_kept(begin, end)) return false;
    }
    return true;
  }

  bool is_kept(std::uint32_t begin, std::uint32_t end) const {
    const auto& all = v_.kernel().instructions;
    return std::none_of(all.begin() + begin, all.begin() + end, may_write_shared);
  }

  const PtxValues& v_;
  std::uint32_t alloc_;
  SiteAddress place_;
  std::vector<bool> after_;
  std::uint32_t asked_ = 0xffffffff;
  bool loads_base_ = false;
};

// The columns of D; 0: not known.
std::int64_t accumulator_columns(const MmaSite& site) {
  if (!site.idesc || !site.idesc->m || !site.idesc->n) return 0;
  const OpcodeParts parts(site.opcode);
  const DataPath* path =
      find_data_path({*site.idesc->m, parts.has("cta_group::2") ? 2 : 1, parts.has("ws"), parts.has("sp")});
  if (path == nullptr || *site.idesc->n <= 0 || *site.idesc->n % path->parts != 0) return 0;
  return Accumulator(*path, *site.idesc->n).columns();
}

// The columns that tcgen05.ld, st or cp moves; 0: not known, also for forms that spread what they move.
std::int64_t moved_columns(const TmemSite& site) {
  const OpcodeParts parts(site.opcode);
  if (site.action == "cp") {
    if (parts.has("b8x16")) return 0;
    for (const TmemCopy& copy : tmem_copies())
      if (parts.has(copy.name)) return copy.columns();
    return 0;
  }
  if (parts.has("pack::16b") || parts.has("unpack::16b") || parts.has("red") || parts.has("spcompress")) return 0;
  for (const TmemShape& shape : tmem_shapes())
    for (int count = 1; count <= shape.most; count *= 2)
      if (shape.name != "16x32bx2" && site.shape == std::string(shape.name) + ".x" + std::to_string(count))
        return std::int64_t{shape.columns} * count;
  return 0;
}

}  // namespace

void add_column_findings(KernelReport& report, const PtxValues& values) {
  const TmemSite* alloc = nullptr;
  for (const TmemSite& site : report.tmem) {
    if (site.action != "alloc") continue;
    if (alloc != nullptr) return;  // it is not known which of them the columns belong to
    alloc = &site;
  }
  if (alloc == nullptr || !alloc->columns) return;
  TmemColumns columns(values, *alloc);
  // The text about so many columns; none if they are the kernel's, or if that is not certain.
  const auto outside = [&](const PtxSite& site, std::int64_t count) -> std::optional<std::string> {
    const std::size_t place = site.opcode.starts_with("tcgen05.ld") ? 1 : 0;
    const auto first = columns.column(values.of_operand(values.kernel().instructions[site.instruction], place));
    if (count == 0 || !first || (*first >= 0 && *first + count <= *alloc->columns)) return std::nullopt;
    return "columns " + std::to_string(*first) + " to " + std::to_string(*first + count - 1) +
           ", and the kernel allocates " + plural(*alloc->columns, "column");
  };
  for (MmaSite& site : report.mma) {
    if (!site.opcode.starts_with("tcgen05")) continue;
    if (const auto text = outside(site, accumulator_columns(site)))
      site.findings.push_back(lint("accumulator-outside", "D: the accumulator takes " + *text,
                                   OpcodeParts(alloc->opcode).has("exclusive")
                                       ? "tcgen05.alloc.exclusive takes a multiple of 32"
                                       : "tcgen05.alloc takes a power of two from 32 to 512"));
  }
  for (const TmemSite& site : report.tmem) {
    if (site.action != "ld" && site.action != "st" && site.action != "cp") continue;
    if (const auto text = outside(site, moved_columns(site)))
      report.findings.push_back(
          lint("tmem-outside", "line " + std::to_string(site.line) + ": tcgen05." + site.action + " moves " + *text));
  }
}

}  // namespace swz
