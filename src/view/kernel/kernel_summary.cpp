// SPDX-License-Identifier: Apache-2.0
// What a kernel does, in at most five lines, for a reader who has not seen it before:
//
//   copies        8 x TMA load of rank 2, 1 x TMA store of rank 2
//   MMAs          8 x tcgen05 m128n128k16 f16 (A and B K-major 128B)
//   accumulators  in tensor memory, 128 columns allocated; 1 x st 32x32b.x128, 1 x ld 32x32b.x128
//   accesses      16 x st.shared.b128, 1 x ld.shared.b32
//   banks         17 proven without a conflict
//
// A count is of sites, not of executions: the sites of a loop count once.
#include <fmt/format.h>

#include <algorithm>

#include "arch/dtype.hpp"
#include "base/text.hpp"
#include "view/kernel/kernel_parts.hpp"

namespace swz {

namespace {

// How often each text occurs, in the order of the first occurrence.
class Tally {
 public:
  void add(const std::string& text) {
    const auto found = std::ranges::find(counts_, text, &std::pair<std::string, std::int64_t>::first);
    if (found == counts_.end()) counts_.emplace_back(text, 1);
    else ++found->second;
  }
  bool empty() const { return counts_.empty(); }

  // Writes the texts, the most frequent first.
  template <class Write>
  std::string list(std::size_t most, Write write) const {
    auto sorted = counts_;
    std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, std::int64_t>::second);
    std::string out;
    for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i)
      out += (i == 0 ? "" : ", ") + write(sorted[i].first, sorted[i].second);
    if (sorted.size() > most)
      out += fmt::format(" and {}", plural(std::ssize(sorted) - static_cast<std::ptrdiff_t>(most), "more kind"));
    return out;
  }

 private:
  std::vector<std::pair<std::string, std::int64_t>> counts_;
};

std::string times(const std::string& what, std::int64_t count) { return fmt::format("{} x {}", count, what); }

std::string copies_text(const KernelReport& kernel) {
  Tally copies;
  for (const TmaSite& site : kernel.tma)
    copies.add(fmt::format(
        "{} {}{}{}", site.rank > 0 ? "TMA" : "bulk", to_string(site.direction),
        site.rank > 0 ? fmt::format(" of rank {}{}", site.rank, site.mode == "tile" ? "" : ", " + site.mode) : "",
        site.multicast ? " with multicast" : ""));
  return copies.list(4, times);
}

// "K-major 128B", "in registers K-major": the place is named if it is not shared memory.
std::string operand_kind(const MmaOperandSite& operand) {
  std::string out = operand.in == MmaOperandPlace::registers ? "in registers "
                    : operand.in == MmaOperandPlace::tmem    ? "in tensor memory "
                                                             : "";
  out += operand.major ? to_string(*operand.major) : "of unknown major";
  if (operand.in != MmaOperandPlace::smem) return out;
  return out + (operand.swizzle != nullptr ? fmt::format(" {}", operand.swizzle->name) : ", unknown mode");
}

std::string operands_text(const MmaSite& site) {
  const std::string a = operand_kind(site.a), b = operand_kind(site.b);
  return a == b ? fmt::format("A and B {}", a) : fmt::format("A {}, B {}", a, b);
}

std::string mmas_text(const KernelReport& kernel) {
  Tally all;
  for (const MmaSite& site : kernel.mma) {
    const std::string types = types_text(site);
    all.add(fmt::format("{}{} ({})", mma_text(site), types.empty() ? "" : " " + types, operands_text(site)));
  }
  return all.list(3, times);
}

// The type of D if the instruction gives it: the first one after the shape.
std::string_view accumulator_type(const MmaSite& site) {
  std::size_t at = site.opcode.find("." + site.mma + ".");
  while (at < site.opcode.size()) {
    const std::size_t end = std::min(site.opcode.find('.', at + 1), site.opcode.size());
    const std::string_view part = site.opcode.substr(at + 1, end - at - 1);
    if (find_dtype(part) != nullptr || part == "s32" || part == "f64") return part;
    at = end;
  }
  return {};
}

std::string accumulators_text(const KernelReport& kernel) {
  Tally in_registers;
  bool in_tmem = false;
  for (const MmaSite& site : kernel.mma) {
    if (site.opcode.starts_with("tcgen05")) in_tmem = true;
    else if (const std::string_view type = accumulator_type(site); !type.empty()) in_registers.add(std::string(type));
  }
  std::string out = in_registers.list(4, [](const std::string& type, std::int64_t) { return type; });
  if (!out.empty()) out += " in registers";
  if (!in_tmem) return out;
  out += out.empty() ? "in tensor memory" : ", others in tensor memory";
  Tally moved;
  for (const TmemSite& site : kernel.tmem) {
    if (site.action == "alloc" && site.columns) out += fmt::format(", {} allocated", plural(*site.columns, "column"));
    if (site.action == "ld" || site.action == "st" || site.action == "cp")
      moved.add(fmt::format("{} {}", site.action, site.shape));
  }
  return out + (moved.empty() ? "" : "; ") + moved.list(3, times);
}

std::string accesses_text(const KernelReport& kernel) {
  Tally all;
  for (const SmemSite& site : kernel.smem) all.add(site.access.empty() ? std::string(site.written) : site.access);
  return all.list(5, times);
}

// The line on banks of a kernel without conflicts.
std::string banks_text(const KernelReport& kernel) {
  const auto count = [&](SmemProof proof) { return std::ranges::count(kernel.smem, proof, &SmemSite::proof); };
  const auto proven = count(SmemProof::all), sampled = count(SmemProof::sampled), unknown = count(SmemProof::none);
  std::string out;
  const auto tell = [&](std::int64_t many, std::string_view what) {
    if (many > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", many, what);
  };
  tell(proven, "proven without a conflict");
  tell(sampled, "sampled without a conflict");
  tell(unknown, "not known");
  return out;
}

}  // namespace

void add_summary(Document& d, const KernelReport& kernel) {
  const auto line = [&](std::string label, const std::string& text) {
    if (!text.empty()) d.line(std::move(label), text);
  };
  line("copies", copies_text(kernel));
  line("MMAs", mmas_text(kernel));
  line("accumulators", accumulators_text(kernel));
  line("accesses", accesses_text(kernel));
  line("banks", banks_text(kernel));
}

}  // namespace swz
