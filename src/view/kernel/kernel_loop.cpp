// SPDX-License-Identifier: Apache-2.0
// The picture of a kernel with a wrong k loop: where each MMA begins to read, what lies there, and what would be right.
//
//               line 272  line 291  line 310  line 329
//                  +0       +32       +64       +96        red: not the k of this step
//   the loop     [row 0   ][row 1   ][row 2   ][row 3   ]
//                [k 0-15  ][k 0-15  ][k 0-15  ][k 0-15  ]
//   it should    [row 0   ]…[row 0  ]…[row 0  ]…[row 0  ]
//                [k 0-15  ]…[k 16-31]…[k 32-47]…[k 48-63]
//
// What lies at an offset is known inside of the first atom of a swizzled K-major operand; elsewhere a box has no text.
#include <fmt/format.h>

#include <algorithm>

#include "view/document/figure.hpp"
#include "view/document/sketch_text.hpp"
#include "view/kernel/kernel_parts.hpp"

namespace swz {
namespace {

constexpr double box_height = 34, atom_gap = 22, widest_box = 200;

// A k step of the loop.
struct LoopStep {
  std::uint32_t line = 0;   // of its MMA
  std::int64_t offset = 0;  // from the start of the first step, as the kernel has it
  bool is_wrong = false;
};

struct WrongLoop {
  const MmaSite* site = nullptr;  // that has the faults
  std::vector<MmaFault> faults = {};
  std::vector<LoopStep> steps = {};
  std::int64_t count = 0;  // of all steps
  MmaOperandSite operand = {};

  bool has_lines() const { return operand.major == Major::K && operand.swizzle->bits > 0; }
  std::int64_t span() const { return operand.swizzle->span.count; }
  std::int64_t k_bytes() const { return operand.extents.k * operand.element_bits / 8; }
  std::string k_text(std::int64_t bytes) const {
    return "k " + range_text(bytes * 8 / operand.element_bits, operand.extents.k);
  }
  // What lies at this offset in the first atom.
  std::string held_text(std::int64_t offset) const {
    if (!has_lines() || offset < 0 || offset >= operand.swizzle->atom().count) return "";
    return fmt::format("row {}\n{}", offset / span(), k_text(offset % span()));
  }
};

std::optional<WrongLoop> wrong_loop(const KernelReport& kernel) {
  constexpr std::size_t most_steps = 6;
  for (const std::vector<const MmaSite*>& run : runs_of(kernel))
    for (const MmaSite* site : run) {
      WrongLoop loop{site, faults_of(*site)};
      if (loop.faults.empty() || loop.faults.front().loop.empty()) continue;
      const auto operand = loop.faults.front().operands.starts_with("A") ? &MmaSite::a : &MmaSite::b;
      loop.operand = site->*operand;
      const auto has_start = [&](const MmaSite* one) { return (one->*operand).start.has_value(); };
      if (loop.operand.swizzle == nullptr || loop.operand.element_bits == 0 || !std::ranges::all_of(run, has_start))
        continue;
      std::vector<std::int64_t> starts;
      for (const MmaSite* one : run) starts.push_back((one->*operand).start->constant.count);
      const std::vector<bool> is_wrong = wrong_steps(loop.operand, starts);
      for (std::size_t i = 0; i < run.size(); ++i)
        loop.steps.push_back({run[i]->line, starts[i] - starts.front(), is_wrong[i]});
      loop.count = std::ssize(loop.steps);
      loop.steps.resize(std::min(loop.steps.size(), most_steps));
      return loop;
    }
  return {};
}

// A box for each step with lines above it; `is_apart`: "…" before the box.
struct Strip {
  Sketch::Shapes& shapes;
  double y, box;
  bool has_two_lines = true;  // above the boxes

