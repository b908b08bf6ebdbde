// SPDX-License-Identifier: Apache-2.0
// The patterns of addresses that the probe of wavefronts uses: see wavefront_probe.hpp.
#include <algorithm>

#include "arch/swizzle_mode.hpp"
#include "probe/wavefront_probe.hpp"
#include "smem/access.hpp"

namespace swz {

namespace {

using Offsets = std::array<std::int64_t, warp_lanes>;  // bytes from the start of the pattern, in multiples of the width

// k lines in one column of banks, then k in the next one, inside each group.
std::int64_t strided(const AccessInstruction& i, int k, std::int64_t lane) {
  const std::int64_t in_group = lane % i.group_lanes, unit = std::max(4, i.bytes);
  const std::int64_t columns = bank_row.count / unit;
  return in_group % k * bank_row.count + in_group / k % columns * unit;
}

template <class Of>
Offsets offsets_of(Of&& of) {
  Offsets out;
  for (std::size_t lane = 0; lane < out.size(); ++lane) out[lane] = of(static_cast<std::int64_t>(lane));
  return out;
}

class Drawing {
 public:
  Drawing(const AccessInstruction& instruction, Random& random) : i_(instruction), random_(random) {}

  Offsets offsets() {
    // If lanes may pair, or might be thought to, partners are drawn more often.
    switch (below(i_.bytes > 4 && !i_.is_matrix() ? 12 : 8)) {
      case 0: {
        const std::int64_t k = 1 + below(i_.group_lanes);
        return offsets_of([&](std::int64_t lane) { return strided(i_, static_cast<int>(k), lane); });
      }
      case 1: {  // each group its own k
        Offsets k = offsets_of([&](std::int64_t) { return 1 + below(i_.group_lanes); });
        return offsets_of([&](std::int64_t lane) {
          return strided(i_, static_cast<int>(k[static_cast<std::size_t>(lane / i_.group_lanes)]), lane);
        });
      }
      case 2: {  // a pitch, including 0: all lanes at one address
        const std::int64_t pitch = below(2) == 0 ? below(5) : below(1 + 4096 / i_.bytes);
        return offsets_of([&](std::int64_t lane) { return lane * pitch * i_.bytes; });
      }
      case 3:
      case 4:
      case 5: {
        const Offsets table = places();
        return below(2) == 0 ? table : packed_among(table);
      }
      default: return partners();
    }
  }

  std::uint32_t active() {
    const auto word = [&] { return static_cast<std::uint32_t>(random_()); };
    std::uint32_t mask = 0;
    switch (i_.is_matrix() ? 0 : below(8)) {
      case 1: mask = word(); break;
      case 2: mask = word() & word(); break;
      case 3: mask = word() | word() | word(); break;
      case 4: {  // a run of lanes
        const std::int64_t first = below(warp_lanes), count = 1 + below(warp_lanes - first);
        for (std::int64_t lane = first; lane < first + count; ++lane) mask |= std::uint32_t{1} << lane;
        break;
      }
      case 5: {
        constexpr std::array<std::uint32_t, 6> regular{0x55555555, 0x33333333, 0x0f0f0f0f,
                                                       0x00ff00ff, 0x0000ffff, 0x01010101};
        mask = random_.of(regular);
        if (below(2) == 0) mask = ~mask;
        break;
      }
      default: return ~std::uint32_t{0};
    }
    return mask != 0 ? mask : std::uint32_t{1} << below(warp_lanes);
  }

  std::int64_t below(std::int64_t n) { return random_.below(n); }

 private:
  // Random places, close together or far apart: within 128 bytes to 4 KiB, rarely 128 KiB.
  Offsets places() {
    const std::int64_t units = (bank_row.count << (below(8) == 0 ? 10 : below(6))) / i_.bytes;
    return offsets_of([&](std::int64_t) { return below(units) * i_.bytes; });
  }

  // Most lanes have consecutive addresses, the others any.
  Offsets packed_among(const Offsets& table) {
    return offsets_of(
        [&](std::int64_t lane) { return below(4) == 0 ? table[static_cast<std::size_t>(lane)] : lane * i_.bytes; });
  }

  // Lane l has the address of lane l ^ distance; or all lanes but one; or the upper half has another distance.
  Offsets partners() {
    constexpr std::array<std::int64_t, 8> distances{1, 1, 1, 2, 2, 4, 8, 16};
    const auto distance = [&] { return random_.of(distances); };
    const Offsets table = below(3) == 0 ? offsets_of([&](std::int64_t lane) { return lane / 2 * i_.bytes; }) : places();
    const std::int64_t low = distance(), other = low <= 2 ? 3 - low : distance();
    const std::int64_t high = below(2) == 0 ? low : other;
    Offsets out = offsets_of([&](std::int64_t lane) {
      return table[static_cast<std::size_t>(lane & ~(lane < warp_lanes / 2 ? low : high))];
    });
    if (below(4) == 0) out[static_cast<std::size_t>(below(warp_lanes))] = below(64) * i_.bytes;
    return out;
  }

  const AccessInstruction& i_;
  Random& random_;
};

WavefrontPlan placed(const AccessInstruction& instruction, std::uint32_t active, const Offsets& offsets, Bytes start) {
  WavefrontPlan plan{{&instruction, active, {}}};
  for (std::size_t lane = 0; lane < offsets.size(); ++lane)
    plan.pattern.address[lane] = static_cast<std::uint32_t>(start.count + offsets[lane]);
  return plan;
}

}  // namespace

std::vector<WavefrontPlan> fixed_wavefronts(const AccessInstruction& instruction) {
  constexpr std::uint32_t all = ~std::uint32_t{0}, every_second = 0x55555555;
  std::vector<WavefrontPlan> plans;
  const auto add = [&](std::uint32_t active, auto&& offset) {
    plans.push_back(placed(instruction, active, offsets_of(offset), wavefront_memory().begin));
  };
  for (int k = 1; k <= instruction.group_lanes; ++k)
    add(all, [&](std::int64_t lane) { return strided(instruction, k, lane); });
  // The 16 addresses are consecutive.
  const auto partner = [&](std::int64_t lane, std::int64_t distance) {
    return (lane / (2 * distance) * distance + lane % distance) * instruction.bytes;
  };
  for (const std::int64_t distance : {1, 2, 4, 8, 16})
    add(all, [&](std::int64_t lane) { return partner(lane, distance); });
  add(all, [&](std::int64_t lane) { return partner(lane, lane < warp_lanes / 2 ? 1 : 2); });
  // Without an active lane ldmatrix takes the time of two wavefronts, but the counter gives one.
  if (instruction.op != AccessOp::ldmatrix) add(0, [&](std::int64_t lane) { return lane * instruction.bytes; });
  if (!instruction.is_matrix()) add(every_second, [&](std::int64_t lane) { return partner(lane, 1); });
  return plans;
}

WavefrontPlan draw_wavefront(const AccessInstruction& instruction, Random& random) {
  Drawing drawing(instruction, random);
  const Offsets offsets = drawing.offsets();
  const WavefrontMemory memory = wavefront_memory();
  const std::int64_t room =
      memory.end.count - memory.begin.count - instruction.bytes - *std::ranges::max_element(offsets);
  const Bytes start{memory.begin.count + drawing.below(room / instruction.bytes + 1) * instruction.bytes};
  return placed(instruction, drawing.active(), offsets, start);
}

}  // namespace swz
