// SPDX-License-Identifier: Apache-2.0
// Chooses the encoding of Triton for a layout: the one with the best name that is the same function.
//
//   Sw<2,3,3> o 0 o (128,32):(32,1) of f16     nvmma_shared 64; of an unknown type swizzled_shared {8, 2, 4}
//   (64,64):(72,1)                             padded_shared [64:+8]
//   ((4,8,4),(2,2,8)):((128,1,16),(64,8,512)) of 64x64    nvidia_mma 3 {16, 64, 16}, 4 warps
//   ((4,8),(2,2)):((32,1),(16,8)) of 16x8      nvidia_mma 2, D of m16n8; blocked is the same function
//
// Parameters are derived from the bits of the map, or tried one by one; the result is compared with the whole layout
// before it is returned. Nothing is approximated: a layout without an encoding gets a reason and the nearest
// alternative. Invariant (tested): triton_form of the result is the same function.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>

#include "base/checked.hpp"
#include "dialect/dialect.hpp"
#include "dialect/fragment_match.hpp"
#include "dialect/triton_encoding.hpp"

namespace swz {
namespace {

constexpr std::size_t lane_bits = 5;

// The swizzled_shared with this order; none if the map is another function.
std::optional<SwizzledShared> swizzled_of(const LinearMap& map, const ArrayShape& shape, const TritonNumbers& order) {
  std::vector<int> first_bit(shape.size());  // first bit of each dimension in the number
  for (std::size_t d = shape.size(), at = 0; d-- > 0; at += static_cast<std::size_t>(log2_exact(shape[d])))
    first_bit[d] = static_cast<int>(at);
  SwizzledShared e{1, 1, 1, order};
  const std::int64_t columns = shape[static_cast<std::size_t>(order[0])];
  std::int64_t next = 0;  // how far the phases have moved
  int place = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto d = static_cast<std::size_t>(order[i]);
    for (int b = 0; b < log2_exact(shape[d]); ++b, ++place) {
      const std::uint64_t column = map.columns()[static_cast<std::size_t>(first_bit[d] + b)];
      const auto moved = static_cast<std::int64_t>(column ^ (std::uint64_t{1} << place));
      if (moved == 0) {
        if (next > 0) next = columns;  // the phases have ended
        continue;
      }
      if (i != 1 || moved >= columns || !is_power_of_two(moved) || (next != 0 && moved != next)) return std::nullopt;
      if (next == 0) {
        e.vec = moved;
        e.per_phase = std::int64_t{1} << b;
      }
      e.max_phase *= 2;
      next = moved * 2;
    }
  }
  return e;
}

// ---- shared memory

TritonBases inverted(const LinearMap& map, const ArrayShape& shape) {
  std::uint64_t used = 0;
  for (const std::uint64_t column : map.columns()) used |= column;
  XorBasis basis;
  for (int i = 0; i < map.bits(); ++i) {
    const auto rest = basis.reduced({map.columns()[static_cast<std::size_t>(i)], std::uint64_t{1} << i});
    if (rest.value == 0) return {};
    basis.insert(rest);
  }
  TritonBases bases;
  for (int k = 0; k < static_cast<int>(std::bit_width(used)); ++k) {
    const auto found = basis.reduced({std::uint64_t{1} << k, 0});
    const bool is_hole = (used >> k & 1) == 0;
    if (!is_hole && found.value != 0) return {};
    bases.push_back(coordinate_of(is_hole ? 0 : static_cast<std::int64_t>(found.from), shape));
  }
  return bases;
}

std::optional<NvmmaShared> nvmma_of(const LinearMap& map, const SharedForm& form) {
  const int bits = form.element.bits;
  if (form.shape.size() < 2 || (bits != 8 && bits != 16 && bits != 32 && bits != 64)) return std::nullopt;
  for (const bool is_fp4 : {false, true})
    for (const std::int64_t bytes : {128, 64, 32})
      for (const bool is_transposed : {false, true}) {
        const NvmmaShared e{bytes, bits, static_cast<std::int64_t>(form.shape.size()), is_transposed, is_fp4};
        if ((is_fp4 && (bits != 8 || bytes != 128)) || !is_legal_nvmma(e, form.shape)) continue;
        std::vector<Finding> notes;
        const SharedForm candidate = shared_of(e, form.shape, form.element, notes);
        if (std::get<LinearMap>(candidate.map) == map) return e;
      }
  return std::nullopt;
}

std::optional<SwizzledShared> swizzled_in_any_order(const LinearMap& map, const ArrayShape& shape) {
  TritonNumbers order = row_major_order(shape.size());
  if (shape.size() > 5) return swizzled_of(map, shape, order);
  do {
    if (auto e = swizzled_of(map, shape, order)) return e;
  } while (std::prev_permutation(order.begin(), order.end()));
  return std::nullopt;
}

TritonChoice padded_choice(const SharedForm& form) {
  const auto bits = as_padded(form);
  if (!bits || bits->padding.empty())
    return {{}, why_not_linear(form) + "; nearest: padded_shared, whose rows begin at other banks"};
  for (const Padding& p : bits->padding)
    if (!is_power_of_two(p.amount))
      return {{},
              fmt::format("padding of {} elements after every {}: Triton takes powers of two; nearest: "
                          "#ttg.padded_shared<[{}:+{}] …>",
                          p.amount, p.interval, p.interval,
                          std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(p.amount, 1))))};
  const TritonBases offset = inverted(LinearMap(bits->columns), form.shape);
  const bool moves_once = !offset.empty() && std::ranges::all_of(offset, [](const TritonNumbers& basis) {
    return std::ranges::count_if(basis, [](std::int64_t b) { return b != 0; }) == 1;
  });
  if (!moves_once)
    return {{}, "padding after a swizzle: a basis of padded_shared moves in one dimension; nearest: either alone"};
  return {{{PaddedShared{bits->padding, offset}}}};
}

