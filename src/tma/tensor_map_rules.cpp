#include "tma/tensor_map_rules.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {

namespace {

struct EntryRange {
  int begin = 0, end = 0;
};

EntryRange entries_of(RuleEntries entries, const TensorMapCase& c) {
  switch (entries) {
    case RuleEntries::whole: return {0, 1};
    case RuleEntries::first: return {0, c.map.dim_count() < 1 ? 0 : 1};
    case RuleEntries::dims: return {0, c.map.dim_count()};
    case RuleEntries::later_dims: return {1, c.map.dim_count()};
    case RuleEntries::strides: return {0, c.map.stride_count()};
    case RuleEntries::corners: return {0, c.im2col->corner_count()};
  }
  return {};
}

TensorMapCase case_of(const TensorMap& map, const Target& target, const Im2colMap* im2col = nullptr) {
  return {map, im2col, target, find_row(map.data_type), find_row(map.swizzle)};
}

// Calls found(rule, case) for every rule that is broken, until it returns false.
template <class Found>
void for_each_broken(std::span<const TensorMapRule> rules, TensorMapCase now, Found found) {
  for (const TensorMapRule& rule : rules) {
    if ((rule.calls & now.call()) == 0) continue;
    const EntryRange range = entries_of(rule.entries, now);
    for (int i = range.begin; i < range.end; ++i) {
      now.i = static_cast<std::size_t>(i);
      if (rule.breaks(now) && !found(rule, now)) return;
    }
  }
}

void collect(std::span<const TensorMapRule> rules, Severity severity, const TensorMapCase& now,
             std::vector<Im2colViolation>& out) {
  const bool is_wide = now.call() == of_wide;
  for_each_broken(rules, now, [&](const TensorMapRule& rule, const TensorMapCase& broken) {
    std::string argument(rule.argument);
    if (rule.entries != RuleEntries::whole) argument += fmt::format("[{}]", broken.i);
    const RuleBasis basis = is_wide ? RuleBasis::documented : rule.basis;
    const Source source = now.im2col == nullptr ? rule.source : im2col_source(basis, is_wide);
    TensorMapAdvice told = rule.tell(broken);
    Finding finding{severity, std::string(rule.name), std::move(told.message), std::move(told.fix),
                    std::string(source.where)};
    out.push_back({{std::move(finding), std::move(argument), basis, told.value, told.bound, told.is_signed},
                   std::move(told.nearest)});
    return true;
  });
}

std::vector<Im2colViolation> all_violations(const TensorMapCase& now) {
  std::vector<Im2colViolation> out;
  for (const auto rules : {refusal_rules(), im2col_rules()}) collect(rules, Severity::lint, now, out);
  return out;
}

std::vector<Im2colViolation> all_remarks(const TensorMapCase& now) {
  std::vector<Im2colViolation> out;
  collect(remark_rules(), Severity::note, now, out);
  // What is refused is not accepted all the same.
  for (const Im2colViolation& refused : all_violations(now))
    std::erase_if(out, [&](const Im2colViolation& remark) { return remark.argument == refused.argument; });
  collect(im2col_remark_rules(), Severity::note, now, out);
  return out;
}

std::vector<TensorMapViolation> of_tensors(std::vector<Im2colViolation> all) {
  std::vector<TensorMapViolation> out;
  for (Im2colViolation& v : all) {
    std::optional<TensorMap> nearest;
    if (v.nearest) nearest = v.nearest->tensor;
    out.push_back({std::move(v), nearest});
  }
  return out;
}

}  // namespace

Source im2col_source(RuleBasis basis, bool is_wide) {
  if (is_wide) return {"cuda.h of CUDA 13.0, cuTensorMapEncodeIm2colWide; not measured", Evidence::header};
  if (basis == RuleBasis::documented) return {"cuda.h of CUDA 13.0, cuTensorMapEncodeIm2col", Evidence::header};
  return {"H200, driver 580.159: 180,000 of 180,000 verdicts of cuTensorMapEncodeIm2col", Evidence::measured};
}

std::vector<TensorMapViolation> violations(const TensorMap& map, const Target& target) {
  return of_tensors(all_violations(case_of(map, target)));
}

std::vector<Im2colViolation> violations(const Im2colMap& map, const Target& target) {
  return all_violations(case_of(map.tensor, target, &map));
}

std::vector<TensorMapViolation> remarks(const TensorMap& map, const Target& target) {
  return of_tensors(all_remarks(case_of(map, target)));
}

std::vector<Im2colViolation> remarks(const Im2colMap& map, const Target& target) {
  return all_remarks(case_of(map.tensor, target, &map));
}

bool is_accepted(const TensorMap& map, const Target& target) {
  bool accepted = true;
  for_each_broken(refusal_rules(), case_of(map, target),
                  [&](const auto&, const auto&) { return accepted = false; });
  return accepted;
}

void require_accepted(const TensorMap& map, const Target& target) {
  const std::vector<TensorMapViolation> all = violations(map, target);
  if (!all.empty()) throw Error(all[0].message, all[0].hint);
}

}  // namespace swz
