// SPDX-License-Identifier: Apache-2.0
// What swz claims of the registers of a kernel, of the lanes of its warps and of the wavefronts of its accesses holds in every
// execution: random programs and real kernels run with random values for all that is unknown, and nothing is contradicted.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>

#include "ptx/claims.hpp"
#include "ptx/lane_claims.hpp"
#include "ptx/random_program.hpp"
#include "ptx/site_claims.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

struct Ran {
  std::string contradiction;  // the first
  long executions = 0, ended = 0, counts = 0;
  long trips = 0, loop_trips = 0;                           // that were compared; those above 1
  long sectors = 0, excess_sectors = 0, exact_sectors = 0;  // that were compared; those of both kinds
  long words = 0, addresses = 0, offsets = 0, texts = 0;    // that the report says
  long numbers = 0;                                         // of copies
};

// Until something is contradicted.
void run_watched(PtxInterpreter& warp, ClaimWatcher& watcher, std::uint64_t seed, int executions, int most_steps,
                 Ran& out) {
  for (int i = 0; i < executions && watcher.contradiction.empty(); ++i) {
    watcher.begin(static_cast<int>((seed + static_cast<std::uint64_t>(i)) * 11 % 32));
    out.ended += warp.run(seed * 1000 + static_cast<std::uint64_t>(i), most_steps, watcher);
    ++out.executions;
  }
  if (out.contradiction.empty()) out.contradiction = watcher.contradiction;
}

void run_values(const PtxModule& module, std::uint64_t seed, int executions, int most_steps, Ran& out) {
  for (const PtxKernel& kernel : module.kernels) {
    const PtxValues values(module, kernel, {});
    PtxInterpreter warp(module, kernel);
    ClaimWatcher watcher(warp, values);
    run_watched(warp, watcher, seed, executions, most_steps, out);
  }
}

void run_sites(const PtxModule& module, std::uint64_t seed, int executions, int most_steps, Ran& out) {
  for (const PtxKernel& kernel : module.kernels) {
    PtxLaunch launch;
    if (!kernel.threads_are_most) launch.threads = kernel.threads;
    const PtxValues values(module, kernel, launch);
    PtxInterpreter warp(module, kernel);
    SiteWatcher watcher(warp, values);
    run_watched(warp, watcher, seed, executions, most_steps, out);
    out.words += watcher.words;
    out.addresses += watcher.addresses;
    out.offsets += watcher.offsets;
    out.texts += watcher.texts;
    out.numbers += watcher.numbers;
  }
}

// The wavefronts of each visit of a site, of all warps of a block that ran once; those that are proven are the mean.
std::string compare_counts(const std::vector<SmemSite>& sites,
                           const std::map<std::uint32_t, std::vector<std::vector<int>>>& visits, long& compared) {
  for (const SmemSite& site : sites) {
    const auto found = visits.find(site.instruction);
    if (site.proof != SmemProof::all || found == visits.end() ||
        static_cast<std::int64_t>(found->second.size()) != site.warps)
      continue;
    for (std::size_t visit = 0;; ++visit) {
      double sum = 0;
      bool all_there = true;
      for (const std::vector<int>& warp : found->second) {
        all_there = all_there && visit < warp.size() && warp[visit] != 0;
        if (all_there) sum += warp[visit];
      }
      if (!all_there) break;
      ++compared;
      if (sum != *site.wavefronts * static_cast<double>(site.warps))
        return fmt::format("line {}: {}: {} wavefronts on all warps in visit {}, said are {} a warp of {}", site.line,
                           site.opcode, sum, visit, *site.wavefronts, site.warps);
    }
  }
  return "";
}

