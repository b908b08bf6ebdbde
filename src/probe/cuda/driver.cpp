#include "probe/cuda/driver.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <fstream>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "probe/cuda/driver_api.hpp"

namespace swz {

namespace {

[[noreturn]] void refuse(const std::string& message, const std::string& hint) {
  throw Error(message, hint, {}, ErrorKind::hardware);
}

}  // namespace

Driver::Driver(int device) : api_(std::make_unique<DriverApi>()) {
  const std::string chosen = environment("SWZ_LIBCUDA");
  if (!api_->library.is_open())
    refuse(
        chosen.empty() ? "no NVIDIA driver: libcuda.so.1 was not found"
                       : fmt::format("SWZ_LIBCUDA: {}", api_->library.error()),
        "run it on a machine with an NVIDIA GPU; --replay FILE shows a recorded run, --compile-only needs no GPU");
  if (const std::string missing = api_->bind(); !missing.empty())
    refuse(fmt::format("{} has no {}", api_->library.path(), missing), "install a driver for CUDA 12 or later");
  const int result = api_->init(0);
  int count = 0;
  if (result == result_no_device || (result == 0 && api_->device_count(&count) == 0 && count == 0))
    refuse("no NVIDIA GPU: the driver is there, but it lists no device",
           "see nvidia-smi and CUDA_VISIBLE_DEVICES; --replay FILE shows a recorded run");
  check(result, "cuInit");
  if (device < 0 || device >= count)
    refuse(
        fmt::format("there is no device {}", device),
        count == 1 ? "the driver lists one device, 0" : fmt::format("the driver lists devices 0 to {}", count - 1));
  check(api_->device_get(&device_, device), "cuDeviceGet");
  void* context = nullptr;
  check(api_->context_retain(&context, device_), "cuDevicePrimaryCtxRetain");
  check(api_->context_set(context), "cuCtxSetCurrent");
}

Driver::~Driver() {
  if (!is_hung_) api_->context_release(device_);
}

void Driver::check(int result, const char* call) const {
  if (result == 0) return;
  const char *name = nullptr, *text = nullptr;
  api_->error_name(result, &name);
  api_->error_text(result, &text);
  refuse(fmt::format("{} failed: {} ({})", call, name == nullptr ? "unknown error" : name,
                     text == nullptr ? "" : text),
         "the GPU could not be asked; nothing is claimed");
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

void Driver::run(const Module& module, const Launch& launch, void* parameters, double seconds) {
  std::array<void*, 1> arguments{parameters};
  check(api_->launch(module.function(), static_cast<unsigned>(launch.grid), 1, 1,
                     static_cast<unsigned>(launch.threads), 1, 1, static_cast<unsigned>(launch.dynamic_smem.count),
                     nullptr, arguments.data(), nullptr),
        "cuLaunchKernel");
  void* event = nullptr;
  constexpr unsigned no_timing = 2;
  check(api_->event_create(&event, no_timing), "cuEventCreate");
  check(api_->event_record(event, nullptr), "cuEventRecord");
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int result = result_not_ready;
  while ((result = api_->event_query(event)) == result_not_ready) {
    if (std::chrono::steady_clock::now() > end) {
      is_hung_ = true;
      refuse(fmt::format("the probe {} did not end within {} s", launch.kernel.file, seconds),
             "nothing more is asked of this GPU; the driver ends the kernel with this process");
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  check(result, "the probe");
  check(api_->event_destroy(event), "cuEventDestroy");
}

DeviceMemory::~DeviceMemory() {
  if (address_ != 0 && !driver_->is_hung()) driver_->api().memory_free(address_);
}

void DeviceMemory::reserve(std::size_t bytes) {
  if (bytes <= size_) return;
  if (address_ != 0) driver_->check(driver_->api().memory_free(address_), "cuMemFree");
  address_ = 0;
  driver_->check(driver_->api().memory_take(&address_, bytes), "cuMemAlloc");
  size_ = bytes;
}

Module::Module(const Driver& driver, const ByteBuffer& cubin, Bytes dynamic_smem) : driver_(&driver) {
  driver.check(driver.api().module_load(&module_, cubin.data()), "cuModuleLoadData");
  driver.check(driver.api().module_function(&function_, module_, "probe"), "cuModuleGetFunction");
  driver.check(
      driver.api().function_set(function_, function_max_dynamic_shared, static_cast<int>(dynamic_smem.count)),
      "cuFuncSetAttribute");
}

Module::~Module() {
  if (module_ != nullptr && !driver_->is_hung()) driver_->api().module_unload(module_);
}

Module::Module(Module&& other) noexcept
    : driver_(other.driver_),
      module_(std::exchange(other.module_, nullptr)),
      function_(std::exchange(other.function_, nullptr)) {}

}  // namespace swz
