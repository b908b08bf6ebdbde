// SPDX-License-Identifier: Apache-2.0
// ThunderKittens, Mojo, Tilus, nvFuser, DeepGEMM and tensor maps: every coordinate against the formula of the project.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <numeric>

#include "dialect/dialect.hpp"

using namespace swz;

namespace {

using Offset = std::function<std::int64_t(std::int64_t, std::int64_t)>;

SharedForm shared_of(const char* from, const std::string& text, const Given& given = {}) {
  return std::get<SharedForm>(read_layout(text, given, &require_dialect(from)).form);
}

void check_every(const SharedForm& form, const Offset& formula) {
  const std::vector<std::int64_t> offsets = offsets_of(form);
  for (std::int64_t r = 0; r < form.shape[0]; ++r)
    for (std::int64_t c = 0; c < form.shape[1]; ++c)
      if (offsets[static_cast<std::size_t>(r * form.shape[1] + c)] != formula(r, c))
        FAIL("at (" << r << "," << c << "): " << offsets[static_cast<std::size_t>(r * form.shape[1] + c)] << ", not "
                    << formula(r, c));
}

std::string cute_of(const SharedForm& form) { return require_dialect("cute").write(form).text; }

std::string refusal_of(const char* from, const std::string& text, const Given& given = {}) {
  try {
    (void)read_layout(text, given, &require_dialect(from));
    return "read";
  } catch (const Error& e) {
    return e.message();
  }
}

}  // namespace

TEST_CASE("ThunderKittens: the address of every element, at an aligned base") {
  struct Tile {
    const char* type;
    std::int64_t bytes;
  };
  for (const Tile t : {Tile{"bf16", 2}, {"half", 2}, {"float", 4}, {"fp8e4m3", 1}})
    for (const std::int64_t rows : {16, 48, 64})
      for (std::int64_t cols = 32; cols <= 160; cols += 32) {
        std::int64_t span = 0;
        if (t.bytes == 1) span = (cols / 32) % 4 == 0 ? 128 : (cols / 32) % 2 == 0 ? 64 : 32;
        else if (t.bytes == 4) span = (cols / 16) % 2 == 0 ? 128 : 64;
        else span = (cols / 16) % 4 == 0 ? 128 : (cols / 16) % 2 == 0 ? 64 : 32;
        const std::string text = fmt::format("st<{}, {}, {}>", t.type, rows, cols);
        CAPTURE(text);
        const std::int64_t base = 5 * 8 * span, w = span / t.bytes;
        check_every(shared_of("thunderkittens", text), [&](std::int64_t r, std::int64_t c) {
          const std::int64_t a = base + t.bytes * ((c / w) * rows * w + r * w + c % w);
          return ((a ^ (((a % (8 * span)) >> 7) << 4)) - base) / t.bytes;
        });
        check_every(shared_of("thunderkittens", fmt::format("kittens::st<{}, {}, {}, false>", t.type, rows, cols)),
                    [&](std::int64_t r, std::int64_t c) { return r * cols + c; });
      }
  CHECK(cute_of(shared_of("thunderkittens", "st_bf<64,128>")) == "Sw<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))");
  CHECK(cute_of(shared_of("thunderkittens", "st_bf<64, 128, true, 32>")) ==
        "Sw<1,3,3> o 0 o (64,(16,8)):(16,(1,1024))");
  CHECK(shared_of("thunderkittens", "st_fl<64, 64>").element.dtype->name == "f32");
  CHECK(shared_of("thunderkittens", "kittens::st_fp8e4m3<64, 64>").element.bits == 8);
  CHECK(refusal_of("thunderkittens", "st_bf<60, 128>") ==
        "a tile of 60x128: ThunderKittens takes rows by 16 and columns by 16");
  CHECK(refusal_of("thunderkittens", "st<bf17, 64, 128>") == "'st' is not a tile of ThunderKittens that swz reads");
  CHECK(refusal_of("thunderkittens", "st_bf<64, 128, true, 256>") == "swizzle_bytes = 256");
  const Reading reading = read_layout("st_bf<64,128>", {});
  REQUIRE(reading.notes.size() == 1);
  CHECK(reading.notes[0].rule == "base-alignment");
  CHECK(reading.notes[0].message.find("multiple of 1024 bytes") != std::string::npos);
}