// Of a site whose count is a mean over passes: the mean over all visits of all warps. A site with no executions has none in every run.
std::string compare_means(const std::vector<SmemSite>& sites,
                          const std::map<std::uint32_t, std::vector<std::vector<int>>>& visits,
                          const std::map<std::uint32_t, std::int64_t>& executed, long& compared) {
  for (const SmemSite& site : sites) {
    if (!site.wavefronts && site.why.find("no warp") != site.why.npos && executed.contains(site.instruction))
      return fmt::format("line {}: {}: {}, and one does", site.line, site.opcode, site.why);
    const auto found = visits.find(site.instruction);
    if (!site.wavefronts || site.counts_all_lanes || site.proof != SmemProof::sampled || found == visits.end())
      continue;
    double sum = 0, count = 0;
    bool all_allowed = true;
    for (const std::vector<int>& warp : found->second)
      for (const int visit : warp) {
        all_allowed = all_allowed && visit != 0;
        sum += visit;
        ++count;
      }
    if (count == 0 || !all_allowed) continue;
    ++compared;
    if (std::abs(sum / count - *site.wavefronts) > 1e-6)
      return fmt::format("line {}: {}: {} wavefronts a visit on the mean, said are {} ({})", site.line, site.opcode,
                         sum / count, *site.wavefronts, site.why);
  }
  return "";
}

// executed: by all warps of a block, each of which came to its end.
std::string compare_trips(const std::vector<SmemSite>& sites, const std::map<std::uint32_t, std::int64_t>& executed,
                          std::int64_t warps, Ran& out) {
  for (const SmemSite& site : sites) {
    if (!site.trips) continue;
    const auto found = executed.find(site.instruction);
    const std::int64_t times = found == executed.end() ? 0 : found->second;
    ++out.trips;
    out.loop_trips += *site.trips > 1 ? 1 : 0;
    if (std::abs(*site.trips * static_cast<double>(warps) - static_cast<double>(times)) > 1e-6)
      return fmt::format("line {}: {}: executed {} times by {} warps, said are {} of each", site.line, site.opcode,
                         times, warps, *site.trips);
  }
  return "";
}

// The sectors of each visit of all warps of a block, against the bounds that are proven of their mean.
std::string compare_sectors(const std::vector<GmemSite>& sites,
                            const std::map<std::uint32_t, std::vector<std::vector<int>>>& visits, Ran& out) {
  for (const GmemSite& site : sites) {
    const auto found = visits.find(site.instruction);
    if (!site.is_proven || found == visits.end() || std::ssize(found->second) != site.warps) continue;
    for (std::size_t visit = 0;; ++visit) {
      double sum = 0;
      const bool all_there = std::ranges::all_of(found->second, [&](const std::vector<int>& warp) {
        if (visit >= warp.size() || warp[visit] == 0) return false;
        sum += warp[visit];
        return true;
      });
      if (!all_there) break;
      ++out.sectors;
      out.excess_sectors += site.has_excess() ? 1 : 0;
      out.exact_sectors += site.most == site.sectors ? 1 : 0;
      const double mean = sum / static_cast<double>(site.warps);
      if (mean < *site.sectors - 1e-6 || (site.most && mean > *site.most + 1e-6))
        return fmt::format("line {}: {}: {} sectors in visit {}, said are {} to {}", site.line, site.opcode, mean,
                           visit, *site.sectors, site.most.value_or(-1));
    }
  }
  return "";
}

enum class Compares { proven, means };