// ---- registers

bool operator==(const RegisterBases& a, const RegisterBases& b) {
  return a.value == b.value && a.thread == b.thread && a.block == b.block;
}

// Counts what moves along each dimension in this order, and how far.
TritonNumbers counted(std::span<const TritonNumbers> moves, std::size_t& at, std::size_t end,
                      const TritonNumbers& order, std::vector<std::int64_t>& taken) {
  TritonNumbers counts(taken.size(), 1);
  for (const std::int64_t o : order) {
    const auto d = static_cast<std::size_t>(o);
    for (; at < end && moves[at][d] == taken[d]; ++at, taken[d] *= 2) counts[d] *= 2;
  }
  // Copies are threads beyond the array, along its slowest dimension.
  for (; at < end && std::ranges::all_of(moves[at], [](std::int64_t b) { return b == 0; }); ++at)
    counts[static_cast<std::size_t>(order.back())] *= 2;
  return counts;
}

std::optional<Blocked> blocked_in_order(const RegisterBases& bases, const ArrayShape& shape,
                                        const TritonNumbers& order) {
  std::vector<std::int64_t> taken(shape.size(), 1);
  std::size_t value = 0, thread = 0;
  Blocked e;
  e.order = order;
  e.size_per_thread = counted(bases.value, value, bases.value.size(), order, taken);
  e.threads_per_warp = counted(bases.thread, thread, lane_bits, order, taken);
  if (thread != lane_bits) return std::nullopt;
  e.warps_per_cta = counted(bases.thread, thread, bases.thread.size(), order, taken);
  if (thread != bases.thread.size() || !(register_bases({e}, shape) == bases)) return std::nullopt;
  return e;
}

std::optional<Blocked> blocked_of(const RegisterBases& bases, const ArrayShape& shape) {
  TritonNumbers order = row_major_order(shape.size());
  do {
    if (auto e = blocked_in_order(bases, shape, order)) return e;
  } while (shape.size() <= 4 && std::prev_permutation(order.begin(), order.end()));
  return std::nullopt;
}

