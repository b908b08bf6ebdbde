// SPDX-License-Identifier: Apache-2.0
// CuTe's answers to the generated cases, as plain data; needs neither CuTe's nor swz's headers.
#pragma once

#include <string>
#include <vector>

namespace swz {

enum class Expect {
  same,           // swz gives the same shape:stride and the same values
  same_function,  // the same values; the form may differ for a reason named beside the operation
  wrong,          // CuTe breaks the law of the operation, as predicted; swz refuses or has another answer
};

struct CuteAnswer {
  std::string form = {};         // shape:stride as CuTe has it, without the marks of static integers
  std::vector<int> values = {};  // at every linear index; none if the answer is a number or a tuple
};

struct CuteCase {
  Expect expect;
  const char* operation;
  const char* expression;  // in swz's language
  const char* predicted;   // the answer of the generator's model of CuTe, if expect is wrong
  CuteAnswer answer;
};

using CuteCases = std::vector<CuteCase>;

// A case that swz refuses although CuTe compiles and obeys the law, or answers although it breaks the law.
struct Deviation {
  const char* operation;
  const char* expression;
  const char* what;
};

// Both are written by swz_cute_generate.
CuteCases cute_cases();
std::vector<Deviation> deviations();

}  // namespace swz
