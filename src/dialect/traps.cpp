// SPDX-License-Identifier: Apache-2.0
#include "dialect/traps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/swizzle_mode.hpp"
#include "base/checked.hpp"

namespace swz {
namespace {

bool is_written(const Translation& t, std::string_view dialect) {
  return std::ranges::any_of(t.forms,
                             [&](const Form& f) { return f.dialect->name == dialect && !f.written.text.empty(); });
}

// Two elements that share an offset, as text.
std::string shared_offset(const SharedForm& form) {
  const std::vector<std::int64_t> offsets = offsets_of(form);
  std::vector<std::int64_t> numbers(offsets.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i);
  const auto offset = [&](std::int64_t n) { return offsets[static_cast<std::size_t>(n)]; };
  std::ranges::stable_sort(numbers, {}, offset);
  const auto at = std::ranges::adjacent_find(numbers, {}, offset);
  const auto text = [&](std::int64_t n) {
    std::string result;
    for (const std::int64_t x : coordinate_of(n, form.shape))
      result += fmt::format("{}{}", result.empty() ? "(" : ",", x);
    return result + ")";
  };
  return fmt::format("elements {} and {} share offset {}", text(*at), text(*(at + 1)), offset(*at));
}

const SwizzleMode* mode_with_numbers(const Swizzle& swizzle) {
  const auto mode = std::ranges::find_if(
      swizzle_modes(), [&](const SwizzleMode& m) { return m.bits > 0 && m.byte_swizzle() == swizzle; });
  return mode == swizzle_modes().end() ? nullptr : &*mode;
}

class TrapFinder {
 public:
  explicit TrapFinder(Translation& t) : t_(t) {}

  void shared_traps(const SharedForm& form) {
    if (form.block.bits() > 0)
      return say("cta-bases", "its elements lie in several CTAs: offsets are those inside each",
                 "CuTe has it as a layout with a mode of its own for the CTA");
    if (!is_injective(form)) say("not-injective", shared_offset(form), "a store of one overwrites the other");
    if (const std::string odd = why_not_powers_of_two(form.shape); !odd.empty())
      say("power-of-two", fmt::format("{}: Triton, Gluon and bases have powers of two only", odd),
          "pad the array to the next power of two");
    if (const auto composed = as_composed(form)) return swizzle_traps(form, *composed);
    if (as_linear(form))
      return say("two-swizzles",
                 "two swizzles in a row, or a general map over GF(2): no one Sw<B,M,S> after strides is it",
                 "Triton's shared_linear, bases and C write it");
    if (!form.padding.empty() || as_padded(form))
      return say("padding-in-swizzle", "padding after an XOR: neither strides nor a map over GF(2) is it",
                 "Triton's padded_shared with offset bases, or C");
    say("rotation", "neither strides nor an XOR of bits: a rotation, or another sum with carries",
        "only a C expression says it");
  }

  void register_traps(const RegisterForm& form) {
    if (rank(form.layout) > 2)
      say("cta-bases", "its elements lie in several CTAs",
          "CuTe has the CTA as a mode of its own: (thread, value, CTA)");
  }

 private:
  void swizzle_traps(const SharedForm& form, const ComposedLayout& composed) {
    const Swizzle& swizzle = composed.element_swizzle();
    if (swizzle.is_identity()) return;
    if (const SwizzleMode* mode = mode_with_numbers(swizzle); mode != nullptr && form.element.bits != 8)
      say("swizzle-in-bytes",
          fmt::format("{} here counts elements: mode {} of hardware has these numbers on bytes{}", to_string(swizzle),
                      mode->name, in_elements(*mode, form.element.bits)),
          fmt::format("swz reads it as mode of bytes after smem_ptr[{}b](unset)",
                      form.element.bits == 0 ? "16" : std::to_string(form.element.bits)));
    if (form.element.bits == 0 || (!is_written(t_, "thunderkittens") && !is_written(t_, "tma"))) return;
    const auto on_bytes = in_units(swizzle, 3 - log2_exact(form.element.bits));
    if (on_bytes)
      say("base-alignment",
          fmt::format("ThunderKittens, TMA and the MMA XOR absolute addresses, the others offsets: the same where the "
                      "base is a multiple of {} bytes",
                      on_bytes->period()),
          fmt::format("align the array to {} bytes", on_bytes->period()));
  }

  // ", Sw<3,3,3> on elements of 16 bits"
  static std::string in_elements(const SwizzleMode& mode, int bits) {
    const auto swizzle = bits == 0 ? std::nullopt : in_units(mode.byte_swizzle(), log2_exact(bits) - 3);
    return swizzle ? fmt::format(", {} on elements of {} bits", to_string(*swizzle), bits) : "";
  }

  void say(std::string_view rule, std::string message, std::string hint) {
    if (std::ranges::find(t_.notes, rule, &Finding::rule) == t_.notes.end())
      t_.notes.push_back(note(rule, std::move(message), std::move(hint)));
  }

  Translation& t_;
};

}  // namespace

void add_traps(Translation& t) {
  TrapFinder finder(t);
  if (const auto* shared = std::get_if<SharedForm>(&t.form)) finder.shared_traps(*shared);
  if (const auto* registers = std::get_if<RegisterForm>(&t.form)) finder.register_traps(*registers);
}

}  // namespace swz
