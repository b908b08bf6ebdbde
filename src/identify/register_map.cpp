// SPDX-License-Identifier: Apache-2.0
#include "identify/register_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "fragment/block_scaled.hpp"
#include "fragment/sparse.hpp"
#include "fragment/tmem_access.hpp"

namespace swz {
namespace {

struct NamedFragment {
  Fragment fragment;
  RegisterName name;
  bool has_type = true;  // whether it has the requested type, not only its width
};

std::string capital(Operand operand) {
  const std::string_view word = to_string(operand);
  return word.size() == 1 ? std::string(1, static_cast<char>(word[0] - 'a' + 'A')) : std::string();
}

NamedFragment named(Fragment f, const std::string& words, bool has_type) {
  const bool has_operand = f.operand != Operand::memory && f.operand != Operand::tmem;
  RegisterName name{f.name, has_operand ? std::string(to_string(f.operand)) : "", "swz frag " + f.name + words,
                    has_operand ? fmt::format("{} of {}", capital(f.operand), f.name) : f.name};
  return {std::move(f), std::move(name), has_type};
}

// The N of an instruction whose B or D may be in the tile: wgmma has many.
std::vector<int> widths_of(const MmaInstruction& row, Operand operand, const RegisterTile& tile) {
  std::vector<int> widths;
  for (const Range& range : row.n)
    for (int n = range.first; n > 0 && n <= range.last; n += std::max(1, range.step)) {
      if (!row.takes(n)) continue;
      const bool is_meant =
          operand == Operand::a && tile.meant == mma_fragment(row, n, operand, require_dtype(row.types[0]), {}).name;
      // All N have the same A.
      if (operand == Operand::a && (widths.empty() || is_meant)) widths.assign(1, n);
      if (operand != Operand::a && (tile.columns % n == 0 || tile.rows % n == 0)) widths.push_back(n);
    }
  return widths;
}

class FragmentList {
 public:
  explicit FragmentList(const RegisterTile& tile) : tile_(tile) {
    for (const MmaInstruction& row : mma_instructions()) {
      if (row.bits == tile.bits) append_inputs(row);
      append_accumulators(row);
    }
    for (const MatrixForm& form : matrix_forms())
      if (form.row->bits == tile.bits) append_matrices(form);
    for (const TmemForm& form : tmem_forms())
      if ((form.packs ? 16 : 32) == tile.bits) append(tmem_fragment(form), "", true);
    if (tile.meant.find(".sp") != std::string_view::npos) append_sparse();
  }

  std::vector<NamedFragment> all;

 private:
  void append(Fragment f, const std::string& words, bool has_type) {
    if (fits(f, tile_.rows, tile_.columns) || fits(f, tile_.columns, tile_.rows))
      all.push_back(named(std::move(f), words, has_type));
  }
  bool fits(const Fragment& f, int rows, int columns) const {
    const int values = tile_.registers * 32 / tile_.bits;
    return rows % f.rows == 0 && columns % f.columns == 0 && tile_.threads % f.threads() == 0 &&
           values % f.values() == 0;
  }
  void append_mma(const MmaInstruction& row, Operand operand, std::string_view type, OperandOrders orders,
                  const std::string& option) {
    for (const int n : widths_of(row, operand, tile_))
      append(mma_fragment(row, n, operand, require_dtype(type), orders),
             fmt::format(" --operand {} --{} {}", to_string(operand), option, type), type == tile_.dtype);
  }
  void append_inputs(const MmaInstruction& row) {
    const std::string_view type = takes_type(row, tile_.dtype) ? tile_.dtype : row.types[0];
    append_mma(row, Operand::a, type, {}, "dtype");
    if (row.family == InstructionFamily::mma) append_mma(row, Operand::b, type, {}, "dtype");
    if (!row.is_quad_pair()) return;
    append_mma(row, Operand::a, type, {OperandOrder::col, OperandOrder::col}, "dtype");
    append_mma(row, Operand::b, type, {OperandOrder::row, OperandOrder::row}, "dtype");
  }
  void append_accumulators(const MmaInstruction& row) {
    std::string_view type;
    for (const std::string_view other : row.accumulators)
      if (!other.empty() && require_dtype(other).memory_bits == tile_.bits && (type.empty() || other == tile_.dtype))
        type = other;
    if (!type.empty()) append_mma(row, Operand::d, type, {}, "accumulator");
  }
  void append_matrices(const MatrixForm& form) {
    const bool is_movmatrix = form.row->family == InstructionFamily::movmatrix;
    for (const Operand operand : is_movmatrix ? std::vector{Operand::d, Operand::a} : std::vector{Operand::memory})
      append(matrix_fragment(*form.row, form.number, form.transposed, operand),
             is_movmatrix ? fmt::format(" --operand {}", to_string(operand)) : "", true);
  }

