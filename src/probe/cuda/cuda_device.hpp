// The GPU at hand as a ProbeDevice: NVRTC compiles for it, the driver runs.
#pragma once

#include <map>
#include <string>

#include "probe/cuda/driver.hpp"
#include "probe/cuda/nvrtc.hpp"
#include "probe/launch.hpp"

namespace swz {

class CudaDevice : public ProbeDevice {
 public:
  // Throws Error of kind hardware: no driver, no GPU, no NVRTC, or an architecture swz or NVRTC does not know.
  explicit CudaDevice(int device);

  const DeviceIdentity& identity() const override { return identity_; }
  void prepare(std::span<const Kernel> kernels, const std::function<void(std::size_t)>& progress) override;
  ByteBuffer run(const Launch& launch) override;
  EncodeVerdict encode(const TensorMap& map) override { return driver_.encode(map); }

 private:
  const Module& module_of(const Launch& launch);

  Driver driver_;
  Nvrtc nvrtc_;
  const Target* target_;
  DeviceIdentity identity_;
  DeviceMemory inputs_, output_;
  std::map<Kernel, ByteBuffer> cubins_;
  std::map<Kernel, Module> modules_;
};

}  // namespace swz
