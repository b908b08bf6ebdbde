// SPDX-License-Identifier: Apache-2.0
// Launch: everything that a GPU gets. A probe is a value from end to end:
//
//   plans -> Kernel, Launch -> [device] -> output bytes -> Observations
//
// Only the step in brackets needs a GPU. A kernel copies bytes, executes one instruction and copies bytes. What the
// bytes mean is decided on the host, before and after.
//
// Every kernel has the signature probe(const Params): the addresses of the inputs and of the output, and scalars
// (kernels/probe.cuh). It first checks that its dynamic shared memory begins where the plan has it, and it never waits
// without a bound: `status` reports both.
#pragma once

#include <array>
#include <compare>
#include <functional>
#include <optional>

#include "arch/target.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "probe/observation.hpp"
#include "tma/tensor_map.hpp"

namespace swz {

using ByteBuffer = std::vector<std::uint8_t>;

// The source to compile: kernels/<file>.cu, which includes statement.cuh, the text of the instruction.
struct Kernel {
  std::string file;
  std::string statement;
  auto operator<=>(const Kernel&) const = default;
};

// The 64-bit address of an input, which is written into another input once both have their place.
struct AddressAt {
  int input = 0;
  std::int64_t offset = 0;  // bytes
  int of_input = 0;
};

inline constexpr int launch_inputs = 6;
inline constexpr int launch_scalars = 8;

struct Launch {
  int grid = 0;
  int threads = 128;
  int cluster = 1;  // CTAs of a cluster along x; y and z are also the grid's
  int cluster_y = 1, cluster_z = 1;
  Bytes dynamic_smem;
  std::array<ByteBuffer, launch_inputs> inputs;  // each begins at a multiple of 256 bytes
  std::vector<AddressAt> addresses;
  std::array<std::uint32_t, launch_scalars> scalars = {};
  std::int64_t output_bytes = 0;  // zeroed before the kernel runs
};

// What a kernel reports in addition to its output.
enum class LaunchStatus : std::uint32_t { fine = 0, shared_memory_elsewhere = 1, wait_timed_out = 2 };

struct DeviceIdentity {
  std::string gpu;     // "NVIDIA H200"
  std::string target;  // "sm_90a"
  std::string driver;  // "580.159.03"
  std::string nvrtc;   // "13.0.88"
  std::string tool;    // version of swz
};

// The bytes of shared memory that go to the output.
struct Window {
  std::int64_t begin = 0, size = 0;
};

// A launch that the GPU did not finish: an instruction trapped, or a copy never completed.
class LaunchFault : public Error {
 public:
  LaunchFault(std::string fault, const std::string& message)
      : Error(message, "see docs/verify.md", {}, ErrorKind::hardware), name(std::move(fault)) {}

  std::string name;  // "CUDA_ERROR_ILLEGAL_INSTRUCTION"
};

// This process cannot use the GPU any more: after a trap every call of the driver fails, even in a new context. Another
// process can.
class GpuLost : public Error {
 public:
  explicit GpuLost(const std::string& message)
      : Error(message, "--record FILE keeps what was asked, and --resume FILE goes on from there", {},
              ErrorKind::hardware) {}
};

// Runs launches. Throws LaunchFault for a launch that failed, GpuLost for every launch after a fault that the process
// does not survive, and Error of kind hardware if none can be run: compilation refused, a kernel hung.
class ProbeDevice {
 public:
  virtual ~ProbeDevice() = default;
  virtual const DeviceIdentity& identity() const = 0;
  // Compiles in advance and in parallel what will be run. `progress` is called with the number done.
  virtual void prepare(std::span<const Kernel> kernels, const std::function<void(std::size_t)>& progress) = 0;
  virtual ByteBuffer run(const Kernel& kernel, const Launch& launch) = 0;
  // Whether the last answer of this process was a LaunchFault.
  virtual bool is_lost() const { return false; }
  // cuTensorMapEncodeTiled; nullopt if the driver refuses. The map's numbers must fit into the types of the call.
  virtual std::optional<EncodedTensorMap> encode(const TensorMap& map) = 0;
  // cuTensorMapEncodeIm2col, likewise; the map is none of the wide call.
  virtual std::optional<EncodedTensorMap> encode(const Im2colMap& map) = 0;
};

// A size, a count or an address of shared memory, as kernels take it.
constexpr std::uint32_t word32(std::int64_t value) { return static_cast<std::uint32_t>(value); }

inline void append_bytes(ByteBuffer& out, std::span<const std::uint8_t> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// Little-endian, like GPUs and x86-64.
template <class T>
void append(ByteBuffer& out, const T& value) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof value);
}
template <class T>
T read_at(std::span<const std::uint8_t> bytes, std::size_t offset) {
  T value;
  __builtin_memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace swz
