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

std::uint64_t rounded_up(std::uint64_t value, std::int64_t alignment) {
  const auto step = static_cast<std::uint64_t>(alignment);
  return (value + step - 1) / step * step;
}

// The largest alignment of the module's dynamic arrays: to it ptxas rounds the end of the others.
std::int64_t dynamic_alignment(const PtxModule& module) {
  std::int64_t most = 1;
  for (const PtxSymbol& symbol : module.symbols)
    if (symbol.space == PtxSpace::shared && !symbol.bytes) most = std::max(most, symbol.alignment);
  return most;
}

// By name; else one array of known size is the first, and the dynamic ones begin behind it. The order of several is
// ptxas's own, but their end is known.
std::unordered_map<std::uint32_t, std::uint64_t> places_of(const PtxModule& module, const SharedArrays& arrays,
                                                           const PlacedShared& placed) {
  std::unordered_map<std::uint32_t, std::uint64_t> places;
  std::vector<std::uint32_t> sized;
  bool is_usual = arrays.is_complete;
  for (const std::uint32_t id : arrays.symbols) {
    const PtxSymbol& symbol = module.symbols[id];
    if (symbol.bytes) sized.push_back(id);
    is_usual = is_usual && symbol.alignment > 0 && symbol.alignment <= system_bytes;
    if (const auto named = placed.arrays.find(std::string(symbol.name)); named != placed.arrays.end())
      places[id] = named->second;
  }
  // With names ptxas has another order, in which a kernel has room for the arrays of others.
  if (!placed.arrays.empty() || !is_usual) return places;
  std::uint64_t end = placed.end;
  const std::int64_t rounded_to = dynamic_alignment(module);
  if (sized.size() < 2) {
    end = placed.begin + (sized.empty() ? 0 : static_cast<std::uint64_t>(module.symbols[sized[0]].bytes->count));
    // An array that only dead code names is not there.
    if (placed.end != end && placed.end != rounded_up(end, rounded_to)) return places;
    if (sized.size() == 1) places[sized[0]] = placed.begin;
  }
  for (const std::uint32_t id : arrays.symbols) {
    const PtxSymbol& symbol = module.symbols[id];
    if (!symbol.bytes && (sized.size() < 2 || symbol.alignment == rounded_to))
      places[id] = rounded_up(end, symbol.alignment);
  }
  return places;
}

}  // namespace

bool SharedArrays::is_dynamic(const PtxModule& module, std::uint32_t symbol) const {
  return !module.symbols[symbol].bytes || (is_alone && symbols.size() == 1 && module.symbols[symbol].bytes->count == 1);
}

std::optional<std::uint64_t> SharedArrays::begin_of(const PtxModule& module, std::uint32_t symbol) const {
  if (const auto begin = begins.find(symbol); begin != begins.end()) return begin->second;
  if (!is_alone || !is_measured || std::ranges::find(symbols, symbol) == symbols.end()) return std::nullopt;
  const bool is_at_once =
      std::ranges::all_of(symbols, [&](std::uint32_t id) { return module.symbols[id].alignment <= system_bytes; });
  return is_at_once ? std::optional<std::uint64_t>(system_bytes) : std::nullopt;
}

SharedArrays shared_arrays(const PtxModule& module, const PtxKernel& kernel,
                           const std::optional<PlacedShared>& placed) {
  ArrayCollector collector(module);
  collector.collect(kernel);
  SharedArrays arrays = collector.arrays();
  const bool is_all_open =
      std::ranges::all_of(arrays.symbols, [&](std::uint32_t id) { return !module.symbols[id].bytes; });
  // The callers of a function may have other arrays.
  arrays.is_alone =
      kernel.is_entry && arrays.is_complete && !arrays.symbols.empty() && (arrays.symbols.size() == 1 || is_all_open);
  arrays.is_measured = kernel.target.starts_with("sm_90");
  if (placed && kernel.is_entry) arrays.begins = places_of(module, arrays, *placed);
  return arrays;
}

}  // namespace swz
