// SPDX-License-Identifier: Apache-2.0
// Open questions: points on which the sources about Blackwell's memory are silent or disagree, until a GPU decides.
//
//   a-m64-lanes    the lanes of A in tensor memory, M 64 without .ws: 32 * (r / 16) + r % 16 (CUTLASS) or r (TVM)
//                  probe: tmem-mma; its hypothesis a-in-lanes-0-63 is the second answer
//
// swz uses the first answer and names the others. `probe` is what `swz verify` asks a Blackwell GPU: a probe, the
// hypotheses of that probe that are the other answers, and what it observes. "not written: " is before what a probe
// would observe that swz does not have yet; it is empty if none is known. If others ran the first answer on a GPU, its
// source is `reported`; the question stays open until a probe of swz decides it, because their run was not seen here.
// The table also has the questions that reading was enough to settle.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "base/finding.hpp"

namespace swz {

struct OpenQuestion {
  std::string_view name;
  std::string_view question;
  std::array<std::string_view, 3> answers;  // each with its source; swz gives the first; empty if unused
  std::string_view probe;
  Source source;  // of the first answer
};

std::span<const OpenQuestion> open_questions();
// The question with this name, which must be in the table.
const OpenQuestion& open_question(std::string_view name);

struct SettledQuestion {
  std::string_view name;
  std::string_view question;
  std::string_view answer;
  std::string_view reason;
  Source source;
};

std::span<const SettledQuestion> settled_questions();

}  // namespace swz