void run_lanes(const PtxModule& module, std::uint64_t seed, int executions, int most_steps, Ran& out,
               Compares what = Compares::proven) {
  constexpr std::array<std::int64_t, 3> shapes[] = {{128, 1, 1}, {64, 2, 1}, {16, 4, 1},
                                                    {8, 4, 2},   {24, 2, 1}, {64, 1, 1}};
  for (const PtxKernel& kernel : module.kernels) {
    if (!kernel.is_entry) continue;
    const auto threads =
        kernel.threads && !kernel.threads_are_most ? *kernel.threads : shapes[seed % std::size(shapes)];
    const KernelReport report =
        kernel_reports(module, {.entry = std::string(kernel.name), .threads = threads, .registers = {}}).at(0);
    const std::vector<SmemSite>& sites = report.smem;
    const PtxValues values(module, kernel, {.threads = threads, .registers = {}});
    PtxInterpreter interpreter(module, kernel, threads);
    const std::int64_t count = (threads[0] * threads[1] * threads[2] + 31) / 32;
    std::vector<std::unique_ptr<WarpValues>> warps;
    for (std::int64_t w = 0; w < count; ++w)
      warps.push_back(std::make_unique<WarpValues>(values, WarpOfBlock{threads, w}));
    for (int i = 0; i < executions && out.contradiction.empty(); ++i) {
      std::map<std::uint32_t, std::vector<std::vector<int>>> visits, sectors;
      std::map<std::uint32_t, std::int64_t> executed;
      const std::int64_t ended_before = out.ended;
      for (std::int64_t w = 0; w < count && out.contradiction.empty(); ++w) {
        LaneWatcher watcher(interpreter, values, *warps[static_cast<std::size_t>(w)], sites);
        watcher.watch(report.gmem);
        out.ended += interpreter.run(seed * 1000 + static_cast<std::uint64_t>(i), most_steps, watcher, w);
        ++out.executions;
        out.contradiction = watcher.contradiction;
        for (const auto& [site, counted] : watcher.counted) visits[site].push_back(counted);
        for (const auto& [site, counted] : watcher.sectors) sectors[site].push_back(counted);
        for (const auto& [site, times] : watcher.executed) executed[site] += times;
      }
      if (out.contradiction.empty()) out.contradiction = compare_counts(sites, visits, out.counts);
      if (out.contradiction.empty() && what == Compares::means)
        out.contradiction = compare_means(sites, visits, executed, out.counts);
      if (out.contradiction.empty()) out.contradiction = compare_sectors(report.gmem, sectors, out);
      if (out.contradiction.empty() && out.ended == ended_before + count)
        out.contradiction = compare_trips(sites, executed, count, out);
    }
  }
}

// Runs that do not stop at the first contradiction, so that one sees how many there are.
struct Found {
  Ran all;
  long wrong = 0;
  std::string first;

  template <class Run>
  void add(const std::string& text, const Run& run) {
    Ran ran;
    run(read_ptx(text), ran);
    if (!ran.contradiction.empty() && ++wrong == 1) first = ran.contradiction + "\n" + text;
    for (const auto& [to, from] :
         {std::pair(&all.executions, ran.executions), std::pair(&all.ended, ran.ended),
          std::pair(&all.counts, ran.counts), std::pair(&all.words, ran.words),
          std::pair(&all.addresses, ran.addresses), std::pair(&all.offsets, ran.offsets),
          std::pair(&all.texts, ran.texts), std::pair(&all.trips, ran.trips), std::pair(&all.sectors, ran.sectors),
          std::pair(&all.excess_sectors, ran.excess_sectors), std::pair(&all.exact_sectors, ran.exact_sectors),
          std::pair(&all.loop_trips, ran.loop_trips), std::pair(&all.numbers, ran.numbers)})
      *to += from;
  }
};

TEST_CASE("no claim of a register of a random program is contradicted") {
  Sweep every{60};
  Found found;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    if (!every.takes()) continue;
    const RandomProgram how{.statements = 15 + static_cast<int>(seed % 4) * 15,
                            .loops = seed % 5 != 0,
                            .branches = seed % 7 != 0,
                            .privates = seed % 3 != 0,
                            .leaves = seed % 2 == 0};
    found.add(random_ptx(seed, how),
              [&](const PtxModule& module, Ran& ran) { run_values(module, seed, 8, 3000, ran); });
  }
  INFO(found.first);
  CHECK(found.wrong == 0);
  CHECK(found.all.executions > at_least(10'000, 60));
  CHECK(found.all.ended == found.all.executions);
}

TEST_CASE("no claim of lanes and wavefronts of a random program is contradicted") {
  Sweep every{60};
  Found found;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    if (!every.takes()) continue;
    const std::string text =
        seed % 3 != 0 ? random_ptx(seed, {.statements = 40, .leaves = seed % 2 == 0}) : random_accesses(seed);
    found.add(text, [&](const PtxModule& module, Ran& ran) { run_lanes(module, seed, 2, 3000, ran); });
  }
  INFO(found.first);
  CHECK(found.wrong == 0);
  CHECK(found.all.executions > at_least(3000, 60));
  CHECK(found.all.counts > at_least(1000, 60));
}

