#include "probe/tile_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "probe/accumulators.hpp"
#include "tma/plan.hpp"

namespace swz {

namespace {

const Target& sm_90a() { return require_target("sm_90a"); }

// As kernels/tile.cu reads them.
struct Block {
  std::uint64_t a = 0, b = 0;
  std::uint32_t image = 0, overlay = 0, transposed = 0;
  std::uint32_t map = 0, rank = 0, first_copy = 0, copies = 0, expect = 0;
};
struct Copy {
  std::array<std::int32_t, 5> start = {};
  std::uint32_t to = 0;
};

// A is the identity, 64 x K; the tile is B.
Identity identity_of(const WgmmaInstruction& i) { return {{64, row_of(i).k}, i.a_type}; }

std::int64_t element_count(const SmemTile& tile) { return tile.extents().mn * tile.extents().k; }

int passes_of_tile(const TileProbePlan& plan) {
  return PositionCode(plan.tile.dtype).passes(element_count(SmemTile(plan.tile)) + 1);
}

// Blocks that one MMA of the plan takes.
int blocks_a_step(const TileProbePlan& plan) {
  return passes_of_tile(plan) * identity_of(instruction_of(plan)).selections();
}

// The number of an element, as the operand in global memory or shared memory holds it.
std::int64_t number_of(const SmemTile& tile, std::int64_t row, std::int64_t k) {
  return row * tile.extents().k + k;
}

// Where the element goes without TMA.
std::int64_t stored_at(const SmemTile& tile, std::int64_t row, std::int64_t k, Hypothesis hypothesis) {
  const SwizzleMode& mode = tile.swizzle();
  const std::int64_t offset = tile.linear_offset(row, k).count;
  if (hypothesis == Hypothesis::relative_xor) return tile.base().count + mode.byte(offset);
  const std::int64_t linear = tile.base().count + offset;
  if (hypothesis == Hypothesis::mask_off_by_one && mode.bits > 0)
    return linear ^ (((linear >> 7) & (mode.line_mask() - 1)) << mode.base);
  return tile.byte(row, k).count;
}

ByteBuffer stored_image(const SmemTile& tile, int pass, Hypothesis hypothesis) {
  const PositionCode code(tile.dtype());
  ByteBuffer image(static_cast<std::size_t>(tile_memory().size.count));
  for (std::int64_t row = 0; row < tile.extents().mn; ++row)
    for (std::int64_t k = 0; k < tile.extents().k; ++k)
      write_bits(image, (stored_at(tile, row, k, hypothesis) - tile_memory().begin.count) * 8, tile.element_bits(),
                 code.element(1 + number_of(tile, row, k), pass));
  return image;
}

// The operand in global memory, with the codes of one pass.
ByteBuffer tensor_of(const SmemTile& tile, int pass) {
  const PositionCode code(tile.dtype());
  const TileExtents extents = tile.extents();
  const std::int64_t stride = packed_operand(tile, sm_90a(), extents).line_stride.count;
  const std::int64_t size = tile.element_bits() / 8;
  const bool is_k_major = tile.major() == Major::K;
  ByteBuffer tensor(static_cast<std::size_t>(stride * (is_k_major ? extents.mn : extents.k)));
  for (std::int64_t row = 0; row < extents.mn; ++row)
    for (std::int64_t k = 0; k < extents.k; ++k) {
      const std::int64_t at = is_k_major ? row * stride + k * size : k * stride + row * size;
      write_bits(tensor, at * 8, tile.element_bits(), code.element(1 + number_of(tile, row, k), pass));
    }
  return tensor;
}

class Batch {
 public:
  explicit Batch(std::span<const TileProbePlan> plans, Hypothesis hypothesis)
      : plans_(plans), hypothesis_(hypothesis), operands_(tile_memory(), launch_) {}

  Launch launch() {
    launch_.kernel = kernel_of(plans_.front());
    launch_.dynamic_smem = tile_memory().size;
    launch_.grid = 0;
    for (const TileProbePlan& plan : plans_) append_plan(plan);
    const WgmmaInstruction instruction = instruction_of(plans_.front());
    const Accumulators d(instruction, Hypothesis::none);
    launch_.output_bytes = std::int64_t{launch_.grid} * static_cast<std::int64_t>(d.block_bytes());
    return std::move(launch_);
  }

