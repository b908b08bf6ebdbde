// SPDX-License-Identifier: Apache-2.0
// Bases: both directions, registers, CTAs, what is refused.
#include <doctest/doctest.h>

#include "dialect/dialect.hpp"

using namespace swz;

namespace {

SharedForm bases_form(const char* text) { return std::get<SharedForm>(read_layout(text, {}).form); }

std::string bases_refusal(const char* text, const ArrayShape& shape = {}) {
  try {
    (void)read_layout(text, {shape, nullptr}, &require_dialect("bases"));
    return "read";
  } catch (const Error& e) {
    return e.message();
  }
}

}  // namespace

TEST_CASE("columns: the offset of each bit") {
  const SharedForm form = bases_form("{row = [4, 9], col = [1, 2]}");
  CHECK(form.shape == ArrayShape{4, 4});
  const std::vector<std::int64_t> offsets = offsets_of(form);
  for (std::int64_t r = 0; r < 4; ++r)
    for (std::int64_t c = 0; c < 4; ++c)
      CHECK(offsets[static_cast<std::size_t>(4 * r + c)] == ((r & 1 ? 4 : 0) ^ (r & 2 ? 9 : 0) ^ c));
}

TEST_CASE("columns by number are columns by name, and both together are refused") {
  CHECK(offsets_of(bases_form("{dim0 = [4, 9], dim1 = [1, 2]}")) ==
        offsets_of(bases_form("{row = [4, 9], col = [1, 2]}")));
  CHECK(bases_form("{dim0 = [1, 2]}").shape == ArrayShape{4});
  CHECK(bases_refusal("{dim0 = [1], dim2 = [2]}") == "the bits of dim1 are not said");
  CHECK(bases_refusal("{row = [1], dim1 = [2]}") == "names of dimensions of two kinds");
}

TEST_CASE("offset: the coordinate of each bit of the offset is solved for") {
  // K_SW128 of 8x64 16-bit elements: rows 1, 2, 4 are XORed onto the 16-byte columns.
  const SharedForm form =
      bases_form("{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]}");
  const std::vector<std::int64_t> offsets = offsets_of(form);
  for (std::int64_t r = 0; r < 8; ++r)
    for (std::int64_t c = 0; c < 64; ++c)
      CHECK(offsets[static_cast<std::size_t>(64 * r + c)] == r * 64 + ((c / 8 ^ r) * 8 + c % 8));
  CHECK(bases_refusal("{offset = [[0, 1], [1, 0], [1, 1]]}") == "3 bases of 2x2, 2 bits: not a bijection");
  CHECK(bases_refusal("{offset = [[0, 1], [1]]}") == "the bases have different numbers of coordinates");
  CHECK(bases_refusal("{offset = [[0, 1]], lane = [[1, 0]]}").starts_with("bases are offset and block"));
  CHECK(bases_refusal("{row = [4], rows = [1]}").starts_with("bases are offset and block"));
}

TEST_CASE("the CTA of each element") {
  const SharedForm form = bases_form("{offset = [[0, 1], [1, 0]], block = [[2, 0]]}");
  CHECK(offsets_of(form) == std::vector<std::int64_t>{0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(form.block == LinearMap({0, 0, 1}));
}

TEST_CASE("registers: the accumulator of mma.m16n8k16") {
  const char* text = "{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []}";
  const auto form = std::get<RegisterForm>(read_layout(text, {}).form);
  CHECK(form.shape == ArrayShape{16, 8});
  CHECK(to_string(form.layout) == "((4,8),(2,2)):((32,1),(16,8))");
  CHECK(require_dialect("bases").write(form).text == text);
  CHECK(bases_refusal("{register = [[0, 1], [0, 1]], lane = []}").find("that another one moves") != std::string::npos);
  CHECK(bases_refusal("{register = [], lane = [[0, 1], [0, 2]], warp = [[0, 4]]}") == "2 bases of the lane");
}