// Its accesses to shared memory are to global memory.
std::string to_global(std::string text) {
  for (const std::string access : {"ld.shared", "st.shared"})
    for (std::size_t at = text.find(access); at != text.npos; at = text.find(access, at + 1))
      text.replace(at + 3, 6, "global");
  return text;
}

TEST_CASE("no claim of the sectors of global memory is contradicted") {
  Sweep every{60};
  Found found;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    if (!every.takes()) continue;
    const std::string text = seed % 3 == 0   ? random_accesses(seed)
                             : seed % 3 == 1 ? random_bases(seed)
                                             : random_passes(seed);
    found.add(to_global(text), [&](const PtxModule& module, Ran& ran) { run_lanes(module, seed, 4, 5000, ran); });
  }
  INFO(found.first);
  CHECK(found.wrong == 0);
  CHECK(found.all.sectors > at_least(8000, 60));
  CHECK(found.all.excess_sectors > at_least(3000, 60));
  CHECK(found.all.exact_sectors > at_least(8000, 60));
}

TEST_CASE("bases at any place in a word and bases that are rounded up: what is said of lanes and counts holds") {
  Sweep every{60};
  Found found;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    if (!every.takes()) continue;
    found.add(random_bases(seed),
              [&](const PtxModule& module, Ran& ran) { run_lanes(module, seed, 4, 500, ran, Compares::means); });
  }
  INFO(found.first);
  CHECK(found.wrong == 0);
  CHECK(found.all.ended == found.all.executions);
  CHECK(found.all.counts > at_least(3000, 60));
}

TEST_CASE("loops whose passes differ: what is said of an access is the mean of its visits") {
  Sweep every{60};
  Found found;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    if (!every.takes()) continue;
    found.add(random_passes(seed),
              [&](const PtxModule& module, Ran& ran) { run_lanes(module, seed, 2, 5000, ran, Compares::means); });
  }
  INFO(found.first);
  CHECK(found.wrong == 0);
  CHECK(found.all.ended == found.all.executions);
  CHECK(found.all.counts > at_least(3000, 60));
  CHECK(found.all.trips > at_least(2000, 60));
  CHECK(found.all.loop_trips > at_least(1000, 60));
}

// What is said without the shape of the block, against what is proven of each shape that it may have.
std::string compare_shapes(const PtxModule& module, const KernelQuestion& without,
                           std::span<const std::array<std::int64_t, 3>> shapes, long& compared) {
  const std::vector<SmemSite> said = kernel_reports(module, without).at(0).smem;
  for (const auto& shape : shapes) {
    const std::vector<SmemSite> of_shape =
        kernel_reports(module, {.entry = "", .threads = shape, .registers = {}}).at(0).smem;
    for (std::size_t i = 0; i < said.size(); ++i) {
      if (!said[i].wavefronts || of_shape[i].proof != SmemProof::all) continue;
      ++compared;
      const bool holds = said[i].counts_all_lanes ? *of_shape[i].wavefronts <= *said[i].wavefronts
                                                  : *of_shape[i].wavefronts == *said[i].wavefronts;
      if (!holds)
        return fmt::format("line {}: {}: said are {} wavefronts, of {} x {} x {} threads they are {}", said[i].line,
                           said[i].opcode, *said[i].wavefronts, shape[0], shape[1], shape[2], *of_shape[i].wavefronts);
    }
  }
  return "";
}

