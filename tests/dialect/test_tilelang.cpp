// SPDX-License-Identifier: Apache-2.0
// TileLang: the lines of the fact sheet, the formula at every coordinate, what is refused and in which words. Its own
// code is asked by golden_tilelang.py.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "dialect/dialect.hpp"
#include "expr/evaluate.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

Given given_of(ArrayShape shape, const char* dtype) { return {std::move(shape), &require_dtype(dtype)}; }

SharedForm read_tilelang_shared(std::string_view text, const Given& given) {
  return std::get<SharedForm>(require_dialect("tilelang").read(text, given).form);
}

std::string cute_text(const SharedForm& form) { return require_dialect("cute").write(form).text; }
std::string tilelang_text(const SharedForm& form) { return require_dialect("tilelang").write(form).text; }

std::string refusal(std::string_view text, const Given& given) {
  try {
    (void)read_layout(text, given, &require_dialect("tilelang"));
    return "read";
  } catch (const Error& e) {
    return fmt::format("{} | {} | {}", e.message(), e.hint, e.span.begin);
  }
}

}  // namespace

TEST_CASE("the layouts of banks are the formula at every coordinate") {
  struct {
    const char* name;
    std::int64_t vectors;
  } const rows[] = {{"make_full_bank_swizzled_layout", 8},
                    {"make_half_bank_swizzled_layout", 4},
                    {"make_quarter_bank_swizzled_layout", 2}};
  for (const auto& row : rows) {
    for (const char* type : {"e4m3", "bf16", "tf32", "f64"}) {
      const std::int64_t v = 128 / require_dtype(type).memory_bits, w = row.vectors * v;
      for (const std::int64_t rows_of : {4, 8, 64})
        for (const std::int64_t columns : {w, 2 * w}) {
          const std::string text = fmt::format("{}(buf)", row.name);
          const SharedForm form = read_tilelang_shared(text, given_of({rows_of, columns}, type));
          const std::vector<std::int64_t> offsets = offsets_of(form);
          for (std::int64_t r = 0; r < rows_of; ++r)
            for (std::int64_t c = 0; c < columns; ++c)
              REQUIRE(offsets[static_cast<std::size_t>(r * columns + c)] ==
                      c / w * rows_of * w + r * w + (c % w ^ v * (r % 8 / (8 / row.vectors))));
          // Of 4 rows a narrow swizzle does nothing that strides do not do.
          if (rows_of >= 8) CHECK(tilelang_text(form) == text);
        }
    }
  }
}

TEST_CASE("the lines of the fact sheet") {
  const Given f16 = given_of({64, 64}, "f16");
  const char* printed =
      "Layout((64, 64) -> (1, 8, 512), transform: (_i, _j) -> (0, _i // 8, _i % 8 * 64 + (_j // 32 + _i % 8 // 4) "
      "% 2 * "
      "32 + (_j % 32 // 16 + _i % 4 // 2) % 2 * 16 + (_j % 16 // 8 + _i % 2) % 2 * 8 + _j % 8))";
  CHECK(cute_text(read_tilelang_shared(printed, f16)) == "Sw<3,3,3> o 0 o (64,64):(64,1)");
  // Bytes: the line is a 64x64 buffer of f16.
  const Reading bytes =
      require_dialect("tilelang").read("Sw<3,4,3> o 0 o (64,128):(128,1)", {{}, &require_dtype("f16")});
  const SharedForm& form = std::get<SharedForm>(bytes.form);
  CHECK(form.shape == ArrayShape{64, 64});
  CHECK(cute_text(form) == "Sw<3,3,3> o 0 o (64,64):(64,1)");
  CHECK(bytes.notes.at(0).rule == "tilelang-bytes");
  CHECK(cute_text(read_tilelang_shared("make_full_bank_swizzled_layout(buf)", given_of({64, 128}, "bf16"))) ==
        "Sw<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))");
  CHECK(tilelang_text(read_tilelang_shared("Layout([64,64], lambda i, j: [i, j ^ (i % 8) * 8])", f16)) ==
        "make_full_bank_swizzled_layout(buf)");
}

