// SPDX-License-Identifier: Apache-2.0
// Open questions: what the sources of Blackwell's memory leave open, or contradict each other in, until a GPU decides.
//
//   a-m64-lanes    the lanes of A in tensor memory, M 64 without .ws: 32 * (r / 16) + r % 16 (CUTLASS) or r (TVM)
//                  probe: tmem-mma; its hypothesis a-in-lanes-0-63 is the second answer
//
// swz answers with the first answer and names the others; `probe` is what `swz verify` asks a Blackwell: a probe, its
// hypotheses that are the other answers, and what it sees. Where others ran the first answer on a GPU, its source is
// reported; the question stays open until a probe of swz decides it, for their run was not seen here. Beside them stand
// the questions that reading alone has settled.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "base/finding.hpp"

namespace swz {

struct OpenQuestion {
  std::string_view name;
  std::string_view question;
  std::array<std::string_view, 3> answers;  // with who says so; the first is the one that swz gives; empty: unused
  std::string_view probe;
  Source source;  // of the first answer
};

std::span<const OpenQuestion> open_questions();
// The name must be one of the table.
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