// Whether the lanes are those of an MMA: 4 along one dimension, 8 along the other.
bool has_mma_lanes(const RegisterBases& bases, std::size_t fast, std::size_t slow) {
  for (std::size_t i = 0; i < lane_bits; ++i) {
    const TritonNumbers& basis = bases.thread[i];
    const std::size_t along = i < 2 ? fast : slow;
    for (std::size_t d = 0; d < basis.size(); ++d)
      if (d != along && basis[d] != 0) return false;
  }
  return true;
}

// The first encoding with these bases, of those that `make` makes from all MMA parents with the same number of warps.
template <class Make>
std::optional<TritonEncoding> first_of_mma(const RegisterBases& bases, const ArrayShape& shape, std::size_t parent_rank,
                                           const Make& make) {
  const std::int64_t warps = std::int64_t{1} << (bases.thread.size() - lane_bits);
  for (const std::int64_t major : {3, 2})
    for (std::int64_t m_warps = warps; m_warps >= 1; m_warps /= 2) {
      if (major == 3 && (m_warps % 4 != 0 || parent_rank != 2)) continue;
      for (const std::int64_t n : {256, 128, 64, 32, 16, 8}) {
        if (major == 2 && n != 8) continue;
        NvidiaMma mma{.major = major, .warps_per_cta = {m_warps, warps / m_warps}, .instr_shape = {16, n}};
        if (major == 3) mma.instr_shape.push_back(16);
        if (parent_rank == 3) {
          mma.warps_per_cta.insert(mma.warps_per_cta.begin(), 1);
          mma.instr_shape.insert(mma.instr_shape.begin(), 1);
        }
        for (TritonEncoding& e : make(TritonEncoding{std::move(mma)}))
          if (register_bases(e, shape) == bases) return std::move(e);
      }
    }
  return std::nullopt;
}

std::optional<TritonEncoding> mma_of(const RegisterBases& bases, const ArrayShape& shape) {
  const std::size_t rank = shape.size();
  if (rank < 2 || rank > 3 || !has_mma_lanes(bases, rank - 1, rank - 2)) return std::nullopt;
  return first_of_mma(bases, shape, rank, [](TritonEncoding mma) { return std::vector{std::move(mma)}; });
}

std::optional<TritonEncoding> dot_of(const RegisterBases& bases, const ArrayShape& shape) {
  const std::size_t rank = shape.size();
  if (rank < 2 || rank > 3) return std::nullopt;
  const bool is_a = has_mma_lanes(bases, rank - 1, rank - 2), is_b = has_mma_lanes(bases, rank - 2, rank - 1);
  if (!is_a && !is_b) return std::nullopt;
  return first_of_mma(bases, shape, rank, [&](const TritonEncoding& mma) {
    std::vector<TritonEncoding> made;
    if (const auto& parent = std::get<NvidiaMma>(mma.value); parent.major == 3 && parent.instr_shape[1] != 256)
      return made;
    const auto shared = std::make_shared<const TritonEncoding>(mma);
    for (const std::int64_t k_width : {1, 2, 4, 8, 16}) {
      if (is_a) made.push_back({DotOperand{0, shared, k_width}});
      if (is_b && std::get<NvidiaMma>(mma.value).major == 2) made.push_back({DotOperand{1, shared, k_width}});
    }
    return made;
  });
}

std::optional<TritonEncoding> slice_of(const RegisterBases& bases, const ArrayShape& shape) {
  if (shape.size() != 1) return std::nullopt;
  return first_of_mma(bases, shape, 2, [](const TritonEncoding& mma) {
    const auto shared = std::make_shared<const TritonEncoding>(mma);
    return std::vector<TritonEncoding>{{RegisterSlice{1, shared}}, {RegisterSlice{0, shared}}};
  });
}

// Whether one of the operands matches an instruction that Triton's encodings have: 16 rows, or those of a warpgroup.
bool holds(const std::vector<FragmentMatch>& matches, std::initializer_list<Operand> operands) {
  return std::ranges::any_of(matches, [&](const FragmentMatch& m) {
    const std::string_view name = m.fragment.name;
    return std::ranges::find(operands, m.fragment.operand) != operands.end() &&
           (name.starts_with("mma.m16") || name.starts_with("wgmma"));
  });
}

}  // namespace