TEST_CASE("what is said without the shape of the block holds for every shape") {
  Sweep every{60};
  constexpr std::array<std::int64_t, 3> rows[] = {{32, 1, 1}, {96, 1, 1}, {1024, 1, 1}}, row_of_256[] = {{256, 1, 1}},
                                        all[] = {{16, 16, 1}, {8, 4, 8},   {48, 2, 1},
                                                 {64, 4, 1},  {256, 1, 1}, {1, 32, 2}},
                                        of_256[] = {{16, 16, 1}, {8, 4, 8}, {64, 4, 1}, {256, 1, 1}, {1, 64, 4}};
  long counts = 0;
  for (const bool reads_rows : {false, true}) {
    for (const bool says_number : {false, true}) {
      CAPTURE(reads_rows);
      CAPTURE(says_number);
      Found found;
      for (std::uint64_t seed = 0; seed < 90; ++seed) {
        if (!every.takes()) continue;
        std::string text = seed % 2 ? random_accesses(seed) : random_passes(seed);
        const std::size_t at = text.find(".reqntid");
        text.replace(at, text.find('\n', at) - at, seed % 3 && !says_number ? "" : ".maxntid 256");
        for (std::size_t y = 0; !reads_rows && (y = text.find("%tid.", y)) != text.npos; y += 5)
          if (text[y + 5] != 'x') text.replace(y, 6, "%ctaid.y");
        KernelQuestion without;
        if (says_number)
          without = {
              .entry = "", .threads = std::array<std::int64_t, 3>{256, 1, 1}, .knows_shape = false, .registers = {}};
        found.add(text, [&](const PtxModule& module, Ran& ran) {
          // .maxntid: what is said of a launch that has them all.
          const bool are_256 = says_number || seed % 3 == 0;
          std::span<const std::array<std::int64_t, 3>> shapes = all;
          if (are_256) shapes = of_256;
          if (!reads_rows)
            shapes = std::span<const std::array<std::int64_t, 3>>(are_256 ? row_of_256 : rows,
                                                                  are_256 ? std::size(row_of_256) : std::size(rows));
          ran.contradiction = compare_shapes(module, without, shapes, ran.counts);
        });
      }
      INFO(found.first);
      CHECK(found.wrong == 0);
      counts += found.all.counts;
    }
  }
  CHECK(counts > at_least(200, 60));
}

