// SPDX-License-Identifier: Apache-2.0
// A cluster that does what PTX says: ranks with x fastest, addresses with the rank in bits 31-24, multicast to the bits of
// the mask, each destination's own barrier counting what is written there.
#include <algorithm>

#include "simulated.hpp"

namespace swz {

namespace {

struct ClusterBlock {
  std::uint32_t fill, expect, first_copy, copies, window, window_bytes, first_mapped, mapped, store_to, unused[3];
};
struct ClusterCopy {
  std::array<std::int32_t, 5> start;
  std::uint32_t to, mask, map, rank, unused[3];
};

constexpr std::size_t words_of_head = 32, places = 16, tensor_bytes = 1 << 20;

struct Cta {
  ClusterBlock block = {};
  ByteBuffer smem;
  std::int64_t counted = 0;
  std::array<std::uint32_t, places* 4> stored = {};
};

// What a load writes: data of the launch's tensor, fills; untouched bytes are left.
void write_box(const Launch& launch, const TensorMap& map, const ClusterCopy& copy, std::vector<Cta>& ctas) {
  TensorCoordinate start = {};
  std::copy(copy.start.begin(), copy.start.end(), start.begin());
  TensorMap local = map;
  const auto base = static_cast<std::int64_t>(map.global_address);
  local.global_address = map.global_address % tensor_bytes;
  const TmaPlan load{local, start, Bytes{copy.to}};
  const Observation image = expected(load);
  const Window window = window_of(load);
  for (std::size_t rank = 0; rank < ctas.size(); ++rank) {
    if ((copy.mask >> rank & 1U) == 0) continue;
    ctas[rank].counted += BoxPlacement(local, load.to).expect_bytes().count;
    for (std::int64_t i = 0; i < window.size; ++i) {
      const std::int64_t from = image[static_cast<std::size_t>(i)];
      if (from == untouched_byte) continue;
      std::uint8_t& to = ctas[rank].smem[static_cast<std::size_t>(window.begin + i)];
      if (from == filled_byte) to = 0;
      else if (from < 0) to = static_cast<std::uint8_t>(nan_byte - from);
      else to = launch.inputs[2][static_cast<std::size_t>(base + from)];
    }
  }
}

void run_cluster(const Launch& launch, std::vector<Cta>& ctas) {
  for (std::size_t rank = 0; rank < ctas.size(); ++rank) {
    const ClusterBlock& block = ctas[rank].block;
    for (std::uint32_t i = 0; i < block.copies; ++i) {
      const auto copy = read_at<ClusterCopy>(launch.inputs[3], (block.first_copy + i) * sizeof(ClusterCopy));
      std::array<std::uint8_t, 128> bytes = {};
      std::copy_n(launch.inputs[1].begin() + static_cast<std::ptrdiff_t>(copy.map * 128), 128, bytes.begin());
      write_box(launch, *decode(from_bytes(bytes)).map, copy, ctas);
    }
    if (block.store_to < ctas.size())
      ctas[block.store_to].stored[4 * rank] = 0xc0de0000U | static_cast<std::uint32_t>(rank);
  }
}

void append_output(ByteBuffer& out, const Launch& launch, const ClusterShape& shape, std::size_t rank, const Cta& cta) {
  std::array<std::uint32_t, words_of_head> head = {};
  const auto r = static_cast<std::uint32_t>(rank), x = static_cast<std::uint32_t>(shape.x),
             y = static_cast<std::uint32_t>(shape.y);
  head[0] = cta.counted == cta.block.expect ? 3 : 0;
  head[1] = r % x;
  head[2] = r / x % y;
  head[3] = r / (x * y);
  head[4] = r;
  head[5] = static_cast<std::uint32_t>(shape.size());
  head[6] = r << 24 | 0x400;
  for (std::uint32_t i = 0; i < cta.block.mapped; ++i) {
    const std::size_t at = (cta.block.first_mapped + i) * 8;
    const auto address = read_at<std::uint32_t>(launch.inputs[4], at);
    const auto to = read_at<std::uint32_t>(launch.inputs[4], at + 4);
    head[8 + i] = (address << 8 >> 8) + (to << 24);
    head[16 + i] = head[8 + i] >> 24;
  }
  for (const std::uint32_t word : head) append(out, word);
  for (const std::uint32_t word : cta.stored) append(out, word);
  const auto window = cta.smem.begin() + static_cast<std::ptrdiff_t>(cta.block.window);
  out.insert(out.end(), window, window + static_cast<std::ptrdiff_t>(launch.scalars[2]));
}

}  // namespace

ByteBuffer simulate(std::span<const ClusterPlan> plans, const Launch& launch) {
  const ClusterShape shape = plans.front().shape;
  const auto size = static_cast<std::size_t>(shape.size());
  ByteBuffer output;
  for (std::size_t cluster = 0; cluster < static_cast<std::size_t>(launch.grid / shape.x); ++cluster) {
    std::vector<Cta> ctas(size);
    for (std::size_t rank = 0; rank < size; ++rank) {
      Cta& cta = ctas[rank];
      cta.block = read_at<ClusterBlock>(launch.inputs[0], (cluster * size + rank) * sizeof(ClusterBlock));
      // More than a CTA has, so that the widest window can be taken anywhere.
      cta.smem.assign(256 * 1024, static_cast<std::uint8_t>(cta.block.fill));
      cta.stored.fill(cta.block.fill * 0x01010101U);
    }
    run_cluster(launch, ctas);
    for (std::size_t rank = 0; rank < size; ++rank) append_output(output, launch, shape, rank, ctas[rank]);
  }
  return output;
}

}  // namespace swz
