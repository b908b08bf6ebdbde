// SPDX-License-Identifier: Apache-2.0
// View of an operand verdict: the swizzle mode, the MMAs that read the array with their descriptor words, or the reason
// why none does; and the stages of a staged layout.
//
//   stages        3 stages of 16384 B
//   swizzle mode  128B: TMA's CU_TENSOR_MAP_SWIZZLE_128B
//   read by       wgmma and tcgen05, K-major, with rows as M or N: LBO 16 B, SBO 1024 B
//   words         0x4000004000010000 on sm_90a, 0x4000404000010000 on sm_100a, at address 0
#pragma once

#include "descriptor/operand_verdict.hpp"
#include "dialect/layout_form.hpp"
#include "view/document/document.hpp"

namespace swz {

// {count, bytes, starts}; null if the layout has no stages.
Json stages_json(const StagedLayout& layout, int element_bits);
// "read as ((MMA),MN,K,STAGE): (128,64):(64,1), 3 stages of 16384 B; the answer is that of the first", or of the one
// that was taken.
Finding stages_note(const StagedLayout& layout, int element_bits, std::size_t taken = 0);

// The verdict of an array in shared memory, with `buffers` of them in sequence. Adds lines, and in JSON swizzle_mode,
// hardware_mode, read_as, read_by, atom_of, reason, operand, stages. For registers all are null.
void add_verdict(Document& d, const LayoutForm& form, std::int64_t buffers);
// The same as one object and one line: what another meaning of the text would be.
Json verdict_json(const LayoutForm& form);
std::string verdict_text(const LayoutForm& form);
// The verdict as the title of a picture: "mode 128B, K-major: Sw<3,4,3> on byte addresses, SBO 1024 B". Empty for
// registers and tensor memory.
std::string verdict_headline(const LayoutForm& form, std::int64_t buffers);

}  // namespace swz