 private:
  void append_plan(const TileProbePlan& plan) {
    const SmemTile tile(plan.tile);
    const WgmmaInstruction instruction = instruction_of(plan);
    const Identity identity = identity_of(instruction);
    Block block{};
    block.a = identity.descriptor(tile_memory().identity, sm_90a()).word();
    block.overlay = operands_.overlays(identity, hypothesis_);
    block.transposed = tile.major() == Major::MN ? 2 : 0;
    const std::uint32_t first = plan.way == TileWay::tma ? append_copies(tile, block) : append_images(tile);
    const int passes = passes_of_tile(plan);
    const auto overlay = block.overlay;
    for (const MmaStep& step : words_of(plan).steps) {
      block.b = word_under(step.descriptor);
      for (int selection = 0; selection < identity.selections(); ++selection)
        for (int pass = 0; pass < passes; ++pass, ++launch_.grid) {
          block.overlay = overlay + static_cast<std::uint32_t>(selection);
          (plan.way == TileWay::tma ? block.map : block.image) = first + static_cast<std::uint32_t>(pass);
          append(launch_.inputs[0], block);
        }
    }
  }

  std::uint64_t word_under(const SmemDescriptor& descriptor) const {
    if (hypothesis_ != Hypothesis::strides_swapped) return descriptor.word();
    const DescriptorFormat& format = descriptor.format();
    const std::uint64_t leading = descriptor.raw(FieldId::leading_byte_offset);
    const std::uint64_t word = with_field(descriptor.word(), format, FieldId::leading_byte_offset,
                                          descriptor.raw(FieldId::stride_byte_offset));
    return with_field(word, format, FieldId::stride_byte_offset, leading);
  }

  std::uint32_t append_images(const SmemTile& tile) {
    ByteBuffer& all = launch_.inputs[1];
    const auto first = static_cast<std::uint32_t>(all.size() / static_cast<std::size_t>(tile_memory().size.count));
    const int passes = PositionCode(tile.dtype()).passes(element_count(tile) + 1);
    for (int pass = 0; pass < passes; ++pass) {
      const ByteBuffer image = stored_image(tile, pass, hypothesis_);
      all.insert(all.end(), image.begin(), image.end());
    }
    return first;
  }

  // Shared memory is empty before; one map and one tensor a pass.
  std::uint32_t append_copies(const SmemTile& tile, Block& block) {
    if (!empty_image_) {
      empty_image_ =
          static_cast<std::uint32_t>(launch_.inputs[1].size() / static_cast<std::size_t>(tile_memory().size.count));
      launch_.inputs[1].resize(launch_.inputs[1].size() + static_cast<std::size_t>(tile_memory().size.count));
    }
    const TilePlan plan = boxes_of(tile);
    block.image = *empty_image_;
    block.rank = static_cast<std::uint32_t>(plan.map.rank);
    block.first_copy = static_cast<std::uint32_t>(launch_.inputs[4].size() / sizeof(Copy));
    block.copies = static_cast<std::uint32_t>(plan.copies.size());
    block.expect = 0;
    for (const TileCopy& copy : plan.copies) {
      const Bytes to{tile.base().count + copy.smem_offset.count};
      Copy out{{}, static_cast<std::uint32_t>(to.count)};
      for (std::size_t d = 0; d < 5; ++d) out.start[d] = static_cast<std::int32_t>(copy.coordinate[d]);
      append(launch_.inputs[4], out);
      block.expect += static_cast<std::uint32_t>(BoxPlacement(plan.map, to).expect_bytes().count);
    }
    const auto first = static_cast<std::uint32_t>(launch_.inputs[3].size() / 128);
    const int passes = PositionCode(tile.dtype()).passes(element_count(tile) + 1);
    for (int pass = 0; pass < passes; ++pass) {
      TensorMap map = plan.map;
      map.global_address = launch_.inputs[5].size();
      launch_.addresses.push_back({3, static_cast<std::int64_t>(launch_.inputs[3].size()), 5});
      for (const std::uint8_t byte : to_bytes(encode(map))) launch_.inputs[3].push_back(byte);
      const ByteBuffer tensor = tensor_of(tile, pass);
      launch_.inputs[5].insert(launch_.inputs[5].end(), tensor.begin(), tensor.end());
      launch_.inputs[5].resize((launch_.inputs[5].size() + 127) / 128 * 128);
    }
    return first;
  }

