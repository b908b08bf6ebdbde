// The rules of im2col maps applied: their own, and those that they share with tiled maps.
#include <fmt/format.h>

#include <algorithm>

#include "tma/im2col_rules.hpp"

namespace swz {

namespace {

// Rules of tiled maps that im2col maps have too: cuda.h repeats them, or the driver was seen to apply them to both.
constexpr std::string_view shared_rules[] = {
    "arch-tma",
    "data-type-enum",
    "data-type-arch",
    "address-16",
    "address-32-interleave",
    "address-32-padded",
    "dim-range",
    "dim-128-padded",
    "dim-even-packed",
    "stride-16",
    "stride-32-interleave",
    "stride-32-padded",
    "stride-40",
    "element-stride-range-0",
    "element-stride-range",
    "interleave-enum",
    "interleave-packed",
    "swizzle-enum",
    "swizzle-arch",
    "swizzle-padded",
    "l2-enum",
    "fill-enum",
    "fill-float",
    "fill-packed",
};
constexpr std::string_view shared_remarks[] = {"stride-order", "interleave-swizzle"};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Of the wide call nothing was observed.
bool is_left_out(const TensorMapViolation& violation, const Im2colMap& map) {
  if (!map.wide || violation.rule == "data-type-arch" || violation.rule == "swizzle-arch") return false;
  return violation.basis == RuleBasis::observed || violation.rule == "interleave-swizzle";
}

ArgumentFinding with_source(ArgumentFinding finding, const Im2colMap& map) {
  if (map.wide) finding.basis = RuleBasis::documented;
  finding.source = im2col_source(finding.basis, map.wide.has_value()).where;
  return finding;
}

void collect(std::span<const Im2colRule> table, Severity severity, const Im2colMap& map, const Target& target,
             std::vector<Im2colViolation>& out) {
  Im2colCase now{map, {map.tensor, target, find_row(map.tensor.data_type), find_row(map.tensor.swizzle)}};
  for (const Im2colRule& rule : table) {
    const std::size_t end = rule.is_of_each_corner ? static_cast<std::size_t>(map.corner_count()) : 1;
    for (now.i = 0; now.i < end; ++now.i) {
      if (!rule.breaks(now)) continue;
      Im2colAdvice advice = rule.tell(now);
      std::string argument(rule.argument);
      if (rule.is_of_each_corner) argument += fmt::format("[{}]", now.i);
      out.push_back(
          {with_source(argument_finding(severity, rule.name, std::move(argument), rule.basis, advice.told), map),
           std::move(advice.nearest)});
    }
  }
}

void collect_shared(std::span<const std::string_view> names, std::vector<TensorMapViolation> of_tiled,
                    const Im2colMap& map, std::vector<Im2colViolation>& out) {
  for (TensorMapViolation& violation : of_tiled) {
    if (!is_one_of(names, violation.rule) || is_left_out(violation, map)) continue;
    std::optional<Im2colMap> nearest;
    if (violation.nearest) {
      nearest = map;
      nearest->tensor = *violation.nearest;
    }
    out.push_back({with_source(std::move(violation), map), std::move(nearest)});
  }
}

}  // namespace

bool is_im2col_rule(const TensorMapRule& rule) {
  return is_one_of(shared_rules, rule.name) || is_one_of(shared_remarks, rule.name);
}

Source im2col_source(RuleBasis basis, bool is_wide) {
  if (is_wide) return {"cuda.h of CUDA 13.0, cuTensorMapEncodeIm2colWide; not measured", Evidence::header};
  if (basis == RuleBasis::documented) return {"cuda.h of CUDA 13.0, cuTensorMapEncodeIm2col", Evidence::header};
  return {"H200, driver 580.159: 180,000 of 180,000 verdicts of cuTensorMapEncodeIm2col", Evidence::measured};
}

std::vector<Im2colViolation> violations(const Im2colMap& map, const Target& target) {
  std::vector<Im2colViolation> out;
  collect_shared(shared_rules, violations(map.tensor, target), map, out);
  collect(im2col_rules(), Severity::lint, map, target, out);
  return out;
}

std::vector<Im2colViolation> remarks(const Im2colMap& map, const Target& target) {
  std::vector<Im2colViolation> out;
  collect_shared(shared_remarks, remarks(map.tensor, target), map, out);
  collect(im2col_remark_rules(), Severity::note, map, target, out);
  return out;
}

}  // namespace swz