TEST_CASE("make_swizzled_layout takes the widest that fits, else pads, stays plain, or refuses") {
  const auto taken = [](const char* text, std::int64_t rows, std::int64_t columns, const char* type) {
    return cute_text(read_tilelang_shared(text, given_of({rows, columns}, type)));
  };
  CHECK(taken("make_swizzled_layout(A)", 64, 96, "f16") == "Sw<2,3,3> o 0 o (64,(32,3)):(32,(1,2048))");
  CHECK(taken("make_swizzled_layout(A, k_major=False)", 64, 64, "e4m3") == "(64,64):(80,1)");
  CHECK(taken("make_swizzled_layout(A, False, False)", 64, 64, "e4m3") == "Sw<2,4,3> o 0 o (64,64):(64,1)");
  CHECK(taken("make_swizzled_layout(A)", 64, 40, "f16") == "(64,40):(40,1)");
  CHECK(taken("T.annotate_layout({A: make_wgmma_swizzled_layout(A)})", 64, 40, "f16") == "(64,40):(40,1)");
  CHECK(taken("make_swizzled_layout(A)", 64, 64, "f64") == "Sw<2,0,4> o 0 o (64,(16,4)):(16,(1,1024))");
  CHECK(taken("make_swizzled_layout(A, k_major=False)", 64, 64, "f64") == "Sw<2,2,2> o 0 o (64,(16,4)):(16,(1,1024))");
}

TEST_CASE("what TileLang refuses is refused, with its rule") {
  CHECK(refusal("make_full_bank_swizzled_layout(buf)", given_of({64, 32}, "f16")) ==
        "TileLang has no such layout of 64x32: 32 columns are not a multiple of 64, the elements of 128 B | rows "
        "are 4 "
        "or a multiple of 8, columns a multiple of the swizzled width | 0");
  CHECK(refusal("make_full_bank_swizzled_layout(buf)", given_of({6, 64}, "f16")) ==
        "TileLang has no such layout of 6x64: 6 rows are neither 4 nor a multiple of 8 | rows are 4 or a multiple "
        "of 8, "
        "columns a multiple of the swizzled width | 0");
  CHECK(refusal("make_tcgen05mma_swizzled_layout(buf)", given_of({64, 64}, "f64"))
            .starts_with("TileLang has no such layout of 64x64: it does not support float64 on sm_100"));
  CHECK(refusal("make_wgmma_swizzled_layout(buf)", given_of({64, 36}, "f16"))
            .starts_with("TileLang has no such layout of 64x36: rows of 36 elements are not whole chunks of 16 B"));
  CHECK(refusal("make_full_bank_swizzled_layout(buf)", {}) ==
        "this text does not say the element type | add it, for example --dtype bf16 | 0");
}

TEST_CASE("what is wrong with a transform is named with its place") {
  CHECK(refusal("Layout([64, 64], lambda i, j: [i, k])", {}) == "unknown name 'k' | names here: i, j | 34");
  CHECK(refusal("Layout([64, 64], lambda i: [i])", {}) ==
        "1 names for an array of 2 dimensions | a transform has a name for each dimension | 0");
  CHECK(refusal("Layout([64, 64], lambda i, j: [i, j % 0])", {}) ==
        "a remainder of a division by 0 | see the index at this place | 36");
  CHECK(refusal("Layout([64, 64], lambda i, j: [i, j - 1])", {}) ==
        "element (0,0) lies at -1 | offsets start at 0 | 0");
  CHECK(refusal("Layout([64, 64], lambda i, j: [i, f(j, i)])", {}) ==
        "'f' is not a function of an index | bitwise_xor, bitwise_or, bitwise_and, shift_left, shift_right, floordiv "
        "and floormod are read | 34");
  CHECK(refusal("Layout([64, 64], lambda i, j: [i, j", {}).starts_with("expected ')'"));
  CHECK(refusal("Layout((64, 64) -> (64), transform: (_i, _j) -> (_i, _j))", {}) ==
        "2 indices for an output of 1 dimensions | the transform has an index for each dimension of the output | 0");
}