  std::span<const TileProbePlan> plans_;
  Hypothesis hypothesis_;
  Launch launch_;
  OperandInputs operands_;
  std::optional<std::uint32_t> empty_image_;
};

// What the boxes of a block put into shared memory.
void simulate_copies(const Launch& launch, const Block& block, ByteBuffer& smem) {
  std::array<std::uint8_t, 128> bytes = {};
  std::copy_n(launch.inputs[3].begin() + static_cast<std::ptrdiff_t>(block.map * 128), 128, bytes.begin());
  const TensorMap map = *decode(from_bytes(bytes)).map;
  for (std::uint32_t i = 0; i < block.copies; ++i) {
    const auto copy = read_at<Copy>(launch.inputs[4], (block.first_copy + i) * sizeof(Copy));
    TensorCoordinate start = {};
    std::copy(copy.start.begin(), copy.start.end(), start.begin());
    const std::vector<std::int64_t> image = box_image(BoxPlacement(map, Bytes{copy.to}), start);
    for (std::size_t at = 0; at < image.size(); ++at) {
      if (image[at] == untouched_byte) continue;
      const auto from = static_cast<std::size_t>(map.global_address) + static_cast<std::size_t>(image[at]);
      smem[copy.to - static_cast<std::size_t>(tile_memory().begin.count) + at] =
          image[at] == filled_byte ? std::uint8_t{0} : launch.inputs[5][from];
    }
  }
}

}  // namespace

Kernel kernel_of(const TileProbePlan& plan) { return {"tile", wgmma_statement(instruction_of(plan))}; }

Launch launch_of(std::span<const TileProbePlan> plans, Hypothesis hypothesis) {
  return Batch(plans, hypothesis).launch();
}

std::vector<Observation> decode(std::span<const TileProbePlan> plans, const ByteBuffer& output,
                                Hypothesis hypothesis) {
  const WgmmaInstruction instruction = instruction_of(plans.front());
  const Accumulators d(instruction, hypothesis);
  std::span<const std::uint8_t> rest = output;
  std::vector<Observation> out;
  for (const TileProbePlan& plan : plans) {
    const SmemTile tile(plan.tile);
    const TileDescriptors words = words_of(plan);
    const SeenThrough through{OperandRole::b,  words.mma,          identity_of(instruction),
                              plan.tile.dtype, instruction.d_type, passes_of_tile(plan)};
    const std::size_t step_bytes = static_cast<std::size_t>(blocks_a_step(plan)) * d.block_bytes();
    Observation seen{std::vector<std::int64_t>(static_cast<std::size_t>(element_count(tile)), unreadable)};
    for (const MmaStep& step : words.steps) {
      const std::span<const std::uint8_t> blocks = rest.first(step_bytes);
      rest = rest.subspan(step_bytes);
      const std::vector<std::int64_t> found = positions(through, [&](std::size_t block, int m, int n) {
        return d.bits(blocks.subspan(block * d.block_bytes(), d.block_bytes()), m, n);
      });
      for (std::size_t i = 0; i < found.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::int64_t row = step.m_block * words.mma.mn + at / words.mma.k;
        const std::int64_t k = step.k_step * words.mma.k + at % words.mma.k;
        seen.values[static_cast<std::size_t>(number_of(tile, row, k))] =
            found[i] == unreadable ? unreadable : found[i] - 1;
      }
    }
    out.push_back(std::move(seen));
  }
  return out;
}

Observation expected(const TileProbePlan& plan, Hypothesis) {
  Observation out{std::vector<std::int64_t>(static_cast<std::size_t>(element_count(SmemTile(plan.tile))))};
  std::iota(out.values.begin(), out.values.end(), 0);
  return out;
}

ByteBuffer simulate(std::span<const TileProbePlan> plans, const Launch& launch) {
  const WgmmaInstruction instruction = instruction_of(plans.front());
  const Accumulators d(instruction, Hypothesis::none);
  const int bits = require_dtype(instruction.a_type).memory_bits;
  const std::int64_t k = row_of(instruction).k;
  ByteBuffer output(static_cast<std::size_t>(launch.output_bytes));
  for (std::size_t i = 0; i < static_cast<std::size_t>(launch.grid); ++i) {
    const auto block = read_at<Block>(launch.inputs[0], i * sizeof(Block));
    ByteBuffer smem = shared_memory(launch, block.image, block.overlay);
    if (block.copies != 0) simulate_copies(launch, block, smem);
    const auto values = [&](std::uint64_t word, std::int64_t rows, Major major) {
      const OperandMap map = operand_map(SmemDescriptor(word, sm_90a()), {rows, k}, bits, major);
      return operand_values(smem, tile_memory().begin, map, instruction.a_type);
    };
    const std::vector<double> a = values(block.a, 64, Major::K);
    const std::vector<double> b = values(block.b, instruction.n, block.transposed == 0 ? Major::K : Major::MN);
    const std::vector<double> products = product(a, b, k);
    const std::span<std::uint8_t> out = std::span(output).subspan(i * d.block_bytes(), d.block_bytes());
    for (std::size_t j = 0; j < products.size(); ++j)
      d.write(out, static_cast<int>(j) / instruction.n, static_cast<int>(j) % instruction.n,
              bits_of(products[j], instruction.d_type));
  }
  return output;
}

}  // namespace swz
