// SPDX-License-Identifier: Apache-2.0
#include "ptx/mma_tile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "fragment/instruction_text.hpp"

namespace swz {

namespace {

const MmaOperandSite& operand_of(const MmaSite& site, OperandRole role) {
  return role == OperandRole::a ? site.a : site.b;
}

Error not_known(const MmaSite& site, OperandRole role, const std::string& what, const std::string& why = {}) {
  return Error(fmt::format("line {}: {} of operand {} is not known", site.line, what, to_string(role)),
               why.empty() ? "swz kernel FILE --line shows what is known" : why);
}

const MmaSite& site_in(const KernelReport& kernel, std::uint32_t line) {
  const auto found = std::ranges::find(kernel.mma, line, &MmaSite::line);
  if (found != kernel.mma.end()) return *found;
  std::string lines;
  for (std::size_t i = 0; i < std::min<std::size_t>(kernel.mma.size(), 8); ++i)
    lines += fmt::format("{}{}", i > 0 ? ", " : "", kernel.mma[i].line);
  throw Error(fmt::format("line {} has no MMA", line),
              lines.empty() ? "the kernel has none" : "MMAs are in lines " + lines);
}

// What a story needs of the operand, all of it known.
struct ReadOperand {
  const MmaSite& site;
  const MmaOperandSite& of;
  const DType& dtype;
  Major major;
  MmaExtents mma;
};

ReadOperand read_operand(const MmaSite& site, OperandRole role) {
  const MmaOperandSite& of = operand_of(site, role);
  if (of.in != MmaOperandPlace::smem)
    throw Error(fmt::format("line {}: operand {} is in {}", site.line, to_string(role),
                            of.in == MmaOperandPlace::tmem ? "tensor memory" : "registers"),
                "--operand names the other");
  if (of.swizzle == nullptr || !of.start) throw not_known(site, role, "the word", of.why);
  if (!of.major) throw not_known(site, role, "the major");
  if (of.extents.mn == 0 || of.element_bits == 0) throw not_known(site, role, "the shape");
  const std::string& type = role == OperandRole::a ? site.a_type : site.b_type;
  const DType* dtype = find_dtype(type);
  const std::optional<MmaExtents> shape = read_parts({"mma", site.mma}).shape;
  if (dtype == nullptr || !shape) throw not_known(site, role, "the shape or the type");
  return {site, of, *dtype, *of.major, *shape};
}

// The starts of the MMAs that belong together, from the lowest, each once.
std::vector<std::int64_t> starts_of(const KernelReport& kernel, const ReadOperand& read, OperandRole role) {
  std::vector<std::int64_t> starts;
  for (const MmaSite& other : kernel.mma) {
    const MmaOperandSite& of = operand_of(other, role);
    const bool belongs = other.mma == read.site.mma && other.a_type == read.site.a_type && of.start &&
                         of.start->terms == read.of.start->terms && of.swizzle == read.of.swizzle &&
                         of.major == read.of.major && of.extents == read.of.extents &&
                         of.stride_byte_offset == read.of.stride_byte_offset &&
                         of.leading_byte_offset == read.of.leading_byte_offset;
    if (belongs) starts.push_back(of.start->constant.count);
  }
  std::ranges::sort(starts);
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  const std::int64_t lowest = starts.front();
  for (std::int64_t& start : starts) start -= lowest;
  return starts;
}

std::optional<SmemTile> tile_with(const ReadOperand& read, const Target& target, std::int64_t rows, std::int64_t k,
                                  StackingOrder order) {
  SmemTileValues values{.dtype = read.dtype, .major = read.major, .mn = rows, .k = k, .swizzle = *read.of.swizzle};
  if (element_bits(read.dtype) != read.of.element_bits) values.packing = Packing::slots;
  values.order = order;
  values.target = &target;
  try {
    return SmemTile(values);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Whether the words of the tile start where those of the kernel do, and have its strides.
bool is_read_so(const SmemTile& tile, const ReadOperand& read, const Target& target,
                const std::vector<std::int64_t>& starts) {
  try {
    const TileDescriptors words = tile_descriptors(tile, target, read.of.extents);
    std::vector<std::int64_t> own;
    for (const MmaStep& step : words.steps) own.push_back(step.descriptor.start_address().count);
    std::ranges::sort(own);
    if (words.stride.is_applied && read.of.stride_byte_offset != words.stride.value) return false;
    if (words.leading.is_applied && read.of.leading_byte_offset != words.leading.value) return false;
    return std::ranges::includes(own, starts);
  } catch (const Error&) {
    return false;
  }
}

// The smallest tile that is read so; otherwise one block of rows with as many k steps as there are words.
SmemTile tile_of(const ReadOperand& read, const Target& target, const std::vector<std::int64_t>& starts) {
  constexpr std::int64_t most_blocks = 8;
  const TileExtents step = read.of.extents;
  const std::int64_t atom_k =
      atom_extents(read.major, *read.of.swizzle, read.dtype,
                   element_bits(read.dtype) == read.of.element_bits ? Packing::packed : Packing::slots)
          .k;
  const auto whole = [&](std::int64_t k) { return (k + atom_k - 1) / atom_k * atom_k; };
  const auto count = static_cast<std::int64_t>(starts.size());
  for (std::int64_t blocks = 1; blocks <= most_blocks; ++blocks)
    for (std::int64_t steps = (count + blocks - 1) / blocks; steps <= count; ++steps)
      for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first}) {
        const auto tile = tile_with(read, target, blocks * step.mn, whole(steps * step.k), order);
        if (tile && is_read_so(*tile, read, target, starts)) return *tile;
      }
  if (const auto tile = tile_with(read, target, step.mn, whole(count * step.k), StackingOrder::mn_first)) return *tile;
  throw Error(fmt::format("line {}: no tile of mode {} has such words", read.site.line, read.of.swizzle->name),
              "swz map shows what a word reads");
}

}  // namespace

MmaTile mma_tile(const KernelReport& kernel, std::uint32_t line, OperandRole role) {
  const MmaSite& site = site_in(kernel, line);
  const ReadOperand read = read_operand(site, role);
  if (kernel.target == nullptr || kernel.target->descriptor == SmemDescriptorKind::none)
    throw Error(fmt::format("{} reads no descriptors", kernel.target_name), "wgmma and tcgen05 do");
  const Target& target = *kernel.target;
  const std::vector<std::int64_t> starts = starts_of(kernel, read, role);
  MmaTile out{tile_of(read, target, starts), read.mma, role, &target, {}, read.of.start->terms};
  SmemDescriptorValues values{.start_address = {},
                              .leading_byte_offset = read.of.leading_byte_offset.value_or(Bytes{}),
                              .stride_byte_offset = read.of.stride_byte_offset.value_or(Bytes{}),
                              .base_offset = read.of.base_offset.value_or(0),
                              .swizzle = *read.of.swizzle};
  for (const std::int64_t start : starts) {
    values.start_address = Bytes{start};
    out.words.push_back(SmemDescriptor::encode(values, target).word());
  }
  const TileExtents e = out.tile.extents();
  const std::int64_t steps = e.k / read.of.extents.k, mmas = steps * (e.mn / read.of.extents.mn);
  const auto known = std::ssize(out.words);
  if (known != steps && known != mmas) out.words.resize(1);
  return out;
}

}  // namespace swz
