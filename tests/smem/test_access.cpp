// SPDX-License-Identifier: Apache-2.0
// The accesses to shared memory as a table, typed in once more from PTX ISA 9.1 (9.7.14.5 and 9.7.9) and ptxas
// 13.0.88 for the targets, and every way to write the name of one.
#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "smem/access.hpp"

namespace swz {
namespace {

std::string targets_with(const AccessInstruction& row) {
  std::string names;
  for (const Target& target : targets())
    if (runs_on(row.availability, target)) names += (names.empty() ? "" : " ") + std::string(target.name);
  return names;
}

struct Row {
  const char* name;
  AccessOp op;
  int bytes, addresses, group_lanes;
  bool may_pair;
  int matrix_rows;
  const char* since;  // what lists of the availability say first
};

using enum AccessOp;

const Row expected[] = {
    {"ld.shared.b8", load, 1, 32, 32, false, 0, "sm_70"},
    {"ld.shared.b16", load, 2, 32, 32, false, 0, "sm_70"},
    {"ld.shared.b32", load, 4, 32, 32, false, 0, "sm_70"},
    {"ld.shared.b64", load, 8, 32, 16, true, 0, "sm_70"},
    {"ld.shared.b128", load, 16, 32, 8, true, 0, "sm_70"},
    {"st.shared.b8", store, 1, 32, 32, false, 0, "sm_70"},
    {"st.shared.b16", store, 2, 32, 32, false, 0, "sm_70"},
    {"st.shared.b32", store, 4, 32, 32, false, 0, "sm_70"},
    {"st.shared.b64", store, 8, 32, 16, false, 0, "sm_70"},
    {"st.shared.b128", store, 16, 32, 8, false, 0, "sm_70"},
    {"ldmatrix.x1", ldmatrix, 16, 8, 8, false, 8, "sm_75"},
    {"ldmatrix.x2", ldmatrix, 16, 16, 8, false, 8, "sm_75"},
    {"ldmatrix.x4", ldmatrix, 16, 32, 8, false, 8, "sm_75"},
    {"ldmatrix.x1.trans", ldmatrix, 16, 8, 8, false, 8, "sm_75"},
    {"ldmatrix.x2.trans", ldmatrix, 16, 16, 8, false, 8, "sm_75"},
    {"ldmatrix.x4.trans", ldmatrix, 16, 32, 8, false, 8, "sm_75"},
    {"ldmatrix.m16n16.x1.trans", ldmatrix, 16, 16, 8, false, 16, "sm_100a"},
    {"ldmatrix.m16n16.x2.trans", ldmatrix, 16, 32, 8, false, 16, "sm_100a"},
    {"ldmatrix.m8n16.x1", ldmatrix, 16, 8, 8, false, 8, "sm_100a"},
    {"ldmatrix.m8n16.x2", ldmatrix, 16, 16, 8, false, 8, "sm_100a"},
    {"ldmatrix.m8n16.x4", ldmatrix, 16, 32, 8, false, 8, "sm_100a"},
    {"stmatrix.x1", stmatrix, 16, 8, 8, false, 8, "sm_90"},
    {"stmatrix.x2", stmatrix, 16, 16, 8, false, 8, "sm_90"},
    {"stmatrix.x4", stmatrix, 16, 32, 8, false, 8, "sm_90"},
    {"stmatrix.x1.trans", stmatrix, 16, 8, 8, false, 8, "sm_90"},
    {"stmatrix.x2.trans", stmatrix, 16, 16, 8, false, 8, "sm_90"},
    {"stmatrix.x4.trans", stmatrix, 16, 32, 8, false, 8, "sm_90"},
    {"stmatrix.m16n8.x1.trans", stmatrix, 16, 8, 8, false, 8, "sm_100a"},
    {"stmatrix.m16n8.x2.trans", stmatrix, 16, 16, 8, false, 8, "sm_100a"},
    {"stmatrix.m16n8.x4.trans", stmatrix, 16, 32, 8, false, 8, "sm_100a"},
    {"cp.async.4", cp_async, 4, 32, 32, false, 0, "sm_80"},
    {"cp.async.8", cp_async, 8, 32, 16, false, 0, "sm_80"},
    {"cp.async.16", cp_async, 16, 32, 8, false, 0, "sm_80"},
    {"atom.shared.b32", atomic, 4, 32, 32, false, 0, "sm_70"},
    {"atom.shared.cas.b32", atomic, 4, 32, 32, false, 0, "sm_70"},
    {"atom.shared.cas.b64", atomic, 8, 32, 16, false, 0, "sm_70"},
    {"atom.shared.exch.b64", atomic, 8, 32, 16, false, 0, "sm_70"},
    {"atoms.popc.inc.32", atomic, 4, 32, 32, false, 0, "sm_70"},
};

TEST_CASE("accesses: bytes, lanes, matrices and targets of every row") {
  REQUIRE(access_instructions().size() == std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    const Row& e = expected[i];
    const AccessInstruction& row = access_instructions()[i];
    CAPTURE(e.name);
    CHECK(row.name == e.name);
    CHECK(row.op == e.op);
    CHECK(row.bytes == e.bytes);
    CHECK(row.addresses == e.addresses);
    CHECK(row.group_lanes == e.group_lanes);
    CHECK(row.may_pair == e.may_pair);
    CHECK(row.matrix_rows == e.matrix_rows);
    CHECK(row.is_matrix() == (e.matrix_rows > 0));
    CHECK(row.matrices() == (e.matrix_rows > 0 ? e.addresses / e.matrix_rows : 0));
    const std::string name = e.name;
    CHECK(row.transposed_bits() == (!name.ends_with(".trans") ? 0 : name.find(".m16") != name.npos ? 8 : 16));
    const std::string all =
        "sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90a sm_100a sm_100f sm_103a sm_103f sm_107a sm_107f sm_110a sm_110f "
        "sm_120a sm_120f sm_121a sm_121f";
    const std::string since = e.since;
    if (since == "sm_100a") continue;
    CHECK(to_string(row.availability) == since + " and later");
    CHECK(targets_with(row) == (since == "sm_70" || since == "sm_75" ? all : all.substr(all.find(since))));
  }
}

// The same instructions are in arch/instruction.hpp.
TEST_CASE("accesses of byte matrices exist where ldmatrix and stmatrix of bytes do") {
  int differing = 0;
  for (const AccessInstruction& row : access_instructions())
    for (const MatrixInstruction& matrix : matrix_instructions())
      if (std::string(row.name).find("." + std::string(matrix.shape) + ".") != std::string::npos &&
          to_string(matrix.family) == row.name.substr(0, 8))
        differing += to_string(row.availability) != to_string(matrix.availability);
  CHECK(differing == 0);
}

TEST_CASE("accesses of byte matrices: every target of ptxas") {
  for (const AccessInstruction& row : access_instructions()) {
    if (row.availability.from > 0) continue;
    for (const char* name : {"sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_110a", "sm_110f", "sm_120a", "sm_121a"})
      CHECK(runs_on(row.availability, require_target(name)));
    for (const char* name : {"sm_75", "sm_80", "sm_89", "sm_90a"})
      CHECK_FALSE(runs_on(row.availability, require_target(name)));
  }
}

TEST_CASE("accesses of byte matrices by their names in PTX") {
  for (const char* name :
       {"ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8", "ldmatrix.m16n16.x2.trans.b8x16.b6x16_p32",
        "ldmatrix.sync.aligned.m16n16.x2.trans.shared::cta.b8x16.b4x16_p64"})
    CHECK(&require_access(name) == &require_access("ldmatrix.m16n16.x2.trans"));
  CHECK(&require_access("stmatrix.sync.aligned.m16n8.x4.trans.shared.b8") ==
        &require_access("stmatrix.m16n8.x4.trans"));
  CHECK(find_access("ldmatrix.sync.aligned.m8n8.x4.shared.b8") == nullptr);
}

std::string name_of(const std::string& text) {
  const AccessInstruction* row = find_access(text);
  return row == nullptr ? "-" : std::string(row->name);
}

TEST_CASE("plain accesses: every vector and type that makes 8 to 128 bits, and no other") {
  for (const std::string op : {"ld", "st"})
    for (const int count : {1, 2, 4, 8})
      for (const int bits : {8, 16, 32, 64, 128})
        for (const std::string letter : {"b", "u", "s", "f"}) {
          const std::string vector = count == 1 ? "" : ".v" + std::to_string(count);
          const std::string text = op + ".shared" + vector + "." + letter + std::to_string(bits);
          const int all = count * bits;
          CAPTURE(text);
          CHECK(name_of(text) == (all <= 128 ? op + ".shared.b" + std::to_string(all) : "-"));
        }
  CHECK(name_of("lds") == "ld.shared.b32");
  CHECK(name_of("sts") == "st.shared.b32");
  for (const int bits : {8, 16, 32, 64, 128}) {
    CHECK(name_of("LDS." + std::to_string(bits)) == "ld.shared.b" + std::to_string(bits));
    CHECK(name_of("STS." + std::to_string(bits)) == "st.shared.b" + std::to_string(bits));
  }
  for (const char* wrong : {"ld.shared",
                            "ld",
                            "st.shared.v2",
                            "ld.shared.b0",
                            "ld.shared.b4",
                            "ld.shared.b12",
                            "ld.shared.b127",
                            "ld.shared.b129",
                            "ld.shared.b136",
                            "ld.shared.b256",
                            "ld.shared.b1024",
                            "ld.shared.b99999",
                            "ld.shared.b",
                            "ld.shared.bx",
                            "ld.shared.b3x",
                            "ld.shared.x32",
                            "ld.shared.v3.b32",
                            "LDS.0",
                            "LDS.4",
                            "LDS.256",
                            "LDS.b32",
                            "ld.shared.32",
                            "ldx.shared.b32",
                            "lds.u32",
                            "ld.shared.v99.b8",
                            "ld.shared.v999.b8",
                            "ld.shared.b32.b128",
                            "ld.shared.v2.v4.b32",
                            "LDS.128.64"})
    CHECK_MESSAGE(name_of(wrong) == "-", std::string(wrong));
  CHECK(name_of("ld.shared.v16.b8") == "ld.shared.b128");
  // A width has one to three digits.
  CHECK(name_of("ld.shared.v016.b008") == "ld.shared.b128");
  CHECK(name_of("ld.shared.v0016.b8") == "-");
  CHECK(name_of("ld.shared.v.b32") == "-");
}

TEST_CASE("atomics: what was counted, with any semantics and scope; loops, half words and other CTAs are no rows") {
  for (const char* name :
       {"red.shared.add.u32", "atom.relaxed.sys.shared.add.u32", "red.acq_rel.gpu.shared::cta.max.u32",
        "atom.shared.min.u32", "atom.shared.xor.b32", "atom.shared.inc.u32", "red.shared.add.s32", "red.shared.dec.u32",
        "atom.shared.and.b32", "ATOMS.MIN.S32", "atom.shared.exch.b32", "ATOMS.ADD", "atoms.exch"})
    CHECK_MESSAGE(name_of(name) == "atom.shared.b32", std::string(name));
  CHECK(name_of("atom.acquire.cta.shared.cas.b32") == "atom.shared.cas.b32");
  CHECK(name_of("ATOMS.CAS") == "atom.shared.cas.b32");
  CHECK(name_of("ATOMS.CAS.64") == "atom.shared.cas.b64");
  CHECK(name_of("atom.shared.exch.b64") == "atom.shared.exch.b64");
  CHECK(name_of("ATOMS.EXCH.64") == "atom.shared.exch.b64");
  CHECK(name_of("ATOMS.POPC.INC.32") == "atoms.popc.inc.32");
  for (const char* name : {"atom", "red", "atoms", "atom.shared", "red.shared.add.f32", "atom.shared.add.u64",
                           "atom.shared.add.noftz.f16x2", "atom.shared.cas.b16", "atom.shared::cluster.add.u32",
                           "atoms.add.32", "atom.shared.add", "atom.shared.popc.inc.32"})
    CHECK_MESSAGE(name_of(name) == "-", std::string(name));
  CHECK(require_access("atom.shared.cas.b32").lane_passes == 2);
  CHECK(require_access("atoms.popc.inc.32").lane_passes == 0);
}

TEST_CASE("names: words that change nothing, cp.async without a size, and the longest name") {
  CHECK(name_of("cp.async") == "cp.async.16");
  CHECK(name_of("cp.async.ca.shared.global.4") == "cp.async.4");
  CHECK(name_of("ld.weak.shared::cta.u32") == "ld.shared.b32");
  CHECK(name_of("ldmatrix.sync.aligned.m16n16.x1.trans.shared") == "ldmatrix.m16n16.x1.trans");
  std::string longest = "ldmatrix";
  for (int i = 0; i < 18; ++i) longest += ".ca";
  longest += ".sync.sync.m8n8.x4";
  REQUIRE(longest.size() == 80);
  CHECK(name_of(longest) == "ldmatrix.x4");
  CHECK(name_of(longest.insert(8, ".ca")) == "-");
}

TEST_CASE("names: another state space is refused, and cp.async keeps the space of its source") {
  for (const std::string name :
       {"ld.global.b128", "st.global.v4.f32", "atom.global.add.u32", "red.relaxed.gpu.global.add.u32",
        "ldmatrix.sync.aligned.m8n8.x4.global.b16", "ld.shared.global.b32"}) {
    CAPTURE(name);
    try {
      require_access(name);
      FAIL("accepted");
    } catch (const Error& e) {
      CHECK(e.message() == "'" + name + "' accesses 'global', and only shared memory has banks");
      CHECK(e.hint == "'swz banks --access list' names the accesses; swz kernel reads those to global memory");
    }
  }
  CHECK(name_of("cp.async.cg.shared::cta.global.16") == "cp.async.16");
}

// Only active lanes are looked at; the last address that fits is the window less the width.
TEST_CASE("addresses: lane 31, the ends of 32 bits and of the window of every target") {
  const auto refused = [](const char* name, int lane, std::int64_t address, const Target& target) {
    std::vector<std::int64_t> addresses(32, 0);
    addresses[static_cast<std::size_t>(lane)] = address;
    try {
      access_pattern(require_access(name), addresses, 0xffffffff, target);
    } catch (const Error& error) {
      return error.message() + " | " + error.hint;
    }
    return std::string("accepted");
  };
  for (const Target& target : targets())
    for (const auto& [name, bytes] : {std::pair{"ld.shared.b8", 1}, {"ld.shared.b32", 4}, {"ld.shared.b128", 16}}) {
      CAPTURE(target.name);
      const std::int64_t end = target.smem_window().count;
      CHECK(refused(name, 31, end - bytes, target) == "accepted");
      CHECK(refused(name, 31, end, target).find("lane 31: address 0x") == 0);
      CHECK(refused(name, 0, end - bytes + 1, target).find("lane 0: address 0x") == 0);
    }
  CHECK(refused("ld.shared.b8", 0, 0x39000, default_target()) ==
        "lane 0: address 0x39000 lies beyond shared memory, which ends at 0x39000 on sm_90a | addresses are those of "
        "the shared window, as __cvta_generic_to_shared gives them");
  CHECK(refused("ld.shared.b16", 3, 1, default_target()) ==
        "lane 3: address 0x1 is not a multiple of 2: ld.shared.b16 faults (misaligned address) | align the address, "
        "or take a narrower access");
  CHECK(refused("ld.shared.b8", 5, -1, default_target()) ==
        "lane 5: -1 is not a shared-memory address | shared-memory addresses have 32 bits");
  CHECK(refused("ld.shared.b8", 5, 4294967295, default_target()).find("lies beyond shared memory") !=
        std::string::npos);
  CHECK(refused("ld.shared.b8", 5, 4294967296, default_target()) ==
        "lane 5: 4294967296 is not a shared-memory address | shared-memory addresses have 32 bits");
  // ldmatrix.x1 takes the addresses of lanes 0 to 7, x2 those of lanes 0 to 15.
  CHECK(refused("ldmatrix.x1", 7, 1, default_target()) != "accepted");
  CHECK(refused("ldmatrix.x1", 8, 1, default_target()) == "accepted");
  CHECK(refused("ldmatrix.x2", 15, 1, default_target()) != "accepted");
  CHECK(refused("ldmatrix.x2", 16, 1, default_target()) == "accepted");
  const std::vector<std::int64_t> lanes(32, 0);
  CHECK_NOTHROW(access_pattern(require_access("ldmatrix.x4"), lanes, 0xffffffff, default_target()));
}

TEST_CASE("who says that the rule of wavefronts holds: H200 for sm_90a, the guide for whole warps, no other source") {
  for (const AccessInstruction& row : access_instructions())
    for (const Target& target : targets()) {
      CAPTURE(row.name);
      CAPTURE(target.name);
      const Source source = wavefront_source(row, target);
      if (target.name == "sm_90a" || row.op == cp_async) CHECK(source.where == row.source.where);
      else if (row.group_lanes == 32 && row.op != atomic)
        CHECK(source.where == "CUDA Programming Guide, shared memory");
      else CHECK(source.where == "the rule measured on sm_90a; not measured on this target");
    }
}

}  // namespace
}  // namespace swz
