// SPDX-License-Identifier: Apache-2.0
// Cases that CuTe 4.2 compiles and answers wrongly, or was once reported to; wrong_answers.cpp has CuTe's answers,
// test_wrong_answers.cpp the right ones and those of swz.
#pragma once

#include "answers.hpp"

namespace swz {

struct ReportedCase {
  const char* expression;  // in swz's language
  const char* issue;       // public, or empty if none is known
  CuteAnswer cute;
};

std::vector<ReportedCase> reported_cases();

}  // namespace swz
