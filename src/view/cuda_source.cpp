#include "view/cuda_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace swz {

namespace {

std::int64_t offset_of(const TileDescriptors& words, std::int64_t m_block, std::int64_t k_step) {
  return words.steps[static_cast<std::size_t>(k_step * words.m_blocks + m_block)].byte_offset.count;
}

// Offsets along one direction: f(i) = sum of i / (extents before) % extent * stride.
struct Level {
  std::int64_t extent = 1, stride = 0;
};

// None: the offsets do not repeat, or go down.
std::optional<std::vector<Level>> levels_of(std::vector<std::int64_t> offsets) {
  std::vector<Level> levels;
  while (offsets.size() > 1) {
    const std::int64_t stride = offsets[1];
    std::size_t run = 1;
    while (run < offsets.size() && offsets[run] == static_cast<std::int64_t>(run) * stride) ++run;
    if (stride < 0 || offsets.size() % run != 0) return std::nullopt;
    std::vector<std::int64_t> next;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      if (offsets[i] != offsets[i / run * run] + offsets[i % run]) return std::nullopt;
      if (i % run == 0) next.push_back(offsets[i]);
    }
    levels.push_back({static_cast<std::int64_t>(run), stride});
    offsets = std::move(next);
  }
  return levels;
}

// What the source says of one index: its constants and its part of the byte offset.
struct IndexCode {
  std::string constants;
  std::string term;  // empty: 0
};

// index "k_step", unit "k": k_step_stride, and k_steps_per_atom and k_atom_stride where atoms follow each other in
// another stride than the steps inside one.
std::optional<IndexCode> code_of(std::string_view index, std::string_view direction,
                                 const std::vector<std::int64_t>& offsets) {
  const auto levels = levels_of(offsets);
  if (!levels || levels->size() > 2) return std::nullopt;
  if (levels->empty()) return IndexCode{};
  const std::string step_stride = fmt::format("{}_stride", index);
  IndexCode code;
  code.constants = fmt::format("  constexpr uint32_t {} = {};  // B\n", step_stride, (*levels)[0].stride);
  if (levels->size() == 1) {
    code.term = fmt::format("{} * {}", index, step_stride);
    return code;
  }
  const std::string per_atom = fmt::format("{}s_per_atom", index);
  const std::string atom_stride = fmt::format("{}_atom_stride", direction);
  code.constants += fmt::format("  constexpr uint32_t {} = {};\n", per_atom, (*levels)[0].extent);
  code.constants += fmt::format("  constexpr uint32_t {} = {};  // B\n", atom_stride, (*levels)[1].stride);
  code.term = fmt::format("{0} / {1} * {2} + {0} % {1} * {3}", index, per_atom, atom_stride, step_stride);
  return code;
}

bool is_sum(const TileDescriptors& words) {
  return std::ranges::all_of(words.steps, [&](const MmaStep& step) {
    return step.byte_offset.count ==
           offset_of(words, step.m_block, 0) + offset_of(words, 0, step.k_step) - offset_of(words, 0, 0);
  });
}

// The byte offsets of a layout that no two strides describe.
std::string offset_table(const TileDescriptors& words) {
  std::string rows;
  for (std::int64_t k = 0; k < words.k_steps; ++k) {
    std::string row;
    for (std::int64_t m = 0; m < words.m_blocks; ++m)
      row += fmt::format("{}{}", m == 0 ? "" : ", ", offset_of(words, m, k));
    rows += fmt::format("      {{{}}},\n", row);
  }
  return fmt::format(
      "  constexpr uint32_t m_blocks = {}, k_steps = {};\n"
      "  constexpr int32_t byte_offsets[k_steps][m_blocks] = {{  // B\n{}  }};\n"
      "  const auto byte_offset = static_cast<uint32_t>(byte_offsets[k_step][m_block]);\n",
      words.m_blocks, words.k_steps, rows);
}

