// SPDX-License-Identifier: Apache-2.0
// Tensor memory and scale factors by name: worked examples, algebra with them, whole errors.
#include <doctest/doctest.h>

#include <string>

#include "arch/tensor_memory.hpp"
#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "fragment/tmem_access.hpp"
#include "tmem/accumulator.hpp"

using namespace swz;

namespace {

std::string value(std::string_view text) { return to_string(evaluate(text).value); }
std::int64_t number(std::string_view text) { return as_int(evaluate(text).value); }

std::string error(std::string_view text) {
  try {
    evaluate(text);
  } catch (const Error& e) {
    return e.message() + "\n" + e.hint + "\n" + std::string(text.substr(e.span.begin, e.span.end - e.span.begin));
  }
  return {};
}

}  // namespace

TEST_CASE("places by name: worked examples") {
  CHECK(number("tmem_d(128,256,2)(36,200)") == tmem_address(100, 72));  // row 100 of the MMA
  CHECK(number("tmem_d(64,128)(37,5)") == tmem_address(69, 5));
  CHECK(number("tmem_d(256,64,2)(72,63)") == tmem_address(72, 63));
  CHECK(number("tmem_d_ws(32,64)(7,40)") == tmem_address(71, 8));
  CHECK(number("tmem_d_ws(64,256)(63,128)") == tmem_address(127, 0));
  CHECK(number("tmem_a(128,64,16)(40,11)") == tmem_address(40, 5) * 2 + 1);
  CHECK(number("tmem_a(128,64,16,2)(6,0,1)") == tmem_address(70, 0) * 2);
  CHECK(number("tcgen05.ld.16x256b.x4(13,11)") == tmem_address(11, 19));
  CHECK(number("tcgen05.ld.16x64b.x8(6,5)") == tmem_address(1, 11));
  CHECK(number("tcgen05.ld.32x32b.x8.pack::16b(5,6)") == tmem_address(5, 6));
  CHECK(number("tcgen05.st.16x128b.x1.unpack::16b(9,3)") == tmem_address(10, 3));
  CHECK(number("tcgen05.ld.16x32bx2.x4(20,1)") == tmem_address(4, 5));
  CHECK(number("tcgen05.cp.64x128b.warpx2::01_23(40,3,0)") == tmem_address(72, 3));
  CHECK(number("tcgen05.cp.64x128b.warpx2::01_23(40,3,1)") == tmem_address(104, 3));
  CHECK(number("sf_gmem(128,8)(5,2)") == 82);
  CHECK(number("sf_gmem(128,8)(5,5)") == 593);
  CHECK(number("sf_gmem(256,64)(200,62)") == 16010);
  CHECK(number("sf_gmem(256,4)(129,3)") == 531);
  CHECK(number("size(sf_gmem(300,32))") == 12288);
  CHECK(number("sf_gmem_8x4(8,8)(5,5)") == 53);
  CHECK(number("sf_gmem_8x4(256,64)(200,62)") == 13282);
  CHECK(number("sf_tmem(128,4)(72,2,1)") == tmem_address(40, 2) * 4 + 2);
  CHECK(number("sf_tmem(256,8)(200,6,3)") == tmem_address(104, 14) * 4 + 2);
  CHECK(number("sf_tmem_2x2(256,4)(200,1,1)") == tmem_address(104, 2) * 4 + 1);
  // Row 13, the chunk of k 20: the sixth of MMA 2, at bit 20 of column 2.
  CHECK(number("tmem_metadata(16,4)(13,5,2)") == tmem_address(13, 2) * 8 + 5);
  // Row 70, k 36 of MMA 1: column 3, bit 4.
  CHECK(number("tmem_metadata(8,4)(70,9,1)") == tmem_address(70, 3) * 8 + 1);
}

