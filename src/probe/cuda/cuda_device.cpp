#include "probe/cuda/cuda_device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/version.hpp"

namespace swz {

namespace {

// As kernels/probe.cuh declares it.
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
  throw Error(fmt::format("this GPU is sm_{}, which swz does not know", capability),
              "swz arch targets lists those it knows", {}, ErrorKind::hardware);
}

}  // namespace

CudaDevice::CudaDevice(int device)
    : driver_(device), target_(&target_of(driver_.compute_capability())), inputs_(driver_), output_(driver_) {
  if (!nvrtc_.knows(*target_))
    throw Error(
        fmt::format("NVRTC {} ({}) does not compile for {}", nvrtc_.version(), nvrtc_.path(), target_->name),
        "install a newer one (pip install nvidia-cuda-nvrtc) or set SWZ_NVRTC to its path", {},
        ErrorKind::hardware);
  identity_ = {driver_.device_name(), std::string(target_->name), driver_.version(), nvrtc_.version(),
               std::string(version)};
}

void CudaDevice::prepare(std::span<const Kernel> kernels, const std::function<void(std::size_t)>& progress) {
  std::vector<Kernel> missing;
  for (const Kernel& kernel : kernels)
    if (cubins_.try_emplace(kernel).second) missing.push_back(kernel);
  const std::vector<CompiledKernel> compiled = nvrtc_.compile(missing, *target_, progress);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (compiled[i].cubin.empty())
      throw Error(fmt::format("NVRTC refused {}.cu:\n{}", missing[i].file, compiled[i].log),
                  "swz verify --emit-kernel prints the source", {}, ErrorKind::hardware);
    cubins_[missing[i]] = compiled[i].cubin;
  }
}

const Module& CudaDevice::module_of(const Launch& launch) {
  if (const auto found = modules_.find(launch.kernel); found != modules_.end()) return found->second;
  prepare(std::span(&launch.kernel, 1), {});
  return modules_.try_emplace(launch.kernel, driver_, cubins_.at(launch.kernel), launch.dynamic_smem).first->second;
}

ByteBuffer CudaDevice::run(const Launch& launch) {
  const Module& module = module_of(launch);
  Params params = {};
  std::size_t size = 0;
  std::array<std::size_t, launch_inputs> begins = {};
  for (std::size_t i = 0; i < launch_inputs; ++i) {
    begins[i] = size;
    size += aligned(launch.inputs[i].size());
  }
  inputs_.reserve(std::max(size, alignment));
  const auto output_bytes = static_cast<std::size_t>(launch.output_bytes);
  output_.reserve(aligned(output_bytes) + alignment);  // the status lies behind the output
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
  driver_.run(module, launch, &params, seconds_at_most);

  ByteBuffer output(output_bytes), status(sizeof(LaunchStatus));
  driver_.download(status, params.status);
  switch (read_at<LaunchStatus>(status, 0)) {
    case LaunchStatus::fine: break;
    case LaunchStatus::shared_memory_elsewhere:
      throw Error(fmt::format("dynamic shared memory does not begin at {}, as the probe {} assumes",
                              launch.scalars[0], launch.kernel.file),
                  "this driver reserves another amount; please report it", {}, ErrorKind::hardware);
    case LaunchStatus::wait_timed_out:
      throw Error(fmt::format("the probe {} timed out waiting for an mbarrier", launch.kernel.file),
                  "the copy or the MMA never completed; please report it", {}, ErrorKind::hardware);
  }
  driver_.download(output, params.output);
  return output;
}

}  // namespace swz
