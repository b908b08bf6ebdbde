// cuda.h, as far as it is used. Handles are pointers, a device is a number, 0 is success.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "probe/cuda/library.hpp"

namespace swz {

// The libraries that are tried, in order: $SWZ_LIBCUDA and no other, or where drivers put theirs.
inline std::vector<std::string> libcuda_paths() {
  if (const std::string chosen = environment("SWZ_LIBCUDA"); !chosen.empty()) return {chosen};
  return {"libcuda.so.1", "libcuda.so", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};
}

struct DriverApi {
  using Result = int;
  using Handle = void*;
  using Address = std::uint64_t;

  Library library{libcuda_paths()};

  Result (*init)(unsigned) = nullptr;
  Result (*driver_version)(int*) = nullptr;
  Result (*device_count)(int*) = nullptr;
  Result (*device_get)(int*, int) = nullptr;
  Result (*device_name)(char*, int, int) = nullptr;
  Result (*device_attribute)(int*, int, int) = nullptr;
  Result (*context_retain)(Handle*, int) = nullptr;
  Result (*context_release)(int) = nullptr;
  Result (*context_set)(Handle) = nullptr;
  Result (*module_load)(Handle*, const void*) = nullptr;
  Result (*module_unload)(Handle) = nullptr;
  Result (*module_function)(Handle*, Handle, const char*) = nullptr;
  Result (*function_set)(Handle, int, int) = nullptr;
  Result (*memory_take)(Address*, std::size_t) = nullptr;
  Result (*memory_free)(Address) = nullptr;
  Result (*upload)(Address, const void*, std::size_t) = nullptr;
  Result (*download)(void*, Address, std::size_t) = nullptr;
  Result (*fill)(Address, unsigned char, std::size_t) = nullptr;
  Result (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**,
                   void**) = nullptr;
  Result (*event_create)(Handle*, unsigned) = nullptr;
  Result (*event_record)(Handle, Handle) = nullptr;
  Result (*event_query)(Handle) = nullptr;
  Result (*event_destroy)(Handle) = nullptr;
  Result (*error_name)(Result, const char**) = nullptr;
  Result (*error_text)(Result, const char**) = nullptr;
  // Null before CUDA 12.
  Result (*encode_tiled)(void*, int, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*,
                         const std::uint32_t*, const std::uint32_t*, int, int, int, int) = nullptr;

  // The first symbol that is missing; empty: none.
  std::string bind() {
    std::string missing;
    library.bind(encode_tiled, "cuTensorMapEncodeTiled", missing);
    missing.clear();
    library.bind(init, "cuInit", missing);
    library.bind(driver_version, "cuDriverGetVersion", missing);
    library.bind(device_count, "cuDeviceGetCount", missing);
    library.bind(device_get, "cuDeviceGet", missing);
    library.bind(device_name, "cuDeviceGetName", missing);
    library.bind(device_attribute, "cuDeviceGetAttribute", missing);
    library.bind(context_retain, "cuDevicePrimaryCtxRetain", missing);
    library.bind(context_release, "cuDevicePrimaryCtxRelease_v2", missing);
    library.bind(context_set, "cuCtxSetCurrent", missing);
    library.bind(module_load, "cuModuleLoadData", missing);
    library.bind(module_unload, "cuModuleUnload", missing);
    library.bind(module_function, "cuModuleGetFunction", missing);
    library.bind(function_set, "cuFuncSetAttribute", missing);
    library.bind(memory_take, "cuMemAlloc_v2", missing);
    library.bind(memory_free, "cuMemFree_v2", missing);
    library.bind(upload, "cuMemcpyHtoD_v2", missing);
    library.bind(download, "cuMemcpyDtoH_v2", missing);
    library.bind(fill, "cuMemsetD8_v2", missing);
    library.bind(launch, "cuLaunchKernel", missing);
    library.bind(event_create, "cuEventCreate", missing);
    library.bind(event_record, "cuEventRecord", missing);
    library.bind(event_query, "cuEventQuery", missing);
    library.bind(event_destroy, "cuEventDestroy_v2", missing);
    library.bind(error_name, "cuGetErrorName", missing);
    library.bind(error_text, "cuGetErrorString", missing);
    return missing;
  }
};

// Of cuda.h.
inline constexpr int result_not_ready = 600;
inline constexpr int result_no_device = 100;
inline constexpr int attribute_major = 75, attribute_minor = 76;
inline constexpr int function_max_dynamic_shared = 8;

}  // namespace swz
