// SPDX-License-Identifier: Apache-2.0
// Triton's encodings and Gluon's classes: formulas at every coordinate, refusals with their words, round trips, IR files.
// Triton itself judges them in golden_triton.py.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/random.hpp"
#include "dialect/dialect.hpp"
#include "dialect/triton_fields.hpp"
#include "dialect/triton_ir.hpp"
#include "expr/evaluate.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

Translation triton_translation(const std::string& text, const ArrayShape& shape = {}, const char* dtype = nullptr) {
  return translate(text, {shape, dtype == nullptr ? nullptr : &require_dtype(dtype)});
}

std::string form_in(const Translation& t, std::string_view dialect) {
  for (const Form& form : t.forms)
    if (form.dialect->name == dialect) return form.written.text.empty() ? form.written.why : form.written.text;
  return "no such dialect";
}

std::string as_cute(const std::string& text, const ArrayShape& shape = {}, const char* dtype = nullptr) {
  return form_in(triton_translation(text, shape, dtype), "cute");
}

std::vector<std::int64_t> triton_offsets(const std::string& text, const ArrayShape& shape) {
  return offsets_of(std::get<SharedForm>(triton_translation(text, shape).form));
}

bool has_rule(const Translation& t, std::string_view rule) {
  return std::ranges::any_of(t.notes, [&](const Finding& f) { return f.rule == rule; });
}

std::string refusal(const std::string& text, const ArrayShape& shape = {}, const char* dtype = nullptr) {
  try {
    triton_translation(text, shape, dtype);
  } catch (const Error& e) {
    return e.message();
  }
  return "read";
}

std::string nvmma(int bytes, int bits, bool transposed = false, const std::string& more = "") {
  return fmt::format("#ttg.nvmma_shared<{{swizzlingByteWidth = {}, transposed = {}, elementBitWidth = {}{}}}>", bytes,
                     transposed, bits, more);
}
std::string swizzled(int vec, int per_phase, int max_phase, const std::string& order = "[1, 0]") {
  return fmt::format("#ttg.swizzled_shared<{{vec = {}, perPhase = {}, maxPhase = {}, order = {}}}>", vec, per_phase,
                     max_phase, order);
}
const std::string wgmma_64 =
    "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>";

}  // namespace

TEST_CASE("Triton: swizzled_shared is its formula") {
  for (const int vec : {1, 2, 4, 8, 16})
    for (const int per : {1, 2, 4})
      for (const int phases : {1, 2, 4, 8})
        for (const auto& shape : {ArrayShape{16, 8}, ArrayShape{32, 32}, ArrayShape{8, 64}}) {
          const auto offsets = triton_offsets(swizzled(vec, per, phases), shape);
          bool is_equal = true;
          for (std::int64_t i = 0; i < element_count(shape); ++i) {
            const std::int64_t r = i / shape[1], c = i % shape[1];
            is_equal = is_equal && offsets[static_cast<std::size_t>(i)] ==
                                       r * shape[1] + (c ^ (vec * (r / per % phases) % shape[1]));
          }
          CHECK(is_equal);
        }
}

TEST_CASE("Triton: nvmma_shared is its formula, transposed and not") {
  for (const int bits : {8, 16, 32})
    for (const int bytes : {32, 64, 128})
      for (const bool transposed : {false, true}) {
        const std::int64_t rows = 32, columns = 256, width = 8 * bytes / bits;
        const ArrayShape shape = transposed ? ArrayShape{columns, rows} : ArrayShape{rows, columns};
        const auto offsets = triton_offsets(nvmma(bytes, bits, transposed), shape);
        bool is_equal = true;
        for (std::int64_t i = 0; i < element_count(shape); ++i) {
          const std::int64_t r = transposed ? i % rows : i / columns, c = transposed ? i / rows : i % columns;
          const std::int64_t expected =
              c / width * rows * width + r * width + (c % width ^ 128 / bits * (r / (128 / bytes) % (bytes / 16)));
          is_equal = is_equal && offsets[static_cast<std::size_t>(i)] == expected;
        }
        CHECK(is_equal);
      }
}