TEST_CASE("Mojo: tiles of every mode, dense pages, transposes") {
  for (const auto& [type, bytes] : {std::pair{"bfloat16", 2}, {"float32", 4}, {"float8_e4m3fn", 1}})
    for (const int span : {16, 32, 64, 128})
      for (const std::int64_t bm : {8, 64})
        for (const std::int64_t blocks : {1, 2, 3}) {
          const std::int64_t es = bytes, w = span / es, bk = w * blocks;
          const std::string mode = span == 16 ? "NONE" : fmt::format("{}B", span);
          const auto swizzled = [&](std::int64_t x) {
            return (x * es ^ (((x * es >> 7) & (span / 16 - 1)) << 4)) / es;
          };
          const std::string tail = fmt::format("TensorMapSwizzle.SWIZZLE_{}", mode);
          check_every(shared_of("mojo", fmt::format("tile_layout_k_major[DType.{}, {}, {}, {}]()", type, bm, bk, tail)),
                      [&](std::int64_t r, std::int64_t c) {
                        return swizzled(r % 8 * w + r / 8 * 8 * w + c % w + c / w * bm * w);
                      });
          check_every(
              shared_of("mojo", fmt::format("tile_layout_mn_major[DType.{}, {}, {}, {}]()", type, bk, bm, tail)),
              [&](std::int64_t mn, std::int64_t k) {
                return swizzled(k % 8 * w + k / 8 * 8 * w + mn % w + mn / w * bm * w);
              });
          if (span != 128) continue;
          check_every(shared_of("mojo", fmt::format("tile_layout_k_major[DType.{}, {}, {}, {}, page_dense=True]()",
                                                    type, bm, bk, tail)),
                      [&](std::int64_t r, std::int64_t c) {
                        return swizzled(r % 8 * w + r / 8 * 8 * bk + c % w + c / w * 8 * w);
                      });
        }
  CHECK(cute_of(shared_of("mojo",
                          "tile_layout_k_major[DType.bfloat16, 64, 128, TensorMapSwizzle.SWIZZLE_128B, "
                          "page_dense=True]()")) == "Sw<3,3,3> o 0 o ((8,8),(64,2)):((64,1024),(1,512))");
}

TEST_CASE("Mojo: swizzles by their three makers") {
  const Given given{{64, 64}, nullptr};
  const auto cute = [&](const char* text) { return cute_of(shared_of("mojo", text, given)); };
  CHECK(cute("Swizzle(2, 3, 3)") == "Sw<2,3,3> o 0 o (64,64):(64,1)");
  CHECK(cute("make_swizzle[DType.bfloat16, TensorMapSwizzle.SWIZZLE_128B]()") == "Sw<3,3,3> o 0 o (64,64):(64,1)");
  CHECK(cute("make_swizzle[8, 64, 8]()") == "Sw<3,3,3> o 0 o (64,64):(64,1)");
  CHECK(cute("make_ldmatrix_swizzle[DType.bfloat16, 64]()") == "Sw<3,3,3> o 0 o (64,64):(64,1)");
  // 16 floats: 64 B, 4 ways; max(16 / 4, 8) = 8
  CHECK(cute("make_ldmatrix_swizzle[DType.float32, 16]()") == "Sw<2,2,3> o 0 o (64,64):(64,1)");
  CHECK(refusal_of("mojo", "make_ldmatrix_swizzle[DType.float32, 24]()", given) ==
        "a row of 96 bytes: neither a multiple nor a divisor of 128");
  CHECK(refusal_of("mojo",
                   "tile_layout_k_major[DType.bfloat16, 64, 128, TensorMapSwizzle.SWIZZLE_64B, page_dense=True]()") ==
        "page_dense is defined for SWIZZLE_128B only, not for 64B");
  CHECK(refusal_of("mojo", "Swizzle(3, 3, 3)") == "this text does not say the shape of the array");
}

TEST_CASE("Tilus: modes are slowest first, the numbers of its Swizzle are M, B, S") {
  const SharedForm form = shared_of("tilus",
                                    "SharedLayout(shape=(64, 32), mode_shape=(8, 8, 16, 2), mode_strides=(256, 2, "
                                    "16, 1), optional_swizzle=None)");
  check_every(form, [](std::int64_t i, std::int64_t j) { return i / 8 * 256 + i % 8 * 2 + j / 2 * 16 + j % 2; });
  const Given given{{64, 64}, nullptr};
  for (int m = 0; m < 5; ++m)
    for (int b = 1; b < 4; ++b)
      for (int s = b; s < 6; ++s)
        check_every(shared_of("tilus", fmt::format("Swizzle(base={}, bits={}, shift={})", m, b, s), given),
                    [&](std::int64_t r, std::int64_t c) {
                      const std::int64_t x = r * 64 + c;
                      return x ^ ((x & (((1 << b) - 1) << (m + s))) >> s);
                    });
  check_every(shared_of("tilus", "Swizzle(3, 2, 4)", given), [](std::int64_t r, std::int64_t c) {
    const std::int64_t x = r * 64 + c;
    return x ^ ((x & (3 << 7)) >> 4);
  });
  for (const std::int64_t es : {1, 2, 4})
    for (const std::int64_t columns : {32, 64, 96, 256}) {
      const std::int64_t n = std::gcd(columns, 128 / es);
      check_every(shared_of("tilus", fmt::format("shared_row_major_swizzle([16, {}], dtype_nbytes={})", columns, es)),
                  [&](std::int64_t r, std::int64_t c) {
                    const std::int64_t x = es * (c / n * 16 * n + r * n + c % n);
                    return (x ^ ((x >> 7 & (n * es / 16 - 1)) << 4)) / es;
                  });
    }
  CHECK(refusal_of("tilus", "shared_layout(shape=[8, 8], mode_shape=[16, 4], mode_strides=[1, 1])") ==
        "mode_shape [16, 4] does not split the shape 8x8");
  CHECK(refusal_of("tilus", "shared_layout(shape=[8, 8], mode_shape=[8, 8, 2], mode_strides=[1, 8, 64])") ==
        "mode_shape [8, 8, 2] has more elements than the shape 8x8");
}

