#include "tma/encode_result.hpp"

#include <fmt/format.h>

#include "arch/cuda_result.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

constexpr std::string_view not_these = "says nothing about these arguments";

// Why a call with arguments that break no rule may return 1.
std::string other_reasons(const TensorMap& map) {
  std::string why =
      "what is left: another driver or GPU (--arch), or arguments other than these; cuda.h also demands a "
      "tensorMap at "
      "a multiple of 64, which an H200's driver 580 does not check";
  if (map.global_address == 0)
    why += "; globalAddress is NULL, which drivers of 2023 seem to refuse (github.com/NVIDIA/cutlass/issues/947)";
  return why;
}

void explain(EncodeResult& result, CudaResultKind kind, const TensorMap& map, bool is_accepted) {
  const auto say = [&](std::string message, std::string hint) {
    result.message = std::move(message);
    result.hint = std::move(hint);
  };
  const std::string_view legal = is_accepted ? "they are legal" : "yet they are refused as well";
  switch (kind) {
    case CudaResultKind::success:
      if (is_accepted) return say("the call succeeded, as these arguments should", "");
      return say("the call succeeded with arguments that are refused on this target",
                 "is it the target of the call (--arch)? if so, please report it");
    case CudaResultKind::arguments:
      if (is_accepted)
        return say("the driver refused arguments that break no rule known for this target", other_reasons(map));
      return say("this is the driver's answer to what is listed here", "");
    case CudaResultKind::sticky:
      return say(fmt::format("an earlier kernel crashed and every later call returns its error: the code {}; {}",
                             not_these, legal),
                 "find that kernel: CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer");
    case CudaResultKind::state:
      return say(
          fmt::format("the driver, the device or the context is not ready: the code {}; {}", not_these, legal),
          "cuInit, and a context that is current and alive, before the call");
    case CudaResultKind::unsupported:
      return say(fmt::format("this device or driver makes no tensor maps: the code {}; {}", not_these, legal),
                 "sm_90 and later have TMA; an RTX 4090 (sm_89) answers 801");
    case CudaResultKind::other: break;
  }
  say(fmt::format("cuTensorMapEncodeTiled is not documented to return this: the code {}; {}", not_these, legal),
      "an earlier call may have failed: check the calls before this one");
}

}  // namespace

EncodeResult explain_result(int code, const TensorMap& map, bool is_accepted) {
  const CudaResultRow* row = find_cuda_result(code);
  EncodeResult result{code, row == nullptr ? "" : full_name(*row), "", "", code == (is_accepted ? 0 : 1)};
  explain(result, row == nullptr ? CudaResultKind::other : row->kind, map, is_accepted);
  return result;
}

int require_cuda_result(std::string_view text) {
  if (const CudaResultRow* row = find_cuda_result(text)) return row->code;
  const bool is_number = !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (!is_number)
    throw usage_error(fmt::format("{} is no CUresult", quoted(text)),
                      "the number that the call returned, or its name: 715, CUDA_ERROR_ILLEGAL_INSTRUCTION");
  return static_cast<int>(parse_unsigned(text, 31, {"a code is a number: 715", "a CUresult has 31 bits"}));
}

}  // namespace swz
