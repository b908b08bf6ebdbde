// SPDX-License-Identifier: Apache-2.0
// Every fragment in the tables of src/arch/instruction: shapes x types x operands x accumulators x orders.
#pragma once

#include <string>
#include <vector>

#include "fragment/fragment.hpp"

namespace swz {

inline std::vector<FragmentRequest> all_mma_requests() {
  std::vector<FragmentRequest> requests;
  for (const MmaInstruction& row : mma_instructions()) {
    for (int n = 1; n <= 256; ++n) {
      if (!row.takes(n)) continue;
      const std::string name = std::string(to_string(row.family)) + ".m" + std::to_string(row.m) + "n" +
                               std::to_string(n) + "k" + std::to_string(row.k);
      for (const std::string_view type : row.types) {
        if (type.empty()) continue;
        const std::string dtype(type);
        requests.push_back({name, dtype, Operand::a, ""});
        if (row.is_quad_pair()) requests.push_back({name + ".col.col", dtype, Operand::a, ""});
        if (row.is_quad_pair()) requests.push_back({name + ".row.row", dtype, Operand::b, ""});
        if (row.family == InstructionFamily::mma) requests.push_back({name, dtype, Operand::b, ""});
        for (const std::string_view accumulator : row.accumulators) {
          if (accumulator.empty()) continue;
          requests.push_back({name, dtype, Operand::d, std::string(accumulator)});
          if (row.family == InstructionFamily::mma)
            requests.push_back({name, dtype, Operand::c, std::string(accumulator)});
        }
      }
    }
  }
  return requests;
}

inline std::vector<FragmentRequest> all_matrix_requests() {
  std::vector<FragmentRequest> requests;
  for (const InstructionFamily family :
       {InstructionFamily::ldmatrix, InstructionFamily::stmatrix, InstructionFamily::movmatrix})
    for (const std::string& name : fragment_names(family)) requests.push_back({name, "", std::nullopt, ""});
  requests.push_back({"movmatrix.trans", "", Operand::a, ""});
  return requests;
}

inline std::vector<FragmentRequest> all_requests() {
  std::vector<FragmentRequest> requests = all_mma_requests();
  for (FragmentRequest& request : all_matrix_requests()) requests.push_back(std::move(request));
  return requests;
}

}  // namespace swz