TEST_CASE("Triton: fp4Padded leaves 8 bytes after 8") {
  const auto offsets = triton_offsets(nvmma(128, 8, false, ", fp4Padded = true"), {16, 128});
  bool is_equal = true;
  for (std::int64_t i = 0; i < 16 * 128; ++i) {
    const std::int64_t r = i / 128, c = i % 128, byte = 16 * (c % 64 / 8) + c % 8;
    is_equal = is_equal && offsets[static_cast<std::size_t>(i)] == c / 64 * 16 * 128 + r * 128 + (byte ^ 16 * (r % 8));
  }
  CHECK(is_equal);
}

TEST_CASE("Triton: padded_shared adds the padding of every interval") {
  const auto offsets =
      triton_offsets("#ttg.padded_shared<[64:+8, 256:+4] {order = [1, 0], shape = [32, 64]}>", {32, 64});
  for (std::int64_t x = 0; x < 2048; ++x) CHECK(offsets[static_cast<std::size_t>(x)] == x + x / 64 * 8 + x / 256 * 4);
}

TEST_CASE("Triton: the lines of the sheet") {
  CHECK(as_cute(swizzled(8, 2, 4), {128, 32}, "f16") == "Sw<2,3,3> o 0 o (128,32):(32,1)");
  CHECK(as_cute(swizzled(8, 1, 8), {128, 32}, "f16") == "Sw<2,3,2> o 0 o (128,32):(32,1)");
  CHECK(as_cute(nvmma(128, 16), {64, 128}) == "Sw<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))");
  CHECK(as_cute("#ttg.padded_shared<[128:+8] {order = [1, 0], shape = [64, 64]}>", {64, 64}) ==
        "((2,32),64):((64,136),1)");
  CHECK(as_cute("#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>", {64, 64}) == "(64,64):(72,1)");
  CHECK(as_cute(wgmma_64, {64, 64}) == "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))");
  // Equal to the hardware mode s exactly when a row is s bytes.
  for (const int bytes : {32, 64, 128})
    for (const int columns : {bytes / 2, bytes}) {
      const auto t = triton_translation(swizzled(8, 128 / bytes, bytes / 16), {64, columns}, "f16");
      CHECK((form_in(t, "triton") == nvmma(bytes, 16)) == (columns * 2 == bytes));
    }
}

TEST_CASE("Triton: trap 1, swizzlingByteWidth = 0 is plain, and core matrices are shared_linear") {
  const Translation plain = triton_translation(nvmma(0, 16), {64, 64}, "f16");
  CHECK(form_in(plain, "cute") == "(64,64):(64,1)");
  CHECK(has_rule(plain, "nvmma-shared-0"));
  CHECK(form_in(plain, "triton") == swizzled(1, 1, 1));
  const Translation inter = triton_translation("((8,8),(8,8)):((8,512),(1,64))", {64, 64}, "f16");
  CHECK(form_in(inter, "triton").starts_with("#ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0]"));
}

TEST_CASE("Triton: trap 2, transposed without a swizzle and with three dimensions") {
  const Translation t = triton_translation(nvmma(0, 16, true, ", rank = 3"), {4, 4, 16});
  CHECK(has_rule(t, "nvmma-transposed-0-rank-3"));
  CHECK(std::ranges::max(offsets_of(std::get<SharedForm>(t.form))) > 4 * 4 * 16 - 1);
  CHECK_FALSE(has_rule(triton_translation(nvmma(0, 16, true), {4, 16}), "nvmma-transposed-0-rank-3"));
  CHECK(has_rule(triton_translation(nvmma(32, 16, true, ", rank = 3"), {16, 4, 8}), "nvmma-transposed-rank-3"));
}

