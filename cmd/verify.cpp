// swz verify: ask the hardware.
#include "view/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/split.hpp"
#include "command.hpp"
#include "verify_options.hpp"

namespace swz {
namespace {

struct Request {
  bool quick = false, all = false;
  std::string only;
  std::int64_t cases = 0;
  HardwareOptions hardware;
};

SuiteOptions suite_options(const Request& request) {
  SuiteOptions options;
  options.size = request.quick ? SuiteSize::quick : request.all ? SuiteSize::all : SuiteSize::standard;
  if (!request.only.empty()) options.only = split(request.only, ',');
  options.seed = request.hardware.seed;
  options.cases = request.cases;
  return options;
}

// A recording has its own plans; --only leaves some of them.
void keep_only(VerifyReport& report, const std::string& only) {
  if (only.empty()) return;
  const std::vector<std::string> names = split(only, ',');
  std::erase_if(report.parts,
                [&](const PartReport& part) { return std::ranges::find(names, part.probe) == names.end(); });
  if (report.parts.empty()) throw Error(fmt::format("the recording holds no {}", only));
}

Action define_suite(CLI::App& app, const Common& common, const std::shared_ptr<Request>& request) {
  CLI::Option* quick = app.add_flag("--quick", request->quick, "a tenth of the cases: a few seconds");
  app.add_flag("--all", request->all, "ten times the cases")->excludes(quick);
  app.add_option("--seed", request->hardware.seed, "draws other cases (default: 1)")->type_name("N");
  app.add_option("--cases", request->cases, "number of cases per probe; of layout, number of layouts")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000}));
  add_hardware_options(app, request->hardware);
  return [request, &common] {
    if (request->only == "list") return Outcome{view_probes()};
    const SuiteFor suite = [&](const Target& target) { return make_suite(suite_options(*request), target); };
    if (std::optional<Outcome> outcome = without_hardware(suite, request->hardware, common)) return *outcome;
    const bool is_replayed = !request->hardware.replay.empty();
    VerifyReport report = ask_hardware(is_replayed ? SuiteFor() : suite, request->hardware, common).report;
    if (is_replayed) keep_only(report, request->only);
    return Outcome{view_verify(report), report.is_confirmed() ? 0 : 1};
  };
}

}  // namespace

Action define_verify(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  app.add_option("--only", request->only, "these probes, with commas between: wgmma,tma; list names them")
      ->type_name("PROBES");
  return define_suite(app, common, request);
}

Action define_verify_tma(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  request->only = "tma,tensor-map";
  return define_suite(app, common, request);
}

}  // namespace swz
