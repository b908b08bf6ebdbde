// SPDX-License-Identifier: Apache-2.0
#include "probe/cuda/cuda_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "base/version.hpp"
#include "probe/cuda/library.hpp"

namespace swz {

namespace {

// The libraries that are tried, in order: only $SWZ_LIBCUDA if it is set, otherwise the places where drivers install
// theirs.
std::vector<std::string> libcuda_paths() {
  if (const std::string chosen = environment("SWZ_LIBCUDA"); !chosen.empty()) return {chosen};
  return {"libcuda.so.1", "libcuda.so", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};
}

// A code of cuda.h.
constexpr int result_not_ready = 600;
constexpr int result_no_device = 100;
constexpr int attribute_major = 75, attribute_minor = 76;
constexpr int function_max_dynamic_shared = 8, function_non_portable_cluster = 14;
constexpr int attribute_cluster_dimension = 4;

[[noreturn]] void refuse(const std::string& message, const std::string& hint) {
  throw Error(message, hint, {}, ErrorKind::hardware);
}

}  // namespace

// The parts of cuda.h that are used. Handles are pointers, a device is a number, 0 is success.
struct DriverApi {
  using Result = int;
  using Handle = void*;
  using Address = std::uint64_t;

  // CUlaunchAttribute and CUlaunchConfig.
  struct LaunchAttribute {
    int id = 0, padding = 0;
    std::array<unsigned, 16> value = {};
  };
  struct LaunchConfig {
    std::array<unsigned, 3> grid, block;
    unsigned shared_bytes = 0;
    void* stream = nullptr;
    LaunchAttribute* attributes = nullptr;
    unsigned attribute_count = 0;
  };

  Library library{libcuda_paths()};

