// SPDX-License-Identifier: Apache-2.0
#include "probe/layout_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "expr/evaluate.hpp"
#include "tma/plan.hpp"

namespace swz {

namespace {

using enum LayoutWay;

std::string spelled(LayoutWay way, const Access& access) {
  return way == tma ? "tma" : way == wgmma ? "wgmma" : to_string(access);
}

Placement placement_of(const LayoutOperand& o, const ComposedLayout& layout) {
  return {layout, element_bits(*o.dtype, o.packing), o.base, o.major};
}

Observation places_of(const Placement& p) {
  Observation out;
  for (std::int64_t row = 0; row < p.extents().mn; ++row)
    for (std::int64_t k = 0; k < p.extents().k; ++k) out.push_back(p.bit(row, k).count);
  return out;
}

std::vector<WalkStep> steps_of(const LayoutProbePlan& plan) { return walk(*plan.placement, plan.access).steps; }

// --- timed accesses

// The same access, moved by whole lines to the place where the probe of wavefronts times it. For matrices all lanes
// execute.
AccessPattern moved(const AccessPattern& pattern, const WavefrontMemory& memory) {
  std::uint32_t least = UINT32_MAX;
  for (std::size_t lane = 0; lane < warp_lanes; ++lane)
    if ((pattern.lanes() >> lane & 1) != 0) least = std::min(least, pattern.address[lane]);
  const auto begin = static_cast<std::uint32_t>(memory.begin.count);
  const auto by = least - least % static_cast<std::uint32_t>(bank_row.count) - begin;
  AccessPattern out{pattern.instruction, pattern.instruction->is_matrix() ? ~std::uint32_t{0} : pattern.active, {}};
  for (std::size_t lane = 0; lane < warp_lanes; ++lane)
    out.address[lane] = (pattern.lanes() >> lane & 1) != 0 ? pattern.address[lane] - by : begin;
  return out;
}

// Adds each access once.
void append_timed(LayoutProbePlan& plan) {
  std::vector<WavefrontPlan> timed;
  if (plan.access.instruction->op == AccessOp::cp_async)
    throw Error("cp.async reads global memory too: its wavefronts are not timed");
  const Target& target = *plan.operand.target;
  const WavefrontMemory memory = wavefront_memory(target);
  std::map<std::pair<std::uint32_t, std::array<std::uint32_t, warp_lanes>>, std::size_t> seen;
  for (const WalkStep& step : steps_of(plan)) {
    const AccessPattern pattern = moved(step.pattern, memory);
    const auto [known, is_new] = seen.try_emplace({pattern.active, pattern.address}, timed.size());
    plan.timed_at.push_back(known->second);
    if (!is_new) continue;
    timed.push_back({pattern, &target});
    if (std::int64_t{std::ranges::max(pattern.address)} + pattern.instruction->bytes > memory.end.count)
      throw Error(fmt::format("an access spans more than the {} B that are timed on {}",
                              memory.end.count - memory.begin.count, target.name));
  }
  plan.parts = std::move(timed);
}

void require_asked(const AccessInstruction& i, const LayoutProbePlan& plan) {
  const int bits = plan.placement->element_bits();
  if (!runs_on(i.availability, *plan.operand.target))
    throw Error(fmt::format("{} has no {}", plan.operand.target->name, i.name));
  if (!may_ask(i, bits))
    throw Error(i.name.ends_with(".trans") ? fmt::format(".trans moves 16 bits at a time, an element has {}", bits)
                                           : fmt::format("the probe does not ask {}", i.name));
  const bool is_store = i.op == AccessOp::store || i.op == AccessOp::stmatrix || i.op == AccessOp::cp_async;
  Observation places = places_of(*plan.placement);
  std::ranges::sort(places);
  if (is_store && std::ranges::adjacent_find(places) != places.end())
    throw Error("several elements share a place: what is stored last stays there");
}

// --- words and copies

constexpr std::size_t most_copies = 64;

// TMA and wgmma swizzle absolute addresses; a layout does so only if its base is a multiple of every pattern.
void require_aligned(const LayoutOperand& o, Bytes unit) {
  const Bytes needed = o.layout.swizzle().is_identity() ? unit : Bytes{1024};
  if (!o.base.is_multiple_of(needed))
    throw Error(fmt::format("the base {:#x} is not a multiple of {}", o.base.count, needed.count),
                fmt::format("take a base that is a multiple of {}", needed.count));
}

std::vector<WgmmaPlan> word_plans(const LayoutOperand& operand, const Placement& placement) {
  const Target& target = *operand.target;
  if (target.descriptor != SmemDescriptorKind::wgmma)
    throw Error(fmt::format("{} has no wgmma", target.name), "the probe of tcgen05 is not asked about layouts");
  require_legal(readable_choice(operand));
  element_format(operand.dtype->name);  // throws for a type that no probe supports
  require_aligned(operand, chunk);
  WgmmaInstruction instruction = wgmma_of(*operand.dtype, 0);
  for (const int n : {8, 16, 24, 32, 48, 64})
    if (placement.extents().mn % n == 0) instruction.n = n;
  if (instruction.n == 0)
    throw Error(fmt::format("{} rows are not a multiple of 8", placement.extents().mn), "an MMA reads 8 rows or more");
  LayoutOperand asked = operand;
  asked.mma = TileExtents{instruction.n, row_of(instruction).k};
  const LayoutDescriptors answer = layout_descriptors(asked);
  if (!answer.descriptors) throw Error(answer.reason, answer.hint);
  const OperandMemory memory = wgmma_memory();
  if (placement.begin() < memory.begin || placement.end() > memory.identity)
    throw Error(
        fmt::format("the operand does not lie between {:#x} and {:#x}", memory.begin.count, memory.identity.count),
        "above lies the identity operand of the probe: take another base");
  std::vector<WgmmaPlan> out;
  for (const MmaStep& step : answer.descriptors->steps)
    out.push_back({instruction, OperandRole::b, operand.major, step.descriptor.word()});
  return out;
}

// The words are in the order of k steps, and inside each in the order of blocks of rows.
Observation elements_of(const LayoutProbePlan& plan, const std::vector<WgmmaPlan>& words,
                        std::span<const Observation> seen) {
  const TileExtents whole = plan.placement->extents(), mma = words.front().extents();
  const std::int64_t blocks = whole.mn / mma.mn;
  Observation out(static_cast<std::size_t>(whole.mn * whole.k), unreadable);
  for (std::int64_t step = 0; step < std::ssize(seen); ++step)
    for (std::int64_t i = 0; i < mma.mn * mma.k; ++i) {
      const std::int64_t row = step % blocks * mma.mn + i / mma.k, k = step / blocks * mma.k + i % mma.k;
      out[static_cast<std::size_t>(row * whole.k + k)] =
          seen[static_cast<std::size_t>(step)][static_cast<std::size_t>(i)];
    }
  return out;
}

std::vector<TmaPlan> copy_plans(const LayoutOperand& o) {
  if (o.target->descriptor != SmemDescriptorKind::wgmma)
    throw Error(fmt::format("the probe of TMA is not asked on {}", o.target->name), "it runs on sm_90a");
  require_aligned(o, tma_smem_alignment);
  const SmemDestination to{o.layout, *o.dtype, o.packing, o.major, o.base};
  const auto answer = plan_tile(to, packed_operand(to, *o.target, to.extents()), *o.target, tensor_map_max_rank);
  if (const auto* refusal = std::get_if<Finding>(&answer)) throw Error(refusal->message, refusal->hint);
  const auto& plan = std::get<TilePlan>(answer);
  if (plan.copies.size() > most_copies)
    throw Error(fmt::format("TMA makes it by {} copies", plan.copies.size()),
                fmt::format("up to {} are asked", most_copies));
  std::vector<TmaPlan> out;
  for (const TileCopy& copy : plan.copies) {
    out.push_back({plan.map, copy.coordinate, Bytes{o.base.count + copy.smem_offset.count}});
    require_fine(out.back());
  }
  return out;
}

// The tensor has the operand line by line without gaps, as in packed_operand.
Observation elements_of(const LayoutProbePlan& plan, const std::vector<TmaPlan>& copies,
                        std::span<const Observation> seen) {
  const LayoutOperand& o = plan.operand;
  const Placement& p = *plan.placement;
  const bool is_k_major = o.major == Major::K;
  const SmemDestination to{o.layout, *o.dtype, o.packing, o.major, o.base};
  const std::int64_t stride = packed_operand(to, *o.target, to.extents()).line_stride.count;
  Observation at(static_cast<std::size_t>((is_k_major ? p.extents().mn : p.extents().k) * stride), unreadable);
  for (std::size_t copy = 0; copy < seen.size(); ++copy) {
    const std::int64_t begin = window_of(copies[copy]).begin;
    for (std::size_t i = 0; i < seen[copy].size(); ++i)
      if (const std::int64_t byte = seen[copy][i]; byte >= 0 && byte < std::ssize(at))
        note_found(at[static_cast<std::size_t>(byte)], begin + static_cast<std::int64_t>(i));
  }
  return places_of_elements(p, at, [&](std::int64_t row, std::int64_t k) {
    return (is_k_major ? row : k) * stride * 8 + (is_k_major ? k : row) * p.element_bits();
  });
}

Observation elements_of(const LayoutProbePlan&, const std::vector<AccessPlan>&, std::span<const Observation> seen) {
  return seen.front();
}

Observation elements_of(const LayoutProbePlan& plan, const std::vector<WavefrontPlan>&,
                        std::span<const Observation> seen) {
  Observation out;
  for (const std::size_t timed : plan.timed_at) out.push_back(seen[timed].front());
  return out;
}

// --- another layout in place of the given one

// The layout whose largest stride is too small by one. None if no mode steps.
std::optional<ComposedLayout> stride_off(const ComposedLayout& layout) {
  std::vector<FlatMode> modes(layout.layout().modes().begin(), layout.layout().modes().end());
  const auto size = [](const FlatMode& mode) { return mode.extent > 1 ? std::abs(mode.stride) : 0; };
  const auto largest = std::ranges::max_element(modes, {}, size);
  if (largest == modes.end() || size(*largest) == 0) return std::nullopt;
  largest->stride -= largest->stride > 0 ? 1 : -1;
  // The leaves of each of the two modes belong together.
  const auto rows = std::ssize(mode(layout.layout(), 0).modes());
  const Layout parts[] = {Layout(std::span(modes).first(static_cast<std::size_t>(rows))),
                          Layout(std::span(modes).subspan(static_cast<std::size_t>(rows)))};
  return layout.with(make_layout(parts));
}

std::optional<ComposedLayout> other_swizzle(const ComposedLayout& layout, int element_bits) {
  const Swizzle& s = layout.swizzle();
  if (s.is_identity() && layout.offset() != 0) return std::nullopt;
  if (s.is_identity()) return ComposedLayout::smem_ptr(Swizzle(1, 4, 3), element_bits, layout.layout());
  const Swizzle less = s.bits() == 1 ? Swizzle() : Swizzle(s.bits() - 1, s.base(), s.shift());
  return layout.has_pointer() ? ComposedLayout::smem_ptr(less, layout.element_bits(), layout.layout())
                              : ComposedLayout(less, layout.offset(), layout.layout());
}

std::optional<ComposedLayout> layout_under(Hypothesis hypothesis, const LayoutProbePlan& plan) {
  if (hypothesis == Hypothesis::one_stride_off) return stride_off(plan.operand.layout);
  if (hypothesis == Hypothesis::wrong_swizzle)
    return other_swizzle(plan.operand.layout, plan.placement->element_bits());
  return std::nullopt;
}

template <class Part>
std::vector<Part> joined(std::span<const LayoutProbePlan> plans) {
  std::vector<Part> out;
  for (const LayoutProbePlan& plan : plans) {
    const auto& parts = std::get<std::vector<Part>>(plan.parts);
    out.insert(out.end(), parts.begin(), parts.end());
  }
  return out;
}

}  // namespace

std::string LayoutProbePlan::by() const { return spelled(way, access); }

std::int64_t LayoutProbePlan::steps() const {
  if (way == LayoutWay::access || way == timing) return std::ssize(steps_of(*this));
  return std::visit([](const auto& of_way) { return std::ssize(of_way); }, parts);
}

LayoutProbePlan layout_plan(const LayoutOperand& operand, LayoutWay way, const Access& access) {
  LayoutProbePlan plan{operand, way, access, std::make_shared<const Placement>(placement_of(operand, operand.layout))};
  if (plan.placement->begin() < operand.target->reserved_smem)
    throw Error(fmt::format("the layout begins at {:#x}; the system keeps the bytes below {:#x}",
                            plan.placement->begin().count, operand.target->reserved_smem.count),
                "take a larger base");
  if (way == wgmma) plan.parts = word_plans(operand, *plan.placement);
  if (way == tma) plan.parts = copy_plans(operand);
  if (way == LayoutWay::access || way == timing) {
    plan.access = walk(*plan.placement, access, *operand.target).access;  // with an instruction
    require_asked(*plan.access.instruction, plan);
    if (way == timing) append_timed(plan);
    else plan.parts = std::vector<AccessPlan>{{plan.placement, plan.access, operand.target}};
  }
  return plan;
}

std::vector<LayoutQuestion> layout_questions(const LayoutOperand& operand, std::span<const Access> accesses) {
  std::vector<LayoutQuestion> out;
  const auto ask = [&](LayoutWay way, const Access& access) {
    out.push_back({spelled(way, access), {}, {}});
    try {
      out.back().plans.push_back(layout_plan(operand, way, access));
      out.back().by = out.back().plans.front().by();
      if (way == LayoutWay::access && access.op != AccessOp::cp_async)
        out.back().plans.push_back(layout_plan(operand, timing, access));
    } catch (const Error& error) {
      out.back().reason = error.message();
    }
  };
  ask(tma, {});
  ask(wgmma, {});
  for (const Access& access : accesses) ask(LayoutWay::access, access);
  return out;
}

std::vector<Access> accesses_on(const Target& target) {
  std::vector<Access> out;
  for (const AccessInstruction& row : access_instructions())
    if (row.op != AccessOp::atomic && runs_on(row.availability, target))
      out.push_back(parse_accesses(row.name).front());
  return out;
}

Kernel kernel_of(const LayoutProbePlan& plan) {
  return std::visit([](const auto& parts) { return kernel_of(parts.front()); }, plan.parts);
}

Launch launch_of(std::span<const LayoutProbePlan> plans, Hypothesis) {
  return std::visit([&]<class Part>(const std::vector<Part>&) { return launch_of(joined<Part>(plans)); },
                    plans.front().parts);
}

Observations decode(std::span<const LayoutProbePlan> plans, const ByteBuffer& output, Hypothesis) {
  return std::visit(
      [&]<class Part>(const std::vector<Part>&) {
        const Observations all = decode(joined<Part>(plans), output);
        std::span<const Observation> rest = all;
        Observations out;
        for (const LayoutProbePlan& plan : plans) {
          const auto& parts = std::get<std::vector<Part>>(plan.parts);
          out.push_back(elements_of(plan, parts, rest.first(parts.size())));
          rest = rest.subspan(parts.size());
        }
        return out;
      },
      plans.front().parts);
}

Observation expected(const LayoutProbePlan& plan, Hypothesis hypothesis) {
  if (plan.way == timing) {
    // Lanes of a walk rarely share addresses; the probe of wavefronts catches the other mistakes.
    const bool is_about = hypothesis == Hypothesis::groups_of_32 || hypothesis == Hypothesis::no_broadcast;
    Observation out;
    for (const WalkStep& step : steps_of(plan))
      out.push_back(wavefronts_under(is_about ? hypothesis : Hypothesis::none, step.pattern));
    return out;
  }
  const std::optional<ComposedLayout> other = layout_under(hypothesis, plan);
  return places_of(other ? placement_of(plan.operand, *other) : *plan.placement);
}

std::string subject(const LayoutProbePlan& plan) {
  return fmt::format("{} {}, {}, at {:#x}, by {}{}", plan.operand.dtype->name, to_string(plan.operand.layout),
                     to_string(plan.operand.major), plan.operand.base.count, plan.by(),
                     plan.way == timing ? ", timed" : "");
}

std::string element_name(const LayoutProbePlan& plan, std::int64_t index) {
  return plan.way == timing ? fmt::format("instruction {} of {}", index, plan.by())
                            : fmt::format("{} by {}", coordinate_name(index, plan.placement->extents()), plan.by());
}

std::string value_name(const LayoutProbePlan& plan, std::int64_t value) {
  if (plan.way == timing) return value == unreadable ? "not a whole number of wavefronts" : plural(value, "wavefront");
  return value == unreadable ? "no place, or several" : place_name(value);
}

Json to_json(const LayoutProbePlan& plan) {
  Json out{{"layout", to_string(plan.operand.layout)},
           {"dtype", plan.operand.dtype->name},
           {"major", direction_name(plan.operand.major)},
           {"base", plan.operand.base.count},
           {"on", plan.operand.target->name},
           {"by", plan.by()}};
  if (plan.way == timing) out["asks"] = "wavefronts";
  return out;
}

LayoutProbePlan layout_probe_plan(const Json& json) {
  const LayoutOperand operand{.layout = parse_layout(json.at("layout").get<std::string>()),
                              .target = &require_target(json.at("on").get<std::string>()),
                              .dtype = &require_dtype(json.at("dtype").get<std::string>()),
                              .major = major_of(json),
                              .base = Bytes{json.at("base").get<std::int64_t>()}};
  const auto by = json.at("by").get<std::string>();
  if (by == "tma" || by == "wgmma") return layout_plan(operand, by == "tma" ? tma : wgmma);
  const bool is_timed = json.contains("asks");
  return layout_plan(operand, is_timed ? timing : LayoutWay::access, parse_accesses(by).front());
}

}  // namespace swz
