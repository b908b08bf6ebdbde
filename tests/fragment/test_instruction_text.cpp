// SPDX-License-Identifier: Apache-2.0
// Pasted instructions. What CUTLASS and SASS mean is data: the asm of each atom, what ptxas makes of PTX.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fragment/instruction_text.hpp"
#include "fragment/tmem_access.hpp"

namespace swz {
namespace {

std::string refusal(std::string_view text) {
  try {
    const auto said = read_instruction(text);
    return said ? "read as " + said->name : "no instruction";
  } catch (const Error& e) {
    return e.message() + "\n" + e.hint;
  }
}

std::string name_in(std::string_view text) {
  const auto said = read_instruction(text);
  REQUIRE(said);
  return said->name;
}

// Both have the same fragments.
void check_same(const std::string& pasted, const std::string& ptx) {
  CAPTURE(pasted);
  CAPTURE(ptx);
  const std::vector<Fragment> found = find_fragments({.name = name_in(pasted)}), wanted = find_fragments({.name = ptx});
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].name == wanted[i].name);
    CHECK(found[i].dtype == wanted[i].dtype);
    CHECK(tv_layout(found[i]) == tv_layout(wanted[i]));
  }
}

// Lines of a file of tests/data in words.
std::vector<std::vector<std::string>> lines_of(const std::string& name) {
  std::ifstream file(std::string(SWZ_SOURCE_DIR) + "/tests/data/" + name);
  REQUIRE(file);
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with('#')) lines.push_back(split(line, ' '));
  return lines;
}

std::string with_n(std::string text, const std::string& before, const std::string& n) {
  const std::size_t at = text.find(before + "N");
  return text.replace(at + before.size(), 1, n);
}

TEST_CASE("every CUTLASS atom whose instruction swz has is the instruction of its asm") {
  int count = 0;
  for (const auto& line : lines_of("cutlass_atoms.txt")) {
    if (line.size() == 2) {
      check_same(line[0], line[1]);
      ++count;
      continue;
    }
    for (const std::string& n : split(line[2], ',')) {
      check_same(with_n(line[0], "64x", n), with_n(line[1], "m64n", n));
      ++count;
    }
  }
  CHECK(count > 1200);
  MESSAGE(count << " atoms of CUTLASS 4.2");
}

TEST_CASE("every SASS name is the instruction that ptxas made it of") {
  int count = 0;
  for (const auto& line : lines_of("sass_names.txt")) {
    check_same(line[0], line[1]);
    ++count;
  }
  CHECK(count > 60);
}

TEST_CASE("every row is read from the name that PTX has for it, with operands after it") {
  for (const NamedMma& mma : named_mmas()) {
    const auto said = read_instruction("@p " + mma.ptx() + " {%f0, %f1}, {%r0}, %rd1, 1;");
    CAPTURE(mma.ptx());
    REQUIRE(said);
    CHECK(said->name == mma.ptx());
    CHECK((said->shape == MmaExtents{mma.row->m, mma.n, mma.row->k}));
    CHECK(said->d == mma.d);
    CHECK(said->a == mma.a);
    CHECK(said->b == mma.b);
  }
  for (const MatrixForm& form : matrix_forms()) CHECK(name_in(form.name() + " {%r1}, [%r2];") == form.name());
  for (const TmemForm& form : tmem_forms()) CHECK(name_in(form.name() + " {%r1}, [%r2];") == form.name());
}

TEST_CASE("operands of wgmma and arguments of templates say where A lies and which way the operands run") {
  const auto wgmma = [](const std::string& rest) {
    return *read_instruction("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0,%f1,%f2,%f3}, " + rest);
  };
  CHECK(wgmma("%rd1, %rd2, 1, 1, 1, 0, 1;").a_place == OperandPlace::shared_memory);
  CHECK(wgmma("%rd1, %rd2, 1, 1, 1, 0, 1;").a_major == Major::K);
  CHECK(wgmma("%rd1, %rd2, 1, 1, 1, 0, 1;").b_major == Major::MN);
  CHECK(wgmma("{%r0,%r1,%r2,%r3}, %rd2, p, 1, 1, 1;").a_place == OperandPlace::registers);
  CHECK(wgmma("{%r0,%r1,%r2,%r3}, %rd2, p, 1, 1, 1;").b_major == Major::MN);
  CHECK_FALSE(wgmma("{%r0,%r1,%r2,%r3}, %rd2, p, 1, 1, 1;").a_major);
  const auto atom = *read_instruction(
      "MMA_Atom<cute::SM90::GMMA::MMA_64x128x16_F32BF16BF16_SS<"
      "(cute::SM90::GMMA::Major)1, (cute::SM90::GMMA::Major)0>>");
  CHECK(atom.a_major == Major::MN);
  CHECK(atom.b_major == Major::K);
  const auto umma = *read_instruction(
      "SM100_MMA_F16BF16_2x1SM_SS<bfloat16_t, bfloat16_t, float, 256, 128, "
      "UMMA::Major::K, UMMA::Major::MN>");
  CHECK((umma.shape == MmaExtents{256, 128, 16}));
  CHECK(umma.a == "bf16");
  CHECK(umma.kind->name == "f16");
  CHECK(umma.b_major == Major::MN);
  CHECK(name_in("SM120_16x8x32_TN<float_e4m3_t, float_e2m1_t, float>") == "mma.m16n8k32.row.col.f32.e4m3.e2m1.f32");
  CHECK(name_in("Copy_Atom<SM75_U32x4_LDSM_N, cute::half_t>") == "ldmatrix.x4");
}

TEST_CASE("what leaves open which instruction is meant is refused with the candidates") {
  CHECK(refusal("HMMA.16816") ==
        "'HMMA.16816' does not fully name an instruction\n"
        "name one of HMMA.16816.F32, HMMA.16816.F16 and HMMA.16816.F32.BF16");
  CHECK(refusal("UTCHMMA gdesc[UR8], gdesc[UR10], tmem[UR4]") ==
        "'UTCHMMA' is tcgen05.mma of kind::f16 or kind::tf32: it names neither kind nor shape\n"
        "M and N are in its instruction descriptor: swz decode --as idesc --kind f16 WORD reads them; as shape of "
        "an MMA "
        "give m128n256k16");
  CHECK(refusal("SM120_16x8x32_TN") ==
        "'SM120_16x8x32_TN' is a template: its name holds no types\n"
        "add its arguments: SM120_16x8x32_TN<float_e4m3_t, float_e2m1_t, float>");
  CHECK(refusal("HMMA.16816.F32 R4, R8; LDSM.16.M88 R2") ==
        "the text names two instructions, 'HMMA.16816.F32' and 'LDSM.16.M88'\ngive one of them");
  CHECK(refusal("SM80_8x8x4_C64C64C64C64_TN").starts_with("'SM80_8x8x4_C64C64C64C64_TN' is not an instruction"));
  CHECK(refusal("tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1;").find("names neither M nor N") != std::string::npos);
  for (const char* text :
       {"", "m64n256k16", "64x16", "wgmma.fence.sync.aligned;", "sm_90a", "(8,64):(64,1)", "...", "::"})
    CHECK(refusal(text) == "no instruction");
  CHECK(refusal(std::string(1 << 20, 'x')) == "no instruction");
}

}  // namespace
}  // namespace swz
