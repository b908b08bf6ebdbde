// SPDX-License-Identifier: Apache-2.0
#include "tma/tensor_map_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/cuda_result.hpp"
#include "arch/instruction.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

// The first entry, and one past the last.
std::pair<int, int> entries_of(RuleEntries entries, const TensorMapCase& c) {
  switch (entries) {
    case RuleEntries::whole: return {0, 1};
    case RuleEntries::first: return {0, std::min(c.map.dim_count(), 1)};
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

// Appends every rule that is broken.
void collect(std::span<const TensorMapRule> rules, Severity severity, TensorMapCase now,
             std::vector<TensorMapViolation>& out) {
  const bool is_wide = now.call() == of_wide;
  for (const TensorMapRule& rule : rules) {
    if ((rule.calls & now.call()) == 0) continue;
    const RuleBasis basis = is_wide ? RuleBasis::documented : rule.basis;
    const Source source = now.im2col == nullptr ? rule.source : im2col_source(basis, is_wide);
    const auto [begin, end] = entries_of(rule.entries, now);
    for (int i = begin; i < end; ++i) {
      now.i = static_cast<std::size_t>(i);
      if (!rule.breaks(now)) continue;
      const bool is_entry = rule.entries != RuleEntries::whole;
      std::string argument = is_entry ? fmt::format("{}[{}]", rule.argument, i) : std::string(rule.argument);
      TensorMapAdvice told = rule.tell(now);
      Finding finding{severity, std::string(rule.name), std::move(told.message), std::move(told.fix),
                      std::string(source.where)};
      out.push_back({std::move(finding), std::move(argument), basis, told.value, told.bound, told.is_signed,
                     std::move(told.nearest)});
    }
  }
}

std::vector<TensorMapViolation> violations(const TensorMapCase& now) {
  std::vector<TensorMapViolation> out;
  for (const auto rules : {refusal_rules(), im2col_rules()}) collect(rules, Severity::lint, now, out);
  return out;
}

std::vector<TensorMapViolation> remarks(const TensorMapCase& now) {
  std::vector<TensorMapViolation> out;
  collect(remark_rules(), Severity::note, now, out);
  // A remark that an argument is accepted is dropped if the argument is refused.
  for (const TensorMapViolation& refused : violations(now))
    std::erase_if(out, [&](const TensorMapViolation& remark) { return remark.argument == refused.argument; });
  collect(im2col_remark_rules(), Severity::note, now, out);
  return out;
}

// ---- the code that the call returned

// Codes that give no information about the arguments.
struct OtherCode {
  CudaResultKind kind;
  std::string_view message, hint;
};
constexpr OtherCode other_codes[] = {
    {CudaResultKind::sticky, "an earlier kernel crashed and every later call returns its error",
     "find that kernel: CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer"},
    {CudaResultKind::state, "the driver, the device or the context is not ready",
     "cuInit, and a context that is current and alive, before the call"},
    {CudaResultKind::unsupported, "this device or driver cannot make tensor maps",
     "sm_90 and later have TMA; an RTX 4090 (sm_89) answers 801"},
    {CudaResultKind::other, "cuTensorMapEncodeTiled is not documented to return this",
     "an earlier call may have failed: check the calls before this one"},
};

// The message and the hint for a code.
Advice explanation(CudaResultKind kind, const TensorMap& map, bool is_accepted) {
  if (kind == CudaResultKind::success)
    return is_accepted ? Advice{"the call succeeded, as these arguments should", ""}
                       : Advice{"the call succeeded with arguments that are refused on this target",
                                "is it the target of the call (--arch)? if so, please report it"};
  // Reasons why a call with arguments that break no rule may return 1.
  std::string others =
      "what is left: another driver or GPU (--arch), or arguments other than these; cuda.h also demands a "
      "tensorMap at a multiple of 64, which an H200's driver 580 does not check";
  if (map.global_address == 0)
    others += "; globalAddress is NULL, which drivers of 2023 seem to refuse (github.com/NVIDIA/cutlass/issues/947)";
  if (kind == CudaResultKind::arguments)
    return is_accepted
               ? Advice{"the driver refused arguments that break no rule known for this target", std::move(others)}
               : Advice{"this is the driver's answer to what is listed here", ""};
  const OtherCode& code = *std::ranges::find(other_codes, kind, &OtherCode::kind);
  return {fmt::format("{}: the code says nothing about these arguments; {}", code.message,
                      is_accepted ? "they are legal" : "yet they are refused as well"),
          std::string(code.hint)};
}

}  // namespace

Source im2col_source(RuleBasis basis, bool is_wide) {
  if (is_wide) return {"cuda.h of CUDA 13.0, cuTensorMapEncodeIm2colWide; not measured", Evidence::header};
  if (basis == RuleBasis::documented) return {"cuda.h of CUDA 13.0, cuTensorMapEncodeIm2col", Evidence::header};
  return {"H200, driver 580.159: 180,000 of 180,000 verdicts of cuTensorMapEncodeIm2col", Evidence::measured};
}

std::vector<TensorMapViolation> violations(const TensorMap& map, const Target& target) {
  return violations(case_of(map, target));
}

std::vector<TensorMapViolation> violations(const Im2colMap& map, const Target& target) {
  return violations(case_of(map.tensor, target, &map));
}

std::vector<TensorMapViolation> remarks(const TensorMap& map, const Target& target) {
  return remarks(case_of(map, target));
}

std::vector<TensorMapViolation> remarks(const Im2colMap& map, const Target& target) {
  return remarks(case_of(map.tensor, target, &map));
}

bool is_accepted(const TensorMap& map, const Target& target) { return violations(map, target).empty(); }

namespace {

void throw_first(const std::vector<TensorMapViolation>& all) {
  if (!all.empty()) throw Error(all[0].message, all[0].hint);
}

}  // namespace

void require_accepted(const TensorMap& map, const Target& target) { throw_first(violations(map, target)); }

void require_accepted(const Im2colMap& map, const Target& target) {
  const std::vector<TensorMapViolation> all = violations(map, target);
  if (all.empty()) return;
  const TensorMapViolation& first = all[0];
  throw Error(first.message, fmt::format("{}{}rule {}, {}: {}", first.hint, first.hint.empty() ? "" : "; ", first.rule,
                                         to_string(first.basis), first.source));
}

namespace {

void throw_first_but_96(std::vector<TensorMapViolation> all, const Target& target) {
  if (runs_on(available::ultra, target))
    std::erase_if(all, [](const TensorMapViolation& violation) { return violation.rule == "swizzle-96"; });
  throw_first(all);
}

}  // namespace

void require_possible(const TensorMap& map, const Target& target) {
  throw_first_but_96(violations(map, target), target);
}
void require_possible(const Im2colMap& map, const Target& target) {
  throw_first_but_96(violations(map, target), target);
}

EncodeResult explain_result(int code, const TensorMap& map, bool is_accepted) {
  const CudaResultRow* row = find_cuda_result(code);
  auto [message, hint] = explanation(row == nullptr ? CudaResultKind::other : row->kind, map, is_accepted);
  return {code, row == nullptr ? "" : full_name(*row), std::move(message), std::move(hint),
          code == (is_accepted ? 0 : 1)};
}

int require_cuda_result(std::string_view text) {
  if (const CudaResultRow* row = find_cuda_result(text)) return row->code;
  const bool is_number = !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (!is_number)
    throw usage_error(fmt::format("{} is not a CUresult", quoted(text)),
                      "the number that the call returned, or its name: 715, CUDA_ERROR_ILLEGAL_INSTRUCTION");
  return static_cast<int>(parse_unsigned(text, 31, {"a code is a number: 715", "a CUresult has 31 bits"}));
}

}  // namespace swz
