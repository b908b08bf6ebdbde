// SPDX-License-Identifier: Apache-2.0
#include "dialect/triton_encoding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/checked.hpp"
#include "dialect/dialect.hpp"

namespace swz {

namespace {

bool is_shared(const TritonEncoding& e) { return e.value.index() < 4; }

}  // namespace

void require_order(const TritonNumbers& order) {
  TritonNumbers sorted = order, all(order.size());
  std::ranges::sort(sorted);
  std::iota(all.begin(), all.end(), 0);
  if (order.empty() || sorted != all)
    throw Error(fmt::format("order [{}] is not a permutation of 0..(rank-1)", fmt::join(order, ", ")),
                "the fastest dimension first: [1, 0] is row-major");
}

void require_powers_of_two(const ArrayShape& shape) {
  if (!shape.empty() && are_powers_of_two(shape)) return;
  throw Error(fmt::format("Triton refuses the shape {}: every extent is a power of two", shape_text(shape)),
              "for example 64x64");
}

void require_rank(std::size_t rank, const ArrayShape& shape) {
  if (rank != shape.size())
    throw Error(
        fmt::format("the encoding has {} dimensions, the array {} has {}", rank, shape_text(shape), shape.size()),
        "give the shape of the array that has this encoding");
}

TritonNumbers row_major_order(std::size_t rank) {
  TritonNumbers order;
  for (std::size_t d = rank; d-- > 0;) order.push_back(static_cast<std::int64_t>(d));
  return order;
}

std::uint64_t number_bits(const TritonNumbers& coordinate, const ArrayShape& shape) {
  return static_cast<std::uint64_t>(number_of(coordinate, shape));
}

void append_bits(TritonBases& bases, std::size_t rank, std::size_t d, std::int64_t from, std::int64_t to) {
  for (std::int64_t bit = from; bit < to; bit *= 2) {
    bases.emplace_back(rank);
    bases.back()[d] = bit;
  }
}

TritonBases bases_in_order(const TritonNumbers& order, const ArrayShape& shape) {
  require_order(order);
  require_rank(order.size(), shape);
  require_powers_of_two(shape);
  TritonBases bases;
  for (const std::int64_t d : order)
    append_bits(bases, order.size(), static_cast<std::size_t>(d), 1, shape[static_cast<std::size_t>(d)]);
  return bases;
}

CtaSplit split_over_ctas(const TritonBases& cga, const ArrayShape& shape) {
  CtaSplit split{shape, {}};
  std::vector<std::int64_t> taken(shape.size()), count(shape.size(), 1);
  for (const TritonNumbers& basis : cga) {
    require_rank(basis.size(), shape);
    const auto moves = std::ranges::count_if(basis, [](std::int64_t b) { return b != 0; });
    for (std::size_t d = 0; d < basis.size(); ++d) {
      if (basis[d] == 0) continue;
      if (moves > 1 || !is_power_of_two(basis[d]) || (taken[d] & basis[d]) != 0)
        throw Error(fmt::format("Triton refuses the CGALayout basis [{}]: without the zero bases it is a permutation",
                                fmt::join(basis, ", ")),
                    "each bit of the CTA moves one bit of one dimension: [[1, 0], [2, 0], [0, 1]]");
      taken[d] |= basis[d];
      count[d] *= 2;
    }
  }
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (taken[d] != count[d] - 1)
      throw Error("Triton refuses the CGALayout: its bases leave out a CTA", "count 1, 2, 4 in each dimension");
    split.part[d] = std::max<std::int64_t>(1, shape[d] / count[d]);
  }
  for (TritonNumbers basis : cga) {
    for (std::size_t d = 0; d < shape.size(); ++d)
      if ((basis[d] *= split.part[d]) >= shape[d]) basis[d] = 0;
    split.block.push_back(std::move(basis));
  }
  return split;
}

