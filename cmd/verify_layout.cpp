// swz verify layout TEXT: where the elements of any layout lie, asked of the GPU.
#include <memory>

#include "base/error.hpp"
#include "command.hpp"
#include "expr/evaluate.hpp"
#include "tile_options.hpp"
#include "verify_options.hpp"
#include "view/verify_one.hpp"

namespace swz {
namespace {

struct Request {
  std::string layout, dtype, major, base = "0x800";
  std::vector<std::string> accesses;
  HardwareOptions hardware;
};

LayoutOperand operand_of(const Request& request, const Target& target) {
  const ComposedLayout layout = parse_layout(request.layout);
  const bool is_16_bit = !layout.has_pointer() || layout.element_bits() == 16;
  const DType& dtype = require_dtype(!request.dtype.empty() ? request.dtype
                                     : is_16_bit            ? "f16"
                                                            : "u" + std::to_string(layout.element_bits()));
  const Bytes base = parse_base(request.base);
  std::optional<Major> major;
  if (!request.major.empty()) major = parse_major(request.major);
  return {.layout = layout,
          .target = &target,
          .dtype = &dtype,
          .major = Placement(layout, dtype.memory_bits, base, major).major(),
          .base = base};
}

std::vector<Access> accesses_of(const Request& request) {
  std::vector<Access> out;
  for (const std::string& text : request.accesses)
    for (const Access& access : parse_accesses(text)) out.push_back(access);
  return out;
}

std::vector<LayoutQuestion> questions_of(const Request& request, const Target& target) {
  const std::vector<Access> accesses = accesses_of(request);
  std::vector<LayoutQuestion> out =
      layout_questions(operand_of(request, target), accesses.empty() ? accesses_on(target) : accesses);
  for (const LayoutQuestion& question : out)
    if (!question.plans.empty()) return out;
  throw Error("the layout cannot be asked: " + out.back().reason, "swz place shows where its elements lie");
}

}  // namespace

Action define_verify_layout(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  app.add_option("LAYOUT", request->layout, "a layout of rank 2, (MN,K), in CuTe's notation")->required();
  app.add_option("--dtype", request->dtype, "element type (default: f16, or what the layout says)")
      ->type_name("TYPE");
  app.add_option("--major", request->major, "contiguous dimension, k or mn (default: the one that is)")
      ->type_name("k|mn");
  app.add_option("--base", request->base, "address of index 0 in shared memory (default: 0x800)")
      ->type_name("ADDRESS");
  app.add_option("--access", request->accesses, "these accesses besides TMA and wgmma: 'ld.shared.b32 columns'; …")
      ->type_name("ACCESS")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_hardware_options(app, request->hardware);
  return [request, &common] {
    std::vector<LayoutQuestion> questions;
    const Target* asked = nullptr;
    const SuiteFor suite = [&](const Target& target) {
      asked = &target;
      questions = questions_of(*request, target);
      std::vector<ProbePlan> plans;
      for (const LayoutQuestion& question : questions)
        plans.insert(plans.end(), question.plans.begin(), question.plans.end());
      return Suite{{"layout", std::move(plans)}};
    };
    // What cannot be read is said before the GPU is looked for.
    operand_of(*request, target_of(common));
    accesses_of(*request);
    if (std::optional<Outcome> outcome = without_hardware(suite, request->hardware, common)) return *outcome;
    const VerifyAnswer answer = ask_hardware(suite, request->hardware, common, true);
    return Outcome{view_verified_layout(operand_of(*request, *asked), questions, answer.report, answer.seen),
                   answer.report.is_confirmed() ? 0 : 1};
  };
}

}  // namespace swz
