#include "tma/encode_result.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/cuda_result.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

// Why a call with arguments that break no rule may return 1.
std::string other_reasons(const TensorMap& map) {
  std::string why =
      "what is left: another driver or GPU (--arch), or arguments other than these; cuda.h also demands a "
      "tensorMap at a multiple of 64, which an H200's driver 580 does not check";
  if (map.global_address == 0)
    why += "; globalAddress is NULL, which drivers of 2023 seem to refuse (github.com/NVIDIA/cutlass/issues/947)";
  return why;
}

// Codes that do not speak of the arguments.
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

// Message and hint.
Advice explanation(CudaResultKind kind, const TensorMap& map, bool is_accepted) {
  if (kind == CudaResultKind::success)
    return is_accepted ? Advice{"the call succeeded, as these arguments should", ""}
                       : Advice{"the call succeeded with arguments that are refused on this target",
                                "is it the target of the call (--arch)? if so, please report it"};
  if (kind == CudaResultKind::arguments)
    return is_accepted
               ? Advice{"the driver refused arguments that break no rule known for this target", other_reasons(map)}
               : Advice{"this is the driver's answer to what is listed here", ""};
  const OtherCode& code = *std::ranges::find(other_codes, kind, &OtherCode::kind);
  return {fmt::format("{}: the code says nothing about these arguments; {}", code.message,
                      is_accepted ? "they are legal" : "yet they are refused as well"),
          std::string(code.hint)};
}

}  // namespace

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
