// swz tma encode: the 128 bytes of a tensor map, as the driver writes them; source code that has or makes them.
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "emit_source.hpp"
#include "im2col_options.hpp"
#include "tensor_map_options.hpp"
#include "tile_options.hpp"
#include "tma/tensor_map_rules.hpp"
#include "view/tensor_map.hpp"
#include "view/tensor_map_source.hpp"

namespace swz {
namespace {

struct Request {
  TensorMapOptions map;
  std::string emit;  // "c", "cuda" or empty
};

// "f32_ftz_64x64_tensor_map"
std::string source_name(const TensorMap& map) {
  std::string name = short_name(map.data_type) + '_';
  for (int i = 0; i < map.rank; ++i)
    name += fmt::format("{}{}", i == 0 ? "" : "x", map.dims[static_cast<std::size_t>(i)]);
  for (char& c : name) c = c == '.' ? '_' : c;
  return name + "_tensor_map";
}

// The call takes the address as a parameter.
std::string source_of(const TensorMap& map, const Target& target, const std::string& emit) {
  const bool is_call = emit == "cuda";
  const TensorMapSourceText text{
      source_name(map), fmt::format("swz tma encode --arch {} {}{} --emit {}", target.name, option_line(map),
                                    is_call ? "" : fmt::format(" --address {:#x}", map.global_address), emit)};
  return is_call ? cuda_source(map, text) : c_source(map, encode(map), text);
}

}  // namespace

Action define_tma_encode(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  add_tensor_map_options(app, request->map);
  add_im2col_refusal(app);
  app.add_option("--emit", request->emit,
                 "print source code: the words as an array (c), or the call with its arrays (cuda)")
      ->check(CLI::IsMember(std::vector<std::string>{"c", "cuda"}));
  return [request, &common] {
    require_source_format(request->emit, common);
    const TensorMap map = tensor_map_of(request->map);
    const Target& target = target_of(common);
    require_accepted(map, target);
    if (request->emit.empty()) return Outcome{view_encoded(map, encode(map), "")};
    const std::string source = source_of(map, target, request->emit);
    // The call exists too where the codes of the 128 bytes are not known.
    if (common.format != "json") return Outcome{source_alone(source)};
    return Outcome{view_encoded(map, encode(map), source)};
  };
}

}  // namespace swz