TEST_CASE("TileLang and the CuTe DSL: 20,000 random layouts read back as the same function") {
  std::mt19937_64 random(14);
  const auto pick = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  for (long round = 0; round < rounds_of(20000, 40); ++round) {
    const std::int64_t rows = std::int64_t{1} << pick(0, 5), columns = std::int64_t{1} << pick(0, 5);
    const std::string text = round % 3 != 0
                                 ? fmt::format("Sw<{},{},{}> o {} o ({},{}):({},{})", pick(0, 3), pick(0, 4),
                                               pick(3, 5), pick(0, 3) * 8, rows, columns, columns + pick(0, 1) * 8, 1)
                                 : fmt::format("(({},{}),{}):(({},{}),{})", pick(1, 5), pick(1, 4), pick(1, 9),
                                               pick(0, 99), pick(0, 99), pick(0, 9));
    CAPTURE(text);
    const LayoutForm form = require_dialect("cute").read(text, {{}, &require_dtype("f16")}).form;
    for (const char* name : {"tilelang", "cute_dsl"}) {
      const Written written = require_dialect(name).write(form);
      CAPTURE(written.text);
      REQUIRE(written.why == "");
      const bool is_named = written.text.starts_with("make_");
      const Given given{is_named ? shape_of(form) : ArrayShape{}, &require_dtype("f16")};
      const LayoutForm back = require_dialect(name).read(written.text, given).form;
      REQUIRE(offsets_of(std::get<SharedForm>(back)) == offsets_of(std::get<SharedForm>(form)));
    }
  }
}

TEST_CASE("CuTe DSL: a swizzle of bytes on elements is said (cutlass issue 2634)") {
  const auto translated = [](const char* text, const char* dtype) {
    return translate(text, {{}, &require_dtype(dtype)}, &require_dialect("cute_dsl"));
  };
  const auto is_said = [](const Translation& t) {
    return std::ranges::find(t.notes, "swizzle-in-bytes", &Finding::rule) != t.notes.end();
  };
  // Element (0,1): PTX's figure for tf32 says 36.
  const auto second_column = [](const Translation& t) { return offsets_of(std::get<SharedForm>(t.form))[1]; };
  const Translation bytes = translated(
      "cute.make_composed_layout(cute.make_swizzle(3,4,3), 0, cute.make_layout((32,8), stride=(1,32)))", "tf32");
  // On the pointer, as kernels use it; the composed layout indexed itself is the other meaning.
  CHECK(second_column(bytes) == 36);
  REQUIRE(bytes.others.size() == 1);
  CHECK(offsets_of(std::get<SharedForm>(bytes.others[0].form))[1] == 32);
  CHECK(is_said(translate("Sw<3,4,3> o 0 o (32,8):(1,32)", {{}, &require_dtype("tf32")}, &require_dialect("cute"))));
  const Translation elements = translated("S<3,2,3> o 0 o (32,8):(1,32)", "tf32");
  CHECK(second_column(elements) == 36);
  CHECK_FALSE(is_said(elements));
  CHECK_FALSE(is_said(translated("S<3,4,3> o 0 o (8,128):(128,1)", "e4m3")));
}

TEST_CASE("a Fragment is the thread and the value of each element") {
  const auto taken = [](std::string_view text, const Given& given = {}) {
    return require_dialect("cute").write(require_dialect("tilelang").read(text, given).form).text;
  };
  // D of mma.m16n8 of PTX: rows g and g + 8 of thread 4 g + c / 2, two columns each.
  const std::string d = "((4,8),(2,2)):((32,1),(16,8))";
  CHECK(taken("T.Fragment([16, 8], forward_fn=lambda i, j: (i % 8 * 4 + j // 2, i // 8 * 2 + j % 2))") == d);
  CHECK(taken("Fragment((16, 8), forward_index_fn = lambda a, b: a//8*2 + b%2, forward_thread_fn = lambda a, b: a%8*4 "
              "+ b//2, replicate=1)") == d);
  CHECK(taken("Fragment((16, 8) -> (4,), replicate: 1, thread: 32, forward_thread: _i % 8 * 4 + _j // 2, "
              "forward_index: (_i // 8 * 2 + _j % 2,))") == d);
  // An output of two dimensions is a place in it, row by row.
  CHECK(taken("Fragment((16, 8) -> (2, 2), replicate: 1, thread: 32, forward_thread: _i % 8 * 4 + _j // 2, "
              "forward_index: (_i // 8, _j % 2))") == d);
  CHECK(taken("tilelang.layout.make_gemm_fragment_8x8()") == "((4,8),2):((16,1),8)");
  CHECK(taken("T.annotate_layout({C: make_gemm_fragment_8x8_transposed()})") == "(32,2):(2,1)");
  // Copies: both halves of 64 threads hold the same.
  CHECK(taken("T.Fragment([16, 8], forward_thread_fn=lambda i, j, rep: rep * 32 + i % 8 * 4 + j // 2, "
              "forward_index_fn=lambda i, j: i // 8 * 2 + j % 2, replicate=2)") == "((4,8,2),(2,2)):((32,1,0),(16,8))");
  const char* replicated =
      "Fragment((2, 3) -> (6,), replicate: 64, thread: 64, forward_thread: _rep, forward_index: (_i * 3 + _j,), "
      "thread_range: I.Range(0, 64))";
  CHECK(taken(replicated) == "(64,(3,2)):(0,(2,1))");
  CHECK(taken("make_fully_replicated_layout_fragment(buf, 64)", {{2, 3}, nullptr}) == "(64,(3,2)):(0,(2,1))");
}

