// SPDX-License-Identifier: Apache-2.0
// swz page, where no page is installed beside the command; tests/install/page.sh has one that is.
#include <doctest/doctest.h>

#include "answers.hpp"

using namespace swz;

TEST_SUITE("cmd") {
  TEST_CASE("page: not installed") {
    const CliResult r = run_cli({"page"});
    CHECK(r.exit_code == 1);
    CHECK(r.out ==
          "no page is installed beside this command\n"
          "hint: the packages have it; in the sources 'sh scripts/page' builds build/page/index.html\n");
    CHECK(run_cli({"page", "--where", "-f", "json"}).out == "{\"verdict\":\"error\",\"path\":null,\"opened\":false}\n");
  }
}