TEST_CASE("Triton: what it refuses is refused, with the rule") {
  CHECK(refusal(nvmma(128, 16), {64, 32}) ==
        "Triton refuses nvmma_shared of 64x32: the extent 32 of the contiguous dimension 1 is too small for "
        "swizzlingByteWidth = 128: at least 64");
  CHECK(refusal(nvmma(128, 16), {4, 64}) ==
        "Triton refuses nvmma_shared of 4x64: 4 rows are fewer than the 8 of a swizzle pattern: Triton aborts");
  CHECK(refusal(nvmma(16, 16), {64, 64}) == "swizzlingByteWidth = 16: must be 0, 32, 64, or 128");
  CHECK(refusal(nvmma(64, 12), {64, 64}) == "elementBitWidth = 12: must be 8, 16, 32, or 64");
  CHECK(refusal(nvmma(64, 8, false, ", fp4Padded = true"), {64, 64}) ==
        "fp4Padded = true needs swizzlingByteWidth = 128 and elementBitWidth = 8");
  CHECK(refusal("#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false}>", {64, 64}) ==
        "#ttg.nvmma_shared without elementBitWidth");
  CHECK(refusal(swizzled(8, 0, 4), {64, 64}) ==
        "vec = 8, perPhase = 0, maxPhase = 4: Triton refuses negative numbers and divides by perPhase and maxPhase");
  CHECK(refusal(swizzled(8, 1, 4, "[0, 0]"), {64, 64}) == "order [0, 0] is not a permutation of 0..(rank-1)");
  CHECK(refusal(swizzled(8, 1, 4), {48, 64}) == "Triton refuses the shape 48x64: every extent is a power of two");
  CHECK(refusal("#ttg.padded_shared<[48:+8] {order = [1, 0], shape = [64, 64]}>", {64, 64}) ==
        "48:+8: intervals and paddings must all be powers of two");
  CHECK(refusal("#ttg.padded_shared<[64:+8, 64:+4] {order = [1, 0], shape = [64, 64]}>", {64, 64}) ==
        "two paddings of interval 64: no duplicates");
  CHECK(refusal("#ttg.shared_linear<{offset = [[0, 1], [0, 1]]}, alignment = 16>", {1, 2}) ==
        "Triton refuses the basis [0, 1]: without the zero bases the layout must be bijective");
  CHECK(refusal("#ttg.nvidia_mma<{versionMajor = 5, warpsPerCTA = [4, 1], instrShape = [16, 8]}>", {64, 64}) ==
        "versionMajor = 5: must be 2 (Ampere) or 3 (Hopper)");
  CHECK(refusal("#ttg.dot_op<{opIdx = 1, parent = " + wgmma_64 + ", kWidth = 2}>", {64, 64}) ==
        "opIdx must be 0 for a version 3 parent: wgmma takes only A from registers");
  CHECK(refusal("#ttg.dot_op<{opIdx = 0, parent = " + wgmma_64 + "}>", {64, 64}) ==
        "kWidth is mandatory for an nvidia_mma parent");
  CHECK(refusal("#ttg.slice<{dim = 2, parent = " + wgmma_64 + "}>", {64}) ==
        "slice dim = 2 must be less than the rank 2 of its parent");
  CHECK(refusal("#ttg.padded_shared<[4:+2] {offset = [[1], [0, 2]], block = []}>", {2, 2}) ==
        "bases of 1 and of 2 coordinates");
  CHECK(refusal("#ttg.swizled_shared<{vec = 1}>", {64}) == "Triton has no encoding '#ttg.swizled_shared'");
  CHECK(refusal(swizzled(8, 1, 8)) == "this text does not say the shape of the array");
  CHECK(refusal("!ttg.memdesc<64x64xf16, #shared, #smem>") == "'#shared' is an alias that is not defined here");
}

