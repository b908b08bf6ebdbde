// swz tma check: whether cuTensorMapEncodeTiled accepts the arguments, and every reason why not.
#include "base/error.hpp"
#include "base/limits.hpp"
#include "files.hpp"
#include "tensor_map_request.hpp"
#include "tma/failure_text.hpp"
#include "tma/tensor_map_rules.hpp"
#include "view/tma.hpp"

namespace swz {
namespace {

struct Request {
  TensorMapRequest arguments;
  Im2colRequest im2col;
  std::optional<std::string> paste;  // a file, "-", or the block itself
  std::optional<int> code;
};

// The options that name an argument, as a block does, exclude the block.
Options options_of(Request& r) {
  Options options = tensor_map_options(r.arguments) + im2col_options(r.im2col);
  Words names;
  for (const Option& option : options) names.push_back(option.name());
  options.push_back(
      option("--paste", "FILE", r.paste,
             "read the block that a program printed when the call failed, from a file or standard input")
          .file()
          .or_standard_input()
          .excluding(std::move(names), "only --arch and --code can be combined with --paste"));
  options.push_back({"--code", "CODE", "code that the call returned: 715, or CUDA_ERROR_ILLEGAL_INSTRUCTION",
                     [&r](const std::string& text) { r.code = require_cuda_result(text); }});
  return options;
}

// A value of several lines is the block itself, as a batch line gives it.
PastedMap paste_of(const std::string& paste, const Context& context) {
  if (paste.find('\n') != std::string::npos) return parse_failure_text(paste);
  return parse_failure_text(read_text(paste, context,
                                      {limits::log_bytes.most, "the block that was printed",
                                       "a file with what was printed, or - for standard input"}));
}

// A type or a swizzle that came with sm_100 was printed on a GPU that knows it.
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
PastedMap given_map(const Request& r, const Context& context) {
  if (r.paste) return paste_of(*r.paste, context);
  PastedMap given;
  given.has_address = r.arguments.has_address;
  if (r.im2col.is_im2col) given.im2col = im2col_map_of(r.im2col, r.arguments);
  given.map = given.im2col ? given.im2col->tensor : tensor_map_of(r.arguments);
  return given;
}

template <class Verdict>
Answer answer_of(Verdict verdict, const Request& r, PastedMap given) {
  // Remarks on the address only where one was given.
  if (!given.has_address)
    std::erase_if(verdict.remarks, [](const auto& found) { return found.argument == "address"; });
  const std::optional<int> code = r.code ? r.code : given.code;
  if (code) verdict.result = explain_result(*code, given.map, verdict.violations.empty());
  if (r.paste) verdict.pasted = std::move(given);
  return {view_verdict(verdict), verdict.violations.empty() ? 0 : 1, !verdict.remarks.empty()};
}

Answer answer(const Request& r, const Context& context) {
  PastedMap given = given_map(r, context);
  const Target& target = r.paste ? target_of_paste(given, context) : context.target();
  if (const auto& map = given.im2col)
    return answer_of(Im2colVerdict{*map, &target, violations(*map, target), remarks(*map, target)}, r, given);
  const TensorMap& map = given.map;
  return answer_of(TensorMapVerdict{map, &target, violations(map, target), remarks(map, target)}, r, given);
}

}  // namespace

Command tma_check_command() {
  return {
      .name = "tma check",
      .summary = "whether a tensor map is accepted, and every reason why not; exit 1 when refused",
      .details = R"(Judges the arguments of cuTensorMapEncodeTiled as the driver does, and also
shows what the driver does not: every rule that is broken, the value and the
bound, whether NVIDIA documents the rule or the driver was seen to apply it, and
the nearest legal change. Values are names of the driver's enums, short names
(f16, u8), or the numbers that dumps print.

Arguments that the documents forbid and the driver accepts are remarks.

--paste takes the arguments from the block that CUTLASS, TileLang, FlashInfer,
TensorRT-LLM, ThunderKittens or DeepGEMM printed when the call failed, with the
log around it, from a file or from standard input. --code, or the code in the
block, tells whether the arguments made the call fail: only code 1 means that.

--im2col takes the arguments of cuTensorMapEncodeIm2col, with --wide those of
cuTensorMapEncodeIm2colWide, whose rules come from cuda.h and were not tested
against a driver.)",
      .examples =
          {{"swz tma check --dtype f16 --dims 128,2,4096 --strides 128,2 --box 64,2,1", "a stride that is refused"},
           {"swz tma check --dtype f32 --dims 4096,4096 --strides 16384 --box 256,230", "a box that is too large"},
           {"swz tma check --paste log.txt", "the block in a log"},
           {"kernel 2>&1 | swz tma check --paste", "the same from a pipe"},
           {"swz tma check --im2col --dims 64,56,56,8 --strides 128,7168,401408 --lower -1,-1 --upper -1,-1 "
            "--channels 64 --pixels 128",
            "the images of a 3x3 convolution"}},
      .prepare = [] { return prepare(options_of, answer); }};
}

}  // namespace swz
