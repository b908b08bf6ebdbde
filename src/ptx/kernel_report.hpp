// SPDX-License-Identifier: Apache-2.0
// KernelReport: the sites of a kernel that decide its layouts, and what is proven of each.
//
//   wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {…}, %rd4, %rd5, …       in line 120
//
//   a: in smem, K-major; word 0x4000004000010000 of which the bits 0xffffffffffffc000 are known
//      start smem + 16384*%r7, a multiple of 1024; LBO 16 B, SBO 1024 B, mode 128B
//   b: …
//
//   ld.shared.v4.u32 {…}, [%r9]        in line 88: 8 wavefronts a warp, 4 would do, proven for every warp and pass
//
// What is not known is absent, and `why` names the instruction that made it so. Findings of a site stand with it, those of the
// whole kernel in its own list. Sites stand in the order of their lines, one entry each.
//
// Invariant (tested by running and on GPUs): no execution contradicts a word's known bits, a start or a count that is proven.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "arch/swizzle_mode.hpp"
#include "arch/target.hpp"
#include "base/finding.hpp"
#include "base/units.hpp"
#include "ptx/module.hpp"
#include "ptx/values.hpp"
#include "smem/access.hpp"
#include "smem/tile.hpp"
#include "tma/tensor_map.hpp"

namespace swz {

struct PtxSite {
  std::uint32_t instruction = 0;  // of the kernel
  std::uint32_t line = 0;         // of the text, from 1
  SourcePlace source;
  std::string_view opcode;
};

// An address of shared memory.
struct SiteAddress {
  std::string text;   // "smem + 16384*%r7 + 49152"
  std::string terms;  // without the constant: "smem + 16384*%r7"
  Bytes constant;
  std::string_view symbol;      // empty: it is of none, or of several
  std::optional<Bytes> offset;  // from the symbol, where it is constant
  std::int64_t alignment = 1;   // proven, of the address
};

struct KnownWord {
  std::uint64_t word = 0, known = 0;  // a bit that is not known is 0 in both
};

enum class MmaOperandPlace { smem, registers, tmem };

constexpr std::string_view to_string(MmaOperandPlace place) { return name_in({"smem", "registers", "tmem"}, place); }

struct MmaOperandSite {
  MmaOperandPlace in = MmaOperandPlace::registers;
  std::optional<Major> major;
  TileExtents extents = {0, 0};   // what one MMA reads through a descriptor, in elements; 0: not known
  std::optional<KnownWord> word;  // where it is read through a descriptor
  std::optional<SiteAddress> start;
  std::optional<Bytes> leading_byte_offset, stride_byte_offset;
  std::optional<int> base_offset;
  const SwizzleMode* swizzle = nullptr;
  std::string why;
};

struct MmaInstructionWord {
  KnownWord word;
  std::optional<int> m, n;
};

struct MmaSite : PtxSite {
  std::string mma;  // "m64n128k16"; of tcgen05.mma what is known: "m128n256k16", "kind::f16"
  std::string a_type, b_type;
  MmaOperandSite a, b;
  std::optional<MmaInstructionWord> idesc;
  bool adds = false;  // proven to add to what the accumulators hold
  std::vector<Finding> findings;
};

enum class SmemProof { none, sampled, all };

// What ptxas may make of an access and its neighbours.
struct JoinedAccess {
  std::string_view access;                  // "ld.shared.b128"
  std::optional<double> wavefronts, ideal;  // of all of them together
};

struct SmemSite : PtxSite {
  std::string access;                       // "ld.shared.b128", as swz banks takes it
  std::optional<double> wavefronts, ideal;  // mean over the executions that were counted
  SmemProof proof = SmemProof::none;
  std::string why;
  SiteAddress address;
  std::optional<AccessPattern> worst;  // of the warp with the largest excess, up to what all its lanes share
  std::int64_t warps = 0;  // executions by a warp that were counted: one of a warp whose passes are alike, or each pass
  bool counts_all_lanes = false;  // which of them execute it is not known: `why` says because of what
  std::optional<JoinedAccess> may_join;
  bool may_shrink = false;     // a load of which not all is used: ptxas may leave lanes or elements out
  bool one_lane_goes = false;  // of an atomic to one word: ptxas adds up the lanes before it
};

enum class TmaDirection { load, store, reduce, prefetch };

constexpr std::string_view to_string(TmaDirection direction) {
  return name_in({"load", "store", "reduce", "prefetch"}, direction);
}

// A tensor map that the kernel writes itself.
struct BuiltTensorMap {
  std::uint32_t line = 0;  // of the first of its fields
  std::string written_at;  // "global_smem"
  std::string found_at;    // the key of the address that copies have
  TensorMap map;
  std::set<std::pair<std::string_view, std::size_t>>
      fields;  // that are known, as tensormap.replace calls them: "box_dim", 0

