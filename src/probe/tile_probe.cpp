// SPDX-License-Identifier: Apache-2.0
#include "probe/tile_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "probe/wgmma_probe.hpp"
#include "smem/mma_operand.hpp"

namespace swz {

namespace {

// The layout that kernels/tile.cu reads.
struct Block {
  std::uint64_t a = 0, b = 0;
  std::uint32_t image = 0, overlay = 0, transposed = 0;
  std::uint32_t map = 0, rank = 0, first_copy = 0, copies = 0, expect = 0;
};
struct Copy {
  std::array<std::int32_t, 5> start = {};
  std::uint32_t to = 0;
};

// What each wgmma reads of the tile as its operand B: blocks of 64 rows if 64 divides its rows, otherwise of the
// largest N that does.
TileExtents mma_of(const SmemTile& tile) {
  return default_mma(operand_shape(tile), operand_choice(tile, sm_90a())).extents;
}

// The identity of the wgmma, 64 x K.
Identity a_of(const WgmmaInstruction& i) { return {{64, row_of(i).k}, i.a_type}; }

std::int64_t elements_of(const SmemTile& tile) { return tile.extents().mn * tile.extents().k; }

int passes_of(const SmemTile& tile) { return PositionCode(tile.dtype().name).passes(elements_of(tile) + 1); }

// Where the element is stored without TMA.
std::int64_t stored_at(const SmemTile& tile, std::int64_t row, std::int64_t k, Hypothesis hypothesis) {
  const SwizzleMode& mode = tile.swizzle();
  const std::int64_t offset = tile.linear_offset(row, k).count;
  if (hypothesis == Hypothesis::relative_xor) return tile.base().count + mode.byte(offset);
  const std::int64_t linear = tile.base().count + offset;
  if (hypothesis == Hypothesis::mask_off_by_one && mode.bits > 0)
    return linear ^ (((linear >> 7) & (mode.line_mask() - 1)) << mode.base);
  return tile.byte(row, k).count;
}

// Writes the code of each element, 1 + its number, to the byte given by `place`.
void write_codes(const SmemTile& tile, int pass, ByteBuffer& to,
                 const std::function<std::int64_t(std::int64_t row, std::int64_t k)>& place) {
  const PositionCode code(tile.dtype().name);
  for (std::int64_t number = 0; number < elements_of(tile); ++number)
    write_bits(to, place(number / tile.extents().k, number % tile.extents().k) * 8, tile.element_bits(),
               code.element(1 + number, pass));
}

// The operand in global memory.
ByteBuffer tensor_of(const SmemTile& tile, int pass) {
  const std::int64_t stride = packed_operand(tile, sm_90a(), tile.extents()).line_stride.count;
  const std::int64_t size = tile.element_bits() / 8;
  const bool is_k_major = tile.major() == Major::K;
  ByteBuffer tensor(static_cast<std::size_t>(stride * (is_k_major ? tile.extents().mn : tile.extents().k)));
  write_codes(tile, pass, tensor, [&](std::int64_t row, std::int64_t k) {
    return is_k_major ? row * stride + k * size : k * stride + row * size;
  });
  return tensor;
}

// The boxes of a tile, and one map and one tensor per pass. The first map is block.map.
void append_copies(const TilePlan& plan, const SmemTile& tile, Launch& launch, Block& block) {
  block.rank = word32(plan.map.rank);
  block.first_copy = static_cast<std::uint32_t>(launch.inputs[4].size() / sizeof(Copy));
  block.copies = static_cast<std::uint32_t>(plan.copies.size());
  for (const TileCopy& copy : plan.copies) {
    const Bytes to{tile.base().count + copy.smem_offset.count};
    Copy out{{}, word32(to.count)};
    for (std::size_t d = 0; d < 5; ++d) out.start[d] = static_cast<std::int32_t>(copy.coordinate[d]);
    append(launch.inputs[4], out);
    block.expect += word32(BoxPlacement(plan.map, to).expect_bytes().count);
  }
  block.map = static_cast<std::uint32_t>(launch.inputs[3].size() / 128);
  for (int pass = 0; pass < passes_of(tile); ++pass) {
    TensorMap map = plan.map;
    map.global_address = launch.inputs[5].size();
    launch.addresses.push_back({3, std::ssize(launch.inputs[3]), 5});
    append_bytes(launch.inputs[3], to_bytes(encode(map)));
    append_bytes(launch.inputs[5], tensor_of(tile, pass));
    launch.inputs[5].resize((launch.inputs[5].size() + 127) / 128 * 128);
  }
}

}  // namespace

void require_plan(const TileProbePlan& plan) {
  const SmemTile& tile = plan.tile;
  require_legal(operand_choice(tile, sm_90a()));
  element_format(tile.dtype().name);  // throws for a type that no probe supports
  if (tile.element_bits() < 8)
    throw Error(fmt::format("{} is smaller than a byte: the probe of a tile takes whole bytes", tile.dtype().name),
                "swz verify --only wgmma asks for b1 operands");
  const OperandMemory where = wgmma_memory();
  if (tile.base() < where.begin || tile.base().count + tile.bytes().count > where.identity.count)
    throw Error(fmt::format("a tile of {} B at {:#x} does not lie between {:#x} and {:#x}", tile.bytes().count,
                            tile.base().count, where.begin.count, where.identity.count),
                "below lies what the system reserves, above the identity operand of the probe: take another --base");
  words_of(plan);
  if (plan.way == TileWay::store) return;
  if (!tile.base().is_multiple_of(tma_smem_alignment))
    throw Error(fmt::format("TMA writes to multiples of 128 B only, the tile begins at {:#x}", tile.base().count),
                "--via store takes any multiple of 16");
  boxes_of(plan);
}

WgmmaInstruction instruction_of(const TileProbePlan& plan) { return wgmma_of(plan.tile.dtype(), mma_of(plan.tile).mn); }

TileDescriptors words_of(const TileProbePlan& plan) { return tile_descriptors(plan.tile, sm_90a(), mma_of(plan.tile)); }

std::int64_t number_read(const TileProbePlan& plan, const TileDescriptors& words, const MmaStep& step, std::int64_t i) {
  return (step.m_block * words.mma.mn + i / words.mma.k) * plan.tile.extents().k + step.k_step * words.mma.k +
         i % words.mma.k;
}

std::optional<TilePlan> boxes_of(const TileProbePlan& plan) {
  if (plan.way == TileWay::store) return std::nullopt;
  const auto answer =
      plan_tile(plan.tile, packed_operand(plan.tile, sm_90a(), plan.tile.extents()), sm_90a(), tensor_map_max_rank);
  if (const auto* refusal = std::get_if<Finding>(&answer))
    throw Error("TMA does not make this tile: " + refusal->message,
                refusal->hint.empty() ? "--via store does" : refusal->hint + "; --via store needs none");
  return std::get<TilePlan>(answer);
}

TileProbePlan draw_tile(Random& random) {
  constexpr std::array<std::string_view, 7> types{"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"};
  constexpr std::array<std::string_view, 4> modes{"none", "32B", "64B", "128B"};
  const OperandMemory where = wgmma_memory();
  for (;;) {
    SmemTileValues values;
    values.dtype = random.of(types);
    values.swizzle = random.of(modes);
    values.major = random.one_in(2) ? Major::K : Major::MN;
    values.order = random.one_in(2) ? StackingOrder::mn_first : StackingOrder::k_first;
    const TileWay way = random.one_in(2) ? TileWay::store : TileWay::tma;
    const DType& dtype = *values.dtype;
    const SwizzleMode& mode = *values.swizzle;
    if (!is_legal({&sm_90a(), &dtype, Packing::packed, values.major, &mode})) continue;
    const TileExtents atom = atom_extents(values.major, mode, dtype, Packing::packed);
    const std::int64_t k_step = std::max(atom.k, dense_mma_k(dtype.memory_bits));
    values.mn = atom.mn * (1 + random.below(std::max<std::int64_t>(1, 128 / atom.mn)));
    values.k = k_step * (1 + random.below(std::max<std::int64_t>(1, 128 / k_step)));
    const std::int64_t bytes = values.mn * values.k * dtype.memory_bits / 8;
    const std::int64_t step = way == TileWay::tma ? tma_smem_alignment.count : chunk.count;
    const std::int64_t room = where.identity.count - where.begin.count - bytes;
    if (room < step) continue;
    values.base = Bytes{where.begin.count + step * random.below(room / step)};
    return {SmemTile(values), way};
  }
}

Kernel kernel_of(const TileProbePlan& plan) { return {"tile", wgmma_statement(instruction_of(plan))}; }

Launch launch_of(std::span<const TileProbePlan> plans, Hypothesis hypothesis) {
  const WgmmaInstruction instruction = instruction_of(plans.front());
  const OperandMemory memory = wgmma_memory();
  Launch launch;
  OperandInputs operands(memory, launch);
  const Identity identity = a_of(instruction);
  const std::uint32_t overlay = operands.overlays(identity, hypothesis);
  for (const TileProbePlan& plan : plans) {
    const SmemTile& tile = plan.tile;
    Block first{.a = identity.descriptor(memory.identity, sm_90a()).word()};
    first.transposed = tile.major() == Major::MN ? 2 : 0;
    const std::optional<TilePlan> boxes = boxes_of(plan);
    if (boxes) {
      first.image = operands.empty_image();  // shared memory is empty before
      append_copies(*boxes, tile, launch, first);
    }
    for (int pass = 0; !boxes && pass < passes_of(tile); ++pass) {
      ByteBuffer image(static_cast<std::size_t>(memory.size.count));
      write_codes(tile, pass, image, [&](std::int64_t row, std::int64_t k) {
        return stored_at(tile, row, k, hypothesis) - memory.begin.count;
      });
      const std::uint32_t index = operands.append_image(image);
      if (pass == 0) first.image = index;
    }
    for (const MmaStep& step : words_of(plan).steps)
      for (int selection = 0; selection < identity.selections(); ++selection)
        for (int pass = 0; pass < passes_of(tile); ++pass, ++launch.grid) {
          Block block = first;
          block.b = hypothesis == Hypothesis::strides_swapped ? with_strides_swapped(step.descriptor)
                                                              : step.descriptor.word();
          block.overlay = overlay + word32(selection);
          (boxes ? block.map : block.image) += word32(pass);
          append(launch.inputs[0], block);
        }
  }
  launch.output_bytes = launch.grid * image_bytes(fragment_of(instruction, Operand::d));
  return launch;
}

Observations decode(std::span<const TileProbePlan> plans, const ByteBuffer& output, Hypothesis hypothesis) {
  const WgmmaInstruction instruction = instruction_of(plans.front());
  const RegisterTable d(fragment_under(hypothesis, fragment_of(instruction, Operand::d)));
  std::span<const std::uint8_t> rest = output;
  Observations out;
  for (const TileProbePlan& plan : plans) {
    const TileDescriptors words = words_of(plan);
    const SeenThrough through{.operand = OperandRole::b,
                              .extents = words.mma,
                              .columns = columns_shown(a_of(instruction), words.mma.k),
                              .dtype = plan.tile.dtype().name,
                              .d_type = instruction.d_type,
                              .passes = passes_of(plan.tile),
                              .first = 1};
    Observation& seen = out.emplace_back(static_cast<std::size_t>(elements_of(plan.tile)), unreadable);
    for (const MmaStep& step : words.steps) {
      const Observation found = positions(through, d, rest);
      for (std::int64_t i = 0; i < std::ssize(found); ++i)
        seen[static_cast<std::size_t>(number_read(plan, words, step, i))] = found[static_cast<std::size_t>(i)];
    }
  }
  return out;
}

Observation expected(const TileProbePlan& plan, Hypothesis) {
  Observation out(static_cast<std::size_t>(elements_of(plan.tile)));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

std::string subject(const TileProbePlan& plan) {
  const SmemTile& tile = plan.tile;
  return fmt::format("{} {} {}, mode {}, {}, at {:#x}, via {}", tile.dtype().name, to_string(tile.extents()),
                     to_string(tile.major()), tile.swizzle().name, to_string(tile.order()), tile.base().count,
                     to_string(plan.way));
}

std::string element_name(const TileProbePlan& plan, std::int64_t index) {
  return coordinate_name(index, plan.tile.extents());
}

std::string value_name(const TileProbePlan& plan, std::int64_t value) {
  if (value < 0 || value >= elements_of(plan.tile)) return "no element of the tile";
  return "element " + coordinate_name(value, plan.tile.extents());
}

Json to_json(const TileProbePlan& plan) {
  return {{"tile", plan.tile.dtype().name},      {"mn", plan.tile.extents().mn},
          {"k", plan.tile.extents().k},          {"major", direction_name(plan.tile.major())},
          {"swizzle", plan.tile.swizzle().name}, {"order", to_string(plan.tile.order())},
          {"base", plan.tile.base().count},      {"via", to_string(plan.way)}};
}

TileProbePlan tile_probe_plan(const Json& json) {
  const auto text = [&](const char* key) { return json.at(key).get<std::string>(); };
  const TileProbePlan plan{SmemTile({.dtype = text("tile"),
                                     .major = major_of(json),
                                     .mn = json.at("mn").get<std::int64_t>(),
                                     .k = json.at("k").get<std::int64_t>(),
                                     .swizzle = text("swizzle"),
                                     .order = require_stacking_order(text("order")),
                                     .base = Bytes{json.at("base").get<std::int64_t>()}}),
                           text("via") == "tma" ? TileWay::tma : TileWay::store};
  require_plan(plan);
  return plan;
}

}  // namespace swz