TEST_CASE("Triton: what it takes and should not has a lint") {
  CHECK(has_rule(triton_translation(swizzled(3, 1, 8), {16, 16}), "swizzled-shared-power-of-two"));
  CHECK_FALSE(has_rule(triton_translation(swizzled(4, 1, 8), {16, 16}), "swizzled-shared-power-of-two"));
  CHECK(form_in(triton_translation(swizzled(3, 1, 8), {8, 8}), "triton").starts_with("#ttg.shared_linear<"));
}

TEST_CASE("Triton: an array of several CTAs") {
  const std::string split = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = ";
  const Translation two = triton_translation(split + "[[1, 0]]}>", {16, 16});
  CHECK(form_in(two, "cute") == "its elements lie in several CTAs, which needs a mode for the CTA");
  CHECK(offsets_of(std::get<SharedForm>(two.form))[8 * 16 + 3] == 3);  // row 8 is the first of the second CTA
  const Translation copies = triton_translation(split + "[[0, 0]]}>", {16, 16});
  CHECK(form_in(copies, "cute") == "(16,16):(16,1)");
  CHECK(has_rule(copies, "triton-cta-copies"));
}

TEST_CASE("Triton: old spellings are read with a note") {
  const Translation leading = triton_translation(
      "#triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], hasLeadingOffset = true}>", {64, 64},
      "f16");
  CHECK(form_in(leading, "triton") == nvmma(128, 16));
  CHECK(has_rule(leading, "triton-old-spelling"));
  const Translation ctas = triton_translation(
      "#ttg.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0], hasLeadingOffset = false, CTAsPerCGA = "
      "[1, 1], "
      "CTASplitNum = [1, 1], CTAOrder = [1, 0]}>",
      {128, 32}, "f16");
  CHECK(form_in(ctas, "cute") == "Sw<2,3,3> o 0 o (128,32):(32,1)");
  CHECK(has_rule(ctas, "triton-old-spelling"));
}

TEST_CASE("Triton: a type says shape and element type, an alias stands for an encoding") {
  const std::string alias = "#shared = " + nvmma(128, 16) + "\n";
  const Translation t = triton_translation(alias + "!ttg.memdesc<64x128xbf16, #shared, #smem, mutable>");
  CHECK(shape_of(t.form) == ArrayShape{64, 128});
  CHECK(element_of(t.form).dtype->name == "bf16");
  CHECK(form_in(t, "cute") == "Sw<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))");
  const Translation buffers = triton_translation(alias + "!ttg.memdesc<3x64x64xbf16, #shared, #smem, mutable>");
  CHECK(shape_of(buffers.form) == ArrayShape{64, 64});
  CHECK(has_rule(buffers, "triton-buffers"));
  CHECK(shape_of(triton_translation("tensor<64x64xf32, " + wgmma_64 + ">").form) == ArrayShape{64, 64});
  CHECK(refusal("tensor<64x64xf32, " + wgmma_64 + ">", {64, 128}) == "the type says 64x64, --shape 64x128");
}

TEST_CASE("Triton: fragments are those of PTX") {
  const auto numbers = [](const std::string& text, const ArrayShape& shape) {
    return numbers_of(std::get<RegisterForm>(triton_translation(text, shape).form));
  };
  const std::string mma =
      "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>";
  const auto d = numbers(mma, {16, 8}),
             a = numbers("#ttg.dot_op<{opIdx = 0, parent = " + mma + ", kWidth = 2}>", {16, 16}),
             b = numbers("#ttg.dot_op<{opIdx = 1, parent = " + mma + ", kWidth = 2}>", {16, 8});
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const auto group = static_cast<std::int64_t>(lane / 4), in_group = static_cast<std::int64_t>(lane % 4);
    for (std::int64_t i = 0; i < 4; ++i) {  // PTX ISA 9.1, 9.7.15.5.8: m16n8k16
      CHECK(d[lane * 4 + static_cast<std::size_t>(i)] == (group + 8 * (i / 2)) * 8 + in_group * 2 + i % 2);
      CHECK(b[lane * 4 + static_cast<std::size_t>(i)] == (in_group * 2 + i % 2 + 8 * (i / 2)) * 8 + group);
    }
    for (std::int64_t i = 0; i < 8; ++i)
      CHECK(a[lane * 8 + static_cast<std::size_t>(i)] ==
            (group + 8 * (i / 2 % 2)) * 16 + in_group * 2 + i % 2 + 8 * (i / 4));
  }
}

