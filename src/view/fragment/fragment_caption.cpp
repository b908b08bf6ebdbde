// SPDX-License-Identifier: Apache-2.0
#include "view/fragment/fragment_caption.hpp"

#include <fmt/format.h>

#include "view/fragment/register_cells.hpp"

namespace swz {

const Fragment* find(const std::vector<Fragment>& fragments, Operand operand) {
  for (const Fragment& f : fragments)
    if (f.operand == operand) return &f;
  return nullptr;
}

std::string_view letter_of(const Fragment& f) {
  switch (f.operand) {
    case Operand::a: return "a";
    case Operand::b: return "b";
    case Operand::c:
    case Operand::d: return "d";
    default: return "V";
  }
}

std::string_view thread_words(const Fragment& f) {
  return f.operand == Operand::tmem || f.operand == Operand::memory ? "threads" : "lanes";
}

namespace {

// "T5 a2,a3 are values 2 and 3 of thread 5.", "T5 a4-7 are values 4 to 7 …"; `is_brief`: of cells that name the first.
std::string values_text(const Fragment& f, bool is_brief) {
  const int count = joined_count(f), last = 2 * count - 1;
  if (count == 1) return "T5 V2 is value 2 of thread 5.";
  const std::string_view letter = letter_of(f);
  const std::string values = count == 2 ? "2 and 3" : fmt::format("{} to {}", count, last);
  const std::string names = is_brief     ? fmt::format("{}{}", letter, count)
                            : count == 2 ? fmt::format("{0}2,{0}3", letter)
                                         : fmt::format("{}{}-{}", letter, count, last);
  return fmt::format("T5 {} are values {} of thread 5.", names, values);
}

std::string cell_text(const Fragment& f, bool is_of_registers) {
  if (has_whole_cells(f)) return "A cell is a thread and its register.";
  std::string text = is_of_registers ? values_text(f, false) : "T5 V2 is value 2 of thread 5.";
  if (f.operand == Operand::tmem && f.bits == 16) text += " V2 and V3 are the halves of register 1, low bits first.";
  return text;
}

// Which thread has a scale factor, and in which byte of its register: the byte-ids select it.
std::string scales_text(const Fragment& sfa, const Fragment& sfb, bool is_of_registers) {
  return fmt::format(" {} in byte {} of its register of SFA, byte {} of SFB.",
                     is_of_registers ? "A cell of SFA and SFB is the thread with the scale factor, block 0"
                                     : "T5 s0 is scale factor 0 of thread 5",
                     sfa.first_bit / 8, sfb.first_bit / 8);
}

}  // namespace

void set_caption(Figure& figure, const std::vector<Fragment>& fragments, const FragmentDrawing& drawing) {
  const Fragment *a = find(fragments, Operand::a), *sfa = find(fragments, Operand::sfa),
                 *sfb = find(fragments, Operand::sfb);
  const Fragment& f = a != nullptr ? *a : fragments.front();
  const bool is_of_registers = shows_registers(drawing);
  std::string rest;
  if (has_row_addresses(f) && !is_of_registers) rest += " \"3 <- lane 3\": lane 3 supplies the address of row 3.";
  if (f.tiles > 1)
    rest +=
        fmt::format(" Of the {} MMAs of a warp the first is shown, thread t + 4q does the same for MMA q.", f.tiles);
  if (sfa != nullptr && sfb != nullptr) rest += scales_text(*sfa, *sfb, is_of_registers);
  figure.caption = cell_text(f, is_of_registers) + rest;
  if (is_of_registers && !has_whole_cells(f))
    figure.brief_caption = values_text(f, true) +
                           (fragments.size() > 1 && joined_count(f) > 2 ? " T5 d2 are its values 2 and 3 of D." : "") +
                           rest;
  if (drawing.colors == FragmentColors::thread) {
    const std::string_view words = thread_words(f);
    figure.about_shades = fmt::format(" A shade is a {} of its group of four.", words.substr(0, words.size() - 1));
  }
}

std::string narrow_scales_text(const std::vector<Fragment>& fragments) {
  const Fragment *sfa = find(fragments, Operand::sfa), *sfb = find(fragments, Operand::sfb);
  if (sfa == nullptr || sfb == nullptr) return "";
  return fmt::format(" SFA and SFB: the thread with the factor, block 0 in byte {} and byte {} of its register.",
                     sfa->first_bit / 8, sfb->first_bit / 8);
}

}  // namespace swz