TEST_CASE("nvFuser: operands and the XOR of two axes") {
  for (const int span : {32, 64, 128})
    for (const char* type : {"bf16", "f32"}) {
      const DType& dtype = require_dtype(type);
      const std::int64_t es = dtype.memory_bits / 8, w = span / es;
      check_every(shared_of("nvfuser", fmt::format("MmaInputSmemSwizzle::B{}", span), {{32, 3 * w}, &dtype}),
                  [&](std::int64_t r, std::int64_t c) {
                    const std::int64_t x = es * (c / w * 32 * w + r * w + c % w);
                    return (x ^ ((x >> 7 & (span / 16 - 1)) << 4)) / es;
                  });
    }
  check_every(shared_of("nvfuser", "tv0->swizzle(SwizzleType::XOR, 0, 1);", {{32, 32}, nullptr}),
              [](std::int64_t r, std::int64_t c) { return r * 32 + (c ^ r); });
  const SharedForm split = shared_of("nvfuser", "swizzle(SwizzleType::XOR, -3, -2)", {{8, 8, 8}, nullptr});
  const std::vector<std::int64_t> offsets = offsets_of(split);
  for (std::int64_t n = 0; n < 512; ++n)
    CHECK(offsets[static_cast<std::size_t>(n)] == (n / 64 * 64 + ((n / 8 % 8) ^ (n / 64)) * 8 + n % 8));
  CHECK(refusal_of("nvfuser", "swizzle(SwizzleType::XOR, 0, 1)", {{16, 8}, nullptr}) ==
        "axes 0 and 1 of 16x8: nvFuser swizzles two axes of equal extent");
  CHECK(refusal_of("nvfuser", "MmaInputSmemSwizzle::None", {{16, 8}, &require_dtype("bf16")}) ==
        "MmaInputSmemSwizzle::None has core matrices in the order of the schedule");
}

TEST_CASE("DeepGEMM: its own arithmetic of bank groups") {
  const DType& bf16 = require_dtype("bf16");
  for (const std::int64_t mode : {16, 32, 64, 128})
    for (const std::int64_t blocks : {1, 2})
      check_every(shared_of("deepgemm", fmt::format("col ^= row % ({} / 16);", mode), {{32, mode / 2 * blocks}, &bf16}),
                  [&](std::int64_t r, std::int64_t c) {
                    // (rows, mode / 16) seen as (…, 8)
                    const std::int64_t in_atom = c % (mode / 2), group = in_atom / 8 + r * (mode / 16);
                    const std::int64_t row = group / 8, col = group % 8 ^ row % (mode / 16);
                    return (c / (mode / 2) * 32 * mode + row * 128 + col * 16) / 2 + in_atom % 8;
                  });
  const Given given{{64, 64}, &bf16};
  CHECK(cute_of(shared_of("deepgemm", "col ^= row % 8", given)) == "Sw<3,3,3> o 0 o (64,64):(64,1)");
  CHECK(cute_of(shared_of("deepgemm", "swizzle_mode = 0", given)) == "(64,64):(64,1)");
  CHECK(refusal_of("deepgemm", "col ^= row % (kSwizzleDMode / 16)", given) ==
        "the mode is not said: 0, 16, 32, 64 or 128 bytes");
}