TEST_CASE("no word, start, address and text that the report has of a random program is contradicted") {
  Sweep every{60};
  Found found;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    if (!every.takes()) continue;
    found.add(random_accesses(seed), [&](const PtxModule& module, Ran& ran) { run_sites(module, seed, 3, 3000, ran); });
  }
  INFO(found.first);
  CHECK(found.wrong == 0);
  CHECK(found.all.words > at_least(10'000, 60));
  CHECK(found.all.addresses > at_least(10'000, 60));
  CHECK(found.all.offsets > at_least(1000, 60));
  CHECK(found.all.texts > at_least(1000, 60));
  CHECK(found.all.numbers > at_least(1000, 60));
}

// Statements whose claims were wrong once, or that random programs seldom have.
TEST_CASE("no claim of what was once claimed wrongly is contradicted") {
  const char* const bodies[] = {
      // A sink has a place among the results.
      "mov.b64 {_, %r1}, %rd1; mov.b64 {%r2, _}, %rd1; xor.b32 %r3, %r1, %r2;",
      // What a guard keeps is wider than what it would write.
      "mov.u32 %r1, %r9; @%p1 and.b32 %r1, %r8, 255; @!%p1 cvt.u32.u8 %r1, %r8; add.u64 %rd3, %rd1, 1; @%p1 "
      "cvt.u64.u32 %rd3, %r8; shr.u64 %rd2, %rd3, 1;",
      // A wider register holds what its type extends.
      "ld.param.s32 %rd2, [p]; ld.param.s16 %r1, [p]; cvt.s32.s16 %rd3, %r9; cvt.s8.s32 %r2, %r9; add.u64 %rd4, %rd2, "
      "%rd3;",
      // An address in 32 bits wraps at them.
      "mov.b64 {_, %r1}, %rd1; ld.shared.b32 %r2, [%r1+2147483644];",
      // Lanes that leave a loop in different passes hold what different passes loaded, though the address is one.
      "and.b32 %r1, %r9, 3; mov.u32 %r2, 0; L: ld.shared.b32 %r3, [s]; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %r1; "
      "@%p2 bra L; add.u32 %r4, %r3, %r2;",
      "shr.u32 %r5, %r9, 5; shl.b32 %r5, %r5, 4; and.b32 %r1, %r9, 3; mov.u32 %r2, 0; L: ld.shared.b32 %r3, [%r5]; "
      "add.u32 %r2, %r2, 1;"
      "setp.lt.u32 %p2, %r2, %r1; @%p2 bra L; add.u32 %r4, %r3, 1; add.u32 %r4, %r4, %r2;",
      // The same in a loop that control may also enter in the middle.
      "and.b32 %r1, %r9, 3; mov.u32 %r2, 0; @%p1 bra M; L: add.u32 %r2, %r2, 1; M: ld.shared.b32 %r3, [s]; "
      "setp.lt.u32 %p2, %r2, %r1; @%p2 bra L; add.u32 %r4, %r3, %r2;",
      // A way out in the middle of a loop.
      "mov.u32 %r2, 0; L: setp.eq.u32 %p2, %r2, %r9; @%p2 bra M; add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 5; @%p3 "
      "bra L; M: add.u32 %r3, %r2, 1;",
      // A function of several values is the same in all lanes only if all of them are.
      "cvt.rn.f32.u32 %r1, %r9; cvt.rn.f32.u32 %r2, %r8; fma.rn.f32 %r3, %r2, %r2, %r1; div.u32 %r4, %r8, %r9; xor.b32 "
      "%r5, %r3, %r4;",
      // It is not known which lane elect names.
      "elect.sync %r1|%p2, -1; selp.b32 %r2, 16, %r9, %p2; @%p2 add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1;",
      // A sum of the lanes and of a number that they share, cut and extended by its sign.
      "mad.lo.u32 %r1, %r9, 2048, %r8; cvt.s32.s16 %r2, %r1; bfe.s32 %r3, %r1, 0, 12; add.u32 %r4, %r2, %r3; shl.b32 "
      "%r5, %r2, 4; st.shared.b32 [%r5], %r4;",
      "mad.lo.u32 %r1, %r9, 134217728, %r8; cvt.s64.s32 %rd2, %r1; add.u64 %rd3, %rd2, 1;",
      // If only the low bits of an XOR are known, a shift brings others down.
      "xor.b32 %r1, %r9, %r8; cvt.s64.s32 %rd2, %r1; shl.b64 %rd3, %rd2, 16; shr.u64 %rd4, %rd3, 32; cvt.u32.u64 %r2, "
      "%rd4; add.u32 %r3, %r2, 1;",
      "xor.b32 %r1, %r9, %r8; and.b32 %r2, %r1, 96; cvt.s32.s8 %r3, %r1; shl.b32 %r3, %r3, 10; xor.b32 %r4, %r2, %r3; "
      "add.u32 %r5, %r4, 1;",
      // Signed division of two that are not negative has the bounds of the unsigned one.
      "and.b32 %r1, %r8, 1023; add.u32 %r1, %r1, 64; and.b32 %r2, %r9, 7; add.u32 %r2, %r2, 1; div.s32 %r3, %r1, %r2; "
      "rem.s32 %r4, %r1, %r2; xor.b32 %r5, %r3, %r4;",
      // If prmt spreads the sign of a byte, the other bits of the byte do not matter.
      "or.b32 %r1, %r8, 0x40400040; and.b32 %r1, %r1, 0xffbfbfff; prmt.b32 %r2, %r1, %r9, 0xba98; prmt.b32 %r3, %r1, "
      "%r9, 0x8b19; xor.b32 %r4, %r2, %r3;",
      // All lanes take one of two places, which differ by what they share: two buffers. By what they do not share; in a loop that
      // lanes leave in different passes.
      "setp.lt.u32 %p2, %r8, 7; shl.b32 %r1, %r9, 4; add.u32 %r2, %r1, 8192; selp.b32 %r3, %r2, %r1, %p2; "
      "st.shared.b32 [%r3], %r9; xor.b32 %r4, %r3, 1;",
      "setp.lt.u32 %p2, %r8, 7; shl.b32 %r1, %r9, 4; mad.lo.u32 %r2, %r8, 24, %r1; selp.b32 %r3, %r2, %r1, %p2; "
      "shl.b32 %r4, %r3, 2; st.shared.b32 [%r4], %r9;",
      "setp.lt.u32 %p2, %r8, 7; shl.b32 %r1, %r9, 4; shl.b32 %r2, %r9, 5; selp.b32 %r3, %r2, %r1, %p2; st.shared.b32 "
      "[%r3], %r9;",
      "and.b32 %r1, %r9, 3; mov.u32 %r2, 0; L: setp.lt.u32 %p2, %r2, %r8; shl.b32 %r3, %r9, 4; add.u32 %r4, %r3, 64; "
      "selp.b32 %r5, %r4, %r3, %p2; add.u32 %r2, %r2, 1;"
      "setp.lt.u32 %p3, %r2, %r1; @%p3 bra L; st.shared.b32 [%r5], %r9; add.u32 %r4, %r5, 1;",
      // What a condition is in the first pass of a loop it need not be in the next.
      "mov.u32 %r2, 0; mov.u32 %r3, 0; L: setp.eq.f32 %p2, %r3, 0f00000000; @%p2 bra M; add.u32 %r4, %r2, 1; M: "
      "ld.shared.b32 %r3, [%r9]; add.u32 %r2, %r2, 1;"
      "setp.lt.u32 %p3, %r2, 3; @%p3 bra L;",
  };
  for (const char* body : bodies) {
    for (const char* threads : {".maxntid 64, 1, 1", ".reqntid 64, 1, 1", ""}) {
      CAPTURE(body);
      CAPTURE(threads);
      const PtxModule module =
          read_ptx(fmt::format(".version 8.5\n.target sm_90\n.entry k(.param .u64 p) {}\n{{\n.reg .b32 %r<10>; .reg "
                               ".b64 %rd<5>; .reg .pred %p<4>; .shared .align 16 .b8 s[64];\n"
                               "ld.param.u64 %rd1, [p]; ld.param.u32 %r8, [p]; mov.u32 %r9, %tid.x; mov.u32 %r7, "
                               "%tid.y; setp.lt.u32 %p1, %r9, 7;\n{}\nret;\n}}\n",
                               threads, body));
      Ran ran;
      run_values(module, 1, 60, 500, ran);
      CHECK(ran.contradiction == "");
      run_lanes(module, 1, 30, 500, ran);
      CHECK(ran.contradiction == "");
    }
  }
}

TEST_CASE("no claim of a real kernel is contradicted") {
  long kernels = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SWZ_SOURCE_DIR "/tests/data/ptx")) {
    if (entry.path().extension() != ".ptx") continue;
    CAPTURE(entry.path().filename().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const PtxModule module = read_ptx({std::istreambuf_iterator<char>(file), {}});
    Ran ran;
    run_values(module, 1, 10, 5000, ran);
    CHECK(ran.contradiction == "");
    run_sites(module, 1, 10, 5000, ran);
    CHECK(ran.contradiction == "");
    run_lanes(module, 1, 2, 5000, ran);
    CHECK(ran.contradiction == "");
    ++kernels;
  }
  CHECK(kernels > 5);
}

}  // namespace
}  // namespace swz
