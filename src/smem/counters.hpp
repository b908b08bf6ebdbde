// Counters: what Nsight Compute shows for accesses to shared memory, and which number of a walk it is.
//
//   32 ldmatrix.x4, 1024 wavefronts, ideal 128
//     l1tex__data_pipe_lsu_wavefronts_mem_shared.sum     1024
//     l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum  896, and whatever else met in the banks
//     smsp__inst_executed_op_ldsm.sum                      32
//
// One warp that executes every instruction once; a kernel multiplies it.
//
// Source: each row. Of the counters only the first was compared with the rule, on H200.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/finding.hpp"
#include "smem/access.hpp"

namespace swz {

enum class CounterQuantity { wavefronts, ideal, excess, instructions };

constexpr std::string_view to_string(CounterQuantity quantity) {
  switch (quantity) {
    case CounterQuantity::wavefronts: return "wavefronts";
    case CounterQuantity::ideal: return "ideal";
    case CounterQuantity::excess: return "excess";
    case CounterQuantity::instructions: return "instructions";
  }
  return "";
}

struct Counter {
  std::string_view name;
  CounterQuantity quantity = CounterQuantity::wavefronts;
  bool counts_loads = true, counts_stores = true, counts_ldmatrix = true, counts_stmatrix = true;
  std::string_view remark;
  Source source;

  // cp.async is in the counters of all accesses only.
  constexpr bool counts(AccessOp op) const {
    switch (op) {
      case AccessOp::load: return counts_loads;
      case AccessOp::store: return counts_stores;
      case AccessOp::ldmatrix: return counts_ldmatrix;
      case AccessOp::stmatrix: return counts_stmatrix;
      case AccessOp::cp_async: return counts_loads && counts_stores;
    }
    return false;
  }
};

std::span<const Counter> counters();

// What else is in these counters, or is not.
struct CounterCaveat {
  std::string_view rule, message;
  Source source;
};
std::span<const CounterCaveat> counter_caveats();

}  // namespace swz
