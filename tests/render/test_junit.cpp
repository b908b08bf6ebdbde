// SPDX-License-Identifier: Apache-2.0
// JunitReport: counts, escapes, and which exit code is which element.
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "render/junit.hpp"

using namespace swz;

TEST_CASE("JUnit: a line that holds, a failure, two errors") {
  JunitReport report("a<b>.swz");
  report.add({2, " layout 8:1 ", 0, "not shown"});
  report.add({4, "diff \"x\" 'y'", 1, "1 < 2 & 3\nline\x1b two\n"});
  report.add({5, "dekode", 2, "swz: error\n"});
  report.add({9, "verify", 3, ""});
  CHECK(report.text() ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites>\n"
        "<testsuite name=\"a&lt;b&gt;.swz\" tests=\"4\" failures=\"1\" errors=\"2\" skipped=\"0\">\n"
        "<testcase classname=\"a&lt;b&gt;.swz\" name=\"line 2: layout 8:1\" file=\"a&lt;b&gt;.swz\" line=\"2\"/>\n"
        "<testcase classname=\"a&lt;b&gt;.swz\" name=\"line 4: diff &quot;x&quot; 'y'\" file=\"a&lt;b&gt;.swz\" "
        "line=\"4\">\n"
        "<failure message=\"line 4 exits with 1: 'diff &quot;x&quot; 'y''\" type=\"exit 1\">1 &lt; 2 &amp; "
        "3\nline\\x1b two\n</failure>\n"
        "</testcase>\n"
        "<testcase classname=\"a&lt;b&gt;.swz\" name=\"line 5: dekode\" file=\"a&lt;b&gt;.swz\" line=\"5\">\n"
        "<error message=\"line 5 exits with 2: 'dekode'\" type=\"exit 2\">swz: error\n</error>\n"
        "</testcase>\n"
        "<testcase classname=\"a&lt;b&gt;.swz\" name=\"line 9: verify\" file=\"a&lt;b&gt;.swz\" line=\"9\">\n"
        "<error message=\"line 9 exits with 3: 'verify'\" type=\"exit 3\"></error>\n"
        "</testcase>\n"
        "</testsuite>\n"
        "</testsuites>\n");
}

TEST_CASE("JUnit: a long line is cut, and a report has an end") {
  JunitReport report("-");
  report.add({1, std::string(5000, 'x'), 0, ""});
  CHECK(report.text().size() < 700);
  for (std::int64_t i = 1; i < limits::junit_lines.most; ++i) report.add({i, "x", 0, ""});
  CHECK_THROWS_AS(report.add({1, "x", 0, ""}), Error);
}
