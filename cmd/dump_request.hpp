// SPDX-License-Identifier: Apache-2.0
// What the commands that read a dump share: the file, whole, and the option that names its form.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "command.hpp"
#include "identify/dump_text.hpp"
#include "option.hpp"

namespace swz {

// --as
Option dump_form_option(std::optional<DumpForm>& form);

// The whole file, within the limit; it is refused by its size before it is read.
std::string read_dump_file(const std::string& name, const Context& context);

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// "standard input" for "-" and "@-", otherwise the name.
std::string dump_name(const std::string& name);

}  // namespace swz
