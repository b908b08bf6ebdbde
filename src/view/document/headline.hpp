// SPDX-License-Identifier: Apache-2.0
// The headline of an answer that says where something lies, made of the lines that its text has.
//
//   lines   element  A[5][20]     lane  5     column  10     bits  0-15
//   headline_of(d, {"element", "lane", "column", "bits"}) == "A[5][20]: lane 5, column 10, bits 0-15"
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "view/document/document.hpp"

namespace swz {

// The texts of the lines with these labels, in this order, up to a semicolon; lines that the document lacks are left
// out. A text that begins with a digit has its label before it, except the first.
std::string headline_of(const Document& d, std::initializer_list<std::string_view> labels);

// The most letters of a headline, which has to be read at a glance.
inline constexpr std::size_t headline_letters = 70;

// The text if it is short enough for a headline; otherwise its beginning, up to the last "; " or ": " that leaves it
// short enough, or else the last ", " or " (".
//   "the version bit 46 is 0; tcgen05 wants 0b001 in bits 46-48, and …"    "the version bit 46 is 0"
std::string short_sentence(const std::string& text);

// The text without its clauses that name an option: a reader of a picture types no command.
//   "set bit 46: 0x…; a word for wgmma is read with --arch sm_90a"      "set bit 46: 0x…"
std::string without_options(const std::string& text);

// For an answer without a headline: its first two lines, "CTA of A and D 0, its row 5; CTA of B 0, its column 20".
void add_headline(Document& d);

}  // namespace swz
