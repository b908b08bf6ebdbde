// SPDX-License-Identifier: Apache-2.0
// Cases where CuTe 4.2 compiles and answers wrongly, or where it was once reported to; wrong_answers.cpp has what
// CuTe says, test_wrong_answers.cpp what is right and what swz says.
#pragma once

#include "answers.hpp"

namespace swz {

struct ReportedCase {
  const char* expression;  // in swz's language
  const char* issue;       // public, or empty: none known
  CuteAnswer cute;
};

std::vector<ReportedCase> reported_cases();

}  // namespace swz
