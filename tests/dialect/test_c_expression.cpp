// SPDX-License-Identifier: Apache-2.0
// C expressions as layouts: the idioms of the sheet, bytes, addresses, what is written.
#include <doctest/doctest.h>

#include "dialect/dialect.hpp"

using namespace swz;

namespace {

struct CAnswer {
  std::string cute, c;
  std::vector<Finding> notes;
};

CAnswer c_answer(const char* text, const ArrayShape& shape, const char* dtype = nullptr) {
  const Given given{shape, dtype == nullptr ? nullptr : &require_dtype(dtype)};
  const Reading reading = read_layout(text, given);
  return {require_dialect("cute").write(reading.form).text, require_dialect("c").write(reading.form).text,
          reading.notes};
}

std::string c_refusal(const char* text, const ArrayShape& shape, const char* dtype = nullptr) {
  try {
    (void)read_layout(text, {shape, dtype == nullptr ? nullptr : &require_dtype(dtype)}, &require_dialect("c"));
    return "read";
  } catch (const Error& e) {
    return e.message();
  }
}

// What swz writes for a layout in CuTe's notation.
std::string c_of(const char* cute) { return require_dialect("c").write(read_layout(cute, {}).form).text; }

}  // namespace

TEST_CASE("the idioms of the sheet") {
  CHECK(c_answer("r*64 + (((c>>3) ^ (r&7))<<3 | (c&7))", {16, 64}).cute == "Sw<3,3,3> o 0 o (16,64):(64,1)");
  CHECK(c_answer("r*32 + (c ^ r)", {32, 32}, "f32").cute == "Sw<5,0,5> o 0 o (32,32):(32,1)");
  CHECK(c_answer("r*33 + c", {16, 32}).cute == "(16,32):(33,1)");
  CHECK(c_answer("r*32 + (c + r) % 32", {32, 32}).cute == "");
  CHECK(c_answer("r*32 + (c + r) % 32", {32, 32}).c == "row*32 + (col + row)%32");
  // The hardware's own form, of addresses: of bytes Sw<3,4,3>.
  CHECK(c_answer("a ^ ((a >> 7 & 7) << 4)", {64, 128}, "u8").cute == "Sw<3,4,3> o 0 o (64,128):(128,1)");
  CHECK(c_answer("a ^ ((a >> 7 & 7) << 4)", {64, 64}, "bf16").cute == "Sw<3,3,3> o 0 o (64,64):(64,1)");
}

TEST_CASE("row and col, r and c, i and j, y and x") {
  for (const char* text : {"row*8 + col", "r*8 + c", "i*8 + j", "y*8 + x"}) {
    CAPTURE(text);
    CHECK(recognised_dialect(text).name == "c");
    CHECK(c_answer(text, {4, 8}).cute == "(4,8):(8,1)");
  }
  for (const char* text : {"r*8 + x", "8:1", "(4,8):(8,1)", "col ^= row % 8", "L(7,25)", "r", "K_SW128<bf16>"}) {
    CAPTURE(text);
    CHECK(require_dialect("c").recognises(text) == (std::string_view(text) == "r"));
  }
}

TEST_CASE("values that count bytes are read as bytes and said; a comment decides") {
  const CAnswer bytes = c_answer("row*128 + ((col*2) ^ ((row & 7) << 4))", {64, 64}, "bf16");
  CHECK(bytes.cute == "Sw<3,3,3> o 0 o (64,64):(64,1)");
  REQUIRE(bytes.notes.size() == 1);
  CHECK(bytes.notes[0].message == "every value is a multiple of 2: read as bytes, 2 an element");
  CHECK(c_answer("row*16 + col*2 // elements", {8, 8}, "bf16").cute == "(8,8):(16,2)");
  CHECK(c_answer("row*20 + col*2", {8, 8}, "bf16").cute == "(8,8):(10,1)");
  CHECK(c_answer("row*20 + col*2", {8, 8}).cute == "(8,8):(20,2)");
  CHECK(c_refusal("row*8 + col // bytes", {8, 8}, "bf16") ==
        "not every value is a multiple of the 2 bytes of an element");
  CHECK(c_refusal("row*8 + col // bytes", {8, 8}) == "this text does not say the element type");
}

TEST_CASE("written as a person would") {
  CHECK(c_of("(64,72):(72,1)") == "row*72 + col");
  CHECK(c_of("(8,8):(1,8)") == "row + col*8");
  CHECK(c_of("(64,(64,2)):(64,(1,4096))") == "row*64 + col%64 + col/64*4096");
  CHECK(c_of("Sw<3,3,3> o 0 o (64,64):(64,1)") == "(row*64 + col) ^ (row%8*8)");
  CHECK(c_of("Sw<2,3,3> o 0 o (64,32):(32,1)") == "(row*32 + col) ^ (row/2%4*8)");
  CHECK(c_of("Sw<5,0,5> o 0 o (32,32):(32,1)") == "(row*32 + col) ^ row");
  CHECK(c_of("Sw<3,3,3> o 0 o (48,72):(72,1)") == "(row*72 + col) ^ ((row*72 + col) >> 3 & 56)");
  CHECK(c_of("(1,1):(1,1)") == "0");
}

TEST_CASE("padding after a swizzle is one expression") {
  SharedForm form = std::get<SharedForm>(read_layout("Sw<3,3,3> o 0 o (64,64):(64,1)", {}).form);
  form.padding = {{128, 8}};
  const std::string text = require_dialect("c").write(form).text;
  CHECK(text == "((row*64 + col) ^ (row%8*8)) + ((row*64 + col) ^ (row%8*8))/128*8");
  CHECK(offsets_of(std::get<SharedForm>(read_layout(text, {form.shape, nullptr}).form)) == offsets_of(form));
}

TEST_CASE("what an expression cannot be") {
  CHECK(c_refusal("row*8 - col*9", {8, 8}) == "the value at row 0, column 1 is negative, or 2^61 and more");
  CHECK(c_refusal("a ^ 1", {8, 8}, "bf16") == "the bytes of element 0 of bf16 do not stay together");
  CHECK(c_refusal("a ^ 16", {8, 8}) == "this text does not say the element type");
  CHECK(c_refusal("row + col", {2, 8, 8}) == "an array of 3 dimensions: an expression has a row and a column");
  CHECK(c_refusal("row + tid", {8, 8}) == "unknown name 'tid'");
  CHECK(c_refusal("row*8 +", {8, 8}).starts_with("expected a number, a name or '('"));
}

TEST_CASE("Python's division, parameters by name, and lines after a comment") {
  CHECK(c_refusal("i // 8 * 64 + j", {16, 8}) == "// begins a comment in C, and what follows is a division of Python");
  CHECK(c_refusal("i//2*8+j", {16, 8}) == "// begins a comment in C, and what follows is a division of Python");
  CHECK(c_answer("i*8 + j // elements", {16, 8}, "f64").cute == "(16,8):(8,1)");
  CHECK(c_answer("r*8 // rows\n + c", {16, 8}).cute == "(16,8):(8,1)");
  const Given given{{4, 3}};
  const Reading function = read_layout("int f(int x, int y) { return y*4+x; }", given, &require_dialect("c"));
  CHECK(require_dialect("cute").write(function.form).text == c_answer("y*4+x", {4, 3}).cute);
}
