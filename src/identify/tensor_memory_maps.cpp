// SPDX-License-Identifier: Apache-2.0
// Maps of tensor memory: the elements of D, or of A, that the threads of a warpgroup have after tcgen05.ld.
//
//   D of M 64 (data path F), 32x32b: warp w, lane l < 16 has row 16 w + l; lanes 16-31 have nothing of it
//   D of M 128, 16x256b.x1: registers 0-3 are lanes 0-15 of the warp's quarter, then the next columns; the same for
//   lanes 16-31
#include <fmt/format.h>

#include <algorithm>

#include "fragment/tmem_access.hpp"
#include "identify/register_map.hpp"
#include "tmem/operand_a.hpp"

namespace swz {
namespace {

constexpr int warpgroup_threads = 128;

std::string path_words(const DataPath& path) {
  return fmt::format("--m {}{}{}{}", path.m, path.cta_group == 2 ? " --cta-group 2" : "",
                     path.ws == WarpSpecialized::yes ? " --ws" : "",
                     path.sparsity == Sparsity::sparse ? " --sparse" : "");
}

std::string cta_text(const DataPath& path, const std::vector<int>& ctas) {
  if (path.cta_group == 1) return "";
  return ctas.size() == 2 ? ", both CTAs" : fmt::format(", CTA {}", ctas[0]);
}

// The CTAs whose warpgroups are in the dump: each one by itself, or both.
std::vector<std::vector<int>> cta_choices(const DataPath& path, int threads) {
  if (threads == 2 * warpgroup_threads && path.cta_group == 2) return {{0, 1}};
  if (threads != warpgroup_threads) return {};
  if (path.cta_group == 2) return {{0}, {1}};
  return {{0}};
}

// One tcgen05.ld, repeated until all columns are read. `first_lane` is where D begins in each quarter.
struct AccumulatorLoad {
  const Accumulator& d;
  const TmemForm& form;
  int first_lane = 0;

  // The lanes of a quarter that have rows of D, and the number of loads.
  int lanes() const { return d.path().is_scattered ? 16 : tmem_quarter; }
  int halves() const { return std::max(1, lanes() / form.shape->lanes); }

  std::optional<Coordinate> thread_at(const Fragment& window, int cta, int thread) const {
    const auto origin = d.element({cta, tmem_quarter * (thread / 32), 0});
    Coordinate at = window.at(thread % 32, 0);
    if (form.shape->lanes == tmem_quarter) at.row -= first_lane;
    if (!origin || at.row < 0 || at.row >= lanes()) return std::nullopt;
    return Coordinate{origin->row + at.row, origin->column + at.column};
  }

  RegisterMap map(const std::vector<int>& ctas, bool halves_inside) const {
    const Fragment window = tmem_fragment(form);
    RegisterMap map;
    for (const int cta : ctas)
      for (int thread = 0; thread < warpgroup_threads; ++thread)
        map.thread_at.push_back(thread_at(window, cta, thread));
    const int along = d.columns() / window.columns;
    const Coordinate first = window.at(0, 0);
    for (int i = 0; i < along * halves(); ++i) {
      const int half = halves_inside ? i % halves() : i / along, column = halves_inside ? i / halves() : i % along;
      for (int value = 0; value < window.values(); ++value) {
        const Coordinate at = window.at(0, value);
        map.value_at.push_back({at.row - first.row + 16 * half, at.column - first.column + column * window.columns});
      }
    }
    map.slot_bits = form.packs ? 16 : 32;
    map.slides = form.shape->name == "32x32b";
    map.copies = along * halves();
    map.layout = d.layout();
    map.layout_says = "(row of the CTA, n) -> address";
    map.names.push_back(
        {form.name(), "d", fmt::format("swz tmem d {} --n {}", path_words(d.path()), d.n()),
         fmt::format("D of M {}, N {}, cta_group::{}{}, data path {}{}{}, by {}", d.path().m, d.n(), d.path().cta_group,
                     d.path().ws == WarpSpecialized::yes ? ", .ws" : "", d.path().name, cta_text(d.path(), ctas),
                     first_lane == 0 ? "" : ", from lane 16", form.name())});
    return map;
  }
};

void append_accumulators(std::vector<RegisterMap>& maps, const RegisterTile& tile, const DataPath& path) {
  if (tile.columns % path.parts != 0 || (tile.bits != 16 && tile.bits != 32)) return;
  const Accumulator d(path, tile.columns);
  for (const TmemForm& form : tmem_forms()) {
    if (form.stores || (form.packs && tile.bits != 16) || d.columns() % form.columns() != 0) continue;
    for (const int first_lane : {0, 16}) {
      if (first_lane != 0 && !path.is_scattered) continue;
      const AccumulatorLoad load{d, form, first_lane};
      const int registers = form.registers() * (d.columns() / form.columns()) * load.halves();
      if (form.shape->name == "32x32b" ? registers > tile.registers : registers != tile.registers) continue;
      for (const auto& ctas : cta_choices(path, tile.threads))
        for (const bool halves_inside : {false, true})
          if (!halves_inside || load.halves() > 1) maps.push_back(load.map(ctas, halves_inside));
    }
  }
}

// The type, if some kind accepts it for A; otherwise one of the same width.
std::string_view type_of_a(const RegisterTile& tile) {
  const auto takes = [&](const MmaKindRow& kind) { return takes_type(kind, tile.dtype); };
  if (std::ranges::any_of(mma_kinds(), takes)) return tile.dtype;
  return tile.bits == 8 ? "e4m3" : tile.bits == 16 ? "f16" : "tf32";
}

// A is packed along K; each lane has one row.
void append_operand_a(std::vector<RegisterMap>& maps, const RegisterTile& tile, const DataPath& path) {
  const int registers = tile.columns * tile.bits / 32;
  if (path.a_source.where.empty() || tile.bits < 8 || tile.bits > 32 || tile.columns * tile.bits % 32 != 0 ||
      registers > tile.registers)
    return;
  const Container container{tile.bits, 0, tile.bits};
  for (const auto& ctas : cta_choices(path, tile.threads)) {
    RegisterMap map;
    for (const int cta : ctas)
      for (int lane = 0; lane < tmem_lanes; ++lane) {
        const auto element = operand_a_element(path, container, cta, lane, 0, 0, 0);
        map.thread_at.push_back(element ? std::optional(Coordinate{element->row, 0}) : std::nullopt);
      }
    for (int k = 0; k < tile.columns; ++k) map.value_at.push_back({0, k});
    map.slot_bits = tile.bits;
    map.slides = true;
    map.copies = 1;
    map.layout = operand_a_layout(path, container, tile.columns);
    map.layout_says =
        fmt::format("(row of the CTA, k) -> element of {} bits, {} in a column", tile.bits, 32 / tile.bits);
    map.names.push_back({"tcgen05.ld.32x32b", "a",
                         fmt::format("swz tmem a {} --dtype {}", path_words(path), type_of_a(tile)),
                         fmt::format("A of M {}, cta_group::{}{}, data path {}{}", path.m, path.cta_group,
                                     path.ws == WarpSpecialized::yes ? ", .ws" : "", path.name, cta_text(path, ctas))});
    maps.push_back(std::move(map));
  }
}

}  // namespace

std::vector<RegisterMap> tensor_memory_maps(const RegisterTile& tile) {
  std::vector<RegisterMap> maps;
  for (const DataPath& path : data_paths()) {
    if (path.m != tile.rows) continue;
    append_accumulators(maps, tile, path);
    append_operand_a(maps, tile, path);
  }
  return merged(std::move(maps));
}

}  // namespace swz
