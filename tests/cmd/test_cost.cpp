// SPDX-License-Identifier: Apache-2.0
// `swz cost`: its text whole, its JSON, and every message for words that do not fit together.
#include <doctest/doctest.h>

#include "base/json.hpp"
#include "cmd/run_cli.hpp"

namespace swz {
namespace {
