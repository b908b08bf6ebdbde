// SPDX-License-Identifier: Apache-2.0
// The formulas of A, B, C and D of mma as the PTX ISA 9.1, 9.7.14.5, writes them, with two misprints corrected.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "all_fragments.hpp"
#include "formula.hpp"

namespace swz {
namespace {

struct Row {
  const char* name;
  std::vector<const char*> dtypes;
  Operand operand;
  Formula formula;
  const char* accumulator = "";
};

Coordinate c_of_m16n8(At x) { return {x.i < 2 ? x.g : x.g + 8, x.t * 2 + (x.i & 1)}; }
Coordinate c_of_m8n8(At x) { return {x.g, x.t * 2 + x.i}; }

const std::vector<Row>& rows() {
  using enum Operand;
  static const std::vector<Row> all = {
      {"mma.m16n8k8",
       {"f16", "bf16"},
       a,
       [](At x) {
         return Coordinate{x.i < 2 ? x.g : x.g + 8, x.t * 2 + (x.i & 1)};
       }},
      {"mma.m16n8k8",
       {"f16", "bf16"},
       b,
       [](At x) {
         return Coordinate{x.t * 2 + x.i, x.g};
       }},
      {"mma.m16n8k16",
       {"f16", "bf16"},
       a,
       [](At x) {
         const bool upper = x.i == 0 || x.i == 1 || x.i == 4 || x.i == 5;
         return Coordinate{upper ? x.g : x.g + 8, x.i < 4 ? x.t * 2 + (x.i & 1) : x.t * 2 + (x.i & 1) + 8};
       }},
      {"mma.m16n8k16",
       {"f16", "bf16"},
       b,
       [](At x) {
         return Coordinate{x.i < 2 ? x.t * 2 + (x.i & 1) : x.t * 2 + (x.i & 1) + 8, x.g};
       }},
      {"mma.m16n8k4",
       {"tf32", "f64"},
       a,
       [](At x) {
         return Coordinate{x.i == 0 ? x.g : x.g + 8, x.t};
       }},
      {"mma.m16n8k4",
       {"tf32", "f64"},
       b,
       [](At x) {
         return Coordinate{x.t, x.g};
       }},
      {"mma.m16n8k8",
       {"tf32", "f64"},
       a,
       [](At x) {
         return Coordinate{x.i == 0 || x.i == 2 ? x.g : x.g + 8, x.i < 2 ? x.t : x.t + 4};
       }},
      {"mma.m16n8k8",
       {"tf32", "f64"},
       b,
       [](At x) {
         return Coordinate{x.i == 0 ? x.t : x.t + 4, x.g};
       }},
      {"mma.m16n8k16",
       {"f64"},
       a,
       [](At x) {
         return x.i % 2 == 0 ? Coordinate{x.g, 2 * x.i + x.t} : Coordinate{x.g + 8, 2 * x.i - 2 + x.t};
       }},
      {"mma.m16n8k16",
       {"f64"},
       b,
       [](At x) {
         return Coordinate{x.t + x.i * 4, x.g};
       }},
      {"mma.m8n8k4",
       {"f64"},
       a,
       [](At x) {
         return Coordinate{x.g, x.t};
       }},
      {"mma.m8n8k4",
       {"f64"},
       b,
       [](At x) {
         return Coordinate{x.t, x.g};
       }},
      {"mma.m16n8k16",
       {"s8", "u8", "e4m3", "e5m2"},
       a,
       [](At x) {
         return Coordinate{x.i < 4 ? x.g : x.g + 8, x.t * 4 + (x.i & 3)};
       }},
      {"mma.m16n8k16",
       {"s8", "u8", "e4m3", "e5m2"},
       b,
       [](At x) {
         return Coordinate{x.t * 4 + x.i, x.g};
       }},
      {"mma.m16n8k32",
       {"s8", "u8", "e4m3", "e5m2", "e2m3", "e3m2", "e2m1"},
       a,
       [](At x) {
         const bool upper = x.i < 4 || (8 <= x.i && x.i < 12);
         return Coordinate{upper ? x.g : x.g + 8, x.i < 8 ? x.t * 4 + (x.i & 3) : x.t * 4 + (x.i & 3) + 16};
       }},
      {"mma.m16n8k32",
       {"s8", "u8", "e4m3", "e5m2", "e2m3", "e3m2", "e2m1"},
       b,
       [](At x) {
         return Coordinate{x.i < 4 ? x.t * 4 + (x.i & 3) : x.t * 4 + (x.i & 3) + 16, x.g};
       }},
      {"mma.m16n8k32",
       {"s4", "u4"},
       a,
       [](At x) {
         return Coordinate{x.i < 8 ? x.g : x.g + 8, x.t * 8 + (x.i & 7)};
       }},
      {"mma.m16n8k32",
       {"s4", "u4"},
       b,
       [](At x) {
         return Coordinate{x.t * 8 + x.i, x.g};
       }},
      {"mma.m16n8k64",
       {"s4", "u4", "e2m1"},
       a,
       [](At x) {
         const bool upper = x.i < 8 || (16 <= x.i && x.i < 24);
         return Coordinate{upper ? x.g : x.g + 8, x.i < 16 ? x.t * 8 + (x.i & 7) : x.t * 8 + (x.i & 7) + 32};
       }},
      {"mma.m16n8k64",
       {"s4", "u4", "e2m1"},
       b,
       [](At x) {
         return Coordinate{x.i < 8 ? x.t * 8 + (x.i & 7) : x.t * 8 + (x.i & 7) + 32, x.g};
       }},
      {"mma.m16n8k128",
       {"b1"},
       a,
       [](At x) {
         return Coordinate{x.i < 32 ? x.g : x.g + 8, x.t * 32 + (x.i & 31)};
       }},
      {"mma.m16n8k128",
       {"b1"},
       b,
       [](At x) {
         return Coordinate{x.t * 32 + x.i, x.g};
       }},
      {"mma.m16n8k256",
       {"b1"},
       a,
       [](At x) {
         const bool upper = x.i < 32 || (64 <= x.i && x.i < 96);
         return Coordinate{upper ? x.g : x.g + 8, x.i < 64 ? x.t * 32 + (x.i & 31) : x.t * 32 + (x.i & 31) + 128};
       }},
      {"mma.m16n8k256",
       {"b1"},
       b,
       [](At x) {
         return Coordinate{x.i < 32 ? x.t * 32 + (x.i & 31) : x.t * 32 + (x.i & 31) + 128, x.g};
       }},
      {"mma.m8n8k16",
       {"s8", "u8"},
       a,
       [](At x) {
         return Coordinate{x.g, x.t * 4 + x.i};
       }},
      {"mma.m8n8k16",
       {"s8", "u8"},
       b,
       [](At x) {
         return Coordinate{x.t * 4 + x.i, x.g};
       }},
      {"mma.m8n8k32",
       {"s4", "u4"},
       a,
       [](At x) {
         return Coordinate{x.g, x.t * 8 + x.i};
       }},
      {"mma.m8n8k32",
       {"s4", "u4"},
       b,
       [](At x) {
         return Coordinate{x.t * 8 + x.i, x.g};
       }},
      {"mma.m8n8k128",
       {"b1"},
       a,
       [](At x) {
         return Coordinate{x.g, x.t * 32 + x.i};
       }},
      {"mma.m8n8k128",
       {"b1"},
       b,
       [](At x) {
         return Coordinate{x.t * 32 + x.i, x.g};
       }},
      // Volta
      {"mma.m8n8k4",
       {"f16"},
       a,
       [](At x) {
         return Coordinate{x.lane < 16 ? x.lane % 4 : x.lane % 4 + 4, x.i};
       }},
      {"mma.m8n8k4.col.col",
       {"f16"},
       a,
       [](At x) {
         return Coordinate{x.lane < 16 ? x.i % 4 : x.i % 4 + 4, x.lane % 4};
       }},
      {"mma.m8n8k4.row.row",
       {"f16"},
       b,
       [](At x) {
         return Coordinate{x.lane % 4, x.lane < 16 ? x.i : x.i + 4};
       }},
      {"mma.m8n8k4",
       {"f16"},
       b,
       [](At x) {
         return Coordinate{x.i, x.lane < 16 ? x.lane % 4 : x.lane % 4 + 4};
       }},
      {"mma.m8n8k4",
       {"f16"},
       d,
       [](At x) {
         return Coordinate{x.lane < 16 ? x.lane % 4 : x.lane % 4 + 4, x.i};
       },
       "f16"},
      {"mma.m8n8k4",
       {"f16"},
       d,
       [](At x) {
         const int row = (x.lane & 1) + (x.i & 2);
         return Coordinate{x.lane < 16 ? row : row + 4, (x.i & 4) + (x.lane & 2) + (x.i & 1)};
       },
       "f32"},
  };
  return all;
}

TEST_CASE("A and B of every mma shape and type; no shape is left out") {
  std::set<std::string> compared;
  for (const Row& row : rows()) {
    for (const char* dtype : row.dtypes) {
      CAPTURE(row.name);
      CAPTURE(dtype);
      const Fragment f = find_fragment({row.name, dtype, row.operand, row.accumulator});
      CHECK(differences(f, row.formula) == 0);
      compared.insert(f.name + " " + dtype + " " + std::string(to_string(row.operand)));
    }
  }
  for (const FragmentRequest& request : all_mma_requests()) {
    if (request.name.starts_with("wgmma") || request.operand == Operand::c || request.operand == Operand::d) continue;
    CHECK(compared.contains(request.name + " " + request.dtype + " " + std::string(to_string(*request.operand))));
  }
}

TEST_CASE("C and D of mma: one formula for m16n8, one for m8n8") {
  int compared = 0;
  for (const FragmentRequest& request : all_mma_requests()) {
    const bool is_accumulator = request.operand == Operand::c || request.operand == Operand::d;
    const bool is_volta = request.name == "mma.m8n8k4" && request.dtype == "f16";
    if (!is_accumulator || is_volta || request.name.starts_with("wgmma")) continue;
    CAPTURE(request.name);
    CAPTURE(request.dtype);
    CHECK(differences(find_fragment(request), request.name.starts_with("mma.m16") ? c_of_m16n8 : c_of_m8n8) == 0);
    ++compared;
  }
  CHECK(compared == 84);
}

}  // namespace
}  // namespace swz
