// SPDX-License-Identifier: Apache-2.0
#include "ptx/joined_accesses.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>

#include "ptx/linear_form.hpp"
#include "ptx/opcode.hpp"

namespace swz {

namespace {

constexpr int joined_most = 16, joined_elements = 4;

// The bytes that ptxas counts by: those of an element, but a vector of bytes is one word.
int element_of(const PtxInstruction& instruction, int bytes) {
  const int element = operand_type(OpcodeParts(instruction.opcode).last()).bits / 8;
  return element == 1 && bytes > 1 ? bytes : element;
}

bool is_elsewhere(const PtxInstruction& instruction) {
  const OpcodeParts parts(instruction.opcode);
  return parts.has("global") || parts.has("local") || parts.has("param");
}

bool keeps_apart(const PtxInstruction& instruction) {
  constexpr std::string_view always[] = {"bar",  "barrier", "membar", "fence",   "mbarrier",
                                         "call", "cp",      "wgmma",  "tcgen05", "griddepcontrol"};
  constexpr std::string_view in_shared[] = {"atom", "red", "stmatrix"};
  const auto is = [&](std::string_view name) { return instruction.is(name); };
  return std::ranges::any_of(always, is) || (std::ranges::any_of(in_shared, is) && !is_elsewhere(instruction));
}

bool is_store(const PtxInstruction& instruction) { return instruction.is("st") && !is_elsewhere(instruction); }

// An address as a varying part and a constant.
struct Place {
  std::string key;  // of the varying part
  std::int64_t offset = 0;
  std::int64_t alignment = joined_most;  // of the varying part; that of arrays is ptxas's own choice
  std::int64_t step = 0;                 // of a loop whose passes ptxas may put together
};

class JoinFinder {
 public:
  explicit JoinFinder(const PtxValues& values) : v_(values) {
    std::uint32_t apart = 0, stores = 0;
    for (const PtxInstruction& instruction : values.kernel().instructions) {
      apart_.push_back(apart += keeps_apart(instruction));
      stores_.push_back(stores += is_store(instruction));
    }
  }

  std::vector<int> find(std::span<const PlainAccess> accesses) {
    std::vector<int> joined(accesses.size());
    std::map<std::string, std::vector<Member>> runs;  // accesses that nothing keeps apart, by place
    std::string last_store;
    const auto close = [&] {
      for (const auto& [_, run] : runs) join(run, joined);
      runs.clear();
    };
    std::uint32_t before = 0;
    AccessOp op = AccessOp::load;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      const PlainAccess& access = accesses[i];
      const bool is_load = access.op == AccessOp::load;
      const bool is_other_block = block_of(access.instruction) != block_of(before);
      const bool is_apart = op != access.op || between(apart_, before, access.instruction) ||
                            (is_load && between(stores_, before, access.instruction)) ||
                            (is_other_block && (!is_load || is_loop_between(before, access.instruction)));
      if (is_apart) close();
      before = access.instruction;
      op = access.op;
      const PtxInstruction& instruction = v_.kernel().instructions[access.instruction];
      const int element = element_of(instruction, access.bytes);
      if (element < 2 || element > 8 || (!is_load && instruction.guard != no_register)) {
        if (!is_load) close();
        continue;
      }
      const Place place = place_of(access);
      std::string key = std::to_string(element) + place.key;
      const std::int64_t group = place.offset & -std::int64_t{std::min(joined_most, joined_elements * element)};
      // Stores follow each other within one place.
      if (!is_load) key += " at " + std::to_string(group);
      if (!is_load && key != last_store) close();
      last_store = is_load ? "" : key;
      runs[key].push_back({i, place, element, access.bytes, access.op});
    }
    close();
    return joined;
  }

 private:
  struct Member {
    std::size_t access = 0;
    Place place;
    int element = 4, bytes = 4;
    AccessOp op = AccessOp::load;
  };

  std::uint32_t block_of(std::uint32_t instruction) const { return v_.flow().block_of[instruction]; }
  static bool between(const std::vector<std::uint32_t>& counts, std::uint32_t first, std::uint32_t last) {
    return counts[last] != counts[first];
  }

  // A loop begins or ends on the way.
  bool is_loop_between(std::uint32_t first, std::uint32_t last) const {
    const PtxFlow& flow = v_.flow();
    for (std::uint32_t block = block_of(first); block <= block_of(last) && block < flow.blocks.size(); ++block) {
      const auto is_back = [&](std::uint32_t from, std::uint32_t to) {
        return flow.position[from] != no_block && flow.position[from] >= flow.position[to];
      };
      const bool is_header =
          block != block_of(first) &&
          std::ranges::any_of(flow.blocks[block].previous, [&](std::uint32_t from) { return is_back(from, block); });
      const bool is_latch =
          block != block_of(last) &&
          std::ranges::any_of(flow.blocks[block].next, [&](std::uint32_t next) { return is_back(block, next); });
      if (is_header || is_latch) return true;
    }
    return false;
  }

