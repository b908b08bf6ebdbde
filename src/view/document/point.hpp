// SPDX-License-Identifier: Apache-2.0
// Point: one element, and all that is known of its place. It is the answer to --at, and what a cell of a picture shows
// when the pointer is on it, so that both agree.
//
//   bf16 128x64 K-major, mode 128B, element (37, 20)
//     row 37, k 20, offset 2428     byte 0x12f8 = 4856, line 37, bank 30     chunk 298
//   the cell of its chunk has ranges of rows or k and of banks; the other numbers are those of its first element
//     row 37, k 16-23, offset 2424  byte 0x12f0 = 4848, line 37, banks 28-31  chunk 298
//
// Invariant (tested): the tip of a cell shows what --at answers for its first element.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "base/limits.hpp"
#include "base/units.hpp"
#include "layout/layout.hpp"
#include "view/document/document.hpp"

namespace swz {

struct Point {
  // "row" 37; for a cell "k" 16-23.
  struct Axis {
    std::string_view name;
    std::int64_t first = 0, count = 1;
  };
  // The bits in shared memory: the first and how many.
  struct Memory {
    Bits first, size;
    bool has_range = false;  // as "bits": "7:4", for elements of 4 and 6 bits
  };
  // The bits of a register that a value fills.
  struct Slot {
    std::int64_t thread = 0, value = 0, index = 0, first_bit = 0, bits = 0;
  };

  std::string of = {};                      // which of several: "mode 128B", operand "a"
  std::vector<Axis> at = {};                // for a layout: its coordinate and index instead
  std::optional<IntTuple> coordinate = {};  // nested as the shape is
  std::optional<std::int64_t> index = {};   // colexicographic
  std::vector<std::int64_t> element = {};   // of the tensor, dimension 0 first
  std::optional<std::int64_t> filled = {};  // how many elements are outside of the tensor, so that a copy fills them
  std::optional<std::int64_t> offset = {};  // in elements
  std::optional<Memory> memory = {};        // gives byte, bit, line and bank
  std::optional<Bytes> slot_byte = {};      // for an element with gaps: of the 8-bit slot that layouts count
  std::optional<Bytes> gap = {};            // bytes after the elements of a chunk that contain none
  std::optional<std::int64_t> chunk = {};   // its number in the order of global memory
  std::optional<Slot> slot = {};            // gives thread, value and register
  std::optional<Axis> k = {};               // of an element of a sparse A: one of these k is kept
  std::optional<Slot> scale = {};           // the scale factor of an element of A or B
  std::optional<std::int64_t> d_row = {}, d_column = {};  // the element of the accumulator that it is
  std::optional<std::int64_t> address_lane = {};          // which lane supplies the address of the row
  std::optional<std::int64_t> reads = {};                 // how often an MMA reads these bytes, if more than once
  std::optional<Bytes> lies_at = {};                      // where the element was stored, if that is another byte
};

// The lines of a tooltip.
std::string tip_of(const Point& point);
// {"at": [37, 20], "offset": 2372, …}; numbers that the element does not have are left out.
Json to_json(const Point& point);

// What is asked for. It has not been compared with what exists.
struct PointQuery {
  std::vector<IntTuple> coordinates = {};
  std::vector<Bytes> bytes = {};
  struct Register {
    std::int64_t thread = 0;
    std::optional<std::int64_t> index = {};  // none: all of the thread's
  };
  std::vector<Register> registers = {};
  bool empty() const { return coordinates.empty() && bytes.empty() && registers.empty(); }
};

// The legend of marked cells in a picture: "at (37,20)", "byte 0x480", for several "highlighted".
std::string legend_of(const PointQuery& query);

// The answer to a query: the points, one as lines and several as a table, and its notes. The picture shows everything,
// while text has only the points; without a function there is no picture. JSON: points, notes, lints.
Document view_points(Document d, const std::vector<Point>& points, const Drawing& picture,
                     const std::vector<Finding>& findings);

// One number for each axis, whose `first` is the lowest and `count` how many there are. Throws Error for another
// rank, and for an element that does not exist.
std::vector<std::int64_t> require_coordinate(const IntTuple& asked, const std::vector<Point::Axis>& axes);

// The elements that a query names, in the numbering of the answer, and notes on bytes that contain nothing or too much
// to list.
template <class Element>
struct Asked {
  std::vector<Element> elements;
  std::vector<Finding> notes;
};

// Those of elements 0 to count-1 that are in a byte; each has `element_bits` bits from `bit_of` on, and all are from
// `begin` to before `end`. At most limits::points of them.
template <class BitOf>
Asked<std::int64_t> elements_in(Bytes byte, std::int64_t count, int element_bits, Bytes begin, Bytes end,
                                BitOf bit_of) {
  Asked<std::int64_t> asked;
  for (std::int64_t i = 0; i < count && std::ssize(asked.elements) < limits::points.most; ++i) {
    const std::int64_t bit = bit_of(i);
    if (bit < (byte.count + 1) * 8 && bit + element_bits > byte.count * 8) asked.elements.push_back(i);
  }
  if (asked.elements.empty())
    asked.notes.push_back(note("no-element", fmt::format("no element lies at byte {0:#x} = {0}", byte.count),
                               fmt::format("the elements lie from {:#x} to {:#x}", begin.count, end.count - 1)));
  if (std::ssize(asked.elements) == limits::points.most)
    asked.notes.push_back(note(
        "more-elements", fmt::format("at most {} elements of byte {:#x} are listed", limits::points.most, byte.count)));
  return asked;
}

}  // namespace swz