TEST_CASE("what a Fragment cannot be is said") {
  CHECK(refusal("Fragment([16, 8], forward_fn=lambda i, j: (i, 0))", {}) ==
        "value 0 of thread 0 is two elements | each value of a thread holds one element | 0");
  CHECK(refusal("Fragment([16, 8], forward_fn=lambda i, j: (i, j * 2))", {}) ==
        "value 1 of thread 0 holds no element | a (thread, value) layout has an element in every value of every "
        "thread | 0");
  CHECK(refusal("Fragment([8, 8], forward_fn=lambda i, j: (i ^ j, j))", {}) ==
        "the element of a (thread, value) is not a sum of strides | CuTe's (thread, value) layout has strides alone: "
        "no XOR, no rotation | 0");
  CHECK(refusal("Fragment([8], forward_fn=lambda i: (i - 1, 0))", {}) ==
        "element (0) is value 0 of thread -1 | threads and values start at 0 | 0");
  CHECK(refusal("Fragment([8, 8], forward_thread_fn=lambda i, j: i)", {}) ==
        "a Fragment without its thread or its value | for example T.Fragment([16, 8], forward_fn=lambda i, j: (i % 8 "
        "* 4 + j // 2, i // 8 * 2 + j % 2)) | 50");
  CHECK(refusal("Fragment([8, 8], forward_fn=lambda i, j: i)", {}).starts_with("forward_fn is a thread and a value"));
  CHECK(refusal("Fragment([8, 8], forward_fn=lambda i: (i, 0))", {}) ==
        "1 names for an array of 2 dimensions | a transform has a name for each dimension | 0");
  CHECK(refusal("Fragment([8, 8], threads=8)", {}).starts_with("a Fragment takes no 'threads'"));
  CHECK(refusal("Fragment([8], forward_fn=lambda i: (0, i), replicate=0)", {}).starts_with("0 copies of each"));
  CHECK(refusal("make_gemm_fragment_8x8()", {{8, 4}, nullptr}).starts_with("the layout is one of 8x8, not of 8x4"));
  CHECK(refusal("make_fully_replicated_layout_fragment(buf, 0)", {{8}, nullptr}).starts_with("0 threads hold nothing"));
  // Copies inside a thread: a Fragment has one value of an element.
  const RegisterForm copies{{8, 8}, {}, parse_layout("(64,2):(1,0)").layout()};
  CHECK(require_dialect("tilelang").write(copies).why.find("here a thread holds copies") != std::string::npos);
  CHECK(require_dialect("tilelang").write(RegisterForm{{8, 8}, {}, parse_layout("(8,2):(1,8)").layout()}).text == "");
}