  Place place_of(const PlainAccess& access) const {
    const int bits = v_.shared_address_bits();
    const LinearForm form = linear_form(v_, access.address, bits);
    Place place{.key = terms_key(form), .offset = as_signed(form.constant, bits)};
    for (const LinearTerm& term : form.terms) {
      if (v_[term.value].op == ValueOp::symbol) continue;
      const std::int64_t step = term.is_progress ? step_of(term, access) : 0;
      place.step += step;
      if (step == 0)
        place.alignment = std::min(place.alignment, std::int64_t{1} << std::min(proven_zeros(v_, term), 4));
    }
    return place;
  }

  // By how much a pass advances the term, if the number of passes is known and nothing in them keeps accesses apart;
  // otherwise 0.
  std::int64_t step_of(const LinearTerm& term, const PlainAccess& access) const {
    const PtxPhi& phi = v_.phi(v_[term.value]);
    const auto advanced = induction(v_, term.value);
    if (!advanced || advanced->steps.size() != 1 || !advanced->steps[0].terms.empty() ||
        block_of(access.instruction) < phi.block)
      return 0;
    for (const PtxPhi::From& from : phi.from) {
      if (!v_.is_back(phi, from)) continue;
      const std::uint32_t first = v_.flow().blocks[phi.block].first, last = v_.flow().blocks[from.block].end - 1;
      const bool is_load = access.op == AccessOp::load;
      if (last < access.instruction || between(apart_, first, last) || (is_load && between(stores_, first, last)) ||
          !counts_passes(from.condition, phi.block))
        return 0;
    }
    const int bits = v_.shared_address_bits();
    return as_signed(term.factor * advanced->steps[0].constant & low_mask(bits), bits);
  }

  // The condition is made of constants and of what the loop counts from a constant by constants.
  bool counts_passes(ValueId condition, std::uint32_t header) const {
    constexpr std::size_t most_parts = 32;
    if (condition == no_value) return false;
    std::vector<ValueId> parts = {condition};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const PtxValue& value = v_[parts[i]];
      if (v_.known(parts[i]).is_constant()) continue;
      if (value.op == ValueOp::phi) {
        const auto counter = induction(v_, parts[i]);
        if (v_.phi(value).block != header || !counter || !v_.known(counter->enters).is_constant()) return false;
        if (!std::ranges::all_of(counter->steps, [](const LinearForm& step) { return step.terms.empty(); }))
          return false;
        continue;
      }
      if (value.a == no_value || value.op == ValueOp::unknown || parts.size() > most_parts) return false;
      for (const ValueId part : {value.a, value.b, value.c})
        if (part != no_value) parts.push_back(part);
    }
    return true;
  }

  // Each becomes part of an aligned group of elements, if the run has enough of them.
  void join(const std::vector<Member>& run, std::vector<int>& joined) const {
    std::vector<std::int64_t> there;  // offsets of elements
    for (const Member& member : run) {
      constexpr std::int64_t most_passes = 8;
      const Place& place = member.place;
      const std::int64_t passes = place.step != 0 && std::abs(place.step) <= joined_most ? most_passes : 0;
      for (std::int64_t pass = -passes; pass <= passes; ++pass)
        for (int byte = 0; byte < member.bytes; byte += member.element)
          there.push_back(place.offset + pass * place.step + byte);
    }
    std::ranges::sort(there);
    there.erase(std::unique(there.begin(), there.end()), there.end());
    for (const Member& member : run) {
      const std::int64_t largest =
          std::min<std::int64_t>({joined_most, joined_elements * member.element, member.place.alignment});
      for (std::int64_t bytes = largest; bytes > member.bytes && joined[member.access] == 0; bytes /= 2) {
        const std::int64_t begin = member.place.offset & -bytes, elements = bytes / member.element;
        const auto from = [&](std::int64_t offset) { return std::lower_bound(there.begin(), there.end(), offset); };
        const auto count = from(begin + bytes) - from(begin);
        const bool needs_three = elements == joined_elements && member.op == AccessOp::load;
        if (count >= (needs_three ? elements - 1 : elements)) joined[member.access] = static_cast<int>(bytes);
      }
    }
  }

  const PtxValues& v_;
  std::vector<std::uint32_t> apart_, stores_;  // how many up to each instruction
};

}  // namespace

std::optional<PlainAccess> plain_access(const PtxValues& values, std::uint32_t index, const AccessInstruction& access,
                                        ValueId address) {
  const PtxInstruction& instruction = values.kernel().instructions[index];
  if (!instruction.is("ld") && !instruction.is("st")) return std::nullopt;
  const OpcodeParts parts(instruction.opcode);
  for (const std::string_view order : {"volatile", "relaxed", "acquire", "release", "mmio"})
    if (parts.has(order)) return std::nullopt;
  return PlainAccess{index, access.op, access.bytes, address};
}

std::vector<int> joined_bytes(const PtxValues& values, std::span<const PlainAccess> accesses) {
  return JoinFinder(values).find(accesses);
}

}  // namespace swz