  // The operands of the sparse MMA that is meant.
  void append_sparse() {
    for (const SparseMma& row : sparse_mmas())
      for (int n = 8; n <= 256; n += 8)
        for (const bool is_ordered : {false, true})
          if (row.mma.takes(n) && sparse_name(row, n, is_ordered) == tile_.meant) append_sparse(row, n);
  }
  void append_sparse(const SparseMma& row, int n) {
    for (const Operand operand : {Operand::a, Operand::b, Operand::d}) {
      const bool is_input = operand != Operand::d;
      if (is_input ? row.mma.bits != tile_.bits : require_dtype(row.mma.accumulators[0]).memory_bits != tile_.bits)
        continue;
      if (operand == Operand::b && row.mma.family == InstructionFamily::wgmma) continue;
      const std::string_view own = is_input ? row.mma.types[0] : row.mma.accumulators[0];
      const std::string_view type = is_input && takes_type(row.mma, tile_.dtype) ? tile_.dtype : own;
      Fragment f = sparse_fragment(row, n, operand, require_dtype(type));
      f.name = tile_.meant;
      append(std::move(f),
             fmt::format(" --operand {} --{} {}", to_string(operand), is_input ? "dtype" : "accumulator", type),
             type == tile_.dtype);
    }
  }

  const RegisterTile& tile_;
};

// How the copies of a fragment are arranged: over threads and over values, along rows and columns.
struct Copies {
  int thread_rows = 1, thread_columns = 1, thread_same = 1;
  int value_rows = 1, value_columns = 1;

