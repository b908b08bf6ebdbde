// SPDX-License-Identifier: Apache-2.0
#include "render/junit.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "render/scene.hpp"

namespace swz {

JunitReport::JunitReport(std::string_view file) : file_(xml_text(file)) {}

void JunitReport::add(const JunitCase& one) {
  require_within(limits::junit_lines, ++count_);
  const std::string_view words = trimmed(one.words);
  // Without the quotes around it.
  const std::string name = quoted(words, 200);
  cases_ += fmt::format(R"(<testcase classname="{0}" name="line {1}: {2}" file="{0}" line="{1}")", file_, one.line,
                        xml_text(std::string_view(name).substr(1, name.size() - 2)));
  if (one.exit_code == 0) {
    cases_ += "/>\n";
    return;
  }
  const bool is_negative = one.exit_code == 1;
  ++(is_negative ? failures_ : errors_);
  cases_ += fmt::format(">\n<{0} message=\"line {1} exits with {2}: {3}\" type=\"exit {2}\">{4}</{0}>\n</testcase>\n",
                        is_negative ? "failure" : "error", one.line, one.exit_code, xml_text(quoted(words, 100)),
                        xml_text(one.shown, true));
}

std::string JunitReport::text() const {
  const std::string counts =
      fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="0")", count_, failures_, errors_);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"{}\" {}>\n{}</testsuite>\n"
      "</testsuites>\n",
      file_, counts, cases_);
}

}  // namespace swz
