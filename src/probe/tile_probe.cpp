#include "probe/tile_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "probe/accumulators.hpp"
#include "smem/legality.hpp"

namespace swz {

namespace {

// N of the wgmmas: 64 or the most rows that divide the tile and that an instruction has.
TileExtents mma_of(const SmemTile& tile) {
  return default_mma(operand_shape(tile), operand_choice(tile, sm_90a())).extents;
}

}  // namespace

OperandMemory tile_memory() {
  const Bytes window = sm_90a().smem_window();
  return {sm_90a().reserved_smem, sm_90a().max_smem_per_cta, Bytes{window.count - largest_identity.count}};
}

TilePlan boxes_of(const SmemTile& tile) {
  const GmemOperand operand = packed_operand(tile, sm_90a(), tile.extents());
  std::variant<TilePlan, Finding> answer = plan_tile(tile, operand, sm_90a(), 5);
  if (const auto* refusal = std::get_if<Finding>(&answer))
    throw Error("TMA does not make this tile: " + refusal->message,
                refusal->hint.empty() ? "--via store does" : refusal->hint + "; --via store needs none");
  return std::get<TilePlan>(std::move(answer));
}

void require_plan(const TileProbePlan& plan) {
  const SmemTile tile(plan.tile);
  require_legal(operand_choice(tile, sm_90a()));
  PositionCode code(tile.dtype());  // throws for a type that no probe carries
  if (tile.element_bits() < 8)
    throw Error(fmt::format("{} is smaller than a byte: the probe of a tile takes whole bytes", tile.dtype().name),
                "swz verify --only wgmma asks for b1 operands");
  const OperandMemory where = tile_memory();
  if (tile.base() < where.begin || tile.base().count + tile.bytes().count > where.identity.count)
    throw Error(
        fmt::format("a tile of {} B at {:#x} does not lie between {:#x} and {:#x}", tile.bytes().count,
                    tile.base().count, where.begin.count, where.identity.count),
        "below lies what the system reserves, above the identity operand of the probe: take another --base");
  words_of(plan);
  if (plan.way == TileWay::store) return;
  if (!tile.base().is_multiple_of(tma_smem_alignment))
    throw Error(fmt::format("TMA writes to multiples of 128 B only, the tile begins at {:#x}", tile.base().count),
                "--via store takes any multiple of 16");
  boxes_of(tile);
}

WgmmaInstruction instruction_of(const TileProbePlan& plan) {
  const SmemTile tile(plan.tile);
  const std::string dtype(tile.dtype().name);
  return {static_cast<int>(mma_of(tile).mn), dtype, dtype, tile.dtype().is_floating ? "f32" : "s32", false};
}

TileDescriptors words_of(const TileProbePlan& plan) {
  const SmemTile tile(plan.tile);
  return tile_descriptors(tile, sm_90a(), mma_of(tile));
}

TileCopies copies_of(const TileProbePlan& plan) {
  if (plan.way == TileWay::store) return {};
  const TilePlan copies = boxes_of(SmemTile(plan.tile));
  return {static_cast<std::int64_t>(copies.copies.size()), copies.map.rank};
}

TileProbePlan draw_tile(Random& random) {
  constexpr std::array<std::string_view, 7> types{"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"};
  constexpr std::array<std::string_view, 4> modes{"none", "32B", "64B", "128B"};
  const OperandMemory where = tile_memory();
  for (;;) {
    TileProbePlan plan;
    plan.tile.dtype = random.of(types);
    plan.tile.swizzle = random.of(modes);
    plan.tile.major = random.one_in(2) ? Major::K : Major::MN;
    plan.tile.order = random.one_in(2) ? StackingOrder::mn_first : StackingOrder::k_first;
    plan.way = random.one_in(2) ? TileWay::store : TileWay::tma;
    const DType& dtype = *plan.tile.dtype;
    const SwizzleMode& mode = *plan.tile.swizzle;
    if (!is_legal({&sm_90a(), &dtype, Packing::packed, plan.tile.major, &mode})) continue;
    const TileExtents atom = atom_extents(plan.tile.major, mode, dtype, Packing::packed);
    const std::int64_t k_step = std::max(atom.k, dense_mma_k(dtype.memory_bits));
    plan.tile.mn = atom.mn * (1 + random.below(std::max<std::int64_t>(1, 128 / atom.mn)));
    plan.tile.k = k_step * (1 + random.below(std::max<std::int64_t>(1, 128 / k_step)));
    const std::int64_t bytes = plan.tile.mn * plan.tile.k * dtype.memory_bits / 8;
    const std::int64_t step = plan.way == TileWay::tma ? tma_smem_alignment.count : chunk.count;
    const std::int64_t room = where.identity.count - where.begin.count - bytes;
    if (room < step) continue;
    plan.tile.base = Bytes{where.begin.count + step * random.below(room / step)};
    return plan;
  }
}

namespace {

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
  return PositionCode(*plan.tile.dtype).passes(element_count(SmemTile(plan.tile)) + 1);
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
      block.b = hypothesis_ == Hypothesis::strides_swapped ? with_strides_swapped(step.descriptor)
                                                           : step.descriptor.word();
      for (int selection = 0; selection < identity.selections(); ++selection)
        for (int pass = 0; pass < passes; ++pass, ++launch_.grid) {
          block.overlay = overlay + static_cast<std::uint32_t>(selection);
          (plan.way == TileWay::tma ? block.map : block.image) = first + static_cast<std::uint32_t>(pass);
          append(launch_.inputs[0], block);
        }
    }
  }

  std::uint32_t append_images(const SmemTile& tile) {
    ByteBuffer& all = launch_.inputs[1];
    const auto first = static_cast<std::uint32_t>(all.size() / static_cast<std::size_t>(tile_memory().size.count));
    for (int pass = 0; pass < PositionCode(tile.dtype()).passes(element_count(tile) + 1); ++pass) {
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
    const SeenThrough through{
        OperandRole::b,        words.mma,          columns_shown(identity_of(instruction), words.mma.k),
        plan.tile.dtype->name, instruction.d_type, passes_of_tile(plan)};
    const std::size_t step_bytes =
        static_cast<std::size_t>(through.passes * identity_of(instruction).selections()) * d.block_bytes();
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

std::string subject(const TileProbePlan& plan) {
  const SmemTile tile(plan.tile);
  return fmt::format("{} {} {}, mode {}, {}, at {:#x}, via {}", tile.dtype().name, to_string(tile.extents()),
                     to_string(tile.major()), tile.swizzle().name, to_string(tile.order()), tile.base().count,
                     to_string(plan.way));
}

std::string element_name(const TileProbePlan& plan, std::int64_t index) {
  return coordinate_name(index, SmemTile(plan.tile).extents());
}

std::string value_name(const TileProbePlan& plan, std::int64_t value) {
  const SmemTile tile(plan.tile);
  if (value < 0 || value >= tile.extents().mn * tile.extents().k) return "no element of the tile";
  return "element " + coordinate_name(value, tile.extents());
}

Json to_json(const TileProbePlan& plan) {
  return {{"tile", plan.tile.dtype->name},
          {"mn", plan.tile.mn},
          {"k", plan.tile.k},
          {"major", plan.tile.major == Major::K ? "K" : "MN"},
          {"swizzle", plan.tile.swizzle->name},
          {"order", to_string(plan.tile.order)},
          {"base", plan.tile.base.count},
          {"via", to_string(plan.way)}};
}

TileProbePlan tile_probe_plan(const Json& json) {
  const auto text = [&](const char* key) { return json.at(key).get<std::string>(); };
  const TileProbePlan plan{{.dtype = text("tile"),
                            .major = text("major") == "K" ? Major::K : Major::MN,
                            .mn = json.at("mn").get<std::int64_t>(),
                            .k = json.at("k").get<std::int64_t>(),
                            .swizzle = text("swizzle"),
                            .order = require_stacking_order(text("order")),
                            .base = Bytes{json.at("base").get<std::int64_t>()}},
                           text("via") == "tma" ? TileWay::tma : TileWay::store};
  require_plan(plan);
  return plan;
}

}  // namespace swz
