// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "all_fragments.hpp"
#include "base/error.hpp"

namespace swz {
namespace {

std::string refusal(const FragmentRequest& request) {
  try {
    const Fragment f = find_fragment(request);
    return "found " + f.name;
  } catch (const Error& e) {
    return e.message() + "\n" + e.hint;
  }
}

bool same(const Fragment& a, const Fragment& b) {
  return a.name == b.name && a.dtype == b.dtype && a.bits == b.bits && a.operand == b.operand &&
         tv_layout(a) == tv_layout(b);
}

TEST_CASE("the name of a fragment finds it again") {
  for (const FragmentRequest& request : all_requests()) {
    const Fragment f = find_fragment(request);
    FragmentRequest again = request;
    again.name = f.name;
    CAPTURE(f.name);
    CHECK(same(find_fragment(again), f));
    CHECK((request.name == f.name));
  }
}

TEST_CASE("names as in a PTX listing, and aliases of types") {
  const auto agree = [](const FragmentRequest& a, const FragmentRequest& b) {
    CAPTURE(a.name);
    CHECK(same(find_fragment(a), find_fragment(b)));
  };
  const auto none = std::nullopt;
  agree({"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "", none, ""}, {"ldmatrix.x4.trans", "", none, ""});
  agree({"ldmatrix.sync.aligned.x4.m8n8.trans.shared::cta.b16", "", none, ""}, {"ldmatrix.x4.trans", "", none, ""});
  agree({"ldmatrix.m16n16.x2.trans", "", none, ""}, {"ldmatrix.m16n16.x2.trans.b8", "", none, ""});
  agree({"LDMATRIX.X1", "", none, ""}, {"ldmatrix.x1", "", none, ""});
  agree({"movmatrix.sync.aligned.m8n8.trans.b16", "", none, ""}, {"movmatrix.trans", "", Operand::d, ""});
  agree({"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "", Operand::a, ""},
        {"mma.m16n8k16", "bf16", Operand::a, ""});
  agree({"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "", Operand::d, ""},
        {"mma.m16n8k16", "f16", Operand::d, "f16"});
  agree({"mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e4m3.e2m1.f32", "", Operand::b, ""},
        {"mma.m16n8k32", "e2m1", Operand::b, ""});
  agree({"wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16", "", Operand::d, ""},
        {"wgmma.m64n64k16", "half", Operand::d, ""});
  // an accumulator type that no A of the shape has
  agree({"mma.m16n8k16", "s32", Operand::d, ""}, {"mma.m16n8k16", "s8", Operand::d, ""});
  // of f16 the type is that of A and B, and the accumulator the widest
  CHECK(find_fragment({"mma.m16n8k16", "f16", Operand::d, ""}).dtype == "f32");
}

TEST_CASE("without a type, as long as the map does not depend on it") {
  CHECK(find_fragment({"wgmma.m64n64k16", "", Operand::d, ""}).dtype == "f32");
  CHECK(find_fragment({"wgmma.m64n64k32", "", Operand::a, ""}).bits == 8);
  CHECK(find_fragment({"mma.m16n8k16", "", Operand::d, ""}).columns == 8);
  CHECK(refusal({"mma.m16n8k16", "", Operand::a, ""}) ==
        "the a fragment of mma.m16n8k16 depends on the element type\n"
        "name one: f16, bf16, s8, u8, e4m3, e5m2 and f64");
}

TEST_CASE("unknown names: the nearest and the list") {
  CHECK(refusal({"ldmatrx.x4", "", std::nullopt, ""}) ==
        "'ldmatrx.x4' is not an instruction with a register fragment\n"
        "did you mean 'ldmatrix.x4'? instructions: ldmatrix, stmatrix, movmatrix, mma, wgmma, tcgen05.ld and "
        "tcgen05.st; for example "
        "ldmatrix.x4.trans or mma.m16n8k16");
  CHECK(refusal({"", "", std::nullopt, ""}) ==
        "'' is not an instruction with a register fragment\n"
        "instructions: ldmatrix, stmatrix, movmatrix, mma, wgmma, tcgen05.ld and tcgen05.st; for example "
        "ldmatrix.x4.trans or mma.m16n8k16");
  CHECK(refusal({"stmatrix.x3", "", std::nullopt, ""}) ==
        "'stmatrix.x3' is not a form of stmatrix\n"
        "did you mean 'stmatrix.x1'? forms: stmatrix.x1, stmatrix.x1.trans, stmatrix.x2, stmatrix.x2.trans, "
        "stmatrix.x4, stmatrix.x4.trans, stmatrix.m16n8.x1.trans.b8, stmatrix.m16n8.x2.trans.b8 and "
        "stmatrix.m16n8.x4.trans.b8");
  // .trans is mandatory for 8-bit matrices (errata P17)
  CHECK(refusal({"stmatrix.m16n8.x4.b8", "", std::nullopt, ""}).find("did you mean 'stmatrix.m16n8.x4.trans.b8'?") !=
        std::string::npos);
  CHECK(refusal({"ldmatrix.x4.x4", "", std::nullopt, ""}).starts_with("'ldmatrix.x4.x4' is not a form of ldmatrix\n"));
  const std::string shapes =
      "shapes: mma.m8n8k4, mma.m8n8k16, mma.m8n8k32, mma.m8n8k128, mma.m16n8k4, mma.m16n8k8, mma.m16n8k16, "
      "mma.m16n8k32, mma.m16n8k64, mma.m16n8k128 and mma.m16n8k256";
  CHECK(refusal({"mma.m16n8k12", "bf16", Operand::a, ""}) ==
        "mma has no shape m16n8k12\nthe nearest of bf16 is mma.m16n8k16; " + shapes);
  CHECK(refusal({"mma.m16n8k96", "", Operand::a, ""}) ==
        "mma has no shape m16n8k96\nthe nearest is mma.m16n8k128; " + shapes);
  CHECK(refusal({"mma.m16n16k16", "", Operand::a, ""})
            .starts_with("mma has no shape m16n16k16\nthe nearest is mma.m16n8k16; "));
  CHECK(refusal({"mma.m16n8", "", Operand::a, ""}) ==
        "'mma.m16n8' is not a form of mma: 'm16n8' is not a part of it\ndid you mean 'mma.m16n8k4'? " + shapes);
  CHECK(refusal({"mma", "", Operand::a, ""}) == "'mma' is not a form of mma: it names no shape\n" + shapes);
  CHECK(refusal({"mma.m99999999999999999999n8k4", "", Operand::a, ""})
            .starts_with("'mma.m99999999999999999999n8k4' is not a form of mma: "));
  CHECK(refusal({"wgmma.m64n100k16", "f16", Operand::d, ""}) ==
        "wgmma has no shape m64n100k16\n"
        "the nearest of f16 is wgmma.m64n104k16; shapes: wgmma.m64nNk8, wgmma.m64nNk16, wgmma.m64nNk32 and "
        "wgmma.m64nNk256; N 8..256 step 8 (s8, u8 and b1: 8..32 step 8, 48..256 step 16)");
}

TEST_CASE("a name of a million parts is refused at once") {
  for (const char c : {'.', 'm', '\0'}) {
    const std::string answer = refusal({"mma." + std::string(1000000, c), "", Operand::a, ""});
    CHECK(answer.find("is not an instruction with a register fragment\ninstructions: ") != std::string::npos);
    CHECK(answer.size() < 500);
  }
}

TEST_CASE("types, accumulators and operands that do not fit") {
  CHECK(refusal({"mma.m16n8k16", "tf32", Operand::a, ""}) ==
        "mma.m16n8k16 does not take tf32\n"
        "it takes f16, bf16, s8, u8, e4m3, e5m2 and f64; the nearest of tf32 is mma.m16n8k8");
  CHECK(refusal({"mma.m16n8k16", "ue8m0", Operand::a, ""}) ==
        "mma.m16n8k16 does not take ue8m0\n"
        "it takes f16, bf16, s8, u8, e4m3, e5m2 and f64; mma takes no ue8m0 in any shape");
  CHECK(refusal({"wgmma.m64n40k32", "s8", Operand::d, ""}) ==
        "wgmma.m64n40k32 does not take s8\nit takes e4m3 and e5m2; the nearest of s8 is wgmma.m64n48k32");
  CHECK(refusal({"mma.m16n8k16", "bf16", Operand::d, "f16"}) ==
        "mma.m16n8k16 of bf16 does not accumulate in f16\nit accumulates in f32");
  CHECK(refusal({"mma.m16n8k16", "bfloat61", Operand::d, ""}).starts_with("'bfloat61' is not an element type\n"));
  CHECK(refusal({"mma.m16n8k16", "f16", std::nullopt, ""}) ==
        "which operand of mma.m16n8k16?\noperands: a, b, c and d");
  CHECK(refusal({"wgmma.m64n64k16", "f16", Operand::b, ""}) ==
        "operand b of wgmma lies in shared memory, never in registers\n"
        "operands: a (when it lies in registers) and d");
  CHECK(refusal({"wgmma.m64n64k16", "f16", Operand::c, ""}).starts_with("wgmma has no operand c, it adds to d\n"));
  CHECK(refusal({"mma.m16n8k16", "f16", Operand::memory, ""})
            .starts_with("mma.m16n8k16 moves nothing between registers and memory\n"));
  CHECK(refusal({"ldmatrix.x4", "", Operand::a, ""}) ==
        "ldmatrix has no operand a\nits one fragment is what it moves between registers and memory; name no operand");
  CHECK(refusal({"movmatrix.trans", "", Operand::b, ""}) ==
        "movmatrix has no operand b\nit has a, what a thread gives, and d, what it gets");
  CHECK(refusal({"ldmatrix.x4", "f16", std::nullopt, ""}) ==
        "ldmatrix.x4 takes no element type\nit moves b16 of any type");
  CHECK(refusal({"mma.m8n8k4", "", Operand::a, ""}) ==
        "the a fragment of mma.m8n8k4 depends on the element type\nname one: f16 and f64");
}

TEST_CASE("orders that only m8n8k4 of f16 takes name its type, and stay in the name") {
  for (const Operand operand : {Operand::a, Operand::b, Operand::d}) {
    const Fragment f = find_fragment({"mma.m8n8k4.col.row", "", operand, ""});
    CHECK(f.name == "mma.m8n8k4.col.row");
    CHECK(f.tiles == 4);
    CHECK(same(find_fragment({"mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32", "", operand, ""}),
               find_fragment({"mma.m8n8k4.col.row", "f16", operand, "f32"})));
    CHECK(find_fragment({"mma.m8n8k4.col.col", "", operand, ""}).name == "mma.m8n8k4.col.col");
    CHECK(find_fragment({"mma.m8n8k4.row.col", "f16", operand, ""}).name == "mma.m8n8k4");
  }
}

TEST_CASE("orders and types in the name that do not fit") {
  CHECK(refusal({"mma.m16n8k16.col.col", "f16", Operand::a, ""}) ==
        "mma.m16n8k16 takes A as .row and B as .col only\nonly m8n8k4 of f16 has a choice");
  CHECK(refusal({"mma.m8n8k4.row", "f16", Operand::a, ""}) ==
        "'mma.m8n8k4.row' names one order of A and B, or more than two\n"
        "write .row or .col for A, then for B: .row.col");
  CHECK(refusal({"mma.m16n8k16.f32.f16", "", Operand::a, ""}) ==
        "'mma.m16n8k16.f32.f16' names 2 types, not 4\nPTX names the types of D, A, B and C");
  CHECK(refusal({"wgmma.m64n8k16.f32.f16.f16", "f16", Operand::a, ""}) ==
        "'wgmma.m64n8k16.f32.f16.f16' already names its types\nleave the element type out");
}

}  // namespace
}  // namespace swz