TEST_CASE("Triton: tensor memory") {
  const std::string of_64 = "#ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>";
  CHECK(as_cute(of_64, {64, 64}, "f32") == "((16,4),64):((65536,2097152),1)");
  CHECK(form_in(triton_translation(of_64, {64, 64}, "f32"), "triton") == of_64);
  CHECK(as_cute("#ttng.tensor_memory_scales_encoding<>", {128, 4}, "ue8m0") == "((32,4),4):((262144,4),1)");
  CHECK(refusal("#ttng.tensor_memory_encoding<blockM = 32, blockN = 64, colStride = 1>", {64, 64}, "f32") ==
        "blockM = 32: must be 64 or 128");
}

TEST_CASE("Triton and Gluon: 20,000 layouts of shared memory come back as the same function") {
  Random random(14);
  for (long i = 0; i < rounds_of(20'000, 40); ++i) {
    ArrayShape shape(static_cast<std::size_t>(1 + random.below(3)));
    int bits = 0;
    for (std::int64_t& extent : shape) {
      const auto log = 1 + random.below(3);
      extent = std::int64_t{1} << log;
      bits += static_cast<int>(log);
    }
    std::vector<std::uint64_t> columns;
    for (int b = 0; b < bits; ++b) columns.push_back(std::uint64_t{1} << b);
    if (random.one_in(2)) random.shuffle(columns);
    for (auto mixed = random.one_in(3) ? 0 : random.below(4); mixed > 0; --mixed) {
      const auto a = static_cast<std::size_t>(random.below(bits)), b = static_cast<std::size_t>(random.below(bits));
      if (a != b) columns[a] ^= columns[b];
    }
    SharedForm form = shared_form(shape, width_of(require_dtype(random.one_in(2) ? "f16" : "u8")), LinearMap(columns));
    if (random.one_in(5)) {
      std::vector<std::uint64_t> plain;
      for (int b = 0; b < bits; ++b) plain.push_back(std::uint64_t{1} << b);
      if (random.one_in(2)) random.shuffle(plain);
      form.map = LinearMap(plain);
      form.padding = {{std::int64_t{1} << random.below(bits), std::int64_t{1} << random.below(4)}};
    }
    for (const char* name : {"triton", "gluon"}) {
      const Written written = require_dialect(name).write(form);
      REQUIRE_MESSAGE(!written.text.empty(), fmt::format("{} {} {} {}", name, written.why, shape, columns));
      const Reading back = read_layout(written.text, {shape, form.element.dtype}, &require_dialect(name));
      if (!is_same_function(std::get<SharedForm>(back.form), form)) FAIL(written.text);
    }
  }
}

TEST_CASE("Triton and Gluon: 20,000 layouts of registers come back as the same function") {
  Random random(15);
  int named = 0;
  for (long i = 0; i < rounds_of(20'000, 40); ++i) {
    const ArrayShape shape{std::int64_t{8} << random.below(3), std::int64_t{8} << random.below(3)};
    std::vector<std::vector<std::int64_t>> bits;
    for (std::size_t d = 2; d-- > 0;)
      for (std::int64_t b = 1; b < shape[d]; b *= 2) {
        bits.push_back({0, 0});
        bits.back()[d] = b;
      }
    if (!random.one_in(3)) random.shuffle(bits);
    while (bits.size() < 7) bits.push_back({0, 0});
    RegisterBases bases;
    bases.thread.assign(bits.begin(), bits.begin() + 7);
    bases.value.assign(bits.begin() + 7, bits.end());
    const RegisterForm form = register_form(shape, {}, bases);
    for (const char* name : {"triton", "gluon"}) {
      const Written written = require_dialect(name).write(form);
      REQUIRE_MESSAGE(!written.text.empty(), fmt::format("{} {}", name, written.why));
      named += written.text.starts_with("#ttg.blocked") ? 1 : 0;
      const Reading back = read_layout(written.text, {shape}, &require_dialect(name));
      if (!is_same_function(std::get<RegisterForm>(back.form), form)) FAIL(written.text);
    }
  }
  CHECK(named > at_least(1000, 40));
}

TEST_CASE("Triton: named encodings come back by their name") {
  const std::string mma =
      "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>";
  for (const std::string& text : {wgmma_64, mma, "#ttg.dot_op<{opIdx = 0, parent = " + mma + ", kWidth = 2}>",
                                  "#ttg.dot_op<{opIdx = 1, parent = " + mma + ", kWidth = 4}>",
                                  std::string("#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], "
                                              "warpsPerCTA = [4, 1], order = [1, 0]}>")})
    CHECK(form_in(triton_translation(text, {64, 64}), "triton") == text);
  for (const std::string& text : {nvmma(128, 16), nvmma(32, 16, true), swizzled(2, 1, 8), swizzled(4, 2, 4, "[0, 1]"),
                                  std::string("#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>")})
    CHECK(form_in(triton_translation(text, {64, 64}, "f16"), "triton") == text);
}

TEST_CASE(
    "Triton: an encoding has each name once, MLIR's order each field once, and both notations read what they write") {
  for (const EncodingRow& row : triton_encodings()) {
    for (const TritonNotation notation : {TritonNotation::mlir, TritonNotation::gluon}) {
      std::vector<std::string_view> names = field_names(row, notation);
      std::ranges::sort(names);
      CHECK(std::ranges::adjacent_find(names) == names.end());
    }
    auto order = row.mlir_order;
    std::ranges::sort(order);
    for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i] == i);
    CHECK(row.fields.size() <= order.size());
    for (const EncodingField& field : row.fields) CHECK((!field.mlir.text.empty() || !field.gluon.text.empty()));
  }
  // No field has its default.
  const TritonBases bases{{0, 1}, {2, 0}}, cga{{1, 0}};
  const auto parent = std::make_shared<const TritonEncoding>(TritonEncoding{NvidiaMma{3, 1, {4, 1}, {16, 8, 16}, cga}});
  const TritonEncoding all[] = {{SwizzledShared{8, 2, 4, {1, 0}, cga}},
                                {NvmmaShared{64, 8, 3, true, true, cga}},
                                {PaddedShared{{{64, 8}}, bases, cga}},
                                {SharedLinear{bases, cga, 32}},
                                {Blocked{{1, 8}, {4, 8}, {4, 1}, {1, 0}, cga}},
                                *parent,
                                {DotOperand{1, parent, 2}},
                                {RegisterSlice{1, parent}},
                                {RegisterLinear{bases, bases, bases, cga}},
                                {TensorMemory{64, 32, 2, true}},
                                {TensorMemoryScales{}}};
  for (const TritonEncoding& e : all) {
    std::vector<Finding> notes;
    const std::string mlir = mlir_text(e), gluon = gluon_text(e, {4, 2});
    CHECK(mlir_text(mlir_encoding(parse_literal(mlir), notes)) == mlir);
    CHECK(gluon_text(gluon_encoding(parse_literal(gluon)), {4, 2}) == gluon);
    CHECK(mlir_text(gluon_encoding(parse_literal(gluon))) == mlir);
    CHECK(notes.empty());
  }
}