std::size_t rank_of(const TritonEncoding& encoding) {
  const auto first = [](const TritonBases& bases) { return bases.empty() ? std::size_t{0} : bases[0].size(); };
  return std::visit(TritonCases{[](const SwizzledShared& e) { return e.order.size(); },
                                [](const NvmmaShared& e) { return static_cast<std::size_t>(e.rank); },
                                [&](const PaddedShared& e) { return first(e.offset); },
                                [&](const SharedLinear& e) { return first(e.offset); },
                                [](const Blocked& e) { return e.order.size(); },
                                [](const NvidiaMma& e) { return e.warps_per_cta.size(); },
                                [](const DotOperand& e) { return rank_of(*e.parent); },
                                [](const RegisterSlice& e) { return rank_of(*e.parent) - 1; },
                                [&](const RegisterLinear& e) {
                                  return std::max({first(e.registers), first(e.lane), first(e.warp), first(e.block)});
                                },
                                [](const auto&) { return std::size_t{2}; }},
                    encoding.value);
}

ArrayShape said_shape(const TritonEncoding& encoding) {
  const auto reached = [&](const TritonBases& offset, const TritonBases& block) {
    ArrayShape shape(rank_of(encoding), 1);
    for (const TritonBases* bases : {&offset, &block})
      for (const TritonNumbers& basis : *bases)
        for (std::size_t d = 0; d < std::min(basis.size(), shape.size()); ++d)
          if (basis[d] > 0)
            shape[d] =
                std::max(shape[d], std::int64_t{2} << (std::bit_width(static_cast<std::uint64_t>(basis[d])) - 1));
    return shape;
  };
  return std::visit(TritonCases{[&](const PaddedShared& e) { return reached(e.offset, e.block); },
                                [&](const SharedLinear& e) { return reached(e.offset, e.block); },
                                [](const auto&) { return ArrayShape(); }},
                    encoding.value);
}

std::int64_t buffer_count(const TritonEncoding& encoding, const ArrayShape& shape) {
  const std::size_t rank = rank_of(encoding);
  return is_shared(encoding) && rank != 0 && shape.size() == rank + 1 ? shape[0] : 1;
}

LayoutForm triton_form(const TritonEncoding& encoding, const ArrayShape& shape, ElementWidth element,
                       std::vector<Finding>& notes) {
  ArrayShape part = shape;
  if (is_shared(encoding) && rank_of(encoding) != 0 && shape.size() == rank_of(encoding) + 1) {
    part.erase(part.begin());
    notes.push_back(note("triton-buffers",
                         fmt::format("{} buffers of {}: the layout is that of one buffer, the next one follows it",
                                     shape[0], shape_text(part)),
                         {}, "triton 3.9.0 (run)"));
  }
  require_powers_of_two(part);
  element_count(part);
  return std::visit(
      TritonCases{
          [&](const SwizzledShared& e) -> LayoutForm { return shared_of(e, part, element, notes); },
          [&](const NvmmaShared& e) -> LayoutForm {
            const bool says_width = element.bits == 0 && !e.is_fp4_padded;
            return shared_of(e, part, says_width ? ElementWidth{nullptr, static_cast<int>(e.element_bits)} : element,
                             notes);
          },
          [&](const PaddedShared& e) -> LayoutForm { return shared_of(e, part, element, notes); },
          [&](const SharedLinear& e) -> LayoutForm { return shared_of(e, part, element, notes); },
          [&](const TensorMemory& e) -> LayoutForm { return tensor_of(e, part, element); },
          [&](const TensorMemoryScales& e) -> LayoutForm { return tensor_of(e, part, element); },
          [&](const auto&) -> LayoutForm { return register_form(part, element, register_bases(encoding, part)); }},
      encoding.value);
}

TritonChoice encoding_of(const LayoutForm& form) {
  if (std::string why = why_not_powers_of_two(shape_of(form)); !why.empty())
    return {{}, std::move(why) + "; pad it to the next power of two"};
  return std::visit(TritonCases{[](const SharedForm& f) { return shared_encoding_of(f); },
                                [](const RegisterForm& f) { return register_encoding_of(f); },
                                [](const TensorForm& f) { return tensor_encoding_of(f); }},
                    form);
}

}  // namespace swz
