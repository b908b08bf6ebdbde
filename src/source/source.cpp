// SPDX-License-Identifier: Apache-2.0
#include "source/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "tma/im2col_bits.hpp"

namespace swz {

namespace {

// ---- descriptors

std::int64_t offset_of(const TileDescriptors& words, std::int64_t m_block, std::int64_t k_step) {
  return words.steps[static_cast<std::size_t>(k_step * words.m_blocks + m_block)].byte_offset.count;
}

// One level of offsets along a direction: f(i) = sum of i / (extents before) % extent * stride.
struct Level {
  std::int64_t extent = 1, stride = 0;
};

// None if the offsets do not repeat, or decrease.
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

// The source code for one index: its constants and its part of the byte offset.
struct IndexCode {
  std::string constants;
  std::string term;  // empty: 0
};

// index "k_step", unit "k": k_step_stride, and also k_steps_per_atom and k_atom_stride if the stride from atom to atom
// is another one than the stride of the steps inside an atom.
std::optional<IndexCode> code_of(std::string_view index, std::string_view direction,
                                 const std::vector<std::int64_t>& offsets) {
  const auto levels = levels_of(offsets);
  if (!levels || levels->size() > 2) return std::nullopt;
  if (levels->empty()) return IndexCode{};
  IndexCode code{fmt::format("  constexpr uint32_t {}_stride = {};  // B\n", index, (*levels)[0].stride),
                 fmt::format("{0} * {0}_stride", index)};
  if (levels->size() == 1) return code;
  code.constants += fmt::format(
      "  constexpr uint32_t {}s_per_atom = {};\n"
      "  constexpr uint32_t {}_atom_stride = {};  // B\n",
      index, (*levels)[0].extent, direction, (*levels)[1].stride);
  code.term = fmt::format("{0} / {0}s_per_atom * {1}_atom_stride + {0} % {0}s_per_atom * {0}_stride", index, direction);
  return code;
}

bool is_sum(const TileDescriptors& words) {
  return std::ranges::all_of(words.steps, [&](const MmaStep& step) {
    return step.byte_offset.count ==
           offset_of(words, step.m_block, 0) + offset_of(words, 0, step.k_step) - offset_of(words, 0, 0);
  });
}

// The byte offsets of a layout that two strides cannot describe.
std::string offset_table(const TileDescriptors& words) {
  std::string rows;
  for (std::int64_t k = 0; k < words.k_steps; ++k) {
    std::vector<std::int64_t> row;
    for (std::int64_t m = 0; m < words.m_blocks; ++m) row.push_back(offset_of(words, m, k));
    rows += fmt::format("      {{{}}},\n", fmt::join(row, ", "));
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

  std::string constants = m->constants + k->constants;
  std::vector<std::string> terms;
  if (first != 0) {
    constants += fmt::format("  constexpr uint32_t first_offset = {};  // B, of m_block 0 and k_step 0\n", first);
    terms.push_back("first_offset");
  }
  for (const std::string& term : {m->term, k->term})
    if (!term.empty()) terms.push_back(term);
  if (terms.empty()) terms.push_back("0");
  return fmt::format("{}  const uint32_t byte_offset = {};\n", constants, fmt::join(terms, " + "));
}

// The fields that all words share: a constant each, its lowest bit, and the word that they make.
struct FieldCode {
  std::string constants, bits, sum;
};

FieldCode field_code(const TileDescriptors& words) {
  const SmemDescriptor& d = words.steps.front().descriptor;
  FieldCode code;
  // factor: turns the constant into the number of the word.
  const auto append = [&](FieldId id, const std::string& constant, std::string_view factor) {
    code.constants += constant;
    code.bits += fmt::format("  constexpr int {}_bit = {};\n", to_string(id), d.format().find(id)->bits.low);
    code.sum += fmt::format("{0}uint64_t{{{1}{2}}} << {1}_bit",
                            code.sum.empty() ? "" : " |\n                              ", to_string(id), factor);
  };
  const auto append_stride = [&](FieldId id, const StrideField& field) {
    append(id,
           fmt::format("  // {}\n  constexpr uint32_t {} = {};  // B\n", field.derivation, to_string(id),
                       field.value.count),
           " / chunk");
  };
  append_stride(FieldId::leading_byte_offset, words.leading);
  append_stride(FieldId::stride_byte_offset, words.stride);
  // The fields that are 0 (base offset, LBO mode) have no constant: then the swizzle uses the bits of the address.
  for (const FieldId id : {FieldId::version, FieldId::swizzle}) {
    if (!d.has(id)) continue;
    const std::string what = id == FieldId::swizzle ? fmt::format("the code of mode {}", d.swizzle()->name)
                                                    : "the constant of this descriptor";
    append(id, fmt::format("  constexpr uint32_t {} = {};  // {}\n", to_string(id), d.raw(id), what), "");
  }
  return code;
}

std::string range(std::int64_t count) { return count == 1 ? "0" : fmt::format("0 ... {}", count - 1); }

// ---- tensor maps

template <std::size_t n>
std::string joined(const std::array<std::uint64_t, n>& values, int count, std::string_view between) {
  return fmt::format("{}", fmt::join(values.begin(), values.begin() + count, between));
}

// "bf16, dims 4096x8192, box 64x128, swizzle 128B"
std::string summary(const TensorMap& map) {
  return fmt::format("{}, dims {}, box {}, swizzle {}", short_name(map.data_type),
                     joined(map.dims, map.dim_count(), "x"), joined(map.box, map.dim_count(), "x"),
                     short_name(map.swizzle));
}

// "f16 im2col, dims 64x4x4x1, 64 channels, 16 pixels, swizzle 128B"
std::string summary(const Im2colMap& map) {
  const TensorMap& tensor = map.tensor;
  return fmt::format("{} im2col, dims {}, {} channels, {} pixels, swizzle {}", short_name(tensor.data_type),
                     joined(tensor.dims, tensor.dim_count(), "x"), map.channels_per_pixel, map.pixels_per_column,
                     short_name(tensor.swizzle));
}

int address_alignment(const TensorMap& map) {
  return map.interleave == TensorMapInterleave::bytes_32 || find_row(map.data_type)->is_padded() ? 32 : 16;
}

}  // namespace

std::string cuda_source(const TileDescriptors& words, const SourceText& text) {
  const SmemDescriptor& d = words.steps.front().descriptor;
  const FieldCode fields = field_code(words);
  const std::string offsets = offset_code(words);
  // An index that has only one value is not used.
  const auto parameter = [&offsets](std::string_view name) {
    const bool is_used = offsets.find(name) != std::string::npos;
    return is_used ? std::string(name) : fmt::format("/*{}*/", name);
  };
  return fmt::format(
      "// {format} on {target}: {operand}\n"
      "// {command}\n"
      "//\n"
      "// smem_address: of the tile, __cvta_generic_to_shared(tile); a multiple of {pattern} B\n"
      "// m_block: {m_blocks}, blocks of {rows} rows of M or N\n"
      "// k_step: {k_steps}, steps of {cols} along K\n"
      "#ifdef __CUDACC_RTC__\n"
      "#include <cuda/std/cstdint>\n"
      "#else\n"
      "#include <cstdint>\n"
      "#endif\n\n"
      "__device__ constexpr uint64_t {name}(\n"
      "    uint32_t smem_address, uint32_t {m_block}, uint32_t {k_step}) {{\n"
      "  constexpr uint32_t chunk = {chunk};  // B, the unit of addresses and strides in the word\n"
      "{constants}"
      "  constexpr int start_address_bit = {start_bit};\n"
      "{bits}"
      "  constexpr uint64_t fields = {sum};\n\n"
      "{offsets}"
      "  return fields | uint64_t{{(smem_address + byte_offset) / chunk}} << start_address_bit;\n"
      "}}\n",
      fmt::arg("format", d.format().name), fmt::arg("target", d.target().name), fmt::arg("operand", text.operand),
      fmt::arg("command", text.command), fmt::arg("pattern", d.swizzle()->pattern().count),
      fmt::arg("m_blocks", range(words.m_blocks)), fmt::arg("rows", words.mma.mn),
      fmt::arg("k_steps", range(words.k_steps)), fmt::arg("cols", words.mma.k), fmt::arg("name", text.name),
      fmt::arg("m_block", parameter("m_block")), fmt::arg("k_step", parameter("k_step")),
      fmt::arg("chunk", chunk.count), fmt::arg("constants", fields.constants),
      fmt::arg("start_bit", d.format().find(FieldId::start_address)->bits.low), fmt::arg("bits", fields.bits),
      fmt::arg("sum", fields.sum), fmt::arg("offsets", offsets));
}

namespace {

// What the calls for tiles and for images do not have in common.
struct EncodeCallCode {
  std::string_view name;  // "cuTensorMapEncodeTiled"
  std::string summary;
  std::string arrays;     // of the box, or of the corners
  std::string arguments;  // the same, between the strides and the element strides
};

std::string call_source(const TensorMap& map, const EncodeCallCode& call, const SourceText& text) {
  const auto list = [&](const auto& values) { return joined(values, map.dim_count(), ", "); };
  // With rank 1 there are no strides, but an array cannot be empty: the driver reads rank - 1 entries.
  const std::string strides = joined(map.strides, map.stride_count(), ", ");
  return fmt::format(
      "// Tensor map: {summary}\n"
      "// {command}\n"
      "//\n"
      "// Host code, linked with -lcuda. global_address: of device memory, a multiple of {alignment} B.\n"
      "// A kernel takes the map as const __grid_constant__ CUtensorMap.\n"
      "#include <cuda.h>\n\n"
      "#include <cstdio>\n\n"
      "inline CUresult {name}(CUtensorMap* tensor_map, void* global_address) {{\n"
      "  constexpr cuuint32_t rank = {rank};\n"
      "  const cuuint64_t globalDim[rank] = {{{dims}}};  // elements, dimension 0 is the contiguous one\n"
      "  const cuuint64_t globalStrides[{strides}\n"
      "{arrays}"
      "  const cuuint32_t elementStrides[rank] = {{{element_strides}}};\n"
      "  const CUresult result = {call}(\n"
      "      tensor_map, {data_type}, rank, global_address, globalDim, globalStrides,\n"
      "      {arguments}, elementStrides, {interleave},\n"
      "      {swizzle}, {l2_promotion},\n"
      "      {oob_fill});\n"
      "  if (result == CUDA_ERROR_INVALID_VALUE)\n"
      "    std::fprintf(stderr, \"{call} refuses these arguments; swz tma check says why\\n\");\n"
      "  else if (result != CUDA_SUCCESS)\n"
      "    std::fprintf(stderr, \"{call}: error %d, which is not a refusal: cuInit is missing, or an \"\n"
      "                 \"earlier kernel failed\\n\", static_cast<int>(result));\n"
      "  return result;\n"
      "}}\n",
      fmt::arg("summary", call.summary), fmt::arg("command", text.command),
      fmt::arg("alignment", address_alignment(map)), fmt::arg("name", text.name), fmt::arg("rank", map.rank),
      fmt::arg("dims", list(map.dims)),
      fmt::arg("strides", map.rank == 1 ? "] = {0};  // rank 1 has none: not read"
                                        : fmt::format("rank - 1] = {{{}}};  // B, of dimension 1 and later", strides)),
      fmt::arg("arrays", call.arrays), fmt::arg("element_strides", list(map.element_strides)),
      fmt::arg("call", call.name), fmt::arg("arguments", call.arguments),
      fmt::arg("data_type", driver_name(map.data_type)), fmt::arg("interleave", driver_name(map.interleave)),
      fmt::arg("swizzle", driver_name(map.swizzle)), fmt::arg("l2_promotion", driver_name(map.l2_promotion)),
      fmt::arg("oob_fill", driver_name(map.oob_fill)));
}

std::string array_source(std::string_view summary, std::string_view call, const Source& source, std::uint64_t address,
                         const EncodedTensorMap& encoded, const SourceText& text) {
  std::string words;
  for (std::size_t i = 0; i < encoded.words.size(); i += 2)
    words += fmt::format("    {}, {},\n", hex64(encoded.words[i]), hex64(encoded.words[i + 1]));
  return fmt::format(
      "// Tensor map: {}\n"
      "// {}\n"
      "//\n"
      "// The 16 little-endian words of a CUtensorMap as {} writes them ({}).\n"
      "// Word 0 is globalAddress, here {:#x}.\n"
      "#include <stdint.h>\n"
      "#ifndef __cplusplus\n"
      "#include <stdalign.h>\n"
      "#endif\n\n"
      "alignas(64) static const uint64_t {}[{}] = {{\n"
      "{}"
      "}};\n",
      summary, text.command, call, source.where, address, text.name, tensor_map_words, words);
}

constexpr std::string_view tiled_call = "cuTensorMapEncodeTiled", im2col_call = "cuTensorMapEncodeIm2col";

}  // namespace

std::string cuda_source(const TensorMap& map, const SourceText& text) {
  const std::string box =
      fmt::format("  const cuuint32_t boxDim[rank] = {{{}}};\n", joined(map.box, map.dim_count(), ", "));
  return call_source(map, {tiled_call, summary(map), box, "boxDim"}, text);
}

std::string cuda_source(const Im2colMap& map, const SourceText& text) {
  const auto corner = [&](const std::array<std::int64_t, 3>& of) {
    return fmt::format("{}", fmt::join(of.begin(), of.begin() + map.corner_count(), ", "));
  };
  const std::string arrays = fmt::format(
      "  const int pixelBoxLowerCorner[rank - 2] = {{{}}};  // pixels, W first\n"
      "  const int pixelBoxUpperCorner[rank - 2] = {{{}}};\n"
      "  constexpr cuuint32_t channelsPerPixel = {}, pixelsPerColumn = {};\n",
      corner(map.lower_corner), corner(map.upper_corner), map.channels_per_pixel, map.pixels_per_column);
  return call_source(map.tensor,
                     {im2col_call, summary(map), arrays,
                      "pixelBoxLowerCorner, pixelBoxUpperCorner, channelsPerPixel, pixelsPerColumn"},
                     text);
}

std::string c_source(const TensorMap& map, const EncodedTensorMap& encoded, const SourceText& text) {
  return array_source(summary(map), tiled_call, tensor_map_source, map.global_address, encoded, text);
}

std::string c_source(const Im2colMap& map, const EncodedTensorMap& encoded, const SourceText& text) {
  return array_source(summary(map), im2col_call, im2col_map_source, map.tensor.global_address, encoded, text);
}

}  // namespace swz
