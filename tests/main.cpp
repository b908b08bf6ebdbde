// SPDX-License-Identifier: Apache-2.0
// The main of every doctest binary here; a test file only includes <doctest/doctest.h>.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
