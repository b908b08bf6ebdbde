// SPDX-License-Identifier: Apache-2.0
// The prediction of swz for a plan of tcgen05.mma and tensor memory: the places of src/tmem as numbers. A hypothesis
// changes one step of it.
#include <array>
#include <bit>
#include <set>

#include "base/error.hpp"
#include "probe/tmem_mma_image.hpp"
#include "tmem/operand_a.hpp"

namespace swz {

namespace {

using enum Hypothesis;

constexpr int half_quarter = 16;  // lanes

class Model {
 public:
  Model(const TmemMmaPlan& plan, Hypothesis hypothesis)
      : plan_(plan), i_(plan.instruction), path_(i_.path()), region_(region_of(plan)), hypothesis_(hypothesis) {}

  Observation cells_of_d() const {
    const DataPath& path = is(pair_halves) && path_.name == "C" ? require_data_path({i_.m, 2}) : path_;
    const Accumulator d(path, i_.n);
    Observation out(static_cast<std::size_t>(i_.cta_group * tmem_lanes * i_.n), untouched_cell);
    for (int m = 0; m < i_.m; ++m)
      for (int n = 0; n < i_.n; ++n) {
        const TmemCell cell = d.place({m, placed_n(path, n)});
        const std::size_t at = static_cast<std::size_t>((cell.cta * tmem_lanes + lane(cell.lane)) * i_.n + cell.column);
        out[at] = std::int64_t{row_in_ctas(m, i_.m)} * i_.cta_group * i_.n +
                  (is(b_in_each_cta) ? cell.cta * i_.n + n : row_in_ctas(n, i_.n));
      }
    return out;
  }

  Observation containers_of_a() const {
    const Container container = container_of(i_.kind, i_.dtype);
    // No source has data path C: these are the lanes of D, which are those of F.
    const DataPath& path = path_.name == "C" ? require_data_path({path_.rows()}) : path_;
    Observation out;
    for (int part = 0; part < path_.parts; ++part)
      for (int m = 0; m < i_.m; ++m)
        for (int k = 0; k < i_.stored_k(); ++k) {
          const std::optional<int> shown = shown_k(k);
          if (!shown) {
            out.push_back(unreadable);
            continue;
          }
          const bool is_low = container.bits == 4 && is(nibbles_exchanged);
          const int placed = placed_k(is_low ? *shown ^ 1 : *shown, i_.stored_k());
          const TmemElement at = operand_a_place(path, container, m, placed, 0);
          const bool is_packed = path_.is_scattered && is(a_in_lanes_0_63);
          const int first = is_packed ? m % path_.rows() : at.lanes[static_cast<std::size_t>(copy(part))];
          out.push_back(
              region_.number({at.cta, lane(first), static_cast<int>(at.column)}, at.first_bit / container.bits));
        }
    return out;
  }

  Observation values_of_patterns() const {
    const Container container = container_of(i_.kind, i_.dtype);
    Observation out;
    for (unsigned pattern = 0; pattern < 256; ++pattern) {
      const unsigned shifted =
          pattern >> (is(container_elsewhere) ? other_first_bit(container.value_bits) : container.first_bit);
      out.push_back(f32_of(shifted & ((1U << container.value_bits) - 1)));
    }
    return out;
  }

  Observation slots_of_a() const {
    const Major major = is(k_major_alone) ? Major::K : Major::MN;
    Observation out = operand_map(mn_major_descriptor(Bytes{0}), {i_.m, i_.k()}, 8, major).places;
    for (std::int64_t& place : out) place /= 8;
    return out;
  }

  Observation bytes_of_scales() const {
    const bool is_a = plan_.ask == TmemMmaAsk::scale_a;
    Observation out;
    for (const int k : selected_k(plan_))
      for (const Coordinate at : scale_readers(plan_)) {
        const int rows = i_.m / i_.cta_group;
        out.push_back(byte_of_scale(at.row / rows, is_a ? at.row % rows : at.column, k / i_.vec, at.column));
      }
    if (plan_.has_nan && hypothesis_ != none) {
      const Observation right = expected(plan_);
      const std::set<std::int64_t> bytes(right.begin(), right.end());
      for (std::int64_t& byte : out)
        if (reads_nan() || !bytes.contains(byte)) byte = unreadable;
    }
    return out;
  }

