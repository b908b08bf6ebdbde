// SPDX-License-Identifier: Apache-2.0
// Forms of the instructions of TMA, and of others that reach the shared memory of another CTA: which targets have them.
//
//   tile load                        sm_90 and later
//   tile::gather4 load to shared::cta       from sm_100a on, sm_120 too; to shared::cluster only where tensor memory is
//   tensormap.replace swizzle_mode 4, 96B   sm_103a and sm_107a
//
// Invariants (tested): equal to what ptxas takes, for every form and target.
// Source: PTX ISA 9.4, 9.7.10.28; ptxas 13.5.37 for the targets (tests/data/ptxas_tma.txt).
#pragma once

#include <span>
#include <string_view>

#include "arch/instruction.hpp"

namespace swz {

struct TmaForm {
  std::string_view name;
  Availability availability;
  Source source = {"PTX ISA 9.4, 9.7.10.28; ptxas 13.5.37 for the targets"};
};
std::span<const TmaForm> tma_forms();
// Null: no target has it, or it is no form of the table.
const TmaForm* find_tma_form(std::string_view name);

}  // namespace swz
