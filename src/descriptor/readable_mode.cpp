#include "descriptor/readable_mode.hpp"

#include <array>

namespace swz {
namespace {

Layout transposed(const Layout& layout) { return make_layout(std::array{mode(layout, 1), mode(layout, 0)}); }

}  // namespace

const DType* readable_dtype(int element_bits) {
  switch (element_bits) {
    case 4: return &require_dtype("e2m1");
    case 8: return &require_dtype("e4m3");
    case 16: return &require_dtype("bf16");
    case 32: return &require_dtype("tf32");
    default: return nullptr;
  }
}

std::vector<ReadableMode> readable_modes(const ComposedLayout& layout, const DType& dtype) {
  std::vector<ReadableMode> found;
  const std::int64_t most = require_target("sm_90a").max_smem_per_cta.count * 8 / dtype.memory_bits;
  if (rank(layout.layout()) != 2 || layout.size() > most || layout.offset() != 0) return found;
  for (const bool is_transposed : {false, true}) {
    const ComposedLayout operand = is_transposed ? layout.with(transposed(layout.layout())) : layout;
    for (const Major major : {Major::K, Major::MN}) {
      for (const char* name : {"sm_90a", "sm_100a"}) {
        const Target& target = require_target(name);
        const LayoutOperand asked{
            .layout = operand, .target = &target, .dtype = &dtype, .major = major, .role = OperandRole::b};
        LayoutDescriptors words = layout_descriptors(asked);
        if (!words.descriptors) continue;
        found.push_back({words.mode, &target, major, is_transposed, std::move(*words.descriptors)});
        break;
      }
    }
  }
  return found;
}

}  // namespace swz
