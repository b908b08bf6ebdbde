// SPDX-License-Identifier: Apache-2.0
#include "probe/cluster_probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "probe/operand_probe.hpp"
#include "probe/tensor_image.hpp"

namespace swz {

namespace {

using tensor_image::before, tensor_image::origin, tensor_image::passes;
constexpr std::int64_t tensor_bytes = tensor_image::bytes;

constexpr int most_mapped = 8, places = 16;
constexpr Bytes margin{128}, first_window{0x800}, smem_bytes{64 * 1024}, most_tile{16 * 1024};
constexpr Bytes head{384};  // of the output of a CTA: 32 words, then 16 places of 16 bytes
constexpr std::int64_t most_box = 2048;
constexpr int most_ctas = 16, most_loads = 4;
constexpr std::uint32_t stored_code = 0xc0de0000;

// The layouts that kernels/cluster.cu reads.
struct Block {
  std::uint32_t fill = 0, expect = 0, first_copy = 0, copies = 0;
  std::uint32_t window = 0, window_bytes = 0, first_mapped = 0, mapped = 0;
  std::uint32_t store_to = 0, unused[3] = {};
};
struct Copy {
  std::array<std::int32_t, 5> start = {};
  std::uint32_t to = 0, mask = 0, map = 0, rank = 0, unused[3] = {};
};

// Where in its operand each group of CTAs has its tile, and how the tile is divided.
struct Shared {
  ClusterMma mma;
  TilePlan whole;  // of the first group
  SlicedPlan sliced;
  SmemTile tile;

