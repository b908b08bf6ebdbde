// SPDX-License-Identifier: Apache-2.0
#include "arch/cuda_result.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace swz {

namespace {

using enum CudaResultKind;

// clang-format off
constexpr CudaResultRow rows[] = {
    {0, "CUDA_SUCCESS", "no error", success, true},
    {1, "INVALID_VALUE", "invalid argument", arguments, true},
    {2, "OUT_OF_MEMORY", "out of memory", other},
    {3, "NOT_INITIALIZED", "initialization error", state, true},
    {4, "DEINITIALIZED", "driver shutting down", state, true},
    {34, "STUB_LIBRARY", "CUDA driver is a stub library", state},
    {36, "CALL_REQUIRES_NEWER_DRIVER", "API call is not supported in the installed CUDA driver", unsupported},
    {46, "DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable", state},
    {100, "NO_DEVICE", "no CUDA-capable device is detected", state},
    {101, "INVALID_DEVICE", "invalid device ordinal", state},
    {201, "INVALID_CONTEXT", "invalid device context", state, true},
    {209, "NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device", other},
    {214, "ECC_UNCORRECTABLE", "uncorrectable ECC error encountered", sticky},
    {220, "NVLINK_UNCORRECTABLE", "uncorrectable NVLink error detected during the execution", sticky},
    {400, "INVALID_HANDLE", "invalid resource handle", other},
    {500, "NOT_FOUND", "named symbol not found", other},
    {700, "ILLEGAL_ADDRESS", "an illegal memory access was encountered", sticky},
    {701, "LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch", other},
    {702, "LAUNCH_TIMEOUT", "the launch timed out and was terminated", sticky},
    {709, "CONTEXT_IS_DESTROYED", "context is destroyed", state},
    {710, "ASSERT", "device-side assert triggered", sticky},
    {714, "HARDWARE_STACK_ERROR", "hardware stack error", sticky},
    {715, "ILLEGAL_INSTRUCTION", "an illegal instruction was encountered", sticky},
    {716, "MISALIGNED_ADDRESS", "misaligned address", sticky},
    {717, "INVALID_ADDRESS_SPACE", "operation not supported on global/shared address space", sticky},
    {718, "INVALID_PC", "invalid program counter", sticky},
    {719, "LAUNCH_FAILED", "unspecified launch failure", sticky},
    {721, "TENSOR_MEMORY_LEAK", "Tensor Memory not completely freed", sticky},
    {800, "NOT_PERMITTED", "operation not permitted", other},
    {801, "NOT_SUPPORTED", "operation not supported", unsupported},
    {802, "SYSTEM_NOT_READY", "system not yet initialized", state},
    {803, "SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination", state},
    {804, "COMPAT_NOT_SUPPORTED_ON_DEVICE", "forward compatibility was attempted on non supported HW", unsupported},
    {900, "STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing", other},
    {999, "UNKNOWN", "unknown error", sticky},
};
// clang-format on

}  // namespace

std::span<const CudaResultRow> cuda_results() { return rows; }

const CudaResultRow* find_cuda_result(int code) {
  for (const CudaResultRow& row : rows)
    if (row.code == code) return &row;
  return nullptr;
}

const CudaResultRow* find_cuda_result(std::string_view words) {
  const std::string text = lower_case(words);
  const CudaResultRow* found = nullptr;
  for (const CudaResultRow& row : rows) {
    if (text == lower_case(row.name) || text == lower_case(full_name(row))) return &row;
    // "operation not permitted" is also the beginning of a longer text.
    const bool begins = text.starts_with(lower_case(row.text));
    if (begins && (found == nullptr || row.text.size() > found->text.size())) found = &row;
  }
  return found;
}

std::string full_name(const CudaResultRow& row) {
  return row.code == 0 ? std::string(row.name) : fmt::format("CUDA_ERROR_{}", row.name);
}

}  // namespace swz