  // Null before CUDA 12.
  Result (*encode_tiled)(void*, int, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*,
                         const std::uint32_t*, const std::uint32_t*, int, int, int,
                         int) = library.optional_symbol("cuTensorMapEncodeTiled");
  Result (*encode_im2col)(void*, int, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*, const int*,
                          const int*, std::uint32_t, std::uint32_t, const std::uint32_t*, int, int, int,
                          int) = library.optional_symbol("cuTensorMapEncodeIm2col");
  Result (*init)(unsigned) = library.symbol("cuInit");
  Result (*driver_version)(int*) = library.symbol("cuDriverGetVersion");
  Result (*device_count)(int*) = library.symbol("cuDeviceGetCount");
  Result (*device_get)(int*, int) = library.symbol("cuDeviceGet");
  Result (*device_name)(char*, int, int) = library.symbol("cuDeviceGetName");
  Result (*device_attribute)(int*, int, int) = library.symbol("cuDeviceGetAttribute");
  Result (*context_retain)(Handle*, int) = library.symbol("cuDevicePrimaryCtxRetain");
  Result (*context_release)(int) = library.symbol("cuDevicePrimaryCtxRelease_v2");
  Result (*context_set)(Handle) = library.symbol("cuCtxSetCurrent");
  Result (*module_load)(Handle*, const void*) = library.symbol("cuModuleLoadData");
  Result (*module_unload)(Handle) = library.symbol("cuModuleUnload");
  Result (*module_function)(Handle*, Handle, const char*) = library.symbol("cuModuleGetFunction");
  Result (*function_set)(Handle, int, int) = library.symbol("cuFuncSetAttribute");
  Result (*memory_take)(Address*, std::size_t) = library.symbol("cuMemAlloc_v2");
  Result (*memory_free)(Address) = library.symbol("cuMemFree_v2");
  Result (*upload)(Address, const void*, std::size_t) = library.symbol("cuMemcpyHtoD_v2");
  Result (*download)(void*, Address, std::size_t) = library.symbol("cuMemcpyDtoH_v2");
  Result (*fill)(Address, unsigned char, std::size_t) = library.symbol("cuMemsetD8_v2");
  Result (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**,
                   void**) = library.symbol("cuLaunchKernel");
  // Null before CUDA 11.8; only needed for a cluster.
  Result (*launch_ex)(const LaunchConfig*, Handle, void**, void**) = library.optional_symbol("cuLaunchKernelEx");
  Result (*event_create)(Handle*, unsigned) = library.symbol("cuEventCreate");
  Result (*event_record)(Handle, Handle) = library.symbol("cuEventRecord");
  Result (*event_query)(Handle) = library.symbol("cuEventQuery");
  Result (*event_destroy)(Handle) = library.symbol("cuEventDestroy_v2");
  Result (*error_name)(Result, const char**) = library.symbol("cuGetErrorName");
  Result (*error_text)(Result, const char**) = library.symbol("cuGetErrorString");
};

Driver::Driver(int device) : api_(std::make_unique<DriverApi>()) {
  const std::string chosen = environment("SWZ_LIBCUDA");
  if (!api_->library.is_open())
    refuse(chosen.empty() ? "no NVIDIA driver: libcuda.so.1 was not found"
                          : fmt::format("SWZ_LIBCUDA: {}", api_->library.error()),
           "run it on a machine with an NVIDIA GPU; --replay FILE shows a recorded run, --compile-only needs no GPU");
  if (const std::string& missing = api_->library.missing(); !missing.empty())
    refuse(fmt::format("{} has no {}", api_->library.path(), missing), "install a driver for CUDA 12 or later");
  const int result = api_->init(0);
  int count = 0;
  if (result == result_no_device || (result == 0 && api_->device_count(&count) == 0 && count == 0))
    refuse("no NVIDIA GPU: the driver is there, but it lists no device",
           "see nvidia-smi and CUDA_VISIBLE_DEVICES; --replay FILE shows a recorded run");
  check(result, "cuInit");
  if (device < 0 || device >= count)
    refuse(fmt::format("device {} does not exist", device),
           count == 1 ? "the driver lists one device, 0" : fmt::format("the driver lists devices 0 to {}", count - 1));
  check(api_->device_get(&device_, device), "cuDeviceGet");
  void* context = nullptr;
  check(api_->context_retain(&context, device_), "cuDevicePrimaryCtxRetain");
  check(api_->context_set(context), "cuCtxSetCurrent");
}

Driver::~Driver() {
  if (!is_hung_) api_->context_release(device_);
}

bool Driver::is_usable() const {
  std::uint64_t word = 0;
  return !is_hung_ && api_->memory_take(&word, 4) == 0 && api_->memory_free(word) == 0;
}

void Driver::check(int result, const char* call) const {
  if (result == 0) return;
  const char *name = nullptr, *text = nullptr;
  api_->error_name(result, &name);
  api_->error_text(result, &text);
  const std::string known = name == nullptr ? fmt::format("error {}", result) : name;
  throw DriverError(known, fmt::format("{} failed: {} ({})", call, known, text == nullptr ? "" : text));
}

std::string Driver::device_name() const {
  std::array<char, 256> name = {};
  check(api_->device_name(name.data(), static_cast<int>(name.size()), device_), "cuDeviceGetName");
  return name.data();
}

int Driver::compute_capability() const {
  int major = 0, minor = 0;
  check(api_->device_attribute(&major, attribute_major, device_), "cuDeviceGetAttribute");
  check(api_->device_attribute(&minor, attribute_minor, device_), "cuDeviceGetAttribute");
  return 10 * major + minor;
}

std::string Driver::version() const {
  std::ifstream file("/sys/module/nvidia/version");
  std::string version;
  if (file >> version) return version;
  int number = 0;
  check(api_->driver_version(&number), "cuDriverGetVersion");
  return fmt::format("CUDA {}.{}", number / 1000, number % 1000 / 10);
}

void Driver::upload(std::uint64_t to, std::span<const std::uint8_t> from) const {
  if (!from.empty()) check(api_->upload(to, from.data(), from.size()), "cuMemcpyHtoD");
}

void Driver::download(std::span<std::uint8_t> to, std::uint64_t from) const {
  if (!to.empty()) check(api_->download(to.data(), from, to.size()), "cuMemcpyDtoH");
}

void Driver::zero(std::uint64_t at, std::size_t bytes) const {
  if (bytes != 0) check(api_->fill(at, 0, bytes), "cuMemsetD8");
}

void Driver::run(const Module& module, const std::string& name, const Launch& launch, void* parameters,
                 double seconds) {
  std::array<void*, 1> arguments{parameters};
  const auto grid = static_cast<unsigned>(launch.grid), threads = static_cast<unsigned>(launch.threads);
  const auto shared_bytes = static_cast<unsigned>(launch.dynamic_smem.count);
  if (launch.cluster * launch.cluster_y * launch.cluster_z == 1) {
    check(api_->launch(module.function(), grid, 1, 1, threads, 1, 1, shared_bytes, nullptr, arguments.data(), nullptr),
          "cuLaunchKernel");
  } else {
    if (api_->launch_ex == nullptr)
      refuse("this driver has no cuLaunchKernelEx", "install a driver for CUDA 12 or later");
    static_assert(sizeof(DriverApi::LaunchAttribute) == 72 && sizeof(DriverApi::LaunchConfig) == 56);
    const auto y = static_cast<unsigned>(launch.cluster_y), z = static_cast<unsigned>(launch.cluster_z);
    constexpr int portable = 8;
    if (launch.cluster * launch.cluster_y * launch.cluster_z > portable)
      check(api_->function_set(module.function(), function_non_portable_cluster, 1), "cuFuncSetAttribute");
    DriverApi::LaunchAttribute cluster{attribute_cluster_dimension, 0, {static_cast<unsigned>(launch.cluster), y, z}};
    const DriverApi::LaunchConfig config{{grid, y, z}, {threads, 1, 1}, shared_bytes, nullptr, &cluster, 1};
    check(api_->launch_ex(&config, module.function(), arguments.data(), nullptr), "cuLaunchKernelEx");
  }
  void* event = nullptr;
  constexpr unsigned no_timing = 2;
  check(api_->event_create(&event, no_timing), "cuEventCreate");
  check(api_->event_record(event, nullptr), "cuEventRecord");
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int result = result_not_ready;
  while ((result = api_->event_query(event)) == result_not_ready) {
    if (std::chrono::steady_clock::now() > end) {
      is_hung_ = true;
      refuse(fmt::format("the probe {} did not end within {} s", name, seconds),
             "nothing more is asked of this GPU; the driver ends the kernel with this process");
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  check(result, "the probe");
  check(api_->event_destroy(event), "cuEventDestroy");
}

std::optional<EncodedTensorMap> Driver::encode(const TensorMap& map) const {
  if (api_->encode_tiled == nullptr)
    refuse("this driver has no cuTensorMapEncodeTiled", "install a driver for CUDA 12 or later");
  // Two entries more than the largest rank, so that no rank reads beyond. They are filled, to see what is written.
  std::array<std::uint64_t, 8> dims = {}, strides = {};
  std::array<std::uint32_t, 8> box = {}, steps = {};
  std::ranges::copy(map.dims, dims.begin());
  std::ranges::copy(map.strides, strides.begin());
  std::ranges::transform(map.box, box.begin(), word32);
  std::ranges::transform(map.element_strides, steps.begin(), word32);
  alignas(128) EncodedTensorMap encoded;
  encoded.words.fill(0xa5a5a5a5a5a5a5a5);
  const int result =
      api_->encode_tiled(encoded.words.data(), static_cast<int>(map.data_type), static_cast<std::uint32_t>(map.rank),
                         reinterpret_cast<void*>(map.global_address), dims.data(), strides.data(), box.data(),
                         steps.data(), static_cast<int>(map.interleave), static_cast<int>(map.swizzle),
                         static_cast<int>(map.l2_promotion), static_cast<int>(map.oob_fill));
  return result == 0 ? std::optional(encoded) : std::nullopt;
}

std::optional<EncodedTensorMap> Driver::encode(const Im2colMap& map) const {
  if (api_->encode_im2col == nullptr)
    refuse("this driver has no cuTensorMapEncodeIm2col", "install a driver for CUDA 12 or later");
  const TensorMap& tensor = map.tensor;
  std::array<std::uint64_t, 8> dims = {}, strides = {};
  std::array<std::uint32_t, 8> steps = {};
  std::array<int, 8> lower = {}, upper = {};
  std::ranges::copy(tensor.dims, dims.begin());
  std::ranges::copy(tensor.strides, strides.begin());
  std::ranges::transform(tensor.element_strides, steps.begin(), word32);
  std::ranges::transform(map.lower_corner, lower.begin(), [](std::int64_t n) { return static_cast<int>(n); });
  std::ranges::transform(map.upper_corner, upper.begin(), [](std::int64_t n) { return static_cast<int>(n); });
  alignas(128) EncodedTensorMap encoded;
  const int result = api_->encode_im2col(
      encoded.words.data(), static_cast<int>(tensor.data_type), static_cast<std::uint32_t>(tensor.rank),
      reinterpret_cast<void*>(tensor.global_address), dims.data(), strides.data(), lower.data(), upper.data(),
      static_cast<std::uint32_t>(map.channels_per_pixel), static_cast<std::uint32_t>(map.pixels_per_column),
      steps.data(), static_cast<int>(tensor.interleave), static_cast<int>(tensor.swizzle),
      static_cast<int>(tensor.l2_promotion), static_cast<int>(tensor.oob_fill));
  return result == 0 ? std::optional(encoded) : std::nullopt;
}

void DeviceMemory::give_back() {
  if (address_ != 0 && !driver_->is_hung()) driver_->api().memory_free(address_);
  address_ = 0;
  size_ = 0;
}

void DeviceMemory::reserve(std::size_t bytes) {
  if (bytes <= size_) return;
  give_back();
  driver_->check(driver_->api().memory_take(&address_, bytes), "cuMemAlloc");
  size_ = bytes;
}

Module::Module(const Driver& driver, const ByteBuffer& cubin, Bytes dynamic_smem) : driver_(&driver) {
  driver.check(driver.api().module_load(&module_, cubin.data()), "cuModuleLoadData");
  driver.check(driver.api().module_function(&function_, module_, "probe"), "cuModuleGetFunction");
  driver.check(driver.api().function_set(function_, function_max_dynamic_shared, static_cast<int>(dynamic_smem.count)),
               "cuFuncSetAttribute");
}

Module::~Module() {
  if (module_ != nullptr && !driver_->is_hung()) driver_->api().module_unload(module_);
}

namespace {

// As declared in kernels/probe.cuh.
struct Params {
  std::uint64_t inputs[launch_inputs];
  std::uint64_t output, status;
  std::uint32_t scalars[launch_scalars];
};

constexpr std::size_t alignment = 256;
constexpr double seconds_at_most = 20;

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

const Target& target_of(int capability) {
  if (const Target* target = find_target(fmt::format("sm_{}", capability))) return *target;
  refuse(fmt::format("this GPU is sm_{}, which swz does not know", capability),
         "swz arch targets lists those it knows");
}

}  // namespace

CudaDevice::CudaDevice(int device)
    : driver_(device), target_(&target_of(driver_.compute_capability())), inputs_(driver_), output_(driver_) {
  if (!nvrtc_.knows(*target_))
    refuse(fmt::format("NVRTC {} ({}) does not compile for {}", nvrtc_.version(), nvrtc_.path(), target_->name),
           "install a newer one (pip install nvidia-cuda-nvrtc) or set SWZ_NVRTC to its path");
  identity_ = {driver_.device_name(), std::string(target_->name), driver_.version(), nvrtc_.version(),
               std::string(program_version)};
}

void CudaDevice::prepare(std::span<const Kernel> kernels, const std::function<void(std::size_t)>& progress) {
  std::vector<Kernel> missing;
  for (const Kernel& kernel : kernels)
    if (cubins_.try_emplace(kernel).second) missing.push_back(kernel);
  const std::vector<CompiledKernel> compiled = nvrtc_.compile(missing, *target_, progress);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (compiled[i].cubin.empty())
      refuse(fmt::format("NVRTC refused {}.cu:\n{}", missing[i].file, compiled[i].log),
             "swz verify --emit-kernel prints the source");
    cubins_[missing[i]] = compiled[i].cubin;
  }
}

const Module& CudaDevice::module_of(const Kernel& kernel, Bytes dynamic_smem) {
  if (const auto found = modules_.find(kernel); found != modules_.end()) return found->second;
  prepare(std::span(&kernel, 1), {});
  return modules_.try_emplace(kernel, driver_, cubins_.at(kernel), dynamic_smem).first->second;
}

ByteBuffer CudaDevice::run(const Kernel& kernel, const Launch& launch) {
  if (is_lost_) throw GpuLost("this process can ask the GPU nothing more");
  try {
    return run_once(kernel, launch);
  } catch (const DriverError& error) {
    is_lost_ = !driver_.is_usable();
    throw LaunchFault(error.name, error.message());
  }
}

ByteBuffer CudaDevice::run_once(const Kernel& kernel, const Launch& launch) {
  const Module& module = module_of(kernel, launch.dynamic_smem);
  Params params = {};
  std::size_t size = 0;
  std::array<std::size_t, launch_inputs> begins = {};
  for (std::size_t i = 0; i < launch_inputs; ++i) {
    begins[i] = size;
    size += aligned(launch.inputs[i].size());
  }
  inputs_.reserve(std::max(size, alignment));
  const auto output_bytes = static_cast<std::size_t>(launch.output_bytes);
  output_.reserve(aligned(output_bytes) + alignment);  // the status comes after the output
  for (std::size_t i = 0; i < launch_inputs; ++i) params.inputs[i] = inputs_.address() + begins[i];
  params.output = output_.address();
  params.status = output_.address() + aligned(output_bytes);
  std::copy(launch.scalars.begin(), launch.scalars.end(), params.scalars);

  std::array<ByteBuffer, launch_inputs> patched;
  for (const AddressAt& at : launch.addresses) {
    ByteBuffer& buffer = patched[static_cast<std::size_t>(at.input)];
    if (buffer.empty()) buffer = launch.inputs[static_cast<std::size_t>(at.input)];
    std::uint64_t address = read_at<std::uint64_t>(buffer, static_cast<std::size_t>(at.offset));
    address += params.inputs[at.of_input];
    __builtin_memcpy(buffer.data() + at.offset, &address, sizeof address);
  }
  for (std::size_t i = 0; i < launch_inputs; ++i)
    driver_.upload(params.inputs[i], patched[i].empty() ? launch.inputs[i] : patched[i]);
  driver_.zero(params.output, aligned(output_bytes) + alignment);
  driver_.run(module, kernel.file, launch, &params, seconds_at_most);

  ByteBuffer output(output_bytes), status(sizeof(LaunchStatus));
  driver_.download(status, params.status);
  switch (read_at<LaunchStatus>(status, 0)) {
    case LaunchStatus::fine: break;
    case LaunchStatus::shared_memory_elsewhere:
      refuse(fmt::format("dynamic shared memory does not begin at {}, as the probe {} assumes", launch.scalars[0],
                         kernel.file),
             "this driver reserves another amount; please report it");
    case LaunchStatus::wait_timed_out:
      throw DriverError("timed out waiting for an mbarrier",
                        fmt::format("the probe {}: the copy or the MMA never completed", kernel.file));
  }
  driver_.download(output, params.output);
  return output;
}

}  // namespace swz