  int over_threads() const { return thread_rows * thread_columns * thread_same; }
  int over_values() const { return value_rows * value_columns; }
};

void append_copies(std::vector<Step>& steps, Step step) {
  if (step.count > 1) steps.push_back(step);
}

enum class Nesting { threads_inside, values_inside };  // whose copies are next to each other

Fragment repeated(const Fragment& f, const Copies& c, std::array<int, 3> thread_order, bool rows_first, Nesting rows,
                  Nesting columns) {
  Fragment out = f;
  out.rows = f.rows * c.thread_rows * c.value_rows;
  out.columns = f.columns * c.thread_columns * c.value_columns;
  const bool rows_inside = rows == Nesting::threads_inside, columns_inside = columns == Nesting::threads_inside;
  const std::array<Step, 3> over_threads{
      Step{c.thread_rows, {f.rows * (rows_inside ? 1 : c.value_rows), 0}},
      Step{c.thread_columns, {0, f.columns * (columns_inside ? 1 : c.value_columns)}}, Step{c.thread_same, {0, 0}}};
  for (const int i : thread_order) append_copies(out.thread_steps, over_threads[static_cast<std::size_t>(i)]);
  const Step down{c.value_rows, {f.rows * (rows_inside ? c.thread_rows : 1), 0}},
      right{c.value_columns, {0, f.columns * (columns_inside ? c.thread_columns : 1)}};
  append_copies(out.value_steps, rows_first ? down : right);
  append_copies(out.value_steps, rows_first ? right : down);
  return out;
}

// "8 times: 4 over threads, 2 over values"
std::string copies_text(const Copies& c) {
  const int threads = c.over_threads() / c.thread_same, values = c.over_values();
  std::string text;
  if (threads * values > 1)
    text = threads == 1 ? fmt::format(", {} times", values)
                        : fmt::format(", {} times: {} over threads, {} over values", threads * values, threads, values);
  if (c.thread_same > 1) text += fmt::format(", held by {} groups of threads", c.thread_same);
  return text;
}

RegisterMap map_of(const NamedFragment& of, const Fragment& f, const Copies& c, bool is_exchanged,
                   bool is_other_order) {
  const auto turned = [&](Coordinate at) { return is_exchanged ? Coordinate{at.column, at.row} : at; };
  RegisterMap map;
  for (int thread = 0; thread < f.threads(); ++thread) map.thread_at.push_back(turned(f.at(thread, 0)));
  const Coordinate first = f.at(0, 0);
  for (int value = 0; value < f.values(); ++value) {
    const Coordinate at = f.at(0, value);
    map.value_at.push_back(turned({at.row - first.row, at.column - first.column}));
  }
  map.slot_bits = f.bits;
  map.copies = c.over_threads() * c.over_values();
  map.layout = tv_layout(f);
  map.layout_says = "(thread, value) -> " + tile_index_rule(f);
  map.names.push_back(of.name);
  if (is_other_order) map.names[0].title += ", the tile being N x K";
  map.names[0].title += copies_text(c);
  return map;
}

template <class Take>
void for_each_divisor(int of, const Take& take) {
  for (int d = 1; d <= of; ++d)
    if (of % d == 0) take(d);
}

// Appends all maps that fill a tile of rows x columns, in the fragment's own directions.
void append_maps(std::vector<RegisterMap>& maps, const NamedFragment& of, const RegisterTile& tile, bool is_exchanged,
                 bool is_other_order) {
  const Fragment& f = of.fragment;
  const int rows = is_exchanged ? tile.columns : tile.rows, columns = is_exchanged ? tile.rows : tile.columns;
  const int values = tile.registers * 32 / tile.bits;
  if (rows % f.rows != 0 || columns % f.columns != 0 || tile.threads % f.threads() != 0 || values % f.values() != 0)
    return;
  const int down = rows / f.rows, right = columns / f.columns, over_threads = tile.threads / f.threads();
  const auto append = [&](const Copies& c) {
    const std::array<int, 3> factors{c.thread_rows, c.thread_columns, c.thread_same};
    std::array<int, 3> order{0, 1, 2};
    do {
      // Factors of 1 change nothing, so only orders with these last, in their own order, are used.
      const auto rank_of = [&](int i) { return factors[static_cast<std::size_t>(i)] == 1 ? 3 + i : 0; };
      if (!std::ranges::is_sorted(order, {}, rank_of)) continue;
      for (const bool rows_first : {false, true})
        for (const Nesting row_nesting : {Nesting::threads_inside, Nesting::values_inside})
          for (const Nesting column_nesting : {Nesting::threads_inside, Nesting::values_inside}) {
            // Maps that do not differ are left out.
            if (row_nesting == Nesting::values_inside && (c.thread_rows == 1 || c.value_rows == 1)) continue;
            if (column_nesting == Nesting::values_inside && (c.thread_columns == 1 || c.value_columns == 1)) continue;
            if (rows_first && (c.value_rows == 1 || c.value_columns == 1)) continue;
            maps.push_back(map_of(of, repeated(f, c, order, rows_first, row_nesting, column_nesting), c, is_exchanged,
                                  is_other_order));
          }
    } while (std::next_permutation(order.begin(), order.end()));
  };
  for_each_divisor(down, [&](int thread_rows) {
    for_each_divisor(right, [&](int thread_columns) {
      const Copies c{thread_rows, thread_columns, over_threads / (thread_rows * thread_columns), down / thread_rows,
                     right / thread_columns};
      if (c.over_threads() == over_threads && c.over_values() == values / f.values()) append(c);
    });
  });
}

}  // namespace

std::int64_t RegisterMap::elements() const {
  return std::ranges::count_if(thread_at, [](const auto& at) { return at.has_value(); }) * std::int64_t{values()};
}

std::vector<RegisterMap> merged(std::vector<RegisterMap> maps) {
  std::ranges::stable_sort(maps, {}, &RegisterMap::copies);
  std::vector<RegisterMap> all;
  std::map<std::vector<int>, std::size_t> known;
  for (RegisterMap& map : maps) {
    std::vector<int> key{map.slot_bits, map.first_bit};
    for (const auto& at : map.thread_at) key.insert(key.end(), {at ? at->row : -1, at ? at->column : -1});
    for (const Coordinate& at : map.value_at) key.insert(key.end(), {at.row, at.column});
    const auto [place, is_new] = known.emplace(std::move(key), all.size());
    if (is_new) {
      all.push_back(std::move(map));
      continue;
    }
    RegisterMap& same = all[place->second];
    std::vector<RegisterName>& names = same.copies == map.copies ? same.names : same.more_names;
    // Element types of one width share a name, that of the requested type.
    const auto has_name = [&](const RegisterName& name) { return name.title == map.names[0].title; };
    if (std::ranges::none_of(names, has_name)) names.push_back(std::move(map.names[0]));
  }
  return all;
}

namespace {

// Of one register of a warp; the threads that the MMA does not read have nothing.
RegisterMap scale_map(const BlockScaledMma& form, Operand operand, ScaleIds ids, bool is_exchanged) {
  const Fragment f = scale_fragment(form, operand, ids);
  const std::string name = operand == Operand::sfa ? "sfa" : "sfb";
  const std::string words =
      fmt::format(" --operand {0} --{0}-ids {1},{2} --scale-type {3}", name, ids.byte, ids.thread, form.scale_type);
  NamedFragment of = named(f, words, true);
  of.name.title = fmt::format("{} of {}, byte-id {} and thread-id {}", operand == Operand::sfa ? "SFA" : "SFB", f.name,
                              ids.byte, ids.thread);
  RegisterMap map = map_of(of, f, Copies(), is_exchanged, is_exchanged && operand == Operand::sfb);
  for (int thread = 0; thread < f.threads(); ++thread)
    if (!f.is_read(thread)) map.thread_at[static_cast<std::size_t>(thread)] = std::nullopt;
  map.first_bit = f.first_bit;
  return map;
}

// Those of a tile of rows x factors; B is factors x columns, as in `swz frag`, or columns x factors.
void append_scale_maps(std::vector<RegisterMap>& maps, const RegisterTile& tile, bool is_transposed) {
  if (tile.bits != 8 || tile.threads != 32 || tile.registers != 1) return;
  for (const BlockScaledMma& form : block_scaled_mmas())
    for (const Operand operand : {Operand::sfa, Operand::sfb})
      for (const bool is_exchanged : {false, true}) {
        const bool is_a = operand == Operand::sfa;
        if (is_exchanged ? is_a != is_transposed : is_transposed) continue;
        const int rows = is_a ? 16 : form.scale_vec, columns = is_a ? form.scale_vec : 8;
        if (tile.rows != (is_exchanged ? columns : rows) || tile.columns != (is_exchanged ? rows : columns)) continue;
        for (const int byte : legal_byte_ids(form.scale_vec))
          for (const int thread : legal_thread_ids(is_a ? ScaleOperand::a : ScaleOperand::b))
            maps.push_back(scale_map(form, operand, {byte, thread}, is_exchanged));
      }
}

std::vector<RegisterMap> maps_of(const RegisterTile& tile, bool is_transposed) {
  std::vector<NamedFragment> all = FragmentList(tile).all;
  std::ranges::stable_sort(all, {}, [](const NamedFragment& f) { return !f.has_type; });
  std::vector<RegisterMap> maps;
  for (const NamedFragment& of : all) {
    const bool is_b = of.fragment.operand == Operand::b;
    if (!is_transposed) append_maps(maps, of, tile, false, false);
    if (is_b != is_transposed) append_maps(maps, of, tile, true, is_b);
  }
  append_scale_maps(maps, tile, is_transposed);
  return merged(std::move(maps));
}

}  // namespace

std::vector<RegisterMap> fragment_maps(const RegisterTile& tile) { return maps_of(tile, false); }
std::vector<RegisterMap> transposed_fragment_maps(const RegisterTile& tile) { return maps_of(tile, true); }

}  // namespace swz
