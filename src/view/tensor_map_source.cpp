#include "view/tensor_map_source.hpp"

#include <fmt/format.h>

namespace swz {

namespace {

template <std::size_t n>
std::string joined(const std::array<std::uint64_t, n>& values, int count, std::string_view between) {
  return fmt::format("{}", fmt::join(values.begin(), values.begin() + count, between));
}

// "bf16, dims 4096x8192, box 64x128, swizzle 128B"
std::string summary(const TensorMap& map) {
  return fmt::format("{}, dims {}, box {}, swizzle {}", short_name(map.data_type),
                     joined(map.dims, map.dim_count(), "x"), joined(map.box, map.dim_count(), "x"),
                     short_name(map.swizzle));
}

std::string head(const TensorMap& map, const TensorMapSourceText& text) {
  return fmt::format("// Tensor map: {}\n// {}\n//\n", summary(map), text.command);
}

int address_alignment(const TensorMap& map) {
  return map.interleave == TensorMapInterleave::bytes_32 || find_row(map.data_type)->is_padded() ? 32 : 16;
}

// Of rank 1 there is none, and an array cannot be empty: the driver reads rank - 1 entries.
std::string strides_line(const TensorMap& map) {
  if (map.rank == 1) return "  const cuuint64_t globalStrides[] = {0};  // rank 1 has none: not read\n";
  return fmt::format("  const cuuint64_t globalStrides[rank - 1] = {{{}}};  // B, of dimension 1 and later\n",
                     joined(map.strides, map.stride_count(), ", "));
}

}  // namespace

std::string cuda_source(const TensorMap& map, const TensorMapSourceText& text) {
  std::string out = head(map, text);
  out += fmt::format(
      "// Host code, linked with -lcuda. global_address: of device memory, a multiple of {} B.\n"
      "// A kernel takes the map as const __grid_constant__ CUtensorMap.\n"
      "#include <cuda.h>\n\n"
      "#include <cstdio>\n\n"
      "inline CUresult {}(CUtensorMap* tensor_map, void* global_address) {{\n"
      "  constexpr cuuint32_t rank = {};\n",
      address_alignment(map), text.name, map.rank);
  const auto add_array = [&](std::string_view type, std::string_view name, const std::array<std::uint64_t, 5>& all,
                             std::string_view comment) {
    out +=
        fmt::format("  const {} {}[rank] = {{{}}};{}\n", type, name, joined(all, map.dim_count(), ", "), comment);
  };
  add_array("cuuint64_t", "globalDim", map.dims, "  // elements, dimension 0 is the contiguous one");
  out += strides_line(map);
  add_array("cuuint32_t", "boxDim", map.box, "");
  add_array("cuuint32_t", "elementStrides", map.element_strides, "");
  out += "  const CUresult result = cuTensorMapEncodeTiled(\n      tensor_map, ";
  out += fmt::format("{}, rank, global_address, globalDim, globalStrides,\n      boxDim, elementStrides, {},\n",
                     driver_name(map.data_type), driver_name(map.interleave));
  out += fmt::format("      {}, {},\n      {});\n", driver_name(map.swizzle), driver_name(map.l2_promotion),
                     driver_name(map.oob_fill));
  out +=
      "  if (result == CUDA_ERROR_INVALID_VALUE)\n"
      "    std::fprintf(stderr, \"cuTensorMapEncodeTiled refuses these arguments; swz tma check says why\\n\");\n"
      "  else if (result != CUDA_SUCCESS)\n"
      "    std::fprintf(stderr, \"cuTensorMapEncodeTiled: error %d, which is no refusal: cuInit is missing, or an "
      "\"\n"
      "                 \"earlier kernel failed\\n\", static_cast<int>(result));\n"
      "  return result;\n}\n";
  return out;
}

std::string c_source(const TensorMap& map, const EncodedTensorMap& encoded, const TensorMapSourceText& text) {
  std::string out = head(map, text);
  out += fmt::format(
      "// The 16 little-endian words of a CUtensorMap as cuTensorMapEncodeTiled writes them ({}).\n"
      "// Word 0 is globalAddress, here {:#x}.\n"
      "#include <stdint.h>\n"
      "#ifndef __cplusplus\n"
      "#include <stdalign.h>\n"
      "#endif\n\n"
      "alignas(64) static const uint64_t {}[{}] = {{\n",
      tensor_map_source.where, map.global_address, text.name, tensor_map_words);
  for (std::size_t i = 0; i < encoded.words.size(); i += 2)
    out += fmt::format("    0x{:016x}, 0x{:016x},\n", encoded.words[i], encoded.words[i + 1]);
  return out + "};\n";
}

}  // namespace swz
