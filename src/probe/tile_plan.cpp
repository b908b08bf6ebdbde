// Which tiles the probe can ask about, and how they are written: tile_probe.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "probe/tile_probe.hpp"
#include "smem/legality.hpp"

namespace swz {

namespace {

const Target& sm_90a() { return require_target("sm_90a"); }

// N of the wgmmas: 64 or the most rows that divide the tile and that an instruction has.
TileExtents mma_of(const SmemTile& tile) {
  TileExtents mma = default_mma(tile);
  const bool is_legal = std::ranges::any_of(mma_instructions(), [&](const MmaInstruction& row) {
    return row.family == InstructionFamily::wgmma && takes_type(row, tile.dtype().name) &&
           row.takes(static_cast<int>(mma.mn));
  });
  // Integers have fewer N; 8 divides every tile.
  if (!is_legal) mma.mn = tile.extents().mn % 32 == 0 ? 32 : tile.extents().mn % 16 == 0 ? 16 : 8;
  return mma;
}

std::string_view accumulator_of(const DType& dtype) { return dtype.is_floating ? "f32" : "s32"; }

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
  return {static_cast<int>(mma_of(tile).mn), dtype, dtype, std::string(accumulator_of(tile.dtype())), false};
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
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  constexpr std::array<std::string_view, 7> types{"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"};
  constexpr std::array<std::string_view, 4> modes{"none", "32B", "64B", "128B"};
  const OperandMemory where = tile_memory();
  for (;;) {
    TileProbePlan plan;
    plan.tile.dtype = types[static_cast<std::size_t>(below(types.size()))];
    plan.tile.swizzle = modes[static_cast<std::size_t>(below(modes.size()))];
    plan.tile.major = below(2) == 0 ? Major::K : Major::MN;
    plan.tile.order = below(2) == 0 ? StackingOrder::mn_first : StackingOrder::k_first;
    plan.way = below(2) == 0 ? TileWay::store : TileWay::tma;
    const DType& dtype = require_dtype(plan.tile.dtype);
    const SwizzleMode& mode = require_swizzle_mode(plan.tile.swizzle);
    if (!is_legal({&sm_90a(), &dtype, Packing::packed, plan.tile.major, &mode})) continue;
    const TileExtents atom = atom_extents(plan.tile.major, mode, dtype, Packing::packed);
    const std::int64_t k_step = std::max(atom.k, dense_mma_k(dtype.memory_bits));
    plan.tile.mn = atom.mn * (1 + below(std::max<std::int64_t>(1, 128 / atom.mn)));
    plan.tile.k = k_step * (1 + below(std::max<std::int64_t>(1, 128 / k_step)));
    const std::int64_t bytes = plan.tile.mn * plan.tile.k * dtype.memory_bits / 8;
    const std::int64_t step = plan.way == TileWay::tma ? tma_smem_alignment.count : chunk.count;
    const std::int64_t room = where.identity.count - where.begin.count - bytes;
    if (room < step) continue;
    plan.tile.base = Bytes{where.begin.count + step * below(room / step)};
    return plan;
  }
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
  return {{"tile", plan.tile.dtype},
          {"mn", plan.tile.mn},
          {"k", plan.tile.k},
          {"major", plan.tile.major == Major::K ? "K" : "MN"},
          {"swizzle", plan.tile.swizzle},
          {"order", to_string(plan.tile.order)},
          {"base", plan.tile.base.count},
          {"via", to_string(plan.way)}};
}

TileProbePlan tile_probe_plan(const Json& json) {
  TileProbePlan plan;
  plan.tile.dtype = require_dtype(json.at("tile").get<std::string>()).name;
  plan.tile.mn = json.at("mn").get<std::int64_t>();
  plan.tile.k = json.at("k").get<std::int64_t>();
  plan.tile.major = json.at("major").get<std::string>() == "K" ? Major::K : Major::MN;
  plan.tile.swizzle = require_swizzle_mode(json.at("swizzle").get<std::string>()).name;
  plan.tile.order = require_stacking_order(json.at("order").get<std::string>());
  plan.tile.base = Bytes{json.at("base").get<std::int64_t>()};
  plan.way = json.at("via").get<std::string>() == "tma" ? TileWay::tma : TileWay::store;
  require_plan(plan);
  return plan;
}

}  // namespace swz