  Observation nibbles_of_metadata() const {
    const SparseForm& form = require_sparse_form(i_.kind);
    const int align = is(metadata_columns_by_4) ? 4 : is(metadata_columns_by_2) ? 2 : 1;
    const int address = plan_.column / align * align;
    Observation out;
    for (int part = 0; part < path_.parts; ++part)
      for (int m = 0; m < i_.m; ++m)
        for (int k = 0; k < i_.k(); k += form.chunk) {
          const MetadataPlace at = metadata_place(form, m % path_.rows(), placed_k(k, i_.k()), 0);
          const bool is_spread = path_.is_scattered && !is(metadata_in_lanes_0_63);
          const int first = is_spread ? at.lane / half_quarter * tmem_quarter + at.lane % half_quarter : at.lane;
          const int selected = form.halves ? plan_.id & (is(selector_of_four) ? 3 : 1) : 0;
          const int nibble = is(metadata_from_top) ? 7 - at.first_bit / 4 : at.first_bit / 4;
          out.push_back(region_.number(
              {m / path_.rows(), lane(first + copy(part) * path_.rows()), address + at.column + selected}, nibble));
        }
    return out;
  }

 private:
  bool is(Hypothesis hypothesis) const { return hypothesis_ == hypothesis; }
  int lane(int lane) const { return is(lanes_off_by_16) ? lane ^ half_quarter : lane; }
  int copy(int part) const { return is(one_copy) ? 0 : is(halves_exchanged) ? path_.parts - 1 - part : part; }
  int placed_k(int k, int of) const { return is(k_halves_exchanged) ? (k + of / 2) % of : k; }

  // The k of A that the column of D shows where k is expected. With a smaller N each CTA has fewer rows of B.
  std::optional<int> shown_k(int k) const {
    const int step = 16 * i_.cta_group, n = i_.n / step * step;
    if (!is(a_n_step_16) || n == i_.n) return k;
    const int begin = identity_begin(plan_), column = begin + k;
    if (column >= n) return {};
    const int each = n / i_.cta_group, shown = column / each * (i_.n / i_.cta_group) + column % each - begin;
    return shown < 0 || shown >= i_.k() ? std::nullopt : std::optional(shown);
  }

  bool reads_nan() const {
    const bool has_part = plan_.ask == TmemMmaAsk::scale_b && i_.n % tmem_quarter != 0;
    const bool has_rest = require_scale_kind(i_.kind, i_.vec, i_.k_size()).factors % 4 != 0;
    return (is(scale_b_by_32_rows) && has_part) || (is(scale_words_whole) && has_rest);
  }

  // The row of an operand that is divided between the CTAs, if each CTA has room for all rows.
  int row_in_ctas(int row, int rows) const {
    const int each = rows / i_.cta_group;
    return row / each * rows + row % each;
  }

  // The n whose place n has.
  int placed_n(const DataPath& path, int n) const {
    const int width = i_.n / path.parts;
    if (is(halves_exchanged)) return (path.parts - 1 - n / width) * width + n % width;
    if (!is(quarters_of_n) || path.parts != 2) return n;
    const int quarter = n / (width / 2);
    return quarter % 2 * width + quarter / 2 * (width / 2) + n % (width / 2);
  }

