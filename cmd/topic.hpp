// SPDX-License-Identifier: Apache-2.0
// Topics: words that users type although they are not commands, with the commands that answer them.
//
//   swz conflicts       shows swz banks and swz swizzle find, each with an example
//   swz tma decode      shows swz decode, which reads tensor maps
//   swz help triton     shows swz translate; the name of every dialect is such a word
//
// A topic is never run as a command: "descriptor" may mean decode, desc or encode.
#pragma once

#include <span>

#include "command.hpp"

namespace swz {

struct Topic {
  std::string word;
  std::vector<std::string_view> commands;

  // Whether the table has one of the commands.
  bool leads_into(const Commands& table) const;
};

std::span<const Topic> topics();
// The topic, in any case, and with - for _; null if there is no such word, or if the table has none of its commands.
const Topic* find_topic(const std::string& word, const Commands& table);

}  // namespace swz
