// SPDX-License-Identifier: Apache-2.0
// KernelReport: the instructions of a kernel that decide its layouts, and what is proven of each.
//
// Such an instruction is a site: an MMA, an access to shared memory, a bulk copy or an access to tensor memory. The
// report says for each site what the PTX proves: the bits of a descriptor, where an operand starts, how many wavefronts
// an access takes.
//
//   wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {…}, %rd4, %rd5, …       in line 120
//
//   a: in smem, K-major; word 0x4000004000010000, whose bits 0xffffffffffffc000 are known
//      start smem + 16384*%r7, a multiple of 1024; LBO 16 B, SBO 1024 B, mode 128B
//   b: …
//
//   ld.shared.v4.u32 {…}, [%r9]        in line 88: 8 wavefronts per warp, 4 would do, proven for every warp and pass
//
// What is not known is absent, and `why` names the instruction that prevents it. A finding about one site is kept in
// that site, a finding about the whole kernel in the report's own list. Sites are in the order of their lines.
//
// Invariant (tested by running and on GPUs): no execution contradicts a word's known bits, a start or a count that is
// proven.
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
#include "cluster/masks.hpp"
#include "ptx/module.hpp"
#include "ptx/shared_arrays.hpp"
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
  std::string_view written;  // the opcode of the author's text, PTX or SASS
  std::uint32_t offset = 0;  // of SASS: in the code of its section, in bytes
};

// An address of shared memory.
struct SiteAddress {
  std::string text;   // "smem + 16384*%r7 + 49152"
  std::string terms;  // without the constant: "smem + 16384*%r7"
  Bytes constant;
  std::string_view symbol;      // empty: the address is of no symbol, or of several
  std::optional<Bytes> offset;  // from the symbol, if it is constant
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
  int element_bits = 0;           // of an element in shared memory; 0: not known
  std::optional<KnownWord> word;  // if it is read through a descriptor
  std::optional<SiteAddress> start;
  std::optional<Bytes> leading_byte_offset, stride_byte_offset;
  bool has_absolute_lbo = false;  // leading_byte_offset is an address
  std::optional<int> base_offset;
  const SwizzleMode* swizzle = nullptr;
  std::string why;
};

struct MmaInstructionWord {
  KnownWord word;
  std::optional<int> m, n;
};

struct MmaSite : PtxSite {
  std::string mma;  // "m64n128k16"; for tcgen05.mma as much as is known: "m128n256k16", "kind::f16"
  std::string a_type, b_type;
  MmaOperandSite a, b;
  std::optional<MmaInstructionWord> idesc;
  bool adds = false;  // it is proven to add to the accumulators
  std::vector<Finding> findings;
};

enum class SmemProof { none, sampled, all };

// What Nsight Compute counted at a site, beside what is predicted.
enum class CountVerdict {
  equal,         // as predicted, by the warps that executed it
  at_most,       // fewer than the number predicted for all lanes
  global_lines,  // of cp.async: lines of global memory add to it, lanes that copy nothing take from it
  retried,       // in a kernel with an atomic that is tried until it succeeds
  not_executed,
  not_stated,  // nothing is predicted
  differs,
};

constexpr std::string_view to_string(CountVerdict verdict) {
  return name_in({"equal", "at-most", "global-lines", "retried", "not-executed", "not-stated", "differs"}, verdict);
}

struct SiteCount {
  std::uint64_t warps = 0;    // that executed it
  std::uint64_t threads = 0;  // for which its predicate held
  std::uint64_t count = 0;    // wavefronts, or sectors
  CountVerdict verdict = CountVerdict::not_stated;
};

// The one access that ptxas may make of an access and its neighbours.
struct JoinedAccess {
  std::string_view access;  // "ld.shared.b128"
  std::optional<double> wavefronts, ideal;
};