TEST_CASE("tensor map: where a box lies, with its pitch") {
  for (const auto& [type, bytes] : {std::pair{"bf16", 2}, {"f32", 4}, {"u8", 1}})
    for (const int span : {0, 32, 64, 128})
      for (const std::int64_t inner : {16, 32, 64, 128}) {
        if (span != 0 && inner > span) continue;
        const std::int64_t es = bytes, pitch = std::max<std::int64_t>(inner, span), columns = inner / es;
        const std::string text = fmt::format(
            "swizzle = {}, box = {{{}, 24}}, dtype = {}",
            span == 0 ? std::string("NONE") : fmt::format("CU_TENSOR_MAP_SWIZZLE_{}B", span), columns, type);
        CAPTURE(text);
        check_every(shared_of("tma", text), [&](std::int64_t r, std::int64_t c) {
          const std::int64_t lin = r * pitch + c * es;
          return (lin ^ ((lin >> 7 & std::max(span / 16 - 1, 0)) << 4)) / es;
        });
      }
  CHECK(refusal_of("tma", "swizzle = CU_TENSOR_MAP_SWIZZLE_64B, box = {64, 64}, dtype = bf16") ==
        "the inner dimension of the box has 128 B, the swizzle spans 64 B");
  CHECK(refusal_of("tma", "swizzle = CU_TENSOR_MAP_SWIZZLE_64B, box = {512, 2}, dtype = u8") ==
        "the extent 512 of a box");
  CHECK(refusal_of("tma", "swizzle = 3, box = {64, 64}, dtype = bf16") == "a number without its name");
  CHECK(refusal_of("tma", "swizzle = 128B, box = {64, 64}, dtype = bf16, interleave = CU_TENSOR_MAP_INTERLEAVE_32B") ==
        "interleave: no document says where its bytes lie in shared memory");
  const Given given{{64, 64}, &require_dtype("bf16")};
  CHECK(cute_of(shared_of("tma", "CU_TENSOR_MAP_SWIZZLE_128B", given)) == "Sw<3,3,3> o 0 o (64,64):(64,1)");
}

TEST_CASE("the example of each dialect is 64x64 bf16 in mode 128B, and only its own") {
  const Given given{{64, 64}, &require_dtype("bf16")};
  const std::vector<std::int64_t> wanted =
      offsets_of(std::get<SharedForm>(read_layout("Sw<3,3,3> o 0 o (64,64):(64,1)", {}).form));
  for (const char* name : {"thunderkittens", "mojo", "tilus", "nvfuser", "deepgemm", "tma", "c", "bases"}) {
    CAPTURE(name);
    const Dialect& d = require_dialect(name);
    CHECK(recognised_dialect(d.example).name == d.name);
    const auto form = std::get<SharedForm>(d.read(d.example, d.needs.empty() ? Given() : given).form);
    CHECK(offsets_of(form) == wanted);
    CHECK(d.write(std::get<SharedForm>(read_layout("Sw<3,3,3> o 0 o (64,64):(64,1)", given).form)).text != "");
  }
}

TEST_CASE("no part of a call is dropped: brackets, what is before an arrow, arguments left over") {
  const Given given{{8, 64}, &require_dtype("f16")}, axes{{8, 8}};
  CHECK(refusal_of("deepgemm", "col ^= row % 128 / 16", given) == "the mode is not said: 0, 16, 32, 64 or 128 bytes");
  CHECK(refusal_of("deepgemm", "col ^= (row) % (128 / 16)", given) ==
        "the mode is not said: 0, 16, 32, 64 or 128 bytes");
  for (const char* text : {"col ^= row % (128 / 16)", "col ^= (row % (128 / 16));", "col ^= (row % 8)"})
    CHECK(cute_of(shared_of("deepgemm", text, given)) == "Sw<3,3,3> o 0 o (8,64):(64,1)");
  CHECK(refusal_of("nvfuser", "tv0->swizzle(SwizzleType::XOR, 0, 1);", axes) == "read");
  CHECK(refusal_of("nvfuser", "2 * tv->swizzle(SwizzleType::XOR, 0, 1)", axes) ==
        "more than the name of a tensor before ->");
  CHECK(refusal_of("nvfuser", "// tv->swizzle(SwizzleType::XOR, 0, 1)", axes) ==
        "more than the name of a tensor before ->");
  CHECK(refusal_of("nvfuser", "tv->swizzle(SwizzleType::XORED, 0, 1)", axes) == "not SwizzleType::XOR");
  CHECK(refusal_of("nvfuser", "tv->swizzle(SwizzleType::XOR, 0, 1, 2)", axes) ==
        "swizzle has 4 arguments without a name, and takes 3");
  for (const char* dialect : {"mojo", "tilus"})
    CHECK(refusal_of(dialect, "Swizzle(3, 3, 3, 9)", given) == "Swizzle has 4 arguments without a name, and takes 3");
}

TEST_CASE("CuTe DSL: a name before a call does not change its dialect") {
  const std::string call =
      "cute.make_composed_layout(cute.make_swizzle(3,4,3),0,cute.make_layout((8,64),stride=(64,1)))";
  for (const char* name : {"", "x = ", "x=", "sA = cutlass."})
    CHECK(recognised_dialect(name + call).name == "cute_dsl");
}
