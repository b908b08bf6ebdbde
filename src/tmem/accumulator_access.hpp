// SPDX-License-Identifier: Apache-2.0
// AccumulatorAccess: the elements of D that one tcgen05.ld or st of a warp moves.
//
//   AccumulatorAccess access{Accumulator(require_data_path({.m = 64}), 256), {.warp = 1, .column = 64}};
//   data path F: the window begins at lane 32 * 1, column 64
//   access.element({11, 19})    lane 43 is row 16 * 1 + 11 = 27, column 64 + 19 = 83
//   access.element({16, 0})     nothing: D takes lanes 0-15 of each quarter
//
// A window has the lanes and columns of the fragment of ld or st (fragment/tmem_access.hpp).
//
// Invariant (tested for every shape, M, warp and register): element is Accumulator::element of the cell.
// Source: those of the two headers.
#pragma once

#include <optional>

#include "fragment/tmem_access.hpp"
#include "tmem/accumulator.hpp"

namespace swz {

// Where an access begins, relative to the address of D.
struct AccessPlace {
  int cta = 0;
  int warp = 0;  // of the warpgroup: lanes from 32 * warp on
  int lane = 0;  // in the quarter of the warp: 0, or 16 for the upper half of a shape of 16 lanes
  int column = 0;
  bool operator==(const AccessPlace&) const = default;
};

class AccumulatorAccess {
 public:
  // Throws Error if D has no such CTA, column or lane.
  AccumulatorAccess(const Accumulator& d, const AccessPlace& place);

  const Accumulator& accumulator() const { return d_; }
  const AccessPlace& place() const { return place_; }
  TmemCell first_cell() const { return {place_.cta, tmem_quarter * place_.warp + place_.lane, place_.column}; }
  // The element of D in a cell, given by lane and column of the window; nothing if the cell has no element of D.
  std::optional<Coordinate> element(Coordinate at) const;
  // Throws Error if the window leaves the quarter of the warp, or the tensor memory.
  void require_window(const Fragment& window) const;

 private:
  Accumulator d_;
  AccessPlace place_;
};

}  // namespace swz
