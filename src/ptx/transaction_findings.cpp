// SPDX-License-Identifier: Apache-2.0
// An mbarrier that expects other bytes than the copies bring:
//
//   mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 4096;
//   cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 2048, [bar];
//
// If nothing else in the kernel may count on this barrier, and both are executed by the same threads equally often, the
// counts never meet: a thread that waits for the phase waits forever, or not long enough if less is expected than
// comes.
//
// It is reported only if that is certain. The bytes of a tensor copy are known only if the kernel writes the tensor map
// itself; nothing is reported about the barriers of other tensor copies.
#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "ptx/copy_opcode.hpp"
#include "ptx/kernel_parts.hpp"
#include "ptx/opcode.hpp"

namespace swz {

namespace {

// An instruction that counts bytes on a barrier.
struct Transaction {
  std::uint32_t instruction = 0;
  bool expects = false;  // otherwise it brings them
  ValueId barrier = no_value;
  std::optional<std::int64_t> bytes = {};  // none: not known
};

// {state,} [barrier], bytes. nullopt: it may count on any barrier, or bytes that are not known.
std::optional<Transaction> expectation(const PtxValues& values, std::uint32_t index, const OpcodeParts& parts) {
  const PtxInstruction& instruction = values.kernel().instructions[index];
  const auto operands = values.module().operands_of(instruction);
  const std::size_t barrier = parts.has("arrive") ? 1 : 0;
  if (parts.has("complete_tx") || parts.has("shared::cluster") || operands.size() != barrier + 2 ||
      operands[barrier].kind != PtxOperandKind::address)
    return std::nullopt;
  return Transaction{.instruction = index,
                     .expects = true,
                     .barrier = values.of_operand(instruction, barrier),
                     .bytes = values.number_of(values.of_operand(instruction, barrier + 1))};
}

// What brings bytes to its barrier. nullopt: as above.
std::optional<Transaction> copy(const KernelReport& report, const PtxValues& values, std::uint32_t index) {
  const PtxInstruction& instruction = values.kernel().instructions[index];
  constexpr std::int64_t response_bytes = 16;
  if (instruction.is("clusterlaunchcontrol.try_cancel") && !instruction.has("multicast::cluster::all"))
    return Transaction{.instruction = index, .barrier = values.of_operand(instruction, 1), .bytes = response_bytes};
  const auto copied = copy_opcode(instruction.opcode);
  if (!copied || copied->direction != TmaDirection::load || copied->mask_bits > 0 || copied->cta_group == 2 ||
      copied->from != "global")
    return std::nullopt;
  const int barrier = copied->places().barrier;
  if (barrier < 0 || static_cast<std::uint32_t>(barrier) >= instruction.operands) return std::nullopt;
  Transaction transaction{.instruction = index,
                          .barrier = values.of_operand(instruction, static_cast<std::size_t>(barrier))};
  const auto site = std::ranges::lower_bound(report.tma, index, {}, &TmaSite::instruction);
  const bool is_counted = site != report.tma.end() && site->instruction == index && site->bytes;
  // How many of the bytes outside of the tensor count with .ignore_oob is not documented.
  if (is_counted && !copied->ignores_oob) transaction.bytes = site->bytes->count;
  return transaction;
}

// nullopt: some instruction may count on any barrier, or bytes that are not known.
std::optional<std::vector<Transaction>> transactions(const KernelReport& report, const PtxValues& values) {
  std::vector<Transaction> all;
  const auto& instructions = values.kernel().instructions;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].is("call")) return std::nullopt;
    const OpcodeParts parts(instructions[i].opcode);
    const bool expects = instructions[i].is("mbarrier") && (parts.has("expect_tx") || parts.has("complete_tx"));
    if (!expects && !parts.has("mbarrier::complete_tx::bytes")) continue;
    const auto transaction = expects ? expectation(values, i, parts) : copy(report, values, i);
    if (!transaction || transaction->barrier == no_value) return std::nullopt;
    all.push_back(*transaction);
  }
  return all;
}

// By the place of their barrier. Empty: a barrier whose place is not constant may be any other.
using Barriers = std::map<std::pair<std::string_view, std::int64_t>, std::vector<Transaction>>;
Barriers by_barrier(const PtxValues& values, const std::vector<Transaction>& transactions) {
  Barriers barriers;
  std::vector<Transaction> unplaced;
  for (const Transaction& transaction : transactions) {
    const SiteAddress at = site_address(values, transaction.barrier);
    if (at.offset && !at.symbol.empty()) barriers[{at.symbol, at.offset->count}].push_back(transaction);
    else unplaced.push_back(transaction);
  }
  if (unplaced.empty()) return barriers;
  const bool is_one_barrier = barriers.empty() && std::ranges::all_of(unplaced, [&](const Transaction& transaction) {
                                return transaction.barrier == unplaced[0].barrier;
                              });
  if (!is_one_barrier) return {};
  return {{{}, std::move(unplaced)}};
}

}  // namespace

void add_transaction_findings(const KernelReport& report, const PtxValues& values, std::vector<Finding>& findings) {
  const auto all = transactions(report, values);
  if (!all) return;
  for (const auto& [place, counted] : by_barrier(values, *all)) {
    const Transaction& first = counted.front();
    const auto goes_together = [&](const Transaction& transaction) {
      return transaction.bytes &&
             values.flow().block_of[transaction.instruction] == values.flow().block_of[first.instruction] &&
             values.of_guard(transaction.instruction) == values.of_guard(first.instruction);
    };
    if (!std::ranges::all_of(counted, goes_together)) continue;
    std::int64_t expected = 0, brought = 0;
    const Transaction* expects = nullptr;
    for (const Transaction& transaction : counted) {
      (transaction.expects ? expected : brought) += *transaction.bytes;
      if (transaction.expects) expects = &transaction;
    }
    if (expects == nullptr || brought == 0 || expected == brought) continue;
    const std::uint32_t line = values.kernel().instructions[expects->instruction].line;
    findings.push_back(
        lint("expected-bytes",
             "line " + std::to_string(line) + ": the mbarrier expects " + std::to_string(expected) +
                 " B, its copies bring " + std::to_string(brought) + " B",
             expected > brought ? "a thread that waits for it waits forever" : "a phase may end before its copies do"));
  }
}

}  // namespace swz
