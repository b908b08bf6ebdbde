// SPDX-License-Identifier: Apache-2.0
// swz tma check, swz tma encode: whether cuTensorMapEncodeTiled accepts the arguments, with every reason if not; the
// 128 bytes of a tensor map, as the driver writes them, and source code that contains or makes them.
#include <type_traits>

#include "files.hpp"
#include "source/source.hpp"
#include "tensor_map_request.hpp"
#include "tma/encode_call.hpp"
#include "tma/failure_text.hpp"
#include "tma/im2col_bits.hpp"
#include "tma/tensor_map.hpp"
#include "tma/tensor_map_rules.hpp"
#include "view/tma/tma.hpp"
#include "view/tmem/tmem.hpp"

namespace swz {
namespace {

// --- check

struct CheckRequest {
  TensorMapRequest arguments;
  Im2colRequest im2col;
  std::optional<std::string> paste;  // a file, "-", or the block itself
  std::optional<int> code;
};

// The options that name an argument exclude a block, which names them too.
Options check_options(CheckRequest& r) {
  Options options = tensor_map_options(r.arguments) + im2col_options(r.im2col);
  Words names;
  for (const Option& option : options) names.push_back(option.name());
  options.push_back(option("--paste", "FILE", r.paste,
                           "read the block that a program printed when the call failed, from a file or standard input")
                        .file()
                        .or_standard_input()
                        .excluding(std::move(names), "only --arch and --code can be combined with --paste"));
  options.push_back(option("--code", "CODE", r.code,
                           "code that the call returned: 715, or CUDA_ERROR_ILLEGAL_INSTRUCTION", require_cuda_result));
  return options;
}

// The 128 bytes of a map, as a debugger prints them.
template <class Decoded>
PastedMap decoded_paste(const Decoded& decoded) {
  if (!decoded.map)
    throw Error(fmt::format("these 128 bytes are not a tensor map: {}", decoded.problems.front().message),
                "swz decode shows what they contain");
  PastedMap pasted;
  if constexpr (std::is_same_v<Decoded, DecodedIm2colMap>) {
    pasted.im2col = *decoded.map;
    pasted.map = decoded.map->tensor;
  } else {
    pasted.map = *decoded.map;
  }
  pasted.program = "128 bytes";
  for (const TensorMapProblem& problem : decoded.problems)
    pasted.notes.push_back(note("tensor-map-bytes", problem.message, "swz decode shows where it is"));
  return pasted;
}

PastedMap decoded_paste(std::string_view text) {
  const EncodedTensorMap encoded = parse_tensor_map(text);
  return is_im2col(encoded) ? decoded_paste(decode_im2col(encoded)) : decoded_paste(decode(encoded));
}

PastedMap read_paste(std::string_view text) {
  if (holds_encode_call(text)) return parse_encode_call(text);
  return is_for_tensor_map(text) ? decoded_paste(text) : parse_failure_text(text);
}

// A value of several lines, or with a call, is the block itself, as in a batch line.
PastedMap paste_of(const std::string& paste, const Context& context) {
  if (paste.find('\n') != std::string::npos || holds_encode_call(paste) || is_for_tensor_map(paste))
    return read_paste(paste);
  return read_paste(read_text(paste, context,
                              {limits::log_bytes.most, "the block that was printed, or the call in source code",
                               "a file with what was printed, or - for standard input"}));
}

// A type or a swizzle that is new in sm_100 was printed on a GPU that knows it.
const Target& target_of_paste(PastedMap& pasted, const Context& context) {
  const Target& target = context.target();
  const TensorMapDataTypeRow* type = find_row(pasted.map.data_type);
  const TensorMapSwizzleRow* swizzle = find_row(pasted.map.swizzle);
  const bool is_new_type = type != nullptr && !type->is_on_sm_90;
  const bool is_new_swizzle = swizzle != nullptr && !swizzle->is_on_sm_90;
  if (context.arch != nullptr || (!is_new_type && !is_new_swizzle)) return target;
  const std::string_view name = is_new_type ? type->name : swizzle->name;
  pasted.notes.push_back(note("target", fmt::format("{} exists from sm_100 on: checked for sm_100a", name),
                              fmt::format("--arch {} shows why it is refused there", target.name)));
  return sm_100a();
}

// The arguments, from a block or from options.
PastedMap given_map(const CheckRequest& r, const Context& context) {
  if (r.paste) return paste_of(*r.paste, context);
  PastedMap given;
  given.has_address = r.arguments.has_address;
  if (r.im2col.is_im2col) given.im2col = im2col_map_of(r.im2col, r.arguments);
  given.map = given.im2col ? given.im2col->tensor : tensor_map_of(r.arguments);
  return given;
}

template <class Verdict>
Answer answer_of(Verdict verdict, const CheckRequest& r, const PastedMap& given) {
  // Remarks on the address only if one was given.
  if (!given.has_address) std::erase_if(verdict.remarks, [](const auto& found) { return found.argument == "address"; });
  const std::optional<int> code = r.code ? r.code : given.code;
  if (code) verdict.result = explain_result(*code, given.map, verdict.violations.empty());
  if (r.paste) verdict.pasted = given;
  Document d = view_verdict(verdict);
  const TensorMapDataTypeRow* type = find_row(given.map.data_type);
  if (type != nullptr && type->is_padded()) d.json("open", open_json({"padded-swizzle"}));
  return {std::move(d), verdict.violations.empty() ? 0 : 1, !verdict.remarks.empty()};
}

Answer check_answer(const CheckRequest& r, const Context& context) {
  PastedMap given = given_map(r, context);
  const Target& target = r.paste ? target_of_paste(given, context) : context.target();
  if (const auto& map = given.im2col)
    return answer_of(Im2colVerdict{*map, &target, violations(*map, target), remarks(*map, target)}, r, given);
  const TensorMap& map = given.map;
  return answer_of(TensorMapVerdict{map, &target, violations(map, target), remarks(map, target)}, r, given);
}

// --- encode

enum class Language { c, cuda };

struct EncodeRequest {
  TensorMapRequest map;
  Im2colRequest im2col;
  std::optional<std::string> paste;  // as in check
  std::optional<Language> emit;
};

Options encode_options(EncodeRequest& r) {
  Options options = tensor_map_options(r.map) + im2col_options(r.im2col);
  Words names;
  for (const Option& row : options)
    if (row.name() != "--address") names.push_back(row.name());
  return std::move(options) +
         Options{
             option("--paste", "FILE", r.paste,
                    "read the call in source code, or the block that a program printed, from a file or standard input")
                 .file()
                 .or_standard_input()
                 .excluding(std::move(names), "only --arch, --address and --emit can be combined with --paste"),
             one_of<Language>("--emit", "LANGUAGE", r.emit, {{"c", Language::c}, {"cuda", Language::cuda}},
                              "print source code: the words as an array (c), or the call with its arrays (cuda)")};
}

// "f32_ftz_64x64_tensor_map"
std::string source_name(const TensorMap& map, std::string_view kind) {
  std::string name = short_name(map.data_type) + '_';
  for (int i = 0; i < map.rank; ++i)
    name += fmt::format("{}{}", i == 0 ? "" : "x", map.dims[static_cast<std::size_t>(i)]);
  for (char& c : name) c = c == '.' ? '_' : c;
  return fmt::format("{}_{}", name, kind);
}

const TensorMap& tensor_of_map(const TensorMap& map) { return map; }
const TensorMap& tensor_of_map(const Im2colMap& map) { return map.tensor; }
EncodedTensorMap encoded_words(const TensorMap& map) { return encode(map); }
EncodedTensorMap encoded_words(const Im2colMap& map) { return encode_im2col(map); }

// The call has the address as a parameter.
template <class Map>
std::string source_of(const Map& map, const Target& target, Language language) {
  const bool is_call = language == Language::cuda;
  const TensorMap& tensor = tensor_of_map(map);
  const SourceText text{
      source_name(tensor, std::is_same_v<Map, Im2colMap> ? "im2col_map" : "tensor_map"),
      fmt::format("swz tma encode --arch {} {}{} --emit {}", target.name, option_line(map),
                  is_call ? "" : fmt::format(" --address {:#x}", tensor.global_address), is_call ? "cuda" : "c")};
  return is_call ? cuda_source(map, text) : c_source(map, encoded_words(map), text);
}

// The call is also possible if the codes of the 128 bytes are not known.
std::optional<EncodedTensorMap> encoded(const TensorMap& map, bool is_call) {
  try {
    return encode(map);
  } catch (const Error&) {
    if (is_call) return std::nullopt;
    throw;
  }
}

// The arguments, from a block or from options.
PastedMap map_to_encode(const EncodeRequest& r, const Context& context) {
  if (r.paste) {
    PastedMap pasted = paste_of(*r.paste, context);
    if (!r.map.has_address) return pasted;
    pasted.map.global_address = r.map.map.global_address;
    if (pasted.im2col) pasted.im2col->tensor.global_address = r.map.map.global_address;
    return pasted;
  }
  PastedMap given;
  if (r.im2col.is_im2col) given.im2col = im2col_map_of(r.im2col, r.map);
  else given.map = tensor_map_of(r.map);
  return given;
}

Answer encode_answer(const EncodeRequest& r, const Context& context) {
  const PastedMap given = map_to_encode(r, context);
  const auto source = [&](const auto& map) { return r.emit ? source_of(map, context.target(), *r.emit) : ""; };
  if (given.im2col) {
    const Im2colMap& map = *given.im2col;
    if (map.wide) encode_im2col(map);  // throws: its bytes are not known, whatever the arguments
    require_accepted(map, context.target());
    const EncodedTensorMap words = encode_im2col(map);
    return {view_encoded(map, words, source(map))};
  }
  require_accepted(given.map, context.target());
  return {view_encoded(given.map, encoded(given.map, r.emit == Language::cuda), source(given.map))};
}

}  // namespace

Commands tma_map_commands() {
  return {
      {.name = "tma check",
       .summary = "whether a tensor map is accepted, and every reason why not; exit 1 when refused",
       .details = R"(Judges the arguments of cuTensorMapEncodeTiled as the driver does, and also
shows what the driver does not: every rule that is broken, the value and the
bound, whether NVIDIA documents the rule or the driver was seen to apply it, and
the nearest legal change. Values are names of the driver's enums, short names
(f16, u8), or the numbers that dumps print.

Arguments that the documents forbid and the driver accepts are remarks.

--paste takes the arguments from the block that CUTLASS, TileLang, FlashInfer,
TensorRT-LLM, ThunderKittens or DeepGEMM printed when the call failed, with the
log around it, from a file or from standard input; or from the call in source
code, with the arrays and constants above it; or the map itself, as swz decode
takes it. --code, or the code in the block, shows whether the arguments made the
call fail: only code 1 means that.

--im2col takes the arguments of cuTensorMapEncodeIm2col, with --wide those of
cuTensorMapEncodeIm2colWide, whose rules come from cuda.h and were not tested
against a driver.)",
       .examples = {{"swz tma check --dtype f16 --dims 128,2,4096 --strides 128,2 --box 64,2,1",
                     "a stride that is refused"},
                    {"swz tma check --dtype bf16 --dims 4096,8192 --strides 8192 --box 64,128 --swizzle 128B",
                     "a map that is accepted"},
                    {"swz tma check --dtype f32 --dims 4096,4096 --strides 16384 --box 256,230",
                     "a box that is too large"},
                    {"swz tma check --paste log.txt", "the block in a log"},
                    {"kernel 2>&1 | swz tma check --paste", "the same from a pipe"},
                    {"swz tma check --im2col --dims 64,56,56,8 --strides 128,7168,401408 --lower -1,-1 --upper -1,-1 "
                     "--channels 64 --pixels 128",
                     "the images of a 3x3 convolution"}},
       .next = {{"What are its 128 bytes?",
                 "tma encode "
                 "{--dtype,--dims,--strides,--box,--element-strides,--interleave,--swizzle,--l2,--oob,--address}"},
                {"Where does its box land?",
                 "tma place "
                 "{--dtype,--dims,--strides,--box,--element-strides,--interleave,--swizzle,--l2,--oob,--address}"},
                {"Which boxes does a tile need?",
                 "tma plan --dtype {dtype} --tile {box.1}x{box.0} --swizzle {swizzle}"},
                {"Which boxes does a tile need?", "tma plan --dtype {dtype} --tile 128x{box.0} --swizzle {swizzle}"},
                {"Which boxes does a tile need?", "tma plan --dtype {dtype} --tile 128x{dims.0} --swizzle {swizzle}"}},
       .prepare = [] { return prepare(check_options, check_answer); }},
      {.name = "tma encode",
       .summary = "the 128 bytes of a tensor map, as the driver writes them",
       .details = R"(Takes the arguments of cuTensorMapEncodeTiled and prints the words that the
driver puts into the CUtensorMap. Arguments that the driver refuses are an
error. --im2col takes those of cuTensorMapEncodeIm2col; the words of
cuTensorMapEncodeIm2colWide are not known.

--emit c prints the words as an array. --emit cuda prints a host function that
makes the call with these arguments; its parameter is the address.)",
       .examples = {{"swz tma encode --dtype bf16 --dims 4096,8192 --strides 8192 --box 64,128 --swizzle 128B",
                     "a GEMM operand"},
                    {"swz tma encode --dtype f16 --dims 64,16,32 --strides 4096,128 --box 64,16,1 --emit cuda",
                     "the call, to paste"},
                    {"swz tma encode --im2col --dims 64,56,56,8 --strides 128,7168,401408 --lower -1,-1 --upper -1,-1 "
                     "--channels 64 --pixels 128 --swizzle 128B",
                     "the images of a 3x3 convolution"}},
       .next = {{"Which boxes does a tile need?",
                 "tma plan --dtype {dtype} --tile {box.1}x{box.0} --swizzle {swizzle}"},
                {"Where does its box land?",
                 "tma place "
                 "{--dtype,--dims,--strides,--box,--element-strides,--interleave,--swizzle,--l2,--oob,--address}"},
                {"Is it accepted?",
                 "tma check "
                 "{--dtype,--dims,--strides,--box,--element-strides,--interleave,--swizzle,--l2,--oob,--address}"},
                {"What do its bytes say?", "decode {tensor_map}"}},
       .prepare = [] { return prepare(encode_options, encode_answer); }}};
}

}  // namespace swz
