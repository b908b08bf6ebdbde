// SPDX-License-Identifier: Apache-2.0
// The formulas of these fragments; PTX has only figures of them.
#include <doctest/doctest.h>

#include <string>

#include "all_fragments.hpp"
#include "formula.hpp"

namespace swz {
namespace {

TEST_CASE("wgmma D, for every N and type, and A in registers") {
  for (const FragmentRequest& request : all_mma_requests()) {
    if (!request.name.starts_with("wgmma")) continue;
    CAPTURE(request.name);
    CAPTURE(request.dtype);
    const Fragment f = find_fragment(request);
    Formula formula = nullptr;
    if (request.operand == Operand::d)
      formula = [](At x) {
        return Coordinate{16 * x.warp + x.g + 8 * ((x.i >> 1) & 1), 8 * (x.i >> 2) + 2 * x.t + (x.i & 1)};
      };
    else if (f.bits == 16)
      formula = [](At x) {
        return Coordinate{16 * x.warp + x.g + 8 * ((x.i >> 1) & 1), 2 * x.t + (x.i & 1) + 8 * (x.i >> 2)};
      };
    else if (f.bits == 32)
      formula = [](At x) { return Coordinate{16 * x.warp + x.g + 8 * (x.i & 1), x.t + 4 * (x.i >> 1)}; };
    else if (f.bits == 8)
      formula = [](At x) {
        return Coordinate{16 * x.warp + x.g + 8 * ((x.i >> 2) & 1), 4 * x.t + (x.i & 3) + 16 * (x.i >> 3)};
      };
    else
      formula = [](At x) {
        return Coordinate{16 * x.warp + x.g + 8 * ((x.i >> 5) & 1), 32 * x.t + (x.i & 31) + 128 * (x.i >> 6)};
      };
    CHECK(differences(f, formula) == 0);
  }
}

TEST_CASE("ldmatrix, stmatrix and movmatrix: matrix j begins at memory row 8j, of m16n16 at 16j") {
  for (const FragmentRequest& request : all_matrix_requests()) {
    const std::string& name = request.name;
    CAPTURE(name);
    const Fragment f = find_fragment(request);
    const bool is_transposed = name.find("trans") != std::string::npos && request.operand != Operand::a;
    Formula formula = [](At x) { return Coordinate{8 * (x.i / 2) + x.g, 2 * x.t + x.i % 2}; };
    if (is_transposed) formula = [](At x) { return Coordinate{8 * (x.i / 2) + 2 * x.t + x.i % 2, x.g}; };
    if (name.find("m16n16") != std::string::npos)
      // register r = (i / 4) % 2 of matrix i / 8, byte b = i % 4
      formula = [](At x) { return Coordinate{16 * (x.i / 8) + 4 * x.t + x.i % 4, x.g + 8 * (x.i / 4 % 2)}; };
    if (name.find("m8n16") != std::string::npos)
      formula = [](At x) { return Coordinate{8 * (x.i / 4) + x.g, 4 * x.t + x.i % 4}; };
    if (name.find("m16n8.") != std::string::npos)
      formula = [](At x) {
        const int byte = x.i % 4;
        return Coordinate{8 * (x.i / 4) + 2 * x.t + (byte & 1), x.g + 8 * (byte >> 1)};
      };
    CHECK(differences(f, formula) == 0);
  }
}

// A of m16n8k16 is an x4 of the blocks (rows 0-7, k 0-7), (8-15, 0-7), (0-7, 8-15), (8-15,
// 8-15).
TEST_CASE("ldmatrix.x4 brings the A of m16n8k16, x2 its B from N x K, x2.trans its B from K x N") {
  const Fragment a = find_fragment({"mma.m16n8k16", "f16", Operand::a, ""});
  const Fragment b = find_fragment({"mma.m16n8k16", "f16", Operand::b, ""});
  const Fragment x4 = find_fragment({"ldmatrix.x4", "", std::nullopt, ""});
  const Fragment x2 = find_fragment({"ldmatrix.x2", "", std::nullopt, ""});
  const Fragment x2_trans = find_fragment({"ldmatrix.x2.trans", "", std::nullopt, ""});
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 8; ++i) {
      const Coordinate from = x4.at(lane, i);
      const int block = from.row / 8;
      CHECK(a.at(lane, i) == Coordinate{from.row % 8 + 8 * (block % 2), from.column + 8 * (block / 2)});
    }
    for (int i = 0; i < 4; ++i) {
      const Coordinate n_k = x2.at(lane, i);  // matrix j: n 0-7, k 8j..8j+7
      CHECK(b.at(lane, i) == Coordinate{n_k.column + 8 * (n_k.row / 8), n_k.row % 8});
      CHECK(b.at(lane, i) == x2_trans.at(lane, i));  // matrix j: k 8j..8j+7, n 0-7: the memory row is k
    }
  }
}

}  // namespace
}  // namespace swz
