// SPDX-License-Identifier: Apache-2.0
// Observations: what was asked of the hardware beyond the rows of the other tables, what was tried, what came out,
// and what stays unknown.
//
//   "Does it matter which NaN fills?"    50 loads with NaN fill; every byte 0x7ff7, over and over      answered
//   "Where do interleaved loads put their bytes?"    nothing tried                                      open
//
// And which answers of swz were compared with CuTe's own, case by case: agreements().
//
// Invariants (tested): names are unique; what is answered was tried, on a GPU that is named.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "arch/row_of.hpp"
#include "base/finding.hpp"

namespace swz {

// answered: swz goes by the answer. partly: what was seen does not decide. open: not known.
enum class AnswerState { answered, partly, open };

constexpr std::string_view to_string(AnswerState state) { return name_in({"answered", "partly", "open"}, state); }

struct HardwareQuestion {
  std::string_view name;      // "nan-fill"
  std::string_view question;  // ends with a question mark
  AnswerState state = AnswerState::open;
  std::string_view tried;  // empty: nothing
  std::int64_t cases = 0;
  std::string_view result;  // empty: none
  std::string_view gpu;     // empty: no GPU was asked
  Source source;            // of what swz says
};

std::span<const HardwareQuestion> hardware_questions();

// What swz and CuTe say alike. The test stops when there are fewer cases.
struct CuteAgreement {
  std::string_view what;
  std::int64_t cases = 0;
  std::string_view unit;   // "descriptor words"
  std::string_view apart;  // where the two differ, and who is right; may be empty
  std::string_view test;   // in tests/cute
  Source source;
};

std::span<const CuteAgreement> cute_agreements();

}  // namespace swz
