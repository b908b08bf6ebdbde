// SPDX-License-Identifier: Apache-2.0
#include "ptx/shared_arrays.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "ptx/calls.hpp"

namespace swz {

namespace {

constexpr std::int64_t system_bytes = 1024;

// Functions of the driver or the compiler, which have no shared memory.
constexpr std::string_view known_functions[] = {"vprintf",      "malloc",      "free",
                                                "__assertfail", "__nv_malloc", "__nv_free"};

class ArrayCollector {
 public:
  explicit ArrayCollector(const PtxModule& module) : module_(module), is_named_(module.symbols.size()) {
    for (const PtxKernel& function : module.kernels)
      if (!function.is_entry) functions_[function.name] = &function;
  }

  void collect(const PtxKernel& entry) {
    open_.push_back(&entry);
    while (!open_.empty()) {
      const PtxKernel& kernel = *open_.back();
      open_.pop_back();
      for (const PtxOperand& operand : module_.operands_of(kernel))
        if (operand.kind == PtxOperandKind::symbol && module_.symbols[operand.id].space == PtxSpace::shared)
          is_named_[operand.id] = true;
      for (const PtxInstruction& instruction : kernel.instructions)
        if (instruction.is("call")) add_called(called_function(module_, instruction));
    }
  }

  SharedArrays arrays() const {
    SharedArrays arrays;
    arrays.is_complete = is_complete_;
    for (std::uint32_t id = 0; id < is_named_.size(); ++id)
      if (is_named_[id]) arrays.symbols.push_back(id);
    return arrays;
  }

 private:
  // An empty name may be any function of the text, or another function.
  void add_called(std::string_view name) {
    if (name.empty()) {
      is_complete_ = false;
      for (auto& [_, function] : functions_)
        if (function != nullptr) open_.push_back(std::exchange(function, nullptr));
    } else if (const auto called = functions_.find(name); called != functions_.end()) {
      if (called->second != nullptr) open_.push_back(std::exchange(called->second, nullptr));
    } else if (std::ranges::find(known_functions, name) == std::end(known_functions)) {
      is_complete_ = false;
    }
  }

  const PtxModule& module_;
  std::vector<const PtxKernel*> open_;
  std::unordered_map<std::string_view, const PtxKernel*> functions_;  // null: already collected
  std::vector<bool> is_named_;
  bool is_complete_ = true;
};

}  // namespace

bool SharedArrays::is_dynamic(const PtxModule& module, std::uint32_t symbol) const {
  return !module.symbols[symbol].bytes || (is_alone && symbols.size() == 1 && module.symbols[symbol].bytes->count == 1);
}

std::optional<std::uint64_t> SharedArrays::begin_of(const PtxModule& module, std::uint32_t symbol) const {
  if (!is_alone || !is_measured || std::ranges::find(symbols, symbol) == symbols.end()) return std::nullopt;
  const bool is_at_once =
      std::ranges::all_of(symbols, [&](std::uint32_t id) { return module.symbols[id].alignment <= system_bytes; });
  return is_at_once ? std::optional<std::uint64_t>(system_bytes) : std::nullopt;
}

SharedArrays shared_arrays(const PtxModule& module, const PtxKernel& kernel) {
  ArrayCollector collector(module);
  collector.collect(kernel);
  SharedArrays arrays = collector.arrays();
  const bool is_all_open =
      std::ranges::all_of(arrays.symbols, [&](std::uint32_t id) { return !module.symbols[id].bytes; });
  // The callers of a function may have other arrays.
  arrays.is_alone =
      kernel.is_entry && arrays.is_complete && !arrays.symbols.empty() && (arrays.symbols.size() == 1 || is_all_open);
  arrays.is_measured = kernel.target.starts_with("sm_90");
  return arrays;
}

}  // namespace swz
