// SPDX-License-Identifier: Apache-2.0
// Observations: questions to the hardware beyond the rows of the other tables. Each has what was tried, the result, and
// what stays unknown.
//
//   "Does it matter which NaN fills?"    50 loads with NaN fill; every byte 0x7ff7, over and over      answered
//   "Where do interleaved loads put their bytes?"    nothing tried                                      open
//
// Also the answers of swz that were compared with CuTe's own, case by case: agreements().
//
// Invariants (tested): names are unique; a question that is answered was tried, on a GPU that is named.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "arch/row_of.hpp"
#include "base/finding.hpp"

namespace swz {

// answered: swz follows the answer. partly: the results do not decide. open: not known.
enum class AnswerState { answered, partly, open };

constexpr std::string_view to_string(AnswerState state) { return name_in({"answered", "partly", "open"}, state); }

struct HardwareQuestion {
  std::string_view name;      // "nan-fill"
  std::string_view question;  // ends with a question mark
  AnswerState state = AnswerState::open;
  std::string_view tried;  // empty if nothing was tried
  std::int64_t cases = 0;
  std::string_view result;  // empty if there is none
  std::string_view gpu;     // empty if no GPU was asked
  Source source;            // source of the answer that swz gives
};

std::span<const HardwareQuestion> hardware_questions();

// A subject on which swz and CuTe agree. The test fails if it has fewer cases than this.
struct CuteAgreement {
  std::string_view what;
  std::int64_t cases = 0;
  std::string_view unit;   // "descriptor words"
  std::string_view apart;  // where the two differ, and which is right; may be empty
  std::string_view test;   // in tests/cute
  Source source;
};

std::span<const CuteAgreement> cute_agreements();

}  // namespace swz