TEST_CASE("Triton: the fragment of an instruction is named as one, also where blocked is the same function") {
  const auto named = [](const char* layout, const ArrayShape& shape, const char* dtype) {
    const RegisterForm form{shape, width_of(require_dtype(dtype)), parse_layout(layout).layout()};
    const std::string text = require_dialect("triton").write(form).text;
    const LayoutForm back = read_layout(text, {form.shape, form.element.dtype}).form;
    CHECK(is_same_function(std::get<RegisterForm>(back), form));
    return text;
  };
  const std::string one_warp =
      "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>";
  CHECK(named("((4,8),(2,2)):((32,1),(16,8))", {16, 8}, "f32") == one_warp);
  // B of m16n8k16: rows 2 (t % 4) + v % 2 + 8 (v / 2), column t / 4.
  CHECK(named("((4,8),(2,2)):((2,16),(1,8))", {16, 8}, "bf16") ==
        "#ttg.dot_op<{opIdx = 1, parent = " + one_warp + ", kWidth = 2}>");
  // A of m16n8k8 of tf32: row t / 4 + 8 (v % 2), column t % 4 + 4 (v / 2).
  CHECK(named("((4,8),(2,2)):((16,1),(8,64))", {16, 8}, "tf32") ==
        "#ttg.dot_op<{opIdx = 0, parent = " + one_warp + ", kWidth = 1}>");
  CHECK(named("((4,8,4),(2,2)):((128,1,16),(64,8))", {64, 8}, "f32") ==
        "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>");
  // Half of D of m16n8 is not a fragment of Triton's encodings, which have 16 rows.
  CHECK(form_in(triton_translation("#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = "
                                   "[1, 1], order = [1, 0]}>",
                                   {8, 8}),
                "triton")
            .starts_with("#ttg.blocked"));
}

