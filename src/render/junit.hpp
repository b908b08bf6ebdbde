// SPDX-License-Identifier: Apache-2.0
// JunitReport: command lines that are claims, and which of them do not hold, as the JUnit XML that CI systems show.
//
//   JunitReport report("layouts.swz");
//   report.add({4, "diff 8:1 8:2", 1, "different\n"});
//   report.text()   <testsuite name="layouts.swz" tests="1" failures="1" errors="0" skipped="0">
//                   <testcase classname="layouts.swz" name="line 4: diff 8:1 8:2" file="layouts.swz" line="4">
//                   <failure message="line 4 exits with 1: 'diff 8:1 8:2'" type="exit 1">different …
//
// A line that exits with 1 is a failure: its answer is no. One that exits with 2 or 3 is an error: it has no answer. The
// report has no times, so that the same claims give the same bytes.
//
// Source: the format has no owner; the names are those of Apache Ant's task, which Jenkins, GitLab and GitHub's actions read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace swz {

struct JunitCase {
  std::int64_t line = 0;  // its number in the file, from 1
  std::string_view words;
  int exit_code = 0;
  std::string_view shown;  // the answer or the error as text, if the exit code is not 0
};

class JunitReport {
 public:
  explicit JunitReport(std::string_view file);
  void add(const JunitCase& one);
  std::string text() const;

 private:
  std::string file_;   // escaped
  std::string cases_;  // as XML
  std::int64_t count_ = 0, failures_ = 0, errors_ = 0;
};

}  // namespace swz
