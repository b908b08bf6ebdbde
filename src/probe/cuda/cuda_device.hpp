// SPDX-License-Identifier: Apache-2.0
// CudaDevice: a GPU of this machine as a ProbeDevice. NVRTC compiles for it, and the CUDA driver runs.
//
// An instruction that traps makes every later call of the process fail, even in a new context, and after the primary
// one was reset (measured on an H100, driver 580): the launch is a LaunchFault, and the GPU is lost to this process.
//
// The driver is opened at run time: only the few functions that probes need, with each call checked and each resource
// released. libcuda is searched for where the loader looks and where drivers install it; $SWZ_LIBCUDA is a file that
// is used instead, and no other is tried.
#pragma once

#include <map>

#include "probe/cuda/nvrtc.hpp"

namespace swz {

class Driver;
struct DriverApi;

// A call of the driver that failed.
class DriverError : public Error {
 public:
  DriverError(std::string error, const std::string& message)
      : Error(message, "the GPU could not be asked; nothing is claimed", {}, ErrorKind::hardware),
        name(std::move(error)) {}

  std::string name;  // "CUDA_ERROR_ILLEGAL_INSTRUCTION"
};

// Device memory that grows and is reused.
class DeviceMemory {
 public:
  explicit DeviceMemory(const Driver& driver) : driver_(&driver) {}
  ~DeviceMemory() { give_back(); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void reserve(std::size_t bytes);
  void give_back();
  std::uint64_t address() const { return address_; }

 private:
  const Driver* driver_;
  std::uint64_t address_ = 0;
  std::size_t size_ = 0;
};

// A loaded cubin and its function "probe".
class Module {
 public:
  Module(const Driver& driver, const ByteBuffer& cubin, Bytes dynamic_smem);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  void* function() const { return function_; }

 private:
  const Driver* driver_;
  void* module_ = nullptr;
  void* function_ = nullptr;
};

class Driver {
 public:
  // The device's primary context, current on this thread. Throws Error of kind hardware if there is no driver, no GPU,
  // or no such device.
  explicit Driver(int device);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  std::string device_name() const;
  int compute_capability() const;  // 90
  std::string version() const;     // "580.159.03", or "CUDA 13.0" if the system does not give it

  void upload(std::uint64_t to, std::span<const std::uint8_t> from) const;
  void download(std::span<std::uint8_t> to, std::uint64_t from) const;
  void zero(std::uint64_t at, std::size_t bytes) const;
  // Waits until the launch ends, at most `seconds`; then it throws, and from then on nothing of the GPU is used.
  void run(const Module& module, const std::string& name, const Launch& launch, void* parameters, double seconds);

  // Whether calls still succeed: they do not after a trap, in any context.
  bool is_usable() const;

  // cuTensorMapEncodeTiled
  std::optional<EncodedTensorMap> encode(const TensorMap& map) const;
  std::optional<EncodedTensorMap> encode(const Im2colMap& map) const;

  const DriverApi& api() const { return *api_; }
  bool is_hung() const { return is_hung_; }
  // Throws DriverError unless result is 0.
  void check(int result, const char* call) const;

 private:
  std::unique_ptr<DriverApi> api_;
  int device_ = 0;
  bool is_hung_ = false;
};

class CudaDevice : public ProbeDevice {
 public:
  // Throws Error of kind hardware if there is no driver, GPU or NVRTC, or for an architecture that swz or NVRTC does
  // not know.
  explicit CudaDevice(int device);

  const DeviceIdentity& identity() const override { return identity_; }
  void prepare(std::span<const Kernel> kernels, const std::function<void(std::size_t)>& progress) override;
  ByteBuffer run(const Kernel& kernel, const Launch& launch) override;
  bool is_lost() const override { return is_lost_; }
  std::optional<EncodedTensorMap> encode(const TensorMap& map) override { return driver_.encode(map); }
  std::optional<EncodedTensorMap> encode(const Im2colMap& map) override { return driver_.encode(map); }

 private:
  const Module& module_of(const Kernel& kernel, Bytes dynamic_smem);
  ByteBuffer run_once(const Kernel& kernel, const Launch& launch);

  Driver driver_;
  Nvrtc nvrtc_;
  const Target* target_;
  DeviceIdentity identity_;
  DeviceMemory inputs_, output_;
  std::map<Kernel, ByteBuffer> cubins_;
  std::map<Kernel, Module> modules_;
  bool is_lost_ = false;
};

}  // namespace swz
