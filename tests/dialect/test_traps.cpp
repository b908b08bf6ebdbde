// SPDX-License-Identifier: Apache-2.0
// Traps of the notations, each reported: the rule in the notes, the reason in the refusals, or the error.
#include <doctest/doctest.h>

#include <algorithm>

#include "dialect/dialect.hpp"
#include "dialect/traps.hpp"

using namespace swz;

namespace {

Translation translated(const char* text, const ArrayShape& shape = {}, const char* dtype = nullptr) {
  return translate(text, {shape, dtype == nullptr ? nullptr : &require_dtype(dtype)});
}

std::string said(const Translation& t, std::string_view rule) {
  const auto at = std::ranges::find(t.notes, rule, &Finding::rule);
  return at == t.notes.end() ? "" : at->message;
}

std::string why_not(const Translation& t, std::string_view dialect) {
  const auto at = std::ranges::find_if(t.forms, [&](const Form& f) { return f.dialect->name == dialect; });
  return at->written.why;
}

}  // namespace

TEST_CASE("two swizzles in a row: CuTe refuses, bases have it") {
  const Translation t = translated("r*64 + (c ^ (r&7)*8 ^ (c>>4&3))", {64, 64}, "bf16");
  CHECK(said(t, "two-swizzles").starts_with("two swizzles in a row"));
  CHECK(why_not(t, "cute").starts_with("two swizzles in a row"));
  CHECK(why_not(t, "bases") == "");
  CHECK(said(translated("r*64 + (c ^ (r&7)*8)", {64, 64}, "bf16"), "two-swizzles") == "");
}

TEST_CASE("padding inside a swizzle") {
  SharedForm form = std::get<SharedForm>(read_layout("Sw<3,3,3> o 0 o (64,64):(64,1)", {}).form);
  form.padding = {{128, 8}};
  Translation t{&require_dialect("cute"), form, {}, {}};
  for (const Dialect& d : dialects()) t.forms.push_back({&d, d.write(form)});
  add_traps(t);
  CHECK(said(t, "padding-in-swizzle").starts_with("padding after an XOR"));
  CHECK(why_not(t, "cute") == "padding after a swizzle: no strides count both");
  CHECK(why_not(t, "tilus") == "padding after a swizzle: no strides count both");
  CHECK(why_not(t, "bases") != "");
  // Padding alone is strides.
  form.map = ComposedLayout(std::get<ComposedLayout>(form.map).layout());
  Translation plain{&require_dialect("cute"), form, {}, {}};
  add_traps(plain);
  CHECK(said(plain, "padding-in-swizzle") == "");
}

TEST_CASE("a rotation is neither strides nor an XOR") {
  const Translation t = translated("r*32 + (c + r) % 32", {32, 32}, "f32");
  CHECK(said(t, "rotation").starts_with("neither strides nor an XOR"));
  // A C expression and a lambda are any function.
  for (const Form& form : t.forms)
    if (form.dialect->name != "c" && form.dialect->name != "tilelang") CHECK(form.written.text == "");
}

TEST_CASE("an extent that is not a power of two") {
  const Translation t = translated("(48,64):(64,1)");
  CHECK(said(t, "power-of-two") ==
        "of 48x64 the extent 48 is not a power of two: Triton, Gluon and bases have powers of two only");
  CHECK(why_not(t, "bases") == "of 48x64 the extent 48 is not a power of two");
  CHECK(said(translated("(64,64):(64,1)"), "power-of-two") == "");
}

TEST_CASE("a base that is not aligned to the period: where addresses are XORed") {
  CHECK(said(translated("st_bf<64, 128>"), "base-alignment").find("1024 bytes") != std::string::npos);
  CHECK(said(translated("st_bf<64, 32>"), "base-alignment").find("512 bytes") != std::string::npos);
  CHECK(said(translated("Sw<2,3,3> o 0 o (64,32):(32,1)", {}, "bf16"), "base-alignment").find("512 bytes") !=
        std::string::npos);
  CHECK(said(translated("(64,64):(64,1)", {}, "bf16"), "base-alignment") == "");
}

TEST_CASE("elements of several CTAs") {
  const Translation t = translated("{offset = [[0, 1], [1, 0]], block = [[2, 0]]}");
  CHECK(said(t, "cta-bases").starts_with("its elements lie in several CTAs"));
  CHECK(why_not(t, "cute").starts_with("its elements lie in several CTAs"));
}

TEST_CASE("a number without its dialect") {
  CHECK_THROWS_WITH(translated("1"), "1 is a number without its dialect");
  CHECK_THROWS_WITH(
      translated("Swizzle(3, 3, 3)", {64, 64}),
      "'Swizzle(3, 3, 3)' is written the same in mojo (elements) and tilus (elements), with other meanings");
}

TEST_CASE("no swizzle of TMA is plain, never core matrices") {
  const Translation t = translated("swizzle = CU_TENSOR_MAP_SWIZZLE_NONE, box = {64, 64}, dtype = bf16");
  CHECK(said(t, "nvmma-zero-is-plain").starts_with("SWIZZLE_NONE leaves the box row by row"));
}

TEST_CASE("two elements of one offset") {
  CHECK(said(translated("(4,4):(2,1)"), "not-injective") == "elements (0,2) and (1,0) share offset 2");
  CHECK(said(translated("(4,4):(4,1)"), "not-injective") == "");
}

TEST_CASE("the numbers of a hardware mode on elements") {
  // cutlass issue 2634: Sw<3,4,3> is of bytes, on tf32 elements it is Sw<3,2,3>.
  const Translation t = translated("Sw<3,4,3> o 0 o (32,8):(1,32)", {}, "tf32");
  CHECK(said(t, "swizzle-in-bytes") ==
        "Sw<3,4,3> here counts elements: mode 128B of hardware has these numbers on bytes, Sw<3,2,3> on elements "
        "of 32 bits");
  CHECK(said(translated("Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)"), "swizzle-in-bytes") == "");
}
