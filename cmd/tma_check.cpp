// swz tma check: whether cuTensorMapEncodeTiled accepts the arguments, and every reason why not.
#include <fmt/format.h>

#include <memory>
#include <variant>

#include "base/error.hpp"
#include "command.hpp"
#include "im2col_options.hpp"
#include "input.hpp"
#include "tensor_map_options.hpp"
#include "tile_options.hpp"
#include "tma/encode_result.hpp"
#include "tma/failure_text.hpp"
#include "view/tensor_map.hpp"

namespace swz {
namespace {

constexpr std::size_t largest_log_bytes = 16 << 20;

struct Request {
  TensorMapOptions arguments;
  Im2colOptions im2col;
  std::vector<const CLI::Option*> argument_options;  // that name an argument, as a block does
  std::string paste, code;
};

// Nobody asked about the address who gave none.
std::vector<TensorMapViolation> without_address(std::vector<TensorMapViolation> remarks, bool has_address) {
  if (!has_address) std::erase_if(remarks, [](const TensorMapViolation& r) { return r.argument == "address"; });
  return remarks;
}

// A value of several lines is the block itself, as a batch line gives it.
PastedMap paste_of(const std::string& paste, const Common& common) {
  if (paste.find('\n') != std::string::npos) return parse_failure_text(paste);
  return parse_failure_text(read_text(
      paste, common,
      {largest_log_bytes, "the block that was printed", "a file with what was printed, or - for standard input"}));
}

void refuse_both(const Request& request) {
  for (const CLI::Option* option : request.argument_options)
    if (option->count() > 0)
      throw Error(fmt::format("{} and --paste exclude each other: the block has all arguments", option->get_name()),
                  "beside --paste stand --arch and --code", {}, ErrorKind::usage);
}

// Who pastes a type or a swizzle that came with sm_100 has a GPU that knows it.
const Target& target_of_paste(PastedMap& pasted, const Common& common) {
  const Target& target = target_of(common);
  const TensorMapDataTypeRow* type = find_row(pasted.map.data_type);
  const TensorMapSwizzleRow* swizzle = find_row(pasted.map.swizzle);
  const bool is_new_type = type != nullptr && !type->is_on_sm_90;
  const bool is_new_swizzle = swizzle != nullptr && !swizzle->is_on_sm_90;
  if (!common.arch.empty() || (!is_new_type && !is_new_swizzle)) return target;
  const std::string_view name = is_new_type ? type->name : swizzle->name;
  pasted.notes.push_back(note("target", fmt::format("{} came with sm_100: judged for sm_100a", name),
                              fmt::format("--arch {}: why it is refused there", target.name)));
  return require_target("sm_100a");
}

// The arguments, from options or from a block, and what is known of the call.
struct Question {
  std::variant<TensorMap, Im2colMap> map;
  const Target* target = nullptr;
  bool has_address = false;
  std::optional<PastedMap> pasted = {};
  std::optional<int> code = {};
};

Question question_of(const Request& request, const CLI::App& app, const Common& common) {
  Question question;
  if (app.count("--paste") > 0) {
    refuse_both(request);
    PastedMap pasted = paste_of(request.paste, common);
    if (pasted.im2col) question.map = *pasted.im2col;
    else question.map = pasted.map;
    question.target = &target_of_paste(pasted, common);
    question.has_address = pasted.has_address;
    question.code = pasted.code;
    question.pasted = std::move(pasted);
  } else {
    require_im2col(request.im2col);
    if (request.im2col.is_im2col) question.map = im2col_map_of(request.im2col, request.arguments);
    else question.map = tensor_map_of(request.arguments);
    question.target = &target_of(common);
    question.has_address = app.count("--address") > 0;
  }
  if (!request.code.empty()) question.code = require_cuda_result(request.code);
  return question;
}

template <class Verdict>
Outcome answer(Verdict verdict, const TensorMap& map, const Question& question) {
  verdict.pasted = question.pasted;
  if (question.code) verdict.result = explain_result(*question.code, map, verdict.violations.empty());
  return {view_verdict(verdict), verdict.violations.empty() ? 0 : 1, !verdict.remarks.empty()};
}

Outcome answer(const Question& question) {
  const Target& target = *question.target;
  if (const auto* im2col = std::get_if<Im2colMap>(&question.map))
    return answer(Im2colVerdict{*im2col, &target, violations(*im2col, target), remarks(*im2col, target)},
                  im2col->tensor, question);
  const auto& map = std::get<TensorMap>(question.map);
  return answer(TensorMapVerdict{map, &target, violations(map, target),
                                 without_address(remarks(map, target), question.has_address)},
                map, question);
}

}  // namespace

Action define_tma_check(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  const std::size_t common_options = app.get_options().size();
  add_tensor_map_options(app, request->arguments);
  add_im2col_options(app, request->im2col);
  const std::vector<CLI::Option*> options = app.get_options();
  request->argument_options.assign(options.begin() + static_cast<std::ptrdiff_t>(common_options), options.end());
  app.add_option("--paste", request->paste,
                 "take the block that a program printed when the call failed, from a file or standard input")
      ->type_name("FILE")
      ->expected(0, 1);
  app.add_option("--code", request->code, "what the call returned: 715, or CUDA_ERROR_ILLEGAL_INSTRUCTION")
      ->type_name("CODE");
  return [request, &common, &app] { return answer(question_of(*request, app, common)); };
}

}  // namespace swz