struct SmemSite : PtxSite {
  std::string access;                       // "ld.shared.b128", as swz banks takes it
  std::optional<double> wavefronts, ideal;  // mean over the executions that were counted
  SmemProof proof = SmemProof::none;
  std::string why;
  SiteAddress address;
  std::optional<AccessPattern> worst;  // of the warp with the largest excess, up to what all its lanes share
  std::int64_t warps = 0;  // counted executions by a warp: one for a warp whose passes are alike, or one for each pass
  // How often a warp of a block with all its threads executes it: the mean, with wavefronts the sum. Absent: not proven.
  std::optional<double> trips;
  std::optional<double> share;    // of wavefronts times trips of all sites that have both
  bool counts_all_lanes = false;  // it is not known which lanes execute it: `why` says why
  std::optional<JoinedAccess> may_join;
  bool may_shrink = false;     // not all of a load is used: ptxas may leave out lanes or elements
  bool one_lane_goes = false;  // of an atomic on one word: ptxas adds up the lanes first, and one lane accesses it
  std::optional<SiteCount> counted = {};  // if Nsight Compute's pages are there
};

// An access to global memory, in sectors of 32 bytes: the mean over the warps of the block.
struct GmemSite : PtxSite {
  Bytes bytes;                    // of a lane
  std::optional<double> sectors;  // at least, wherever the lanes begin in a sector as far as it is not known
  std::optional<double> most;     // absent: the lanes are known modulo 2^32 only, as if an index might wrap around
  std::optional<double> ideal;    // that as many bytes need
  bool is_proven = false;         // of every execution by these warps
  bool counts_all_lanes = false;  // it is not known which lanes execute it
  std::int64_t warps = 0;         // that execute it
  std::string address;            // as a sum
  std::string why;
  std::optional<SiteCount> counted = {};  // if Nsight Compute's pages are there

  bool has_excess() const { return sectors && *sectors > *ideal; }
};

// copy: from the own shared memory to that of another CTA.
enum class TmaDirection { load, store, reduce, prefetch, copy };

constexpr std::string_view to_string(TmaDirection direction) {
  return name_in({"load", "store", "reduce", "prefetch", "copy"}, direction);
}

// A number that an instruction reads.
struct SiteNumber {
  std::string text;                    // as a sum: "128*%r7 + 64"
  std::optional<std::int64_t> number;  // if it is constant
};

// Which CTAs a mask names: bit i is the CTA of rank i. A CTA whose bit is not known may or may not be named.
struct SiteMask {
  KnownWord word;
  int bits = 16;
  std::string text;

  bool is_known() const { return word.known == low_mask(bits); }
  ClusterMask named() const { return static_cast<ClusterMask>(word.word); }
};

// The CTA whose shared memory an address is of, if that is not the own one for sure.
struct SiteOwner {
  std::string text;                  // "rank %r7", "the even CTA of the pair"
  std::optional<std::int64_t> rank;  // if it is constant
};

// A tensor map that the kernel writes itself.
struct BuiltTensorMap {
  std::uint32_t line = 0;  // of the first of its fields
  std::string written_at;  // "global_smem"
  std::string used_at;     // the key of the address that copies give
  TensorMap map;
  // The fields that are known, as tensormap.replace calls them: "box_dim", 0.
  std::set<std::pair<std::string_view, std::size_t>> fields;

  bool knows(std::string_view field, std::size_t place = 0) const { return fields.contains({field, place}); }
  // The bytes that a load of a whole box brings. nullopt: a field that this needs is not known, or the type has gaps.
  std::optional<Bytes> box_bytes() const;
};

struct TmaSite : PtxSite {
  TmaDirection direction = TmaDirection::load;
  int rank = 0;                         // 0: cp.async.bulk without a tensor map
  std::string mode;                     // "tile", "im2col", …
  std::string operation;                // of a reduction: "add", without a map also the type, "add.bf16"
  std::vector<std::string> forms;       // names of arch/tma_form.hpp
  int cta_group = 0;                    // 0: not said
  std::optional<SiteAddress> shared;    // in the own shared memory, or where a load goes
  std::optional<SiteAddress> remote;    // where a copy or a reduction to another CTA goes
  std::optional<SiteOwner> owner;       // of `remote`, or of where a load goes
  std::string map;                      // what is known of the address of the tensor map: "f_param_0"
  std::vector<SiteNumber> coordinates;  // dimension 0 first; of gathers the column and four rows
  std::vector<SiteNumber> offsets;      // of im2col, W first; of the wide modes the halo and W
  std::optional<Bytes> bytes;           // of a copy without a tensor map, and of a box if the kernel writes the map
  bool multicast = false;
  std::optional<SiteMask> mask;         // of the CTAs that receive
  std::vector<SiteNumber> ignored;      // of .ignore_oob: bytes at the left and at the right
  std::optional<SiteNumber> byte_mask;  // of .cp_mask: bit i is byte i of each 16
  std::optional<SiteAddress> barrier;   // that counts the bytes
  std::optional<SiteOwner> barrier_owner;
  std::optional<std::size_t> built;  // its map's place among those that the kernel writes
};