TritonChoice shared_encoding_of(const SharedForm& form) {
  const auto map = as_linear(form);
  if (!map) return padded_choice(form);
  if (rank(*map) != map->bits() && form.block.bits() == 0)
    return {{}, "two elements share an offset, which no encoding of shared memory has"};
  if (form.block.bits() == 0) {
    if (const auto e = nvmma_of(*map, form)) return {{{*e}}};
    if (const auto e = swizzled_in_any_order(*map, form.shape)) return {{{*e}}};
    if (TritonChoice padded = padded_choice(form); !padded.encoding.empty()) return padded;
    const TritonBases offset = inverted(*map, form.shape);
    if (offset.empty()) return {{}, "offsets that leave holes within a XOR: shared_linear has no bases for them"};
    return {{{SharedLinear{offset}}}};
  }
  // For several CTAs the bits of offset and CTA are put into one word.
  std::vector<std::uint64_t> words = map->columns();
  for (std::size_t i = 0; i < words.size(); ++i) words[i] |= form.block.columns()[i] << first_cta_bit;
  const TritonBases both = inverted(LinearMap(std::move(words)), form.shape);
  if (both.empty()) return {{}, "a map over several CTAs that is not one to one"};
  SharedLinear e;
  std::uint64_t used = 0;
  for (const std::uint64_t column : map->columns()) used |= column;
  e.offset.assign(both.begin(), both.begin() + static_cast<std::ptrdiff_t>(std::bit_width(used)));
  if (both.size() > static_cast<std::size_t>(first_cta_bit)) e.block.assign(both.begin() + first_cta_bit, both.end());
  return {{{std::move(e)}}};
}

TritonChoice register_encoding_of(const RegisterForm& form) {
  const auto bases = as_bases(form);
  if (!bases)
    return {{},
            "a basis that moves more than one bit, or extents that are not powers of two: an encoding of registers "
            "is a "
            "permutation of bits; nearest: through shared memory"};
  if (bases->thread.size() < lane_bits)
    return {{},
            fmt::format("{} threads are fewer than a warp", thread_count(form)) +
                "; nearest: repeat them to 32, as stride 0"};
  std::vector<std::int64_t> taken(form.shape.size(), 0);
  for (const TritonBases* moves : {&bases->value, &bases->thread, &bases->block})
    for (const TritonNumbers& basis : *moves)
      for (std::size_t d = 0; d < basis.size(); ++d) {
        if ((taken[d] & basis[d]) != 0)
          return {{},
                  "two bits of thread or value move the same bit of a coordinate; nearest: stride 0 for one of them"};
        taken[d] |= basis[d];
      }
  for (std::size_t d = 0; d < taken.size(); ++d)
    if (taken[d] != form.shape[d] - 1)
      return {{}, "not every element is held by a thread, as in Triton; nearest: the part that is held"};
  if (bases->block.empty()) {
    // A small array may be both blocked and a fragment; the fragment then says more about its use.
    const std::vector<FragmentMatch> matches = matching_fragments(form);
    if (holds(matches, {Operand::d}))
      if (auto e = mma_of(*bases, form.shape)) return {{std::move(*e)}};
    if (holds(matches, {Operand::a, Operand::b}))
      if (auto e = dot_of(*bases, form.shape)) return {{std::move(*e)}};
    if (auto e = blocked_of(*bases, form.shape)) return {{{std::move(*e)}}};
    if (auto e = mma_of(*bases, form.shape)) return {{std::move(*e)}};
    if (auto e = dot_of(*bases, form.shape)) return {{std::move(*e)}};
    if (auto e = slice_of(*bases, form.shape)) return {{std::move(*e)}};
  }
  RegisterLinear e{bases->value, {}, {}, bases->block};
  e.lane.assign(bases->thread.begin(), bases->thread.begin() + lane_bits);
  e.warp.assign(bases->thread.begin() + lane_bits, bases->thread.end());
  return {{{std::move(e)}}};
}

}  // namespace swz
