#include "tma/tensor_map_rules.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "tma/rule_parts.hpp"

namespace swz {

namespace {

struct EntryRange {
  int begin = 0, end = 0;
};

EntryRange entries_of(RuleEntries entries, const TensorMap& map) {
  switch (entries) {
    case RuleEntries::whole: return {0, 1};
    case RuleEntries::first: return {0, map.dim_count() < 1 ? 0 : 1};
    case RuleEntries::dims: return {0, map.dim_count()};
    case RuleEntries::later_dims: return {1, map.dim_count()};
    case RuleEntries::strides: return {0, map.stride_count()};
  }
  return {};
}

TensorMapCase case_of(const TensorMap& map, const Target& target) {
  return {map, target, find_row(map.data_type), find_row(map.swizzle)};
}

// Calls found(rule, case) for every rule that is broken, until it returns false.
template <class Found>
void for_each_broken(std::span<const TensorMapRule> rules, TensorMapCase now, Found found) {
  for (const TensorMapRule& rule : rules) {
    const EntryRange range = entries_of(rule.entries, now.map);
    for (int i = range.begin; i < range.end; ++i) {
      now.i = static_cast<std::size_t>(i);
      if (rule.breaks(now) && !found(rule, now)) return;
    }
  }
}

void collect(std::span<const TensorMapRule> rules, Severity severity, const TensorMapCase& now,
             std::vector<TensorMapViolation>& out) {
  for_each_broken(rules, now, [&](const TensorMapRule& rule, const TensorMapCase& broken) {
    std::string argument(rule.argument);
    if (rule.entries != RuleEntries::whole) argument += fmt::format("[{}]", broken.i);
    TensorMapAdvice told = rule.tell(broken);
    out.push_back({argument_finding(severity, rule.name, std::move(argument), rule.basis, told), told.nearest});
    out.back().source = rule.source.where;
    return true;
  });
}

}  // namespace

TensorMapAdvice rule_parts::tell_enum(std::uint64_t value, int last, std::string_view argument,
                                      std::string_view type) {
  return {value, static_cast<std::uint64_t>(last),
          fmt::format("{} = {} is not a {}", argument, static_cast<std::int32_t>(value), type),
          fmt::format("{} has the values 0 to {}", type, last), std::nullopt};
}

ArgumentFinding argument_finding(Severity severity, std::string_view rule, std::string argument, RuleBasis basis,
                                 const TensorMapAdvice& told) {
  return {{severity, std::string(rule), told.message, told.fix},
          std::move(argument),
          basis,
          told.value,
          told.bound,
          told.is_signed};
}

std::optional<std::uint64_t> rule_parts::row_bytes(const TensorMapCase& c) {
  if (c.type == nullptr || c.map.dims[0] > (1ULL << 32)) return std::nullopt;
  return (c.map.dims[0] * static_cast<std::uint64_t>(c.type->gmem_bits) + 7) / 8;
}

std::optional<std::uint64_t> rule_parts::bytes_of_element_stride(const TensorMapCase& c) {
  if (c.type == nullptr || c.type->gmem_bits <= 8) return std::nullopt;
  std::uint64_t elements = 1, bytes = 0;
  for (std::size_t i = 0; i <= c.i; ++i)
    if (__builtin_mul_overflow(elements, c.map.dims[i], &elements)) return std::nullopt;
  if (elements < 2 || c.map.strides[c.i] != elements) return std::nullopt;
  if (__builtin_mul_overflow(elements, static_cast<std::uint64_t>(c.type->gmem_bits / 8), &bytes))
    return std::nullopt;
  return bytes;
}

std::vector<TensorMapViolation> violations(const TensorMap& map, const Target& target) {
  std::vector<TensorMapViolation> out;
  const TensorMapCase now = case_of(map, target);
  collect(argument_rules(), Severity::lint, now, out);
  collect(box_rules(), Severity::lint, now, out);
  return out;
}

bool is_accepted(const TensorMap& map, const Target& target) {
  bool accepted = true;
  const auto refuse = [&](const TensorMapRule&, const TensorMapCase&) { return accepted = false; };
  const TensorMapCase now = case_of(map, target);
  for_each_broken(argument_rules(), now, refuse);
  if (accepted) for_each_broken(box_rules(), now, refuse);
  return accepted;
}

void require_accepted(const TensorMap& map, const Target& target) {
  const std::vector<TensorMapViolation> all = violations(map, target);
  if (!all.empty()) throw Error(all[0].message, all[0].hint);
}

std::vector<TensorMapViolation> remarks(const TensorMap& map, const Target& target) {
  std::vector<TensorMapViolation> out;
  collect(remark_rules(), Severity::note, case_of(map, target), out);
  // What is refused is not accepted all the same.
  for (const TensorMapViolation& refused : violations(map, target))
    std::erase_if(out, [&](const TensorMapViolation& remark) { return remark.argument == refused.argument; });
  return out;
}

}  // namespace swz