std::string offset_code(const TileDescriptors& words) {
  const std::int64_t first = offset_of(words, 0, 0);
  std::vector<std::int64_t> along_m, along_k;
  for (std::int64_t m = 0; m < words.m_blocks; ++m) along_m.push_back(offset_of(words, m, 0) - first);
  for (std::int64_t k = 0; k < words.k_steps; ++k) along_k.push_back(offset_of(words, 0, k) - first);
  const auto m = code_of("m_block", "m", along_m), k = code_of("k_step", "k", along_k);
  if (!m || !k || !is_sum(words) || first < 0) return offset_table(words);

  std::string constants = m->constants + k->constants, sum;
  const auto add = [&sum](const std::string& term) {
    if (!term.empty()) sum += (sum.empty() ? "" : " + ") + term;
  };
  if (first != 0) {
    constants += fmt::format("  constexpr uint32_t first_offset = {};  // B, of m_block 0 and k_step 0\n", first);
    add("first_offset");
  }
  add(m->term);
  add(k->term);
  if (sum.empty()) sum = "0";
  return fmt::format("{}  const uint32_t byte_offset = {};\n", constants, sum);
}

// The fields that all words share: a constant each, its lowest bit, and the word they make.
struct FieldCode {
  std::string constants, bits, sum;
};

void add_field(FieldCode& code, const FieldRow& row, std::string_view value) {
  code.bits += fmt::format("  constexpr int {}_bit = {};\n", to_string(row.id), row.bits.low);
  code.sum += fmt::format("{}uint64_t{{{}}} << {}_bit",
                          code.sum.empty() ? "" : " |\n                              ", value, to_string(row.id));
}

FieldCode field_code(const TileDescriptors& words) {
  const SmemDescriptor& d = words.steps.front().descriptor;
  FieldCode code;
  const auto stride = [&](FieldId id, const StrideField& field) {
    code.constants += fmt::format("  // {}\n  constexpr uint32_t {} = {};  // B\n", field.derivation, to_string(id),
                                  field.value.count);
    add_field(code, *d.format().find(id), fmt::format("{} / chunk", to_string(id)));
  };
  stride(FieldId::leading_byte_offset, words.leading);
  stride(FieldId::stride_byte_offset, words.stride);
  // The fields that are 0 (base offset, LBO mode) are left out: so the swizzle takes the bits of the address.
  for (const FieldId id : {FieldId::version, FieldId::swizzle}) {
    if (!d.has(id)) continue;
    const std::string what = id == FieldId::swizzle ? fmt::format("the code of mode {}", d.swizzle()->name)
                                                    : "the constant of this descriptor";
    code.constants += fmt::format("  constexpr uint32_t {} = {};  // {}\n", to_string(id), d.raw(id), what);
    add_field(code, *d.format().find(id), to_string(id));
  }
  return code;
}

std::string range(std::int64_t count) { return count == 1 ? "0" : fmt::format("0 ... {}", count - 1); }

}  // namespace

std::string cuda_source(const TileDescriptors& words, const CudaSourceText& text) {
  const SmemDescriptor& d = words.steps.front().descriptor;
  const FieldCode fields = field_code(words);
  const std::string offsets = offset_code(words);
  // An index that has one value only is not used.
  const auto parameter = [&offsets](std::string_view name) {
    const bool is_used = offsets.find(name) != std::string::npos;
    return is_used ? std::string(name) : fmt::format("/*{}*/", name);
  };
  std::string out;
  out += fmt::format("// {} on {}: {}\n", d.format().name, d.target().name, text.operand);
  out += fmt::format("// {}\n//\n", text.command);
  out += fmt::format("// smem_address: of the tile, __cvta_generic_to_shared(tile); a multiple of {} B\n",
                     d.swizzle()->pattern().count);
  out += fmt::format("// m_block: {}, blocks of {} rows of M or N\n", range(words.m_blocks), words.mma.mn);
  out += fmt::format("// k_step: {}, steps of {} along K\n", range(words.k_steps), words.mma.k);
  out +=
      "#ifdef __CUDACC_RTC__\n"
      "#include <cuda/std/cstdint>\n"
      "#else\n"
      "#include <cstdint>\n"
      "#endif\n\n";
  out += fmt::format("__device__ constexpr uint64_t {}(\n    uint32_t smem_address, uint32_t {}, uint32_t {}) {{\n",
                     text.function, parameter("m_block"), parameter("k_step"));
  out += fmt::format("  constexpr uint32_t chunk = {};  // B, the unit of addresses and strides in the word\n",
                     chunk.count);
  out += fields.constants;
  out +=
      fmt::format("  constexpr int start_address_bit = {};\n", d.format().find(FieldId::start_address)->bits.low);
  out += fields.bits;
  out += fmt::format("  constexpr uint64_t fields = {};\n\n", fields.sum);
  out += offsets;
  out += "  return fields | uint64_t{(smem_address + byte_offset) / chunk} << start_address_bit;\n}\n";
  return out;
}

}  // namespace swz
