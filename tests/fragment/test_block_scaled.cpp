// SPDX-License-Identifier: Apache-2.0
// Block-scaled mma.sync: the lanes and bytes of scale factors against PTX's lane tables typed in, laws over every form
// and every pair of ids, and the forms that do not exist.
#include <doctest/doctest.h>

#include <array>
#include <set>
#include <string>
#include <tuple>

#include "base/error.hpp"
#include "fragment/block_scaled.hpp"
#include "fragment/fragment.hpp"

namespace swz {
namespace {

std::string refusal(const FragmentRequest& request) {
  try {
    return "found " + find_fragment(request).name;
  } catch (const Error& e) {
    return e.message() + "\n" + e.hint;
  }
}

FragmentRequest request_of(const BlockScaledMma& form, Operand operand, ScaleIds ids = {}) {
  return {.name = block_scaled_name(form),
          .operand = operand,
          .scale_type = std::string(form.scale_type),
          .sfa_ids = operand == Operand::sfa ? std::optional(ids) : std::nullopt,
          .sfb_ids = operand == Operand::sfb ? std::optional(ids) : std::nullopt};
}

// PTX ISA 9.3, 9.7.15.3: thread-id-a 0 selects lanes 0 and 1 of each four, 1 lanes 2 and 3; CuTe's SFALayout has row g in
// the even lane and row g + 8 in the odd one. Typed in lane by lane.
constexpr std::array<std::array<int, 16>, 2> lanes_of_a = {
    {{0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29},
     {2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31}}};
constexpr std::array<std::array<int, 8>, 4> lanes_of_b = {{{0, 4, 8, 12, 16, 20, 24, 28},
                                                           {1, 5, 9, 13, 17, 21, 25, 29},
                                                           {2, 6, 10, 14, 18, 22, 26, 30},
                                                           {3, 7, 11, 15, 19, 23, 27, 31}}};
// Table 40: the bytes that a byte-id selects, by scale_vec; empty where it is refused.
const std::array<std::array<std::vector<int>, 4>, 5> bytes_of_id = {
    {{}, {{{0}, {1}, {2}, {3}}}, {{{0, 1}, {}, {2, 3}, {}}}, {}, {{{0, 1, 2, 3}, {}, {}, {}}}}};

// Calls `visit` with each form, operand and pair of ids from 0 to 4, legal or not.
template <class Visit>
void visit_ids(Visit visit) {
  for (const BlockScaledMma& form : block_scaled_mmas())
    for (const Operand operand : {Operand::sfa, Operand::sfb})
      for (int byte = 0; byte < 5; ++byte)
        for (int thread = 0; thread < 5; ++thread) visit(form, operand, ScaleIds{byte, thread});
}

TEST_CASE("every scale factor is in the lane and the bytes of PTX's tables, and no other id is accepted") {
  int legal = 0, refused = 0, factors = 0;
  visit_ids([&](const BlockScaledMma& form, Operand operand, ScaleIds ids) {
    const bool is_a = operand == Operand::sfa;
    const std::size_t vec = static_cast<std::size_t>(form.scale_vec), thread = static_cast<std::size_t>(ids.thread);
    const std::vector<int> bytes =
        ids.byte < 4 ? bytes_of_id[vec][static_cast<std::size_t>(ids.byte)] : std::vector<int>();
    const bool is_legal = !bytes.empty() && ids.thread < (is_a ? 2 : 4);
    const std::string answer = refusal(request_of(form, operand, ids));
    CAPTURE(block_scaled_name(form));
    CAPTURE(ids.byte);
    CAPTURE(ids.thread);
    CHECK(answer.starts_with("found") == is_legal);
    ++(is_legal ? legal : refused);
    if (!is_legal) return;
    const Fragment f = find_fragment(request_of(form, operand, ids));
    const FragmentInverse holder_of(f);
    REQUIRE(bytes.size() == vec);
    for (int line = 0; line < (is_a ? 16 : 8); ++line)
      for (std::size_t block = 0; block < vec; ++block, ++factors) {
        const int column = static_cast<int>(block);
        const Holder holder = holder_of(is_a ? Coordinate{line, column} : Coordinate{column, line});
        const std::size_t i = static_cast<std::size_t>(line);
        CHECK(holder.thread == (is_a ? lanes_of_a[thread][i] : lanes_of_b[thread][i]));
        CHECK(f.slot(holder.value) == RegisterSlot{0, 8 * bytes[block]});
      }
  });
  // 1X: 4 byte-ids of 2 forms, 2X: 2 of 4, 4X: 1 of 4; times 2 and 4 thread-ids
  CHECK(legal == (4 * 2 + 2 * 4 + 1 * 4) * (2 + 4));
  CHECK(refused == 10 * 2 * 25 - legal);
  CHECK(factors > 0);
}

TEST_CASE("a scale fragment is one to one from the lanes that are read, and the inverse inverts") {
  visit_ids([&](const BlockScaledMma& form, Operand operand, ScaleIds ids) {
    const ScaleOperand of = operand == Operand::sfa ? ScaleOperand::a : ScaleOperand::b;
    if (broken_rule(ids, form.scale_vec, of)) return;
    const Fragment f = scale_fragment(form, operand, ids);
    const FragmentInverse holder_of(f);
    CHECK_FALSE(has_gap(f));
    CHECK(f.registers() == 1);
    std::set<std::pair<int, int>> seen;
    int read = 0;
    for (int lane = 0; lane < 32; ++lane) {
      if (!f.is_read(lane)) continue;
      ++read;
      for (int value = 0; value < f.values(); ++value) {
        const Coordinate at = f.at(lane, value);
        CHECK(seen.emplace(at.row, at.column).second);
        CHECK(holder_of(at) == Holder{lane, value});
        CHECK(holders_of(f, at) == std::vector{Holder{lane, value}});
      }
    }
    CHECK(read == (operand == Operand::sfa ? 16 : 8));
    CHECK(seen.size() == static_cast<std::size_t>(f.rows * f.columns));
  });
}

TEST_CASE("A, B, C and D are those of the unscaled MMA of the shape, and their scale factors cover all of K") {
  for (const BlockScaledMma& form : block_scaled_mmas()) {
    CAPTURE(block_scaled_name(form));
    CHECK(form.block() * form.scale_vec == form.k);
    const std::string unscaled = form.is_sparse
                                     ? (form.k == 64 ? "mma.sp::ordered_metadata.m16n8k64" : "mma.sp.m16n8k128")
                                     : (form.k == 32 ? "mma.m16n8k32" : "mma.m16n8k64");
    const std::string dtype = form.bits == 8 ? "e2m1" : "s4";  // of the same bits where e2m1 has no unscaled form
    for (const Operand operand : {Operand::a, Operand::b, Operand::c, Operand::d}) {
      const Fragment f = find_fragment(request_of(form, operand));
      const bool is_input = operand == Operand::a || operand == Operand::b;
      const Fragment plain = find_fragment({unscaled, dtype, operand, ""});
      CHECK(tv_layout(f) == tv_layout(plain));
      CHECK(f.bits == plain.bits);
      CHECK(f.block == (is_input ? form.block() : 0));
      CHECK(f.name == block_scaled_name(form));
    }
  }
}

TEST_CASE("the table of forms: shapes, vectors and targets as the document has them") {
  using Row = std::tuple<std::string, bool, int, int, std::string, std::string>;
  std::set<Row> found;
  for (const BlockScaledMma& form : block_scaled_mmas())
    CHECK(found
              .emplace(std::string(row_of(form.kind).name), form.is_sparse, form.k, form.scale_vec,
                       std::string(form.scale_type), to_string(form.availability))
              .second);
  const std::string all = "sm_120a, sm_120f, sm_121a and sm_121f", a_only = "sm_120a and sm_121a";
  CHECK(found == std::set<Row>{{"mxf8f6f4", false, 32, 1, "ue8m0", all},
                               {"mxf8f6f4", true, 64, 1, "ue8m0", all},
                               {"mxf4", false, 64, 2, "ue8m0", all},
                               {"mxf4", true, 128, 2, "ue8m0", a_only},
                               {"mxf4nvf4", false, 64, 2, "ue8m0", all},
                               {"mxf4nvf4", false, 64, 4, "ue4m3", all},
                               {"mxf4nvf4", false, 64, 4, "ue8m0", all},
                               {"mxf4nvf4", true, 128, 2, "ue8m0", a_only},
                               {"mxf4nvf4", true, 128, 4, "ue4m3", a_only},
                               {"mxf4nvf4", true, 128, 4, "ue8m0", a_only}});
  for (const BlockScaledMma& form : block_scaled_mmas()) {
    bool takes = false;
    for (const TypeCode& code : type_codes())
      takes =
          takes || (code.role == TypeRole::scale && contains(code.kinds, form.kind) && code.dtype == form.scale_type);
    CHECK(takes);
  }
}

TEST_CASE("names as PTX and as CUTLASS write them") {
  const auto name_of = [](const std::string& name, Operand operand) {
    return find_fragment({name, "", operand, ""}).name;
  };
  const std::string nvf4 = "mma.m16n8k64.kind::mxf4nvf4.block_scale.scale_vec::4X";
  CHECK(name_of("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3",
                Operand::sfa) == nvf4);
  CHECK(name_of("mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0",
                Operand::a) == nvf4);
  CHECK(name_of("mma.sync.aligned.kind::mxf8f6f4.sp::ordered_metadata.block_scale.m16n8k64.row.col.f32.e3m2.e2m1.f32."
                "ue8m0",
                Operand::e) == "mma.sp::ordered_metadata.m16n8k64.kind::mxf8f6f4.block_scale.scale_vec::1X");
  // The types of A and B may differ.
  const std::string mixed = "mma.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e2m1.f32.ue8m0";
  CHECK(find_fragment({mixed, "", Operand::a, ""}).dtype == "e4m3");
  CHECK(find_fragment({mixed, "", Operand::b, ""}).dtype == "e2m1");
  CHECK(find_fragment({mixed, "", Operand::b, ""}).value_slot(1) == RegisterSlot{0, 10});  // bits 5-2 of byte 1
  CHECK(find_fragment({mixed, "", Operand::sfb, ""}).dtype == "ue8m0");
  CHECK(find_fragment({.name = "mma.m16n8k64", .operand = Operand::sfb, .kind = "mxf4nvf4", .scale_vec = 4}).dtype ==
        "ue4m3");
}

// ptxas 13.5.37's names; CUTLASS 4.2 include/cute/arch/mma_sm120.hpp and mma_sm120_sparse.hpp.
TEST_CASE("names of SASS and of CUTLASS atoms") {
  const auto read = [](const char* text) { return read_instruction(text)->name; };
  CHECK(read("QMMA.SF.16832.F32.E4M3.E2M1.E8 R4, R8, R12, R4, R2, R3, UR4 ;") ==
        "mma.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e2m1.f32.ue8m0");
  CHECK(read("OMMA.SF.16864.F32.E2M1.E2M1.E8 R4, R8") ==
        "mma.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0");
  CHECK(read("OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X R4, R8") ==
        "mma.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3");
  CHECK(read("OMMA.SF.SP.168128.F32.E2M1.E2M1.E8.4X R4, R8") ==
        "mma.sp::ordered_metadata.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0");
  CHECK(read("SM120::BLOCKSCALED::SM120_16x8x32_TN_VS<float_e4m3_t, float_e3m2_t, float, float_ue8m0_t, 32>") ==
        "mma.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e3m2.f32.ue8m0");
  CHECK(read("SM120_16x8x64_TN_VS<float_e2m1_t, float_e2m1_t, float, float_ue4m3_t, 16>") ==
        "mma.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3");
  CHECK(read("SM120_SPARSE_16x8x128_TN_VS<float_e2m1_t, float_e2m1_t, float, float_ue8m0_t, 64>") ==
        "mma.sp::ordered_metadata.m16n8k128.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0");
  for (const NamedBlockScaled& one : named_block_scaled()) {
    const auto said = read_instruction(one.ptx() + " {%f0}, {%r0}, {%r4}, {%f0}, %r8, {0, 1}, %r9, {0, 3};");
    REQUIRE(said);
    CHECK(said->a == one.a);
    CHECK(find_fragments({.name = said->name}).front().name == block_scaled_name(*one.form));
  }
}

TEST_CASE("the ids of a pasted line of PTX") {
  const std::string
      name = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 ",
      sparse =
          "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 ";
  const auto dense =
      read_instruction(name +
                       "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r6, {2, 1}, %r7, {0,3};")
          ->scales;
  CHECK(dense.sfa_ids == ScaleIds{2, 1});
  CHECK(dense.sfb_ids == ScaleIds{0, 3});
  CHECK_FALSE(dense.selector);
  const auto kept =
      read_instruction(sparse + "{%f0,%f1}, {%r0,%r1}, {%r4,%r5}, {%f0,%f1}, %r9, 0, {%r6}, {%rs0, 1}, {%r7}, {2,3};")
          ->scales;
  CHECK(kept.selector == 0);
  CHECK_FALSE(kept.sfa_ids);  // an id in a register
  CHECK(kept.sfb_ids == ScaleIds{2, 3});
  CHECK_FALSE(read_instruction(name + "{%f0}, {%r0}")->scales.sfa_ids);
}

TEST_CASE("what ptxas refuses: the rule, its source and the nearest legal form") {
  const std::string forms = " (PTX ISA 9.3, tables 38 and 39; ptxas 13.5.37 (documented))",
                    ids = " (PTX ISA 9.3, table 40; ptxas 13.5.37 (documented))",
                    nvf4 = "it has 2X of ue8m0, 4X of ue4m3 and 4X of ue8m0" + forms;
  const auto refused = [](FragmentRequest r, Operand operand = Operand::sfa) {
    r.operand = operand;
    return refusal(r);
  };
  const std::string k64 = "mma.m16n8k64", k32 = "mma.m16n8k32";
  CHECK(refused({.name = k64, .kind = "mxf4nvf4", .scale_vec = 2, .scale_type = "ue4m3"}) ==
        "scale_vec::2X of kind::mxf4nvf4 takes no scale factors of ue4m3\n" + nvf4);
  CHECK(refused({.name = k64, .kind = "mxf4nvf4", .scale_vec = 1}) == "kind::mxf4nvf4 has no scale_vec::1X\n" + nvf4);
  CHECK(refused({.name = k32, .kind = "mxf8f6f4", .scale_vec = 2}) ==
        "kind::mxf8f6f4 has no scale_vec::2X\nit has 1X of ue8m0" + forms);
  CHECK(refused({.name = k64, .kind = "mxf4", .scale_vec = 4}) ==
        "kind::mxf4 has no scale_vec::4X\nit has 2X of ue8m0" + forms);
  CHECK(refused({.name = k64, .kind = "mxf4nvf4"}) == "kind::mxf4nvf4 has no default scale_vec: name one\n" + nvf4);
  CHECK(refused({.name = k64, .dtype = "e4m3", .kind = "mxf4"}) ==
        "kind::mxf4 does not take e4m3\nit takes e2m1" + forms);
  CHECK(refused({.name = k64, .accumulator = "f16", .kind = "mxf4"}) ==
        "kind::mxf4 does not accumulate in f16\nit accumulates in f32" + forms);
  CHECK(refused({.name = "mma.sp.m16n8k128", .kind = "mxf4"}) ==
        "'mma.sp.m16n8k128': mma.sp is not block-scaled\nwrite mma.sp::ordered_metadata" + forms);
  CHECK(refused({.name = k32, .kind = "mxf4"}) ==
        "kind::mxf4 has no shape m16n8k32\nit has m16n8k64 and mma.sp::ordered_metadata m16n8k128" + forms);
  CHECK(refused({.name = k64, .kind = "mxf4", .sfa_ids = ScaleIds{1, 0}}) ==
        "byte-id 1 does not exist for scale_vec::2X\nit is 0 and 2; the nearest is 0" + ids);
  CHECK(refused({.name = k64, .kind = "mxf4nvf4", .scale_vec = 4, .sfb_ids = ScaleIds{2, 0}}) ==
        "byte-id 2 does not exist for scale_vec::4X\nit is 0" + ids);
  CHECK(refused({.name = k32, .kind = "mxf8f6f4", .sfa_ids = ScaleIds{4, 0}}) ==
        "byte-id 4 does not exist for scale_vec::1X\nit is 0, 1, 2 and 3; the nearest is 3" + ids);
  CHECK(refused({.name = k32, .kind = "mxf8f6f4", .sfa_ids = ScaleIds{0, 2}}) ==
        "thread-id 2 does not exist for A\nit is 0 and 1; the nearest is 1" + ids);
  CHECK(refused({.name = k32, .kind = "mxf8f6f4", .sfb_ids = ScaleIds{0, 4}}) ==
        "thread-id 4 does not exist for B\nit is 0, 1, 2 and 3; the nearest is 3" + ids);
  CHECK(refused({.name = "mma.sp::ordered_metadata.m16n8k128", .kind = "mxf4", .selector = 1}, Operand::e)
            .starts_with("sparsity selector 1 does not exist for mma.sp::ordered_metadata.m16n8k128\nit is 0 ("));
  CHECK(refused({.name = k64, .kind = "mxf4"}, Operand::e) ==
        "mma.m16n8k64.kind::mxf4.block_scale.scale_vec::2X has no operand e\noperands: a, b, c, d, sfa and sfb");
  CHECK(refused({.name = "mma.m16n8k16", .dtype = "f16", .sfa_ids = ScaleIds{0, 0}}) ==
        "'mma.m16n8k16' has no scale factors\nmma of kind::mxf8f6f4, mxf4 and mxf4nvf4 has");
  CHECK(refused({.name = k32, .dtype = "e4m3"}) ==
        "mma.m16n8k32 has no scale factors: it is not block-scaled\noperands: a, b, c and d");
  CHECK(refused({.name = k32, .dtype = "e4m3"}, Operand::e) ==
        "mma.m16n8k32 has no metadata: it is not sparse\noperands: a, b, c and d");
}

}  // namespace
}  // namespace swz
