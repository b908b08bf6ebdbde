// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "all_fragments.hpp"
#include "layout/algebra.hpp"

namespace swz {
namespace {

std::string tv(const FragmentRequest& request) { return to_string(tv_layout(find_fragment(request))); }

// As in CuTe's MMA_Traits (mma_traits_sm70.hpp, sm80.hpp, sm90_gmma.hpp): the index is row + column * rows, for B
// n + k * N.
TEST_CASE("the TV layouts of CuTe's atoms, as CuTe writes them") {
  using enum Operand;
  struct Row {
    FragmentRequest request;
    const char* layout;
  };
  const Row rows[] = {
      {{"mma.m16n8k16", "f16", d, "f32"}, "((4,8),(2,2)):((32,1),(16,8))"},  // SM80_16x8_Row
      {{"mma.m16n8k16", "f16", c, "f16"}, "((4,8),(2,2)):((32,1),(16,8))"},
      {{"mma.m8n8k4", "f64", d, ""}, "((4,8),2):((16,1),8)"},  // SM80_8x8_Row
      {{"mma.m16n8k8", "f16", a, ""}, "((4,8),(2,2)):((32,1),(16,8))"},
      {{"mma.m16n8k8", "f16", b, ""}, "((4,8),2):((16,1),8)"},
      {{"mma.m16n8k16", "bf16", a, ""}, "((4,8),(2,2,2)):((32,1),(16,8,128))"},
      {{"mma.m16n8k16", "bf16", b, ""}, "((4,8),(2,2)):((16,1),(8,64))"},
      {{"mma.m16n8k4", "tf32", a, ""}, "((4,8),2):((16,1),8)"},
      {{"mma.m16n8k8", "tf32", a, ""}, "((4,8),(2,2)):((16,1),(8,64))"},
      {{"mma.m16n8k8", "tf32", b, ""}, "((4,8),2):((8,1),32)"},
      {{"mma.m16n8k16", "s8", a, ""}, "((4,8),(4,2)):((64,1),(16,8))"},
      {{"mma.m16n8k16", "s8", b, ""}, "((4,8),4):((32,1),8)"},
      {{"mma.m16n8k32", "e4m3", a, ""}, "((4,8),(4,2,2)):((64,1),(16,8,256))"},
      {{"mma.m16n8k32", "e4m3", b, ""}, "((4,8),(4,2)):((32,1),(8,128))"},
      {{"mma.m16n8k64", "s4", a, ""}, "((4,8),(8,2,2)):((128,1),(16,8,512))"},
      {{"mma.m16n8k64", "s4", b, ""}, "((4,8),(8,2)):((64,1),(8,256))"},
      {{"mma.m16n8k256", "b1", a, ""}, "((4,8),(32,2,2)):((512,1),(16,8,2048))"},
      {{"mma.m16n8k256", "b1", b, ""}, "((4,8),(32,2)):((256,1),(8,1024))"},
      {{"wgmma.m64n64k16", "", d, ""}, "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))"},  // CLayout_64xN, N/8 = 8
      {{"wgmma.m64n256k16", "bf16", d, ""}, "((4,8,4),(2,2,32)):((128,1,16),(64,8,512))"},
      {{"wgmma.m64n24k32", "s8", d, ""}, "((4,8,4),(2,2,3)):((128,1,16),(64,8,512))"},
      {{"wgmma.m64n8k8", "tf32", d, ""}, "((4,8,4),(2,2)):((128,1,16),(64,8))"},  // CuTe leaves an extent of 1
      {{"wgmma.m64n64k8", "tf32", a, ""}, "((4,8,4),(2,2)):((64,1,16),(8,256))"},
      {{"wgmma.m64n64k16", "f16", a, ""}, "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))"},
      {{"wgmma.m64n64k32", "e5m2", a, ""}, "((4,8,4),(4,2,2)):((256,1,16),(64,8,1024))"},
      // CuTe's thread ids of Volta leave out the four MMAs, (4,2):(1,16); here they are the extent of stride 0.
      {{"mma.m8n8k4", "f16", a, ""}, "((4,4,2),4):((1,0,4),8)"},
      {{"mma.m8n8k4.col.col", "f16", a, ""}, "((4,4,2),4):((8,0,4),1)"},
      {{"mma.m8n8k4", "f16", d, "f32"}, "((2,2,4,2),(2,2,2)):((1,16,0,4),(8,2,32))"},
      {{"ldmatrix.x1", "", std::nullopt, ""}, "((4,8),2):((16,1),8)"},
      {{"ldmatrix.x4", "", std::nullopt, ""}, "((4,8),(2,4)):((64,1),(32,8))"},
      {{"ldmatrix.x4.trans", "", std::nullopt, ""}, "((4,8),(2,4)):((2,32),(1,8))"},
      {{"movmatrix.trans", "", a, ""}, "((4,8),2):((16,1),8)"},
      {{"movmatrix.trans", "", d, ""}, "((4,8),2):((2,8),1)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.request.name);
    CAPTURE(row.request.dtype);
    CHECK(tv(row.request) == row.layout);
  }
}

// 16 = 2 * 8: row 0, column 1 of D, which thread 0 holds as value 1, so 0 + 1 * 32.
TEST_CASE("the inverse in CuTe's notation") {
  const Fragment d = find_fragment({"mma.m16n8k16", "f16", Operand::d, ""});
  const Layout inverse = inverse_layout(d);
  CHECK(coalesce(inverse) == right_inverse(tv_layout(d)));
  CHECK(to_string(inverse) == "((8,2),(2,4)):((4,64),(32,1))");
  CHECK(inverse(16) == 32);
  CHECK(FragmentInverse(d)({9, 3}) == Holder{5, 3});
  // The inverse TV layout of A of m16n8k8.
  CHECK(to_string(inverse_layout(find_fragment({"mma.m16n8k8", "bf16", Operand::a, ""}))) ==
        "((8,2),(2,4)):((4,64),(32,1))");
  // B is N x K: n 0-7 steps over 4 threads, k over the 2 values of a thread, then over its 4 neighbours
  CHECK(to_string(inverse_layout(find_fragment({"mma.m16n8k8", "bf16", Operand::b, ""}))) == "(8,(2,4)):(4,(32,1))");
}

TEST_CASE("the example of fragment.hpp") {
  const Fragment d = find_fragment({"mma.m16n8k16", "f16", Operand::d, ""});
  CHECK(d.at(5, 3) == Coordinate{9, 3});
  CHECK(tv_layout(d)(5 + 3 * 32) == 57);
  const Fragment a = find_fragment({"mma.m16n8k32", "s8", Operand::a, ""});
  CHECK(a.at(6, 13) == Coordinate{9, 25});
}

// ldmatrix and stmatrix: lane r of the instruction supplies the address of memory row r:
// 8 lanes for a matrix of 8 rows, 16 for m16n16.
TEST_CASE("memory rows are counted by the lanes that supply their addresses") {
  const auto rows = [](const char* name) { return find_fragment({name, "", std::nullopt, ""}).rows; };
  CHECK(rows("ldmatrix.x1") == 8);
  CHECK(rows("ldmatrix.x2.trans") == 16);
  CHECK(rows("ldmatrix.x4") == 32);
  CHECK(rows("ldmatrix.m16n16.x2.trans") == 32);
  CHECK(rows("stmatrix.m16n8.x4.trans") == 32);
  for (const FragmentRequest& request : all_matrix_requests()) {
    const Fragment f = find_fragment(request);
    const bool is_padded = f.dtype.find('_') != std::string::npos;  // 12 or 8 of the 16 bytes hold elements
    if (!is_padded) CHECK(f.columns * f.bits == 16 * 8);
    else CHECK(f.columns == 16);
  }
}

}  // namespace
}  // namespace swz