enum class ClusterAction { mapa, arrive, expect_tx, complete_tx, st_async, red_async, commit, try_cancel };

constexpr std::string_view to_string(ClusterAction action) {
  return name_in({"mapa", "arrive", "expect_tx", "complete_tx", "st.async", "red.async", "commit", "try_cancel"},
                 action);
}

// An instruction that reaches the shared memory of other CTAs of the cluster, and is no bulk copy.
struct ClusterSite : PtxSite {
  ClusterAction action = ClusterAction::mapa;
  std::string form;                    // of arch/tma_form.hpp, or of a tcgen05 instruction; empty: not in a table
  std::optional<SiteAddress> address;  // what is mapped, written, or signalled
  std::optional<SiteOwner> owner;      // of mapa: the CTA that it maps to
  std::optional<Bytes> bytes;          // that are written, expected or completed
  std::optional<SiteAddress> barrier;  // that counts them, where it is not `address`
  int cta_group = 0;                   // of a commit
  std::optional<SiteMask> mask;        // of a commit: the CTAs whose barriers are signalled
  bool reaches_all = false;            // of try_cancel: every CTA of the cluster
};

struct TmemSite : PtxSite {
  std::string action;   // "alloc", "dealloc", "ld", "st", "cp", "shift"
  std::string shape;    // "32x32b.x32", "128x256b"
  std::string address;  // "tmem + 64", as a form
  std::optional<std::int64_t> columns;
};

// An array in shared memory, and where it begins if that is known: in the window of the block, 1024 for the first one
// of sm_90.
struct SharedArray : PtxSymbol {
  std::optional<std::uint64_t> begin = {};
};

struct KernelReport {
  std::string_view name;
  const Target* target = nullptr;  // null: not one that swz knows
  std::string_view target_name = {};
  std::optional<std::array<std::int64_t, 3>> threads = {};
  bool threads_are_most = false;  // of .maxntid: a launch may have fewer
  std::vector<SharedArray> shared = {};
  std::vector<MmaSite> mma = {};
  std::vector<SmemSite> smem = {};
  std::vector<GmemSite> gmem = {};
  std::vector<BuiltTensorMap> maps = {};
  std::vector<TmaSite> tma = {};
  std::vector<ClusterSite> cluster = {};
  std::vector<TmemSite> tmem = {};
  PtxCluster runs_in = {};
  std::vector<Finding> findings = {};
  std::optional<std::size_t> conflict = {};  // the place in smem of the access that bank-conflict is about
};

struct KernelQuestion {
  std::string
      entry;  // its name in the PTX, the path of a mangled one (base/mangled_name.hpp), or a pattern; empty: every entry
  std::optional<std::array<std::int64_t, 3>> threads = {};
  bool knows_shape = true;  // false: only a number of threads is given, which may be that of 16 x 16
  std::unordered_map<std::string, std::uint64_t> registers = {};  // "%r12" holds 3
  std::optional<PlacedShared> shared = {};                        // what its cubin says, if it was compiled
  PtxCluster cluster = {};                                        // the same
};

// Throws Error for an entry or a register that does not exist, and for a number that a register cannot hold.
std::vector<KernelReport> kernel_reports(const PtxModule& module, const KernelQuestion& question);

// What bank-conflict says of an access with more wavefronts than its ideal, one of `others` + 1 alike: a note if ptxas may
// join it with its neighbours to one without a conflict.
Finding conflict_finding(const SmemSite& site, std::int64_t others = 0);

}  // namespace swz