  bool knows(std::string_view field, std::size_t place = 0) const { return fields.contains({field, place}); }
  // What a load of a whole box brings. nullopt: a field that it takes is not known, or the type is one with gaps.
  std::optional<Bytes> box_bytes() const;
};

struct TmaSite : PtxSite {
  TmaDirection direction = TmaDirection::load;
  int rank = 0;      // 0: cp.async.bulk without a tensor map
  std::string mode;  // "tile", "im2col", …
  std::optional<SiteAddress> shared;
  std::string map;             // what is known of the address of the tensor map: "f_param_0"
  std::optional<Bytes> bytes;  // of a copy without a tensor map, and of a whole box where the kernel writes the map
  bool multicast = false;
  std::optional<std::size_t> built;  // its place among the maps of the kernel
};

struct TmemSite : PtxSite {
  std::string action;   // "alloc", "dealloc", "ld", "st", "cp", "shift"
  std::string shape;    // "32x32b.x32", "128x256b"
  std::string address;  // "tmem + 64", as a form
  std::optional<std::int64_t> columns;
};

struct KernelReport {
  std::string_view name;
  const Target* target = nullptr;  // null: swz does not know it
  std::string_view target_name = {};
  std::optional<std::array<std::int64_t, 3>> threads = {};
  bool threads_are_most = false;  // of .maxntid: a launch may have fewer
  std::vector<PtxSymbol> shared = {};
  std::vector<MmaSite> mma = {};
  std::vector<SmemSite> smem = {};
  std::vector<BuiltTensorMap> maps = {};
  std::vector<TmaSite> tma = {};
  std::vector<TmemSite> tmem = {};
  std::vector<Finding> findings = {};
  std::optional<std::size_t> conflict = {};  // the access that bank-conflict is about, its place in smem
};

struct KernelQuestion {
  std::string entry;  // its name in the PTX, or the path of a mangled one (base/mangled_name.hpp); empty: every entry
  std::optional<std::array<std::int64_t, 3>> threads = {};
  bool knows_shape = true;  // false: a number alone was said, which may be that of 16 x 16
  std::unordered_map<std::string, std::uint64_t> registers = {};  // "%r12" holds 3
};

// Throws Error for an entry or a register that is not there, and for a number that a register cannot hold.
std::vector<KernelReport> kernel_reports(const PtxModule& module, const KernelQuestion& question);

// ---- between the files of src/ptx

PtxSite site_at(const PtxKernel& kernel, std::uint32_t instruction);
// ld, st, atom, red, wmma.load and wmma.store without a state space.
bool has_generic_address(const PtxInstruction& one);
// Of address << shift, of which the low 18 bits count.
SiteAddress site_address(const PtxValues& values, ValueId address, int shift = 0);
// "ld.global.u32 in line 88"; what is not known because of a value.
std::string because(const PtxValues& values, ValueId value);
std::vector<MmaSite> mma_sites(const PtxValues& values, const Target* target);
// Whether MMAs that follow each other read K as a loop does (descriptor/k_loop.hpp), A and B along the same k.
void tell_k_loops(const PtxValues& values, const Target* target, std::vector<MmaSite>& sites);
std::vector<SmemSite> smem_sites(const PtxValues& values, const Target* target);
// Two addresses are the same, in one pass of their loops, where their keys are.
std::string address_key(const PtxValues& values, ValueId address);
std::vector<BuiltTensorMap> built_tensor_maps(const PtxValues& values);
std::vector<TmaSite> tma_sites(const PtxValues& values, const std::vector<BuiltTensorMap>& maps);
std::vector<TmemSite> tmem_sites(const PtxValues& values);
std::vector<Finding> tensor_map_findings(const std::vector<BuiltTensorMap>& maps, const Target* target);
void tell_transactions(const KernelReport& report, const PtxValues& values, std::vector<Finding>& out);
std::vector<Finding> kernel_findings(const KernelReport& report, const PtxValues& values);
// The access with the most wavefronts too many, of those that ptxas does not mend by joining them if it can. nullopt: none.
std::optional<std::size_t> worst_conflict(const KernelReport& report);
// Those of the MMAs stand with them.
void tell_columns_outside(KernelReport& report, const PtxValues& values);

}  // namespace swz
