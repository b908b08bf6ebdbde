// SPDX-License-Identifier: Apache-2.0
// tcgen05.mma as its cells see it: for each cell of D, which row and column of the product it holds, and from which
// bytes next to it A, scale factors and metadata come. It is written from the tables of PTX, address -> element, and
// does not call src/tmem, whose functions go the other way. A CTA's tensor core reads its own tensor memory, and A and
// metadata in the lanes of the cell: so that copies for each part of N need no rule.
//
// A fault is a mistake of the hardware in what the plans ask.
#include <algorithm>
#include <array>

#include "probe/tmem_mma_image.hpp"
#include "simulated.hpp"

namespace swz {

namespace {

using enum Hypothesis;

struct Block {
  std::uint64_t a, b;
  std::uint32_t smem_image, tmem_image, idesc, metadata, scale_a, scale_b, columns, first_column;
};

struct Term {
  int k = 0, stored = 0;
  double value = 0;
};

std::uint32_t bits_at(std::uint32_t word, int first, int width) { return word >> first & ((1U << width) - 1); }

// Where D lies: layouts A to G.
struct CellRule {
  char layout = 'D';
  int rows = 128, parts = 1;
  bool is_scattered = false;
};
CellRule cell_rule(const TmemMmaInstruction& i) {
  if (i.cta_group == 2) {
    if (i.m == 256) return {'A'};
    return i.sparse ? CellRule{'C', 64, 1, true} : CellRule{'B', 64, 2};
  }
  if (i.m == 128) return {'D'};
  if (i.m == 32) return {'G', 32, 4};
  return i.ws ? CellRule{'E', 64, 2} : CellRule{'F', 64, 1, true};
}

class Cluster {
 public:
  Cluster(const TmemMmaPlan& plan, const Launch& launch, const Block& block, Hypothesis fault)
      : plan_(plan), i_(plan.instruction), launch_(launch), block_(block), fault_(fault), rule_(cell_rule(i_)) {
    const bool is_scaled = i_.kind_row().block_scaled;
    m_ = static_cast<int>(is_scaled ? bits_at(block.idesc, 27, 2) * 128 : bits_at(block.idesc, 24, 5) * 16);
    n_ = static_cast<int>(bits_at(block.idesc, 17, 6) * 8);
    is_sparse_ = bits_at(block.idesc, 2, 1) != 0;
    const bool is_fp4 = i_.kind == MmaKind::mxf4 || i_.kind == MmaKind::mxf4nvf4;
    k_ = is_fp4 && bits_at(block.idesc, 31, 1) != 0 ? 96 : is_sparse_ ? i_.kind_row().k_sparse : i_.kind_row().k_dense;
    const bool is_narrow = require_dtype(i_.dtype).value_bits < 8;
    in_bytes_ = is_narrow && !is_fp4;
    smem_bits_ = in_bytes_ ? 8 : require_dtype(i_.dtype).memory_bits;
    format_ = &element_format(i_.dtype);
    if (is(pair_halves) && rule_.layout == 'C') rule_ = {'B', 64, 2};
    // Fewer columns, of fewer rows of B in each CTA.
    if (plan.ask == TmemMmaAsk::a && is(a_n_step_16)) n_ -= n_ % (16 * i_.cta_group);
  }

  void run(std::span<std::uint8_t> output) {
    read_b();
    for (int cta = 0; cta < i_.cta_group; ++cta)
      for (int lane = 0; lane < 128; ++lane) {
        if (rule_.is_scattered && lane % 32 >= 16) continue;
        read_a(cta, lane);
        for (int column = 0; column < n_ / rule_.parts; ++column) {
          const int at = is(lanes_off_by_16) && plan_.ask == TmemMmaAsk::d ? lane ^ 16 : lane;
          const std::size_t cell =
              static_cast<std::size_t>((block_.first_column + cta * block_.columns + column) * 128 + at);
          const auto bits = static_cast<std::uint32_t>(bits_of(sum(cta, lane, column), i_.d_type));
          // The upper half of 16 bits is not defined.
          const std::uint32_t word = i_.d_type == "f16" ? bits | 0xdead0000 : bits;
          __builtin_memcpy(output.data() + cell * 4, &word, 4);
        }
      }
  }

 private:
  bool is(Hypothesis fault) const { return fault_ == fault; }

