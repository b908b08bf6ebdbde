// SPDX-License-Identifier: Apache-2.0
// An mbarrier that expects other bytes than the copies bring:
//
//   mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 4096;
//   cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 2048, [bar];
//
// Where the whole kernel has nothing else that may count on this barrier, and both are executed by the same threads equally
// often, the counts never meet: who waits for the phase waits forever, or too short where less is expected than comes.
//
// Said only where that is certain. A tensor copy brings as many bytes as its tensor map says, which PTX has only where the kernel
// writes the map: of the barrier of others nothing is said.
#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "ptx/kernel_report.hpp"
#include "ptx/value_builder.hpp"

namespace swz {

namespace {

// What counts the bytes of a barrier. `bytes` is none where it is not known.
struct Transaction {
  std::uint32_t instruction = 0;
  bool expects = false;
  ValueId barrier = no_value;
  std::optional<std::int64_t> bytes = {};
};

// False: something may count on any barrier, bytes that are not known.
bool transactions(const KernelReport& report, const PtxValues& values, std::vector<Transaction>& out) {
  const auto& all = values.kernel().instructions;
  auto site = report.tma.begin();
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const PtxInstruction& one = all[i];
    if (one.is("call")) return false;
    const OpcodeParts parts(one.opcode);
    const bool expects = one.is("mbarrier") && (parts.has("expect_tx") || parts.has("complete_tx"));
    if (!expects && !parts.has("mbarrier::complete_tx::bytes")) continue;
    const auto operands = values.module().operands_of(one);
    Transaction found{.instruction = i, .expects = expects};
    const auto value = [&](std::size_t k) { return values.of_operand(one, k); };
    if (expects) {
      // {state,} [barrier], bytes
      const std::size_t barrier = parts.has("arrive") ? 1 : 0;
      if (parts.has("complete_tx") || parts.has("shared::cluster") || operands.size() != barrier + 2 ||
          operands[barrier].kind != PtxOperandKind::address)
        return false;
      found.barrier = value(barrier);
      found.bytes = values.number_of(value(barrier + 1));
    } else {
      // [to], [from], bytes, [barrier]; a tensor copy has [to], [map, {…}], [barrier]
      const bool is_bulk = one.is("cp.async.bulk") && !parts.has("tensor"), is_tensor = one.is("cp.async.bulk.tensor");
      const std::size_t barrier = is_bulk ? 3 : 2;
      if ((!is_bulk && !is_tensor) || parts.has("multicast::cluster") || parts.has("cta_group::2") ||
          !parts.has("global") || operands.size() <= barrier)
        return false;
      found.barrier = value(barrier);
      while (site != report.tma.end() && site->instruction < i) ++site;
      if (site != report.tma.end() && site->instruction == i && site->bytes) found.bytes = site->bytes->count;
    }
    if (found.barrier == no_value) return false;
    out.push_back(found);
  }
  return true;
}

}  // namespace

void tell_transactions(const KernelReport& report, const PtxValues& values, std::vector<Finding>& out) {
  std::vector<Transaction> all;
  if (!transactions(report, values, all)) return;
  // By the place of the barrier; those whose place is not constant may be any.
  std::map<std::pair<std::string_view, std::int64_t>, std::vector<Transaction>> barriers;
  std::vector<Transaction> others;
  for (const Transaction& one : all) {
    const SiteAddress at = site_address(values, one.barrier);
    if (at.offset && !at.symbol.empty()) barriers[{at.symbol, at.offset->count}].push_back(one);
    else others.push_back(one);
  }
  if (!others.empty()) {
    const bool is_one = barriers.empty() && std::ranges::all_of(others, [&](const Transaction& one) {
                          return one.barrier == others[0].barrier;
                        });
    if (!is_one) return;
    barriers[{}] = std::move(others);
  }
  for (const auto& [place, counted] : barriers) {
    const Transaction& first = counted.front();
    const auto goes_together = [&](const Transaction& one) {
      return one.bytes && values.flow().block_of[one.instruction] == values.flow().block_of[first.instruction] &&
             values.of_guard(one.instruction) == values.of_guard(first.instruction);
    };
    if (!std::ranges::all_of(counted, goes_together)) continue;
    std::int64_t expected = 0, brought = 0;
    const Transaction* expects = nullptr;
    for (const Transaction& one : counted) {
      (one.expects ? expected : brought) += *one.bytes;
      if (one.expects) expects = &one;
    }
    if (expects == nullptr || brought == 0 || expected == brought) continue;
    const PtxInstruction& at = values.kernel().instructions[expects->instruction];
    out.push_back(lint("expected-bytes",
                       "line " + std::to_string(at.line) + ": the mbarrier expects " + std::to_string(expected) +
                           " B, its copies bring " + std::to_string(brought) + " B",
                       expected > brought ? "who waits for it waits forever" : "a phase may end before its copies do"));
  }
}

}  // namespace swz