TEST_CASE("Triton: what it cannot express is refused with what comes nearest") {
  const auto why = [](const std::string& cute, const ArrayShape& shape) {
    const Written w = require_dialect("triton").write(translate(cute, {shape}).form);
    return w.text.empty() ? w.why : w.text;
  };
  CHECK(why("(48,64):(64,1)", {48, 64}) ==
        "of 48x64 the extent 48 is not a power of two; pad it to the next power of two");
  CHECK(why("(64,64):(76,1)", {64, 64}) ==
        "padding of 12 elements after every 64: Triton takes powers of two; nearest: #ttg.padded_shared<[64:+8] …>");
  CHECK(why("(64,64):(0,1)", {64, 64}) == "two elements share an offset, which no encoding of shared memory has");
}

TEST_CASE("Gluon: its classes, by position and by name, and the default of an array") {
  const std::string by_name = "SwizzledSharedLayout(vec=8, per_phase=2, max_phase=4, order=[1, 0])";
  CHECK(as_cute(by_name, {128, 32}) == as_cute("ttgl.SwizzledSharedLayout(8, 2, 4, [1, 0])", {128, 32}));
  CHECK(form_in(triton_translation("gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)", {}, "f16"),
                "triton") == nvmma(128, 16));
  CHECK(as_cute("PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0])") == "(64,64):(72,1)");
  CHECK(form_in(triton_translation(wgmma_64, {64, 64}), "gluon") ==
        "NVMMADistributedLayout(version=[3, 0], warps_per_cta=[4, 1], instr_shape=[16, 64, 16])");
  CHECK(refusal("BlockedLayout([1, 8], [4, 8], [4, 1])", {64, 64}) == "BlockedLayout without order");
}

TEST_CASE("TLX: a shape that is missing, or has no elements, is refused") {
  const std::string shared = "tlx.nv_mma_shared_layout_encoding(";
  CHECK(refusal(shared + "order=[1, 0], elemType=tl.float16)", {64, 64}) ==
        "tlx.nv_mma_shared_layout_encoding without shape");
  CHECK(refusal(shared + "[], [1, 0], tl.float16)", {64, 64}) ==
        "Triton refuses the shape : every extent is a power of two");
  CHECK(refusal("tlx.local_alloc((64, 0), tl.float16, 1, layout=tlx.swizzled_layout(3, 3, 3, order=[1, 0]))") ==
        "Triton refuses the shape 64x0: every extent is a power of two");
}