  int row(int lane) const { return rule_.is_scattered ? lane / 32 * 16 + lane % 16 : lane % rule_.rows; }
  int part(int lane) const { return rule_.is_scattered ? 0 : lane / rule_.rows; }
  int column_of_b(int lane, int column) const {
    const int width = n_ / rule_.parts, p = part(lane);
    if (plan_.ask == TmemMmaAsk::d && is(halves_exchanged)) return (rule_.parts - 1 - p) * width + column;
    if (is(quarters_of_n) && rule_.parts == 2) return (2 * (column / (n_ / 4)) + p) * (n_ / 4) + column % (n_ / 4);
    return p * width + column;
  }

  // ---- memory

  std::uint8_t smem_byte(int cta, std::int64_t address) const {
    const std::size_t each = launch_.scalars[1];
    return launch_.inputs[1][(block_.smem_image + static_cast<std::size_t>(cta)) * each +
                             static_cast<std::size_t>(address - launch_.scalars[0])];
  }
  // A lane's cell: of the image, or what fills the rest.
  std::uint32_t tmem_cell(int cta, int lane, std::int64_t column) const {
    const std::int64_t inside = column - launch_.scalars[2], columns = launch_.scalars[3];
    if (inside < 0 || inside >= columns) return launch_.scalars[4];
    const std::size_t image = block_.tmem_image + static_cast<std::size_t>(cta);
    return read_at<std::uint32_t>(
        launch_.inputs[2], ((image * static_cast<std::size_t>(columns) + static_cast<std::size_t>(inside)) * 128 +
                            static_cast<std::size_t>(lane)) *
                               4);
  }
  std::uint8_t tmem_byte(int cta, int lane, std::int64_t column, int byte) const {
    return static_cast<std::uint8_t>(tmem_cell(cta, lane, column) >> (8 * byte));
  }

  // An element of shared memory, no swizzle. K-major: ((8,m),(T,2k)):((1T,SBO),(1,LBO)); MN-major:
  // ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO)), T 16 bytes.
  double smem_element(std::uint64_t word, int cta, int r, int k, bool is_mn) const {
    const auto field = [&](int first) { return static_cast<std::int64_t>(word >> first & 0x3fff) * 16; };
    const std::int64_t lbo = field(16), sbo = field(32), along = std::int64_t{is_mn ? r : k} * smem_bits_;
    const std::int64_t unit = field(0) + (is_mn ? along / 128 * sbo + k % 8 * 16 + k / 8 * lbo
                                                : along / 128 * lbo + r % 8 * 16 + r / 8 * sbo);
    const int width = format_->width;
    const std::int64_t first = along % 128 / smem_bits_ * (in_bytes_ ? width : smem_bits_);
    std::uint64_t bits = 0;
    for (int byte = 0; byte < 5; ++byte)
      if (first / 8 + byte < 16) bits |= std::uint64_t{smem_byte(cta, unit + first / 8 + byte)} << (8 * byte);
    return number_of(bits >> (first % 8) & ((1ULL << width) - 1), *format_);
  }

  // A of a lane, packed along K.
  double tmem_element(int cta, int lane, int k) const {
    if (plan_.ask == TmemMmaAsk::a) {
      const int stored = is_sparse_ ? k_ / 2 : k_;
      if (is(k_halves_exchanged)) k = (k + stored / 2) % stored;
      if (is(nibbles_exchanged) && smem_bits_ == 4) k ^= 1;
      if (is(lanes_off_by_16)) lane ^= 16;
      if (is(one_copy)) lane -= part(lane) * rule_.rows;
      if (is(halves_exchanged)) lane += (rule_.parts - 1 - 2 * part(lane)) * rule_.rows;
      if (is(a_in_lanes_0_63) && rule_.is_scattered) lane = row(lane);
    }
    const int bits = in_bytes_ ? 8 : smem_bits_;
    std::uint64_t pattern =
        tmem_cell(cta, lane, static_cast<std::int64_t>(block_.a) + k * bits / 32) >> (k * bits % 32);
    // 0b00xxxx00 of 4 bits, 0b00xxxxxx of 6; elsewhere 0b0000xxxx and 0b0xxxxxx0.
    if (in_bytes_ && is(container_elsewhere)) pattern >>= format_->width == 6 ? 1 : 0;
    else if (in_bytes_) pattern >>= format_->width == 4 ? 2 : 0;
    return number_of(pattern & ((1ULL << format_->width) - 1), *format_);
  }

  // ---- metadata

