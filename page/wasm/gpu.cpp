// SPDX-License-Identifier: Apache-2.0
// In place of src/probe/cuda, cmd/new_process.cpp and cmd/installed.cpp: a page cannot ask a GPU, starts no processes and
// has nothing beside it.
#include "installed.hpp"
#include "new_process.hpp"
#include "probe/cuda/cuda_device.hpp"
#include "probe/cuda/nvdisasm.hpp"

namespace swz {
namespace {

[[noreturn]] void refuse() {
  throw Error("a page cannot ask a GPU", "run this line with an installed swz, on a machine that has one", {},
              ErrorKind::hardware);
}

}  // namespace

struct Nvrtc::Api {};
struct DriverApi {};

Nvrtc::Nvrtc() { refuse(); }
Nvrtc::~Nvrtc() = default;
std::string Nvrtc::version() const { refuse(); }
bool Nvrtc::knows(const Target&) const { refuse(); }
std::vector<CompiledKernel> Nvrtc::compile(std::span<const Kernel>, const Target&,
                                           const std::function<void(std::size_t)>&) const {
  refuse();
}
std::string whole_source(const Kernel&) { refuse(); }

bool Nvdisasm::is_switched_off() { return false; }
Nvdisasm::Nvdisasm() {
  throw Error("a page starts no other program, and machine code is read through nvdisasm",
              "ask an installed swz, or paste what nvdisasm -c prints", {}, ErrorKind::hardware);
}
std::string Nvdisasm::disassembled(std::string_view, std::uint32_t, std::int64_t) const { refuse(); }

Driver::Driver(int) { refuse(); }
Driver::~Driver() = default;
std::optional<EncodedTensorMap> Driver::encode(const TensorMap&) const { refuse(); }
std::optional<EncodedTensorMap> Driver::encode(const Im2colMap&) const { refuse(); }
Module::~Module() = default;
void DeviceMemory::give_back() {}

CudaDevice::CudaDevice(int device) : driver_(device), inputs_(driver_), output_(driver_) {}
void CudaDevice::prepare(std::span<const Kernel>, const std::function<void(std::size_t)>&) { refuse(); }
ByteBuffer CudaDevice::run(const Kernel&, const Launch&) { refuse(); }

void go_on_in_new_process(const std::string&) {}
std::optional<std::string> installed_path(std::string_view) { return std::nullopt; }
std::vector<std::string> installed_files(std::string_view) { return {}; }
bool open_in_browser(const std::string&) { return false; }

}  // namespace swz
