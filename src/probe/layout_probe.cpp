#include "probe/layout_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "expr/evaluate.hpp"
#include "probe/access_probe.hpp"

namespace swz {

namespace {

using enum LayoutWay;

std::string spelled(LayoutWay way, const Access& access) {
  return way == tma ? "tma" : way == wgmma ? "wgmma" : to_string(access);
}

Placement placement_of(const LayoutOperand& o, const ComposedLayout& layout) {
  return {layout, element_bits(*o.dtype, o.packing), o.base, o.major};
}

bool has_repeats(const Placement& p) {
  std::vector<std::int64_t> bits;
  for (std::int64_t row = 0; row < p.extents().mn; ++row)
    for (std::int64_t k = 0; k < p.extents().k; ++k) bits.push_back(p.bit(row, k).count);
  std::ranges::sort(bits);
  return std::ranges::adjacent_find(bits) != bits.end();
}

Walk walk_of(const LayoutProbePlan& plan) { return walk(*plan.placement, plan.access, *plan.operand.target); }

// --- accesses

std::vector<OperandWalk> walks_of(std::span<const LayoutProbePlan> plans) {
  std::vector<OperandWalk> out;
  for (const LayoutProbePlan& plan : plans) out.push_back({plan.placement.get(), walk_of(plan)});
  return out;
}

// The same access, moved by whole lines to where the probe of wavefronts times it. Of matrices all lanes execute.
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

// Each access once.
void append_timed(LayoutProbePlan& plan) {
  if (plan.access.instruction->op == AccessOp::cp_async)
    throw Error("cp.async reads global memory too: its wavefronts are not timed", "");
  const Target& target = *plan.operand.target;
  const WavefrontMemory memory = wavefront_memory(target);
  std::map<std::pair<std::uint32_t, std::array<std::uint32_t, warp_lanes>>, std::size_t> seen;
  for (const WalkStep& step : walk_of(plan).steps) {
    const AccessPattern pattern = moved(step.pattern, memory);
    const auto [known, is_new] = seen.try_emplace({pattern.active, pattern.address}, plan.timed.size());
    plan.timed_at.push_back(known->second);
    if (!is_new) continue;
    plan.timed.push_back({pattern, &target});
    if (std::int64_t{std::ranges::max(pattern.address)} + pattern.instruction->bytes > memory.end.count)
      throw Error(fmt::format("an access spans more than the {} B that are timed on {}",
                              memory.end.count - memory.begin.count, target.name),
                  "");
  }
}

void require_asked(const AccessInstruction& i, const LayoutProbePlan& plan) {
  const int bits = plan.placement->element_bits();
  if (!runs_on(i.availability, *plan.operand.target))
    throw Error(fmt::format("{} has no {}", plan.operand.target->name, i.name), "");
  if (!may_ask(i, bits))
    throw Error(i.name.ends_with(".trans") ? fmt::format(".trans moves 16 bits at a time, an element has {}", bits)
                                           : fmt::format("the probe does not ask {}", i.name),
                "");
  const bool is_store = i.op == AccessOp::store || i.op == AccessOp::stmatrix || i.op == AccessOp::cp_async;
  if (is_store && has_repeats(*plan.placement))
    throw Error("several elements share a place: what is stored last stays there", "");
}

// --- another layout than the one that is asked

// The largest stride is one too small. None: no mode steps.
std::optional<ComposedLayout> stride_off(const ComposedLayout& layout) {
  const FlatMode* largest = nullptr;
  for (const FlatMode& mode : layout.layout().modes())
    if (mode.extent > 1 && (largest == nullptr || std::abs(mode.stride) > std::abs(largest->stride)))
      largest = &mode;
  if (largest == nullptr || largest->stride == 0) return std::nullopt;
  std::vector<FlatMode> modes(layout.layout().modes().begin(), layout.layout().modes().end());
  FlatMode& wrong = modes[static_cast<std::size_t>(largest - layout.layout().modes().data())];
  wrong.stride -= wrong.stride > 0 ? 1 : -1;
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

template <class Plan>
std::vector<Plan> joined(std::span<const LayoutProbePlan> plans, std::vector<Plan> LayoutProbePlan::*part) {
  std::vector<Plan> out;
  for (const LayoutProbePlan& plan : plans) out.insert(out.end(), (plan.*part).begin(), (plan.*part).end());
  return out;
}

std::vector<std::int64_t> wavefronts_of(const LayoutProbePlan& plan, std::span<const Observation> seen) {
  std::vector<std::int64_t> out;
  for (const std::size_t timed : plan.timed_at) out.push_back(seen[timed].values.front());
  return out;
}

}  // namespace

std::string LayoutProbePlan::by() const { return spelled(way, access); }

std::int64_t LayoutProbePlan::steps() const {
  return way == tma ? std::ssize(copies) : way == wgmma ? std::ssize(words) : std::ssize(walk_of(*this).steps);
}

LayoutProbePlan layout_plan(const LayoutOperand& operand, LayoutWay way, const Access& access) {
  LayoutProbePlan plan{operand, way, access, {}};
  plan.placement = std::make_shared<const Placement>(placement_of(operand, operand.layout));
  if (plan.placement->begin() < operand.target->reserved_smem)
    throw Error(fmt::format("the layout begins at {:#x}; the system keeps the bytes below {:#x}",
                            plan.placement->begin().count, operand.target->reserved_smem.count),
                "take a larger base");
  if (way == wgmma) plan.words = word_plans(operand, *plan.placement);
  if (way == tma) plan.copies = copy_plans(operand);
  if (way == LayoutWay::access || way == timing) {
    plan.access = walk_of(plan).access;  // with its instruction
    require_asked(*plan.access.instruction, plan);
    if (way == timing) append_timed(plan);
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
    if (runs_on(row.availability, target)) out.push_back(parse_accesses(row.name).front());
  return out;
}

Kernel kernel_of(const LayoutProbePlan& plan) {
  switch (plan.way) {
    case tma: return kernel_of(plan.copies.front());
    case wgmma: return kernel_of(plan.words.front());
    case timing: return kernel_of(plan.timed.front());
    default: return access_kernel(*plan.access.instruction);
  }
}

Launch launch_of(std::span<const LayoutProbePlan> plans, Hypothesis) {
  switch (plans.front().way) {
    case tma: return launch_of(joined(plans, &LayoutProbePlan::copies));
    case wgmma: return launch_of(joined(plans, &LayoutProbePlan::words));
    case timing: return launch_of(joined(plans, &LayoutProbePlan::timed));
    default: return access_launch(walks_of(plans), *plans.front().operand.target);
  }
}

namespace {

// What a probe saw of the parts of each plan, put together.
template <class Plan>
std::vector<Observation> decode_parts(std::span<const LayoutProbePlan> plans, const ByteBuffer& output,
                                      std::vector<Plan> LayoutProbePlan::*part,
                                      std::vector<std::int64_t> (*elements)(const LayoutProbePlan&,
                                                                            std::span<const Observation>)) {
  const std::vector<Observation> all = decode(joined(plans, part), output);
  std::span<const Observation> rest = all;
  std::vector<Observation> out;
  for (const LayoutProbePlan& plan : plans) {
    out.push_back({elements(plan, rest.first((plan.*part).size()))});
    rest = rest.subspan((plan.*part).size());
  }
  return out;
}

}  // namespace

std::vector<Observation> decode(std::span<const LayoutProbePlan> plans, const ByteBuffer& output, Hypothesis) {
  switch (plans.front().way) {
    case tma: return decode_parts(plans, output, &LayoutProbePlan::copies, found_by_copies);
    case wgmma: return decode_parts(plans, output, &LayoutProbePlan::words, read_by_words);
    case timing: return decode_parts(plans, output, &LayoutProbePlan::timed, wavefronts_of);
    default: break;
  }
  std::vector<Observation> out;
  for (std::vector<std::int64_t>& seen : accessed(walks_of(plans), *plans.front().operand.target, output))
    out.push_back({std::move(seen)});
  return out;
}

Observation expected(const LayoutProbePlan& plan, Hypothesis hypothesis) {
  Observation out;
  if (plan.way == timing) {
    // Lanes of a walk seldom share addresses: the other mistakes are caught by the probe of wavefronts.
    const bool is_about = hypothesis == Hypothesis::groups_of_32 || hypothesis == Hypothesis::no_broadcast;
    for (const WalkStep& step : walk_of(plan).steps)
      out.values.push_back(wavefronts_under(is_about ? hypothesis : Hypothesis::none, step.pattern));
    return out;
  }
  const std::optional<ComposedLayout> other = layout_under(hypothesis, plan);
  const Placement& p = other ? placement_of(plan.operand, *other) : *plan.placement;
  for (std::int64_t row = 0; row < p.extents().mn; ++row)
    for (std::int64_t k = 0; k < p.extents().k; ++k) out.values.push_back(p.bit(row, k).count);
  return out;
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
  if (plan.way == timing)
    return value == unreadable ? "not a whole number of wavefronts" : plural(value, "wavefront");
  return value == unreadable ? "no place, or several" : place_name(value);
}

Json to_json(const LayoutProbePlan& plan) {
  Json out{{"layout", to_string(plan.operand.layout)}, {"dtype", plan.operand.dtype->name},
           {"major", json_name(plan.operand.major)},   {"base", plan.operand.base.count},
           {"on", plan.operand.target->name},          {"by", plan.by()}};
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