  unsigned nibble(int cta, int lane, int k) const {
    const bool halves = i_.kind == MmaKind::tf32 || i_.kind == MmaKind::f16;
    const int chunk = i_.kind == MmaKind::tf32 ? 2 : k_ == 128 ? 8 : 4;
    const auto selector = halves ? static_cast<int>(bits_at(block_.idesc, 0, 2)) : 0;
    const bool is_asked = plan_.ask == TmemMmaAsk::metadata;
    if (is_asked && is(k_halves_exchanged)) k = (k + k_ / 2) % k_;
    if (is_asked && is(one_copy)) lane -= part(lane) * rule_.rows;
    if (is_asked && is(halves_exchanged)) lane += (rule_.parts - 1 - 2 * part(lane)) * rule_.rows;
    if (is(metadata_in_lanes_0_63) && rule_.is_scattered) lane = row(lane);
    const int half = k / (k_ / 2), inside = k % (k_ / 2) / chunk * 4;
    std::int64_t column = block_.metadata;
    if (is_asked && is(metadata_columns_by_4)) column = column / 4 * 4;
    if (is_asked && is(metadata_columns_by_2)) column = column / 2 * 2;
    int first = inside;
    if (halves) {
      first += lane % 16 / 8 * 16;
      lane = lane / 16 * 16 + lane % 8 + 8 * half;
      column += is(selector_of_four) ? selector : selector & 1;
    } else {
      column += half;
    }
    if (is_asked && is(metadata_from_top)) first = 28 - first;
    if (is_asked && is(lanes_off_by_16)) lane ^= 16;
    return tmem_cell(cta, lane, column) >> first & 15;
  }

  // The logical k of a stored element of A.
  int logical_k(int cta, int lane, int stored) const {
    if (!is_sparse_) return stored;
    const int chunk = i_.kind == MmaKind::tf32 ? 2 : k_ == 128 ? 8 : 4, kept = chunk / 2, each = (kept + 1) / 2;
    const int begin = stored / kept * chunk;
    const unsigned both = nibble(cta, lane, begin);
    if (chunk == 2) return begin + (both == 0b1110 ? 1 : 0);
    const unsigned index = stored % kept < each ? both & 3 : both >> 2;
    return begin + static_cast<int>(index) * each + stored % each;
  }

  // ---- operands

  void read_b() {
    const int each = n_ / i_.cta_group, ctas = is(b_in_each_cta) ? i_.cta_group : 1;
    b_.assign(static_cast<std::size_t>(ctas), std::vector<double>(static_cast<std::size_t>(n_ * k_)));
    b_terms_.assign(static_cast<std::size_t>(ctas), std::vector<std::vector<Term>>(static_cast<std::size_t>(n_)));
    for (int reader = 0; reader < ctas; ++reader)
      for (int n = 0; n < n_; ++n)
        for (int k = 0; k < k_; ++k) {
          const double x = ctas == 2 ? smem_element(block_.b, reader, n, k, false)
                                     : smem_element(block_.b, n / each, n % each, k, false);
          b_[static_cast<std::size_t>(reader)][static_cast<std::size_t>(n * k_ + k)] = x;
          if (x != 0) b_terms_[static_cast<std::size_t>(reader)][static_cast<std::size_t>(n)].push_back({k, k, x});
        }
  }

  void read_a(int cta, int lane) {
    const bool is_mn = bits_at(block_.idesc, 15, 1) != 0 && !is(k_major_alone);
    a_.assign(static_cast<std::size_t>(k_), {});
    a_terms_.clear();
    for (int stored = 0; stored < (is_sparse_ ? k_ / 2 : k_); ++stored) {
      const double x = plan_.has_a_in_tmem() ? tmem_element(cta, lane, stored)
                                             : smem_element(block_.a, cta, row(lane), stored, is_mn);
      if (x == 0) continue;
      const Term term{logical_k(cta, lane, stored), stored, x};
      a_[static_cast<std::size_t>(term.k)] = term;
      a_terms_.push_back(term);
    }
  }

  // ---- scale factors