  void add(std::size_t i, const std::string& above, const std::string& offset, const std::string& text, Tint tint,
           bool is_wrong, bool is_apart) {
    const double x = (box + atom_gap) * static_cast<double>(i), middle = x + box / 2;
    const Tone tone = is_wrong ? Tone::bad : Tone::plain;
    const auto put = [&](double at, double base, const std::string& what, Tone as) {
      shapes.texts.push_back({at, base, what, as, Sketch::Text::Anchor::middle});
    };
    if (has_two_lines) put(middle, y + 11, above, Tone::faint);
    put(middle, top() - 6, offset, tone);
    Sketch::Box drawn{x, top(), box, box_height, text, tint};
    if (is_wrong) drawn.mark = Mark::colliding;
    shapes.boxes.push_back(std::move(drawn));
    if (is_apart) put(x - atom_gap / 2, top() + box_height / 2 + 4, "…", Tone::faint);
  }
  double top() const { return y + (has_two_lines ? 2 : 1) * sketch_line + 2; }
  double end() const { return top() + box_height; }
};

double add_strips(Sketch::Shapes& shapes, const WrongLoop& loop, double y, double width) {
  const auto count = static_cast<double>(loop.steps.size());
  const double box = std::min(widest_box, (width - atom_gap * (count - 1)) / count);
  y = add_lines(shapes, "where each MMA begins to read", Tone::strong, {0, y, width}) + 4;
  Strip is{shapes, y, box};
  for (std::size_t i = 0; i < loop.steps.size(); ++i) {
    const LoopStep& step = loop.steps[i];
    is.add(i, fmt::format("line {}", step.line), fmt::format("{:+} B", step.offset), loop.held_text(step.offset),
           step.is_wrong ? Tint{} : Tint{static_cast<int>(i % 8)}, step.is_wrong, false);
  }
  y = is.end();
  if (loop.count > std::ssize(loop.steps))
    y = add_lines(shapes, fmt::format("and {} more steps", loop.count - std::ssize(loop.steps)), Tone::faint,
                  {0, y, width});
  if (!loop.has_lines()) return y;
  y = add_lines(shapes, "where it should begin", Tone::strong, {0, y + 8, width}) + 4;
  const bool has_atoms = std::ssize(loop.steps) * loop.k_bytes() > loop.span();
  Strip right{shapes, y, box, has_atoms};
  for (std::size_t i = 0; i < loop.steps.size(); ++i) {
    const std::int64_t bytes = static_cast<std::int64_t>(i) * loop.k_bytes(), in_line = bytes % loop.span();
    const bool is_next = i > 0 && in_line == 0;
    right.add(i, is_next ? "next" : "", is_next ? "k atom" : fmt::format("{:+} B", in_line),
              fmt::format("row 0\n{}", loop.k_text(bytes)), {static_cast<int>(i % 8)}, false, is_next);
  }
  return right.end();
}

Sketch::Shapes shapes_of(const WrongLoop& loop, double width) {
  Sketch::Shapes shapes;
  double y = add_lines(shapes, operands_text(loop.faults.front(), loop.operand), Tone::plain, {0, 0, width});
  y = add_strips(shapes, loop, y + 4, width) + 6;
  // The faults of the loop explain those of its words.
  for (const MmaFault& fault : loop.faults)
    if (!fault.loop.empty())
      y = add_lines(shapes, told_fault(fault, true), fault.hint.empty() ? Tone::bad : Tone::strong, {0, y, width});
  y = add_lines(shapes, "Red: not the k of this step.", Tone::faint, {0, y + 4, width});
  shapes.width = width;
  shapes.height = y + 4;
  return shapes;
}

// Whether a step that begins this many bytes after the first one takes the k of the step.
bool is_right_start(const MmaOperandSite& o, std::int64_t step, std::int64_t offset) {
  if (o.major != Major::K || o.swizzle->bits == 0) return step == 0;
  const std::int64_t bytes = step * o.extents.k * o.element_bits / 8, span = o.swizzle->span.count;
  if (bytes < span) return offset == bytes;
  return offset >= o.swizzle->atom().count && offset % span == bytes % span;
}

}  // namespace

std::vector<bool> wrong_steps(const MmaOperandSite& operand, const std::vector<std::int64_t>& starts) {
  std::vector<bool> is_wrong;
  for (std::size_t i = 0; i < starts.size(); ++i)
    is_wrong.push_back(!is_right_start(operand, static_cast<std::int64_t>(i), starts[i] - starts.front()));
  if (std::ranges::find(is_wrong, true) == is_wrong.end())
    for (std::size_t i = 1; i < is_wrong.size(); ++i) is_wrong[i] = true;
  return is_wrong;
}

std::optional<Sketch> wrong_loop_sketch(const KernelReport& kernel, const std::string& title) {
  const std::optional<WrongLoop> loop = wrong_loop(kernel);
  if (!loop) return {};
  Sketch sketch;
  sketch.title = fmt::format("{}: {} x {} {}", title, loop->count, mma_text(*loop->site), types_text(*loop->site));
  sketch.shapes = [loop = *loop](double width) { return shapes_of(loop, width); };
  return sketch;
}

}  // namespace swz