TEST_CASE("20,000 random layouts of registers read back from a Fragment") {
  std::mt19937_64 random(15);
  for (long round = 0; round < rounds_of(20000, 40); ++round) {
    std::vector<std::vector<std::int64_t>> moves;
    const int row_bits = static_cast<int>(random() % 4), column_bits = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < row_bits; ++i) moves.push_back({std::int64_t{1} << i, 0});
    for (int i = 0; i < column_bits; ++i) moves.push_back({0, std::int64_t{1} << i});
    std::shuffle(moves.begin(), moves.end(), random);
    const auto cut = static_cast<std::ptrdiff_t>(random() % (moves.size() + 1));
    std::vector<std::vector<std::int64_t>> threads(moves.begin(), moves.begin() + cut);
    if (random() % 3 == 0) {
      const auto at = static_cast<std::ptrdiff_t>(random() % (threads.size() + 1));
      threads.insert(threads.begin() + at, {0, 0});
    }
    const RegisterForm form = register_form({std::int64_t{1} << row_bits, std::int64_t{1} << column_bits}, {},
                                            {{moves.begin() + cut, moves.end()}, threads, {}});
    const Written written = require_dialect("tilelang").write(form);
    CAPTURE(written.text);
    REQUIRE(written.why == "");
    const LayoutForm back = require_dialect("tilelang").read(written.text, {}).form;
    REQUIRE(is_same_function(std::get<RegisterForm>(back), form));
  }
}

TEST_CASE("its CuTe text in bytes is said beside the name, and a swizzle alone is one of plain rows") {
  const auto noted = [](const char* text, const char* dtype) {
    const LayoutForm form = require_dialect("cute").read(text, {{}, &require_dtype(dtype)}).form;
    const Written written = require_dialect("tilelang").write(form);
    return written.notes.empty() ? std::string() : written.notes[0].message;
  };
  CHECK(noted("Sw<3,3,3> o 0 o (64,64):(64,1)", "f16") ==
        "tilelang.layout.cute writes it in bytes: Sw<3,4,3> o 0 o (64,128):(128,1)");
  CHECK(noted("Sw<3,2,3> o 0 o (64,(32,2)):(32,(1,2048))", "f32") ==
        "tilelang.layout.cute writes it in bytes: Sw<3,4,3> o 0 o (64,(128,2)):(128,(1,8192))");
  CHECK(noted("(64,64):(80,1)", "e4m3") == "tilelang.layout.cute writes it in bytes: (64,64):(80,1)");
  CHECK(noted("(64,64):(64,1)", "e2m1") == "");  // half a byte
  CHECK(noted("(8,8):(2,16)", "f16") == "");     // no mode counts the bytes of an element
  for (const char* text : {"tl.cute.Swizzle(3, 4, 3)", "Sw<3,4,3>", "tl.cute.Swizzle(b_bits=3, m_base=4, s_shift=3)"})
    CHECK(cute_text(read_tilelang_shared(text, given_of({64, 64}, "f16"))) == "Sw<3,3,3> o 0 o (64,64):(64,1)");
  CHECK(refusal("tl.cute.Swizzle(3, 4, 99)", given_of({64, 64}, "f16")) ==
        "s_shift = 99 | numbers of bits are below 62 | 22");
  CHECK(refusal("tl.cute.Swizzle(3, 4)", given_of({64, 64}, "f16")).starts_with("tl.cute.Swizzle without s_shift"));
}

TEST_CASE("CuTe DSL: the calls of a kernel are written, what it prints is read") {
  const auto written = [](const char* text) {
    return require_dialect("cute_dsl").write(require_dialect("cute").read(text, {}).form).text;
  };
  CHECK(written("Sw<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))") ==
        "cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, "
        "cute.make_layout((64, (64, 2)), stride=(64, (1, 4096))))");
  CHECK(written("(8,4):(4,1)") == "cute.make_layout((8, 4), stride=(4, 1))");
  // A tuple of one needs the comma in Python: ((8, 4)) would be two dimensions.
  CHECK(written("((8,4)):((1,16))") == "cute.make_layout(((8, 4),), stride=((1, 16),))");
  CHECK(written("32:2") == "cute.make_layout(32, stride=2)");
  const Given wgmma{{64, 8}, nullptr};
  const LayoutForm registers = require_dialect("cute").read("((4,8,4),(2,2)):((128,1,16),(64,8))", wgmma).form;
  const std::string call = require_dialect("cute_dsl").write(registers).text;
  CHECK(call == "cute.make_layout(((4, 8, 4), (2, 2)), stride=((128, 1, 16), (64, 8)))");
  CHECK(recognised_dialect(call).name == "cute_dsl");
  const LayoutForm back = read_layout(call, wgmma).form;
  CHECK(is_same_function(std::get<RegisterForm>(back), std::get<RegisterForm>(registers)));
}