  std::int64_t byte_of_scale(int cta, int row, int factor, int n) const {
    ScalePlacement placement{&require_scale_kind(i_.kind, i_.vec, i_.k_size()),
                             plan_.ask == TmemMmaAsk::scale_a ? ScaleOperand::a : ScaleOperand::b, i_.m, i_.n,
                             i_.cta_group};
    const bool is_split = placement.is_split(), is_pair_a = i_.m == 128 && i_.cta_group == 2 && !is_split;
    if (is(scale_a_by_pair_row) && is_pair_a && plan_.ask == TmemMmaAsk::scale_a) {
      row += cta * 64;
      placement.m = 256;  // 128 rows in each CTA
    }
    const int half = i_.n / 2;
    int first_lane = 0;
    if (is_split && is(scale_b_warpx4)) {
      // Each quarter of D reads its own copy.
      first_lane = n / half * 64;
      placement.m = 256;
    }
    if (is_split && is(scale_b_rounded_halves)) placement.n = (i_.n + 127) / 128 * 128;
    const int factors = placement.kind->factors;
    if (is(k_halves_exchanged) && factors % 2 == 0) factor = (factor + factors / 2) % factors;
    int id = plan_.id, column = plan_.column;
    if (is(sf_id_off_by_one)) id = (id + 1) % 4;
    if (is(k96_even_ids) && i_.k96) id &= ~1;
    if (is(scale_columns_by_4)) column &= ~3;
    if (is(scale_columns_by_2)) column &= ~1;
    const ScalePlace at = scale_place(placement, {row, id + factor}, column);
    int found = first_lane + lane(at.lanes[0]);
    if (is(halves_exchanged) && is_split) found ^= 64;
    return region_.number({cta, found, at.column}, at.byte);
  }

  std::int64_t f32_of(unsigned bits) const {
    const ElementFormat& format = element_format(i_.dtype);
    const int mantissa_bits = format.mantissa_bits();
    const auto mantissa = static_cast<float>(bits & ((1U << mantissa_bits) - 1));
    const int exponent = static_cast<int>(bits >> mantissa_bits & ((1U << format.exponent_bits) - 1));
    const float unit = 1.0F / static_cast<float>(1 << (format.bias() - 1 + mantissa_bits));
    const float magnitude = exponent == 0 ? mantissa * unit
                                          : (static_cast<float>(1 << mantissa_bits) + mantissa) * unit *
                                                static_cast<float>(1 << (exponent - 1));
    const bool is_negative = (bits >> (format.width - 1) & 1U) != 0;
    return magnitude == 0 ? 0 : std::int64_t{std::bit_cast<std::uint32_t>(is_negative ? -magnitude : magnitude)};
  }

  const TmemMmaPlan& plan_;
  const TmemMmaInstruction& i_;
  const DataPath& path_;
  ProbedRegion region_;
  Hypothesis hypothesis_;
};

}  // namespace

std::vector<Coordinate> scale_readers(const TmemMmaPlan& plan) {
  const TmemMmaInstruction& i = plan.instruction;
  std::vector<Coordinate> out;
  if (plan.ask == TmemMmaAsk::scale_a) {
    for (int m = 0; m < i.m; ++m)
      for (const int n : {0, i.n / 2}) out.push_back({m, n});
  } else {
    for (int m = 0; m < i.m; m += tmem_quarter)
      for (int n = 0; n < i.n; ++n) out.push_back({m, n});
  }
  return out;
}

SmemDescriptor mn_major_descriptor(Bytes start) {
  return SmemDescriptor::encode(
      {.start_address = start, .leading_byte_offset = Bytes{128}, .stride_byte_offset = Bytes{1024}}, sm_100a());
}

Observation expected(const TmemMmaPlan& plan, Hypothesis hypothesis) {
  const Model model(plan, hypothesis);
  switch (plan.ask) {
    case TmemMmaAsk::d: return model.cells_of_d();
    case TmemMmaAsk::a: return model.containers_of_a();
    case TmemMmaAsk::container: return model.values_of_patterns();
    case TmemMmaAsk::mn_major: return model.slots_of_a();
    case TmemMmaAsk::scale_a:
    case TmemMmaAsk::scale_b: return model.bytes_of_scales();
    case TmemMmaAsk::metadata: return model.nibbles_of_metadata();
  }
  return {};
}

}  // namespace swz
