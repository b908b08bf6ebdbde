// swz tma check: whether cuTensorMapEncodeTiled accepts the arguments, and every reason why not.
#include <fmt/format.h>

#include <memory>

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
  pasted.notes.push_back({"target", fmt::format("{} came with sm_100: judged for sm_100a", name),
                          fmt::format("--arch {}: why it is refused there", target.name)});
  return require_target("sm_100a");
}

TensorMapVerdict verdict_of(const Request& request, const CLI::App& app, const Common& common) {
  TensorMapVerdict verdict;
  bool has_address = app.count("--address") > 0;
  std::optional<int> code;
  if (app.count("--paste") > 0) {
    refuse_both(request);
    verdict.pasted = paste_of(request.paste, common);
    verdict.map = verdict.pasted->map;
    has_address = verdict.pasted->has_address;
    code = verdict.pasted->code;
  } else {
    verdict.map = tensor_map_of(request.arguments);
  }
  if (!request.code.empty()) code = require_cuda_result(request.code);
  verdict.target = verdict.pasted ? &target_of_paste(*verdict.pasted, common) : &target_of(common);
  verdict.violations = violations(verdict.map, *verdict.target);
  verdict.remarks = without_address(remarks(verdict.map, *verdict.target), has_address);
  if (code) verdict.result = explain_result(*code, verdict.map, verdict.violations.empty());
  return verdict;
}

Im2colVerdict im2col_verdict_of(const Request& request, const Common& common) {
  const Im2colMap map = im2col_map_of(request.im2col, request.arguments);
  const Target& target = target_of(common);
  Im2colVerdict verdict{map, &target, violations(map, target), remarks(map, target)};
  if (!request.code.empty())
    verdict.result = explain_result(require_cuda_result(request.code), map.tensor, verdict.violations.empty());
  return verdict;
}

template <class Verdict>
Outcome outcome_of(const Verdict& verdict) {
  return {view_verdict(verdict), verdict.violations.empty() ? 0 : 1, !verdict.remarks.empty()};
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
  return [request, &common, &app] {
    require_im2col(request->im2col);
    if (request->im2col.is_im2col && app.count("--paste") == 0)
      return outcome_of(im2col_verdict_of(*request, common));
    return outcome_of(verdict_of(*request, app, common));
  };
}

}  // namespace swz