  int group(int rank, OperandRole role) const { return role == OperandRole::a ? mma.tile_m(rank) : mma.tile_n(rank); }
};

// A load as one CTA issues it.
struct Issued {
  TensorMap map;
  ClusterLoad load;
};

// The type that copies the bits: TMA converts TF32.
void copy_bits(TensorMap& map) {
  if (map.data_type == TensorMapDataType::tfloat32) map.data_type = TensorMapDataType::float32;
}

int groups_of(const ClusterShape& shape, OperandRole role) { return role == OperandRole::a ? shape.x : shape.y; }
int sharers_of(const ClusterShape& shape, OperandRole role) { return role == OperandRole::a ? shape.y : shape.x; }

// The plan of the tile of one group of CTAs, in an operand that has the tiles of all groups.
TilePlan plan_of_group(const ClusterPlan& plan, int group) {
  const SmemTile& tile = *plan.tile;
  const TileExtents all{tile.extents().mn * groups_of(plan.shape, plan.role), tile.extents().k};
  GmemOperand from = packed_operand(tile, sm_90a(), all);
  from.tile_at = {group * tile.extents().mn, 0};
  const auto answer = plan_tile(tile, from, sm_90a(), 2);
  if (const auto* refusal = std::get_if<Finding>(&answer)) throw Error(refusal->message, refusal->hint);
  TilePlan whole = std::get<TilePlan>(answer);
  copy_bits(whole.map);
  return whole;
}

Shared shared_of(const ClusterPlan& plan) {
  const TilePlan whole = plan_of_group(plan, 0);
  const auto answer = slice_plan(whole, sharers_of(plan.shape, plan.role));
  if (const auto* refusal = std::get_if<Finding>(&answer)) throw Error(refusal->message, refusal->hint);
  return {{plan.shape, 1}, whole, std::get<SlicedPlan>(answer), *plan.tile};
}

MaskKind mask_kind(OperandRole role) { return role == OperandRole::a ? MaskKind::a : MaskKind::b; }

// What the CTAs of a tile issue, slice by slice.
std::vector<Issued> issued_slices(const ClusterPlan& plan) {
  const Shared shared = shared_of(plan);
  std::vector<Issued> out;
  for (int rank = 0; rank < plan.shape.size(); ++rank) {
    const int index = plan.role == OperandRole::a ? shared.mma.slice_of_a(rank) : shared.mma.slice_of_b(rank);
    SlicedPlan sliced = shared.sliced;
    sliced.whole = plan_of_group(plan, shared.group(rank, plan.role));
    for (const TileCopy& copy : sliced.copies_of(index))
      out.push_back({sliced.map,
                     {rank, mask_of(shared.mma, rank, mask_kind(plan.role)), copy.coordinate,
                      Bytes{plan.tile->base().count + copy.smem_offset.count}}});
  }
  return out;
}

std::vector<Issued> issued(const ClusterPlan& plan) {
  if (plan.asks == ClusterAsk::slices) return issued_slices(plan);
  std::vector<Issued> out;
  for (const ClusterLoad& load : plan.loads) out.push_back({plan.map, load});
  return out;
}

// The loads without slices: what every CTA of a group would load for itself.
std::vector<Issued> undivided(const ClusterPlan& plan) {
  std::vector<Issued> out;
  const Shared shared = shared_of(plan);
  for (int rank = 0; rank < plan.shape.size(); ++rank) {
    const TilePlan whole = plan_of_group(plan, shared.group(rank, plan.role));
    for (const TileCopy& copy : whole.copies)
      out.push_back(
          {whole.map,
           {rank, ClusterMask{1} << rank, copy.coordinate, Bytes{plan.tile->base().count + copy.smem_offset.count}}});
  }
  return out;
}

Window window_of(const ClusterPlan& plan) {
  std::int64_t begin = smem_bytes.count, end = 0;
  for (const Issued& one : issued(plan)) {
    begin = std::min(begin, one.load.to.count);
    end = std::max(end, one.load.to.count + BoxPlacement(one.map, one.load.to).allocate().count);
  }
  return end == 0 ? Window{} : Window{begin - margin.count, end + margin.count - (begin - margin.count)};
}

std::int64_t window_bytes(std::span<const ClusterPlan> plans) {
  std::int64_t most = 0;
  for (const ClusterPlan& plan : plans) most = std::max(most, window_of(plan).size);
  return (most + 15) / 16 * 16;
}

// The bytes that the barrier of a rank counts.
std::int64_t counted(const std::vector<Issued>& loads, int rank) {
  std::int64_t bytes = 0;
  for (const Issued& one : loads)
    // Whatever its address, which a wrong model may have where no copy can begin.
    if ((one.load.mask >> rank & 1U) != 0) bytes += BoxPlacement(one.map, first_window).expect_bytes().count;
  return bytes;
}

// ---- what a model predicts

using enum Hypothesis;

// The loads as a wrong model has them.
std::vector<Issued> predicted_loads(const ClusterPlan& plan, Hypothesis hypothesis) {
  const bool is_sliced = plan.asks == ClusterAsk::slices;
  const bool is_of_slices = hypothesis == other_operand_mask || hypothesis == slices_by_rows ||
                            hypothesis == relative_xor || hypothesis == own_slice_counted;
  if (is_sliced && !is_of_slices) return undivided(plan);
  std::vector<Issued> loads = issued(plan);
  const ClusterMma mma{plan.shape, 1};
  for (Issued& one : loads) {
    if (hypothesis == issuer_receives) one.load.mask |= ClusterMask{1} << one.load.rank;
    if (!is_sliced) continue;
    const bool is_a = plan.role == OperandRole::a;
    if (hypothesis == other_operand_mask) one.load.mask = mask_of(mma, one.load.rank, is_a ? MaskKind::b : MaskKind::a);
  }
  if (is_sliced && hypothesis == slices_by_rows) {
    // Rows of the divided box, where bytes belong.
    const SlicedPlan sliced = shared_of(plan).sliced;
    for (Issued& one : loads) {
      const int index = plan.role == OperandRole::a ? mma.slice_of_a(one.load.rank) : mma.slice_of_b(one.load.rank);
      const auto rows = static_cast<std::int64_t>(sliced.map.box[1]);
      one.load.to.count += index * (rows - sliced.slice().count);
    }
  }
  return loads;
}

// Puts what the load leaves into the window of a rank.
void put(Observation& window, const Window& at, const Issued& one, Hypothesis hypothesis) {
  const bool is_of_tma = hypothesis == relative_xor || hypothesis == mask_off_by_one;
  const Bytes aligned{one.load.to.count / margin.count * margin.count};  // a wrong offset need not be
  const TmaPlan load{one.map, one.load.start, aligned};
  const Window box = window_of(load);
  const Observation bytes = expected(load, is_of_tma ? hypothesis : none);
  for (std::int64_t i = 0; i < box.size; ++i) {
    const std::int64_t to = box.begin + i - at.begin + one.load.to.count - aligned.count;
    const std::int64_t value = bytes[static_cast<std::size_t>(i)];
    if (value != untouched_byte && to >= 0 && to < at.size) window[static_cast<std::size_t>(to)] = value;
  }
}

Observation expected_loads(const ClusterPlan& plan, Hypothesis hypothesis) {
  const std::vector<Issued> loads = predicted_loads(plan, hypothesis);
  const Window window = window_of(plan);
  Observation out;
  for (int rank = 0; rank < plan.shape.size(); ++rank) {
    std::vector<Issued> counts = loads;
    if (hypothesis == own_slice_counted)
      std::erase_if(counts, [&](const Issued& one) { return one.load.rank != rank; });
    out.push_back(counted(counts, rank));
    Observation image(static_cast<std::size_t>(window.size), untouched_byte);
    for (const Issued& one : loads)
      if ((one.load.mask >> rank & 1U) != 0) put(image, window, one, hypothesis);
    out.insert(out.end(), image.begin(), image.end());
  }
  return out;
}

ClusterCoordinate coordinate_of(const ClusterShape& shape, int rank, Hypothesis hypothesis) {
  if (hypothesis != rank_y_first) return shape.at(rank);
  return {rank / shape.y % shape.x, rank % shape.y, rank / (shape.x * shape.y)};
}

Observation expected_addresses(const ClusterPlan& plan, Hypothesis hypothesis) {
  Observation out;
  for (int rank = 0; rank < plan.shape.size(); ++rank) {
    const ClusterCoordinate at = coordinate_of(plan.shape, rank, hypothesis);
    out.insert(out.end(), {at.x, at.y, at.z, plan.shape.size(), rank});
    for (const auto& [address, to] : plan.mapped) {
      const ClusterAddress mapped = hypothesis == mapa_keeps_rank
                                        ? ClusterAddress{address.word | static_cast<std::uint32_t>(to) << 24}
                                        : mapa(address, to);
      out.insert(out.end(), {mapped.word, mapped.rank()});
    }
    for (int from = 0; from < places; ++from) {
      const bool is_stored =
          from < std::ssize(plan.stores_to) && plan.stores_to[static_cast<std::size_t>(from)] == rank;
      out.push_back(is_stored ? from : untouched_byte);
    }
  }
  return out;
}

// ---- drawing

ClusterShape draw_shape(Random& random, bool is_flat) {
  for (;;) {
    const ClusterShape shape{static_cast<int>(1 + random.below(most_ctas)),
                             static_cast<int>(1 + random.below(most_ctas)),
                             is_flat || random.one_in(2) ? 1 : static_cast<int>(1 + random.below(4))};
    if (shape.size() <= most_ctas) return shape;
  }
}

ClusterPlan draw_addresses(Random& random) {
  ClusterPlan plan{draw_shape(random, false), ClusterAsk::addresses};
  for (int i = 0; i < most_mapped; ++i) {
    const auto owner = static_cast<std::uint32_t>(random.below(plan.shape.size()));
    const auto offset = static_cast<std::uint32_t>(random.below(sm_90a().smem_window().count));
    plan.mapped.push_back({{owner << 24 | offset}, static_cast<int>(random.below(plan.shape.size()))});
  }
  for (int rank = 0; rank < plan.shape.size(); ++rank)
    plan.stores_to.push_back(static_cast<int>(random.below(plan.shape.size())));
  return plan;
}

// Boxes of any map, one after another in shared memory, by random CTAs to random CTAs.
ClusterPlan draw_multicast(Random& random) {
  ClusterPlan plan{draw_shape(random, true), ClusterAsk::multicast};
  std::int64_t bytes = 0;
  TmaPlan drawn;
  do {
    drawn = draw_tma(random);
    bytes = BoxPlacement(drawn.map, drawn.to).allocate().count;
  } while (bytes > most_box);
  plan.map = drawn.map;
  std::int64_t to = first_window.count + margin.count;
  const std::int64_t loads = 1 + random.below(most_loads);
  for (std::int64_t i = 0; i < loads; ++i) {
    to += margin.count * random.below(4);
    ClusterLoad load{static_cast<int>(random.below(plan.shape.size())), 0, drawn.start, Bytes{to}};
    // Of masks with one bit as many as of others, with and without the issuer's.
    const ClusterMask all = (ClusterMask{1} << plan.shape.size()) - 1;
    if (random.one_in(3)) load.mask = ClusterMask{1} << random.below(plan.shape.size());
    else load.mask = static_cast<ClusterMask>(1 + random.below(all));
    plan.loads.push_back(load);
    to += (bytes + margin.count - 1) / margin.count * margin.count;
  }
  return plan;
}

ClusterPlan draw_slices(Random& random) {
  constexpr std::array<std::string_view, 7> types{"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"};
  constexpr std::array<std::string_view, 4> modes{"none", "32B", "64B", "128B"};
  constexpr std::array counts{2, 4, 8, 16, 2, 4, 8, 16, 3, 5, 6, 12};
  for (;;) {
    ClusterPlan plan{{}, ClusterAsk::slices};
    plan.role = random.one_in(2) ? OperandRole::a : OperandRole::b;
    const int sharers = random.of(counts), groups = static_cast<int>(1 + random.below(most_ctas / sharers));
    plan.shape = plan.role == OperandRole::a ? ClusterShape{groups, sharers} : ClusterShape{sharers, groups};
    SmemTileValues values;
    values.dtype = random.of(types);
    values.swizzle = random.of(modes);
    values.major = random.one_in(2) ? Major::K : Major::MN;
    values.order = random.one_in(2) ? StackingOrder::mn_first : StackingOrder::k_first;
    const TileExtents atom = atom_extents(values.major, *values.swizzle, *values.dtype, Packing::packed);
    const auto draw = [&](std::int64_t step) {
      return step * (1 + random.below(std::max<std::int64_t>(1, 256 / step)));
    };
    values.mn = draw(atom.mn);
    values.k = draw(atom.k);
    if (values.mn * values.k * values.dtype->memory_bits / 8 > most_tile.count) continue;
    const std::int64_t step = random.one_in(2) ? values.swizzle->pattern().count : margin.count;
    const std::int64_t aligned = std::max(step, margin.count);
    const std::int64_t first = first_window.count + 1024;
    values.base = Bytes{(first + aligned - 1) / aligned * aligned + aligned * random.below(8)};
    plan.tile.emplace(values);
    try {
      require_fine(plan);
    } catch (const Error&) {
      continue;  // TMA does not make the tile, or so many CTAs do not share it
    }
    return plan;
  }
}

}  // namespace

ClusterPlan draw_cluster(Random& random) {
  switch (random.below(5)) {
    case 0: return draw_addresses(random);
    case 1:
    case 2: return draw_multicast(random);
    default: return draw_slices(random);
  }
}

void require_fine(const ClusterPlan& plan) {
  require_cluster(plan.shape, sm_90a());
  for (const ClusterMapping& one : plan.mapped) require_rank(plan.shape, one.rank);
  for (const int rank : plan.stores_to) require_rank(plan.shape, rank);
  if (plan.stores_to.size() > places || plan.mapped.size() > most_mapped)
    throw Error("more addresses than the probe takes", fmt::format("at most {}", most_mapped));
  if (plan.asks == ClusterAsk::slices) {
    if (!plan.tile) throw Error("a plan of slices has no tile");
    if (!plan.tile->base().is_multiple_of(margin))
      throw Error("the tile does not begin at a multiple of 128 B", "TMA writes to multiples of 128 B only");
  }
  for (const Issued& one : issued(plan)) {
    require_rank(plan.shape, one.load.rank);
    require_mask(one.load.mask, plan.shape);
    require_fine(TmaPlan{one.map, one.load.start, one.load.to});
    const std::int64_t end = one.load.to.count + BoxPlacement(one.map, one.load.to).allocate().count + margin.count;
    if (one.load.to.count < first_window.count + margin.count || end > smem_bytes.count)
      throw Error(fmt::format("a load to {:#x} is not in the memory of the probe", one.load.to.count),
                  fmt::format("from {:#x} to {:#x}", first_window.count + margin.count, smem_bytes.count));
  }
}

Kernel kernel_of(const ClusterPlan& plan) {
  return {"cluster", fmt::format("#define CLUSTER_X {}\n#define CLUSTER_Y {}\n#define CLUSTER_Z {}\n", plan.shape.x,
                                 plan.shape.y, plan.shape.z)};
}

Launch launch_of(std::span<const ClusterPlan> plans, Hypothesis) {
  Launch out;
  const ClusterShape shape = plans.front().shape;
  out.dynamic_smem = smem_bytes;
  out.cluster = shape.x;
  out.cluster_y = shape.y;
  out.cluster_z = shape.z;
  out.scalars = {word32(sm_90a().reserved_smem.count), word32(out.dynamic_smem.count), word32(window_bytes(plans))};
  out.inputs[2] = tensor_image::all_passes();
  for (const ClusterPlan& plan : plans) {
    const std::vector<Issued> loads = issued(plan);
    const Window window = window_of(plan);
    const auto first_mapped = static_cast<std::uint32_t>(out.inputs[4].size() / 8);
    for (const auto& [address, rank] : plan.mapped) {
      append(out.inputs[4], address.word);
      append(out.inputs[4], static_cast<std::uint32_t>(rank));
    }
    for (int pass = 0; pass < passes; ++pass, out.grid += shape.x) {
      // One map for each pass: every load of a plan has the same.
      const auto map = static_cast<std::uint32_t>(out.inputs[1].size() / 128);
      if (!loads.empty()) {
        TensorMap of_pass = loads.front().map;
        of_pass.global_address += static_cast<std::uint64_t>(pass * tensor_bytes);
        out.addresses.push_back({1, std::ssize(out.inputs[1]), 2});
        append_bytes(out.inputs[1], to_bytes(encode(of_pass)));
      }
      for (int rank = 0; rank < shape.size(); ++rank) {
        Block block{.fill = before[static_cast<std::size_t>(pass)], .expect = word32(counted(loads, rank))};
        block.first_copy = static_cast<std::uint32_t>(out.inputs[3].size() / sizeof(Copy));
        for (const Issued& one : loads) {
          if (one.load.rank != rank) continue;
          Copy copy{.to = word32(one.load.to.count), .mask = one.load.mask, .map = map, .rank = word32(one.map.rank)};
          for (std::size_t d = 0; d < 5; ++d) copy.start[d] = static_cast<std::int32_t>(one.load.start[d]);
          append(out.inputs[3], copy);
          ++block.copies;
        }
        block.window = word32(window.begin);
        block.window_bytes = word32((window.size + 15) / 16 * 16);
        block.first_mapped = first_mapped;
        block.mapped = word32(std::ssize(plan.mapped));
        block.store_to =
            plan.stores_to.empty() ? ~std::uint32_t{0} : word32(plan.stores_to[static_cast<std::size_t>(rank)]);
        append(out.inputs[0], block);
      }
    }
  }
  out.output_bytes = std::int64_t{out.grid} * shape.y * shape.z * (head.count + window_bytes(plans));
  return out;
}

namespace {

// The output of one CTA in one pass.
struct Output {
  std::span<const std::uint8_t> bytes;
  std::uint32_t word(std::size_t i) const { return read_at<std::uint32_t>(bytes, 4 * i); }
  bool has_completed() const { return word(0) == 3; }
};

// Words of the head, as kernels/cluster.cu writes them.
constexpr std::size_t mapped_at = 8, ranks_at = 16, places_at = 32;

void append_addresses(Observation& seen, const ClusterPlan& plan, const Output& out) {
  if (!out.has_completed()) seen.push_back(strange_byte);
  seen.insert(seen.end(), {out.word(1), out.word(2), out.word(3), out.word(5), out.word(6) >> 24});
  for (std::size_t i = 0; i < plan.mapped.size(); ++i)
    seen.insert(seen.end(), {out.word(mapped_at + i), out.word(ranks_at + i)});
  for (std::size_t from = 0; from < places; ++from) {
    const std::uint32_t value = out.word(places_at + 4 * from), empty = before[0] * 0x01010101U;
    const bool is_code = (value & 0xffff0000U) == stored_code;
    seen.push_back(value == empty ? untouched_byte : is_code ? std::int64_t{value & 0xffffU} : strange_byte);
  }
}

void append_window(Observation& seen, const ClusterPlan& plan, const std::array<Output, passes>& outs,
                   std::int64_t expect) {
  bool is_complete = true;
  for (const Output& out : outs) is_complete = is_complete && out.has_completed();
  seen.push_back(is_complete ? expect : strange_byte);
  const std::int64_t first = expect == 0 && plan.loads.empty() && !plan.tile
                                 ? 0
                                 : static_cast<std::int64_t>(issued(plan).front().map.global_address);
  const Window window = window_of(plan);
  for (std::int64_t byte = 0; byte < window.size; ++byte) {
    std::array<std::uint8_t, passes> bytes = {};
    for (std::size_t pass = 0; pass < passes; ++pass)
      bytes[pass] = outs[pass].bytes[static_cast<std::size_t>(head.count + byte)];
    const std::int64_t from = origin(bytes);
    seen.push_back(from < 0 ? from : from - first);
  }
}

}  // namespace

Observations decode(std::span<const ClusterPlan> plans, const ByteBuffer& output, Hypothesis) {
  Observations seen;
  const auto stride = static_cast<std::size_t>(head.count + window_bytes(plans));
  const auto ctas = static_cast<std::size_t>(plans.front().shape.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const std::vector<Issued> loads = issued(plans[i]);
    Observation& one = seen.emplace_back();
    for (std::size_t rank = 0; rank < ctas; ++rank) {
      std::array<Output, passes> outs;
      for (std::size_t pass = 0; pass < passes; ++pass)
        outs[pass] = {std::span(output).subspan(((i * passes + pass) * ctas + rank) * stride, stride)};
      if (plans[i].asks == ClusterAsk::addresses) append_addresses(one, plans[i], outs[0]);
      else append_window(one, plans[i], outs, counted(loads, static_cast<int>(rank)));
    }
  }
  return seen;
}

Observation expected(const ClusterPlan& plan, Hypothesis hypothesis) {
  return plan.asks == ClusterAsk::addresses ? expected_addresses(plan, hypothesis) : expected_loads(plan, hypothesis);
}

std::string subject(const ClusterPlan& plan) {
  const std::string cluster = fmt::format("cluster {}, {}", to_string(plan.shape), to_string(plan.asks));
  if (plan.asks == ClusterAsk::addresses) return cluster;
  if (plan.asks == ClusterAsk::slices)
    return fmt::format("{} of {}: {} {} {}, mode {}, {}, at {:#x}", cluster, plan.role == OperandRole::a ? "A" : "B",
                       plan.tile->dtype().name, to_string(plan.tile->extents()), to_string(plan.tile->major()),
                       plan.tile->swizzle().name, to_string(plan.tile->order()), plan.tile->base().count);
  std::vector<std::string> loads;
  for (const ClusterLoad& load : plan.loads)
    loads.push_back(fmt::format("rank {} to {:#x} of {}", load.rank, load.to.count, mask_text(load.mask)));
  return fmt::format("{}: {}; {}", cluster, fmt::join(loads, ", "), subject(TensorMapPlan{plan.map}));
}

std::string element_name(const ClusterPlan& plan, std::int64_t index) {
  const std::int64_t each = std::ssize(expected(plan)) / plan.shape.size(), at = index % each;
  const std::string rank = fmt::format("rank {}: ", index / each);
  if (plan.asks != ClusterAsk::addresses)
    return rank + (at == 0 ? "bytes counted" : fmt::format("SMEM byte {:#x}", window_of(plan).begin + at - 1));
  constexpr std::array names{"x", "y", "z", "count of CTAs", "rank of its own address"};
  if (at < std::ssize(names)) return rank + names[static_cast<std::size_t>(at)];
  const std::int64_t of = at - std::ssize(names);
  if (of < 2 * std::ssize(plan.mapped))
    return rank + fmt::format("{} of address {}", of % 2 == 0 ? "mapa" : "getctarank", of / 2);
  return rank + fmt::format("what rank {} stored", of - 2 * std::ssize(plan.mapped));
}

std::string value_name(const ClusterPlan& plan, std::int64_t value) {
  if (plan.asks == ClusterAsk::addresses)
    return value == untouched_byte ? "untouched"
           : value == strange_byte ? "something else"
                                   : fmt::format("{:#x}", value);
  if (value >= 0) return fmt::format("{} (a byte of the tensor, or a count)", value);
  return value_name(TmaPlan{}, value);
}

Json to_json(const ClusterPlan& plan) {
  Json out{{"cluster", to_string(plan.shape)}, {"asks", to_string(plan.asks)}};
  if (plan.asks == ClusterAsk::addresses) {
    out["mapped"] = Json::array();
    for (const auto& [address, rank] : plan.mapped) out["mapped"].push_back({address.word, rank});
    out["stores_to"] = plan.stores_to;
  } else if (plan.asks == ClusterAsk::multicast) {
    out["map"] = map_json(plan.map, "type");
    const int rank = plan.map.dim_count();
    out["loads"] = Json::array();
    for (const ClusterLoad& load : plan.loads)
      out["loads"].push_back({load.rank, load.mask, load.to.count,
                              std::vector<std::int64_t>(load.start.begin(), load.start.begin() + rank)});
  } else {
    const SmemTile& tile = *plan.tile;
    out["operand"] = to_string(plan.role);
    out["dtype"] = tile.dtype().name;
    out["mn"] = tile.extents().mn;
    out["k"] = tile.extents().k;
    out["major"] = direction_name(tile.major());
    out["swizzle"] = tile.swizzle().name;
    out["order"] = to_string(tile.order());
    out["base"] = tile.base().count;
  }
  return out;
}

ClusterPlan cluster_plan(const Json& json) {
  const auto text = [&](const char* key) { return json.at(key).get<std::string>(); };
  ClusterPlan plan;
  std::vector<int> extents;
  for (const std::string& piece : split(text("cluster"), 'x')) extents.push_back(std::stoi(piece));
  extents.resize(3, 1);
  plan.shape = {extents[0], extents[1], extents[2]};
  require_cluster(plan.shape, sm_90a());
  if (text("asks") == "addresses") {
    const Json& mapped = json.at("mapped");
    for (std::size_t i = 0; i < mapped.size(); ++i) {
      const Json one = mapped.at(i);
      plan.mapped.push_back({{one.at(0).get<std::uint32_t>()}, one.at(1).get<int>()});
    }
    plan.stores_to = json.at("stores_to").get<std::vector<int>>();
  } else if (text("asks") == "multicast") {
    plan.asks = ClusterAsk::multicast;
    plan.map = map_of(json.at("map"), "type");
    const Json& loads = json.at("loads");
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const Json one = loads.at(i);
      ClusterLoad load{one.at(0).get<int>(), one.at(1).get<ClusterMask>(), {}, Bytes{one.at(2).get<std::int64_t>()}};
      const auto start = one.at(3).get<std::vector<std::int64_t>>();
      std::copy_n(start.begin(), std::min(start.size(), load.start.size()), load.start.begin());
      plan.loads.push_back(load);
    }
  } else {
    plan.asks = ClusterAsk::slices;
    plan.role = text("operand") == "a" ? OperandRole::a : OperandRole::b;
    plan.tile.emplace(SmemTileValues{.dtype = text("dtype"),
                                     .major = major_of(json),
                                     .mn = json.at("mn").get<std::int64_t>(),
                                     .k = json.at("k").get<std::int64_t>(),
                                     .swizzle = text("swizzle"),
                                     .order = require_stacking_order(text("order")),
                                     .base = Bytes{json.at("base").get<std::int64_t>()}});
  }
  require_fine(plan);
  return plan;
}

}  // namespace swz
