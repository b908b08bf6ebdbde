// swz tma encode: the 128 bytes of a tensor map, as the driver writes them; source code that has or makes them.
#include "base/error.hpp"
#include "tensor_map_request.hpp"
#include "tma/tensor_map_rules.hpp"
#include "view/source.hpp"
#include "view/tma.hpp"

namespace swz {
namespace {

enum class Language { c, cuda };

struct Request {
  TensorMapRequest map;
  std::optional<Language> emit;
};

Options options_of(Request& r) {
  return tensor_map_options(r.map) +
         Options{
             im2col_refusal(),
             one_of<Language>("--emit", "LANGUAGE", r.emit, {{"c", Language::c}, {"cuda", Language::cuda}},
                              "print source code: the words as an array (c), or the call with its arrays (cuda)")};
}

// "f32_ftz_64x64_tensor_map"
std::string source_name(const TensorMap& map) {
  std::string name = short_name(map.data_type) + '_';
  for (int i = 0; i < map.rank; ++i)
    name += fmt::format("{}{}", i == 0 ? "" : "x", map.dims[static_cast<std::size_t>(i)]);
  for (char& c : name) c = c == '.' ? '_' : c;
  return name + "_tensor_map";
}

// The call takes the address as a parameter.
std::string source_of(const TensorMap& map, const Target& target, Language language) {
  const bool is_call = language == Language::cuda;
  const SourceText text{
      source_name(map),
      fmt::format("swz tma encode --arch {} {}{} --emit {}", target.name, option_line(map),
                  is_call ? "" : fmt::format(" --address {:#x}", map.global_address), is_call ? "cuda" : "c")};
  return is_call ? cuda_source(map, text) : c_source(map, encode(map), text);
}

// The call exists too where the codes of the 128 bytes are not known.
std::optional<EncodedTensorMap> encoded(const TensorMap& map, bool is_call) {
  try {
    return encode(map);
  } catch (const Error&) {
    if (is_call) return std::nullopt;
    throw;
  }
}

Answer answer(const Request& r, const Context& context) {
  const TensorMap map = tensor_map_of(r.map);
  require_accepted(map, context.target());
  const std::string source = r.emit ? source_of(map, context.target(), *r.emit) : "";
  return {view_encoded(map, encoded(map, r.emit == Language::cuda), source)};
}

}  // namespace

Command tma_encode_command() {
  return {.name = "tma encode",
          .summary = "the 128 bytes of a tensor map, as the driver writes them",
          .details = R"(Takes the arguments of cuTensorMapEncodeTiled and prints the words that the
driver puts into the CUtensorMap. Arguments that the driver refuses are an
error.

--emit c prints the words as an array. --emit cuda prints a host function that
calls cuTensorMapEncodeTiled with these arguments; its parameter is the address.)",
          .examples = {{"swz tma encode --dtype bf16 --dims 4096,8192 --strides 8192 --box 64,128 --swizzle 128B",
                        "a GEMM operand"},
                       {"swz tma encode --dtype f16 --dims 64,16,32 --strides 4096,128 --box 64,16,1 --emit cuda",
                        "the call, to paste"}},
          .prepare = [] { return prepare(options_of, answer); }};
}

}  // namespace swz