TEST_CASE("Triton IR: every encoding, its uses and its arrays") {
  const std::string text = "#shared = " + nvmma(128, 16) + "\n#smem = #ttg.shared_memory\n" + "#mma = " + wgmma_64 +
                           "\nmodule {\n  tt.func @f() {\n"
                           "    %a = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xbf16, #shared, #smem, mutable>\n"
                           "    %b = ttg.memdesc_index %a[%i] : !ttg.memdesc<3x64x64xbf16, #shared, #smem, mutable> -> "
                           "!ttg.memdesc<64x64xbf16, #shared, #smem, mutable>\n"
                           "    %c = ttg.local_load %b : <64x64xbf16, #shared, #smem, mutable> -> tensor<64xf32, "
                           "#ttg.slice<{dim = 1, parent = #mma}>>\n  }\n}\n";
  REQUIRE(is_triton_ir(text));
  const TritonIr ir = read_triton_ir(text);
  REQUIRE(ir.encodings.size() == 3);
  const TritonIrEncoding& shared = ir.encodings[0];
  CHECK(shared.alias == "#shared");
  CHECK(shared.use_count == 4);
  CHECK(shared.uses[0].line == 6);
  CHECK(shared.uses[0].operation == "ttg.local_alloc");
  CHECK(shared.uses[3].operation == "ttg.local_load");
  REQUIRE(shared.arrays.size() == 2);
  CHECK(shared.arrays[1].type == "64x64xbf16");
  CHECK(form_in(*shared.arrays[1].translation, "cute") == "Sw<3,3,3> o 0 o (64,64):(64,1)");
  CHECK(ir.encodings[1].use_count == 0);
  CHECK(ir.encodings[2].alias.empty());
  CHECK(ir.encodings[2].text == "#ttg.slice<{dim = 1, parent = " + wgmma_64 + "}>");
}

TEST_CASE("Triton IR: files that Triton wrote") {
  for (const auto& [name, count] : {std::pair{"matmul_sm90.ttgir", 5}, {"matmul_sm100.ttgir", 7}}) {
    std::ifstream file(fmt::format("{}/tests/data/triton/{}", SWZ_SOURCE_DIR, name));
    std::stringstream text;
    text << file.rdbuf();
    const TritonIr ir = read_triton_ir(text.str());
    const int expected = count;
    CHECK(std::ssize(ir.encodings) == expected);
    for (const TritonIrEncoding& e : ir.encodings) {
      CHECK(e.use_count > 0);
      for (const TritonIrArray& array : e.arrays) CHECK_MESSAGE(array.translation.has_value(), array.why);
    }
  }
}

TEST_CASE("Triton: of several encodings none is answered alone") {
  const std::string a = "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>",
                    b = "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>";
  const auto message = [](const std::string& text) -> std::string {
    try {
      (void)read_layout(text, {{8, 32}, &require_dtype("f16")});
      return "read";
    } catch (const Error& e) {
      return e.message();
    }
  };
  CHECK(message("#shared = " + a + "\n#shared1 = " + b) == "the text has 2 encodings: #shared and #shared1");
  CHECK(message(a + "\n" + b) == "the text has 2 encodings: #ttg.swizzled_shared and #ttg.swizzled_shared");
  CHECK(message("#s = " + a + "\n#s = " + b) == "'#s' stands twice");
  CHECK(message("#s = " + a) == "read");
  CHECK(message("#s = " + a + "\n#t = " + b + "\n!ttg.memdesc<8x32xf16, #s, #smem, mutable>") == "read");
}