TEST_CASE("names are layouts: composed, inverted, counted in other units") {
  // Which element of D a register holds: row + 128 n.
  const ComposedLayout holds = parse_layout("left_inverse(tmem_d(128,256)) o tcgen05.ld.16x256b.x4");
  const Accumulator d(require_data_path({.m = 128}), 256);
  const Fragment f = tmem_fragment(find_tmem_form("tcgen05.ld.16x256b.x4"));
  int faults = 0;
  for (int thread = 0; thread < 32; ++thread)
    for (int i = 0; i < 16; ++i) {
      const Coordinate at = f.at(thread, i);
      const std::optional<Coordinate> element = d.element({0, at.row, at.column});
      faults += !element || holds(thread + std::int64_t{32} * i) != element->row + std::int64_t{128} * element->column;
    }
  CHECK(faults == 0);
  CHECK(value("tmem_d(128,128)") == value("tmem_d_ws(128,128)"));
  CHECK(value("upcast(tmem_a(128,64,16),2)") == "(128,32):(65536,1)");
  CHECK(value("coalesce(recast(sf_tmem(128,4),8,32))") == value("coalesce(tcgen05.cp.32x128b.warpx4)"));
  CHECK(value("right_inverse(sf_gmem(256,8)) o sf_gmem(256,8)") == "((32,4,2),(4,2)):((1,32,128),(256,1024))");
  CHECK(value("tcgen05.ld.32x32b.x8 o (32,2)") == "(32,2):(65536,1)");
}

TEST_CASE("notes: not measured, said once; open questions with both answers") {
  using Notes = std::vector<std::string>;
  const auto notes = [](std::string_view text) {
    Notes out;
    for (const Finding& n : evaluate(text).notes) out.push_back(n.rule + ": " + n.message);
    return out;
  };
  const std::string measured = "not-measured: tensor memory was not measured: no Blackwell GPU was available";
  CHECK(notes("left_inverse(tmem_d(128,256)) o tcgen05.ld.16x256b.x4") == Notes{measured});
  CHECK(notes("sf_gmem(128,4)").empty());
  CHECK(notes("tmem_a(128,64,16)") == Notes{measured});
  CHECK(notes("tmem_a(64,64,16)") ==
        Notes{measured,
              "open-question: the lanes of A in tensor memory, M 64 without .ws: here 32 * (r / 16) + r % 16, "
              "as D (CUTLASS); or r, lanes 0-63 (TVM)"});
  CHECK(notes("tmem_a_ws(32,64,16)").size() == 2);
  CHECK(notes("tmem_d_sparse(128,64,2)").size() == 2);
  CHECK(notes("tmem_d_sparse(256,64,2)").size() == 1);
}

TEST_CASE("errors of the names") {
  CHECK(error("1:1 o tmem_d(64,128,2)") ==
        "tcgen05.mma has no M 64 with cta_group::2\nM is 128 and 256; nearest: 128; M 64 exists with "
        "cta_group::1 and .ws\ntmem_d(64,128,2)");
  CHECK(error("tmem_d(128,64,3)") == "there is no cta_group::3\nit is 1 or 2\ntmem_d(128,64,3)");
  CHECK(error("tmem_d(128,264)") == "N 264 is more than an MMA has\nat most 256\ntmem_d(128,264)");
  CHECK(error("tmem_d(128,0)") == "N: 0 is not positive\nit is at least 1\ntmem_d(128,0)");
  CHECK(error("tmem_a(128,10,16)") ==
        "K 10 is not a number of MMAs that fits: one takes 16 elements of 16 bits\nK is a multiple of 16, at most "
        "1024\ntmem_a(128,10,16)");
  CHECK(error("tmem_a(128,64,6)") ==
        "tensor memory does not hold A in 6 bits\n32, 16, 8 or 4 bits for an element\ntmem_a(128,64,6)");
  CHECK(error("sf_tmem(257,4)") == "an MMA has no 257 rows of scale factors\nat most 256\nsf_tmem(257,4)");
  CHECK(error("sf_tmem(256,257)") ==
        "260 factors need more than the 512 columns of tensor memory\nat most 256 factors\nsf_tmem(256,257)");
  CHECK(error("tmem_metadata(16,513)") ==
        "the metadata of 513 MMAs needs more than 512 columns\nat most 512\ntmem_metadata(16,513)");
  CHECK(error("tcgen05.cp.32x128b o 8") ==
        "tcgen05.cp of 32x128b needs its multicast\n32x128b.warpx4\ntcgen05.cp.32x128b");
  CHECK(error("tcgen05.ld.16x256b.x64 o 8")
            .starts_with("'tcgen05.ld.16x256b.x64': 16x256b has no .x64\nit has .x1 to .x32, powers of two"));
  CHECK(error("tcgen05").starts_with("'tcgen05' is not a form of tcgen05.ld"));
  CHECK(error("sf_gmem(1048577,4)").find("more than the limit of 1048576") != std::string::npos);
}