  static std::uint8_t nan_of(std::uint8_t byte) { return byte == 0xff ? byte : std::uint8_t{0}; }
  double scale(int cta, int lane, int column, bool is_a, int stored) const {
    const bool is_asked = plan_.ask == (is_a ? TmemMmaAsk::scale_a : TmemMmaAsk::scale_b);
    const int factors = (is_sparse_ ? k_ / 2 : k_) / i_.vec;
    int factor = stored / i_.vec;
    auto id = static_cast<int>(bits_at(block_.idesc, is_a ? 29 : 4, 2));
    std::int64_t first = is_a ? block_.scale_a : block_.scale_b;
    if (is_asked && is(k_halves_exchanged) && factors % 2 == 0) factor = (factor + factors / 2) % factors;
    if (is_asked && is(sf_id_off_by_one)) id = (id + 1) % 4;
    if (is_asked && is(k96_even_ids) && k_ == 96) id &= 2;
    if (is_asked && is(scale_columns_by_4)) first = first / 4 * 4;
    if (is_asked && is(scale_columns_by_2)) first = first / 2 * 2;

    const bool is_pair_128 = i_.cta_group == 2 && m_ == 128;
    const int tiles = (n_ + 127) / 128;
    int index = is_a ? row(lane) : column_of_b(lane, column), quarter = lane / 32, word_columns = is_a ? 4 : 4 * tiles;
    if (is_a && is_pair_128 && is(scale_a_by_pair_row)) index += 64 * cta;
    if (!is_a && is_pair_128 && !is(scale_b_warpx4)) {
      // 2x2: two halves of N, each in two quarters.
      const int half = is(scale_b_rounded_halves) ? tiles * 64 : n_ / 2;
      quarter = index / half * 2;
      index %= half;
      word_columns = 4;
      if (is_asked && is(halves_exchanged)) quarter ^= 2;
    }
    int from = quarter * 32 + index % 32;
    if (is_asked && is(lanes_off_by_16)) from ^= 16;
    const int s = id + factor;
    const std::int64_t at = first + index / 32 + s / 4 * word_columns;
    std::uint8_t byte = tmem_byte(cta, from, at, s % 4);
    for (int other = 0; is_asked && !is_a && is(scale_b_by_32_rows) && other < 32; ++other)
      byte = std::max(byte, nan_of(tmem_byte(cta, quarter * 32 + other, at, s % 4)));
    for (int other = 0; is_asked && is(scale_words_whole) && other < 4; ++other)
      byte = std::max(byte, nan_of(tmem_byte(cta, from, at, other)));
    const bool is_exponent = bits_at(block_.idesc, 23, 1) != 0;
    return is_exponent ? number_of(std::uint64_t{byte} << 23, "f32") : number_of(byte, "e4m3");
  }

  double sum(int cta, int lane, int column) const {
    const int n = column_of_b(lane, column);
    const std::size_t reader = is(b_in_each_cta) ? static_cast<std::size_t>(cta) : 0;
    const std::vector<Term>& terms = b_terms_[reader][static_cast<std::size_t>(n)];
    double total = 0;
    const auto append_term = [&](const Term& a, double b) {
      if (a.value == 0 || b == 0) return;
      double x = a.value * b;
      if (i_.vec != 0) x *= scale(cta, lane, column, true, a.stored) * scale(cta, lane, column, false, a.stored);
      total += x;
    };
    if (terms.size() < a_terms_.size())
      for (const Term& b : terms) append_term(a_[static_cast<std::size_t>(b.k)], b.value);
    else
      for (const Term& a : a_terms_) append_term(a, b_[reader][static_cast<std::size_t>(n * k_ + a.k)]);
    return total;
  }

  const TmemMmaPlan& plan_;
  const TmemMmaInstruction& i_;
  const Launch& launch_;
  const Block& block_;
  Hypothesis fault_;
  CellRule rule_;
  int m_ = 0, n_ = 0, k_ = 0, smem_bits_ = 0;
  bool is_sparse_ = false, in_bytes_ = false;
  const ElementFormat* format_ = nullptr;
  std::vector<std::vector<double>> b_;
  std::vector<std::vector<std::vector<Term>>> b_terms_;
  std::vector<Term> a_, a_terms_;
};

}  // namespace

ByteBuffer simulate(std::span<const TmemMmaPlan> plans, const Launch& launch, Hypothesis fault) {
  ByteBuffer output(static_cast<std::size_t>(launch.output_bytes));
  for (std::size_t word = 0; word < output.size() / 4; ++word)
    __builtin_memcpy(output.data() + word * 4, &launch.scalars[4], 4);
  // The plans of the blocks: a kernel does not know them, only their form. What a fault is about, they say.
  const auto blocks = static_cast<std::size_t>(launch.grid / launch.cluster);
  std::size_t b = 0;
  for (const TmemMmaPlan& plan : plans) {
    const auto own = static_cast<std::size_t>(blocks_of(plan));
    for (const std::size_t end = b + own; b < end && b < blocks; ++b) {
      const auto block = read_at<Block>(launch.inputs[0], b * sizeof(Block));
      Cluster(plan, launch, block, fault).run(output);
    }
  }
  return output;
}

ByteBuffer simulate(std::span<const TmemMmaPlan> plans, const Launch& launch) { return simulate(plans, launch, none); }

}  // namespace swz
