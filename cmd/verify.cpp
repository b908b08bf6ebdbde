// swz verify: ask the hardware.
#include "view/verify.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>

#include "base/error.hpp"
#include "base/split.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "output.hpp"
#include "probe/cuda/cuda_device.hpp"
#include "probe/cuda/kernels.hpp"
#include "tile_options.hpp"
#include "verify_options.hpp"

namespace swz {
namespace {

struct Request {
  bool quick = false, all = false;
  std::string only, record, replay, planted;
  std::uint64_t seed = 1;
  std::int64_t cases = 0;
  HardwareOptions hardware;
};

double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

SuiteOptions suite_options(const Request& request) {
  SuiteOptions options;
  options.size = request.quick ? SuiteSize::quick : request.all ? SuiteSize::all : SuiteSize::standard;
  if (!request.only.empty()) options.only = split(request.only, ',');
  options.seed = request.seed;
  options.cases = request.cases;
  return options;
}

// Writes what was seen as it comes; the file appears when all of it is there.
class Recorder {
 public:
  explicit Recorder(const std::string& path) {
    if (!path.empty()) out_ = std::make_unique<Output>(path, stdout);
  }
  void begin(const DeviceIdentity& device, std::uint64_t seed) {
    if (out_) out_->write(recording_head(device, seed));
  }
  void add(const ProbePlan& plan, const Observed& seen, bool is_confirmed) {
    constexpr std::int64_t every = 2000;
    if (out_) out_->write(recording_line(plan, seen, !is_confirmed || count_++ % every == 0));
  }
  void end() {
    if (out_) out_->commit();
  }

 private:
  std::unique_ptr<Output> out_;
  std::int64_t count_ = 0;
};

std::size_t plans_of(const Suite& suite) {
  std::size_t count = 0;
  for (const SuitePart& part : suite) count += part.plans.size();
  return count;
}

VerifyReport ask(const Suite& suite, Observer& observer, const Request& request, const Common& common) {
  Recorder recorder(request.record);
  recorder.begin(observer.identity(), request.seed);
  VerifyReport report;
  report.device = observer.identity();
  report.seed = request.seed;
  if (!request.planted.empty()) report.planted = require_hypothesis(request.planted);
  const std::size_t all = plans_of(suite);
  std::size_t before = 0;
  std::string current;
  SuiteCallbacks callbacks;
  callbacks.record = [&](const ProbePlan& plan, const Observed& seen, bool is_confirmed) {
    recorder.add(plan, seen, is_confirmed);
  };
  callbacks.progress = [&](const SuitePart& part, std::size_t done) {
    if (part.probe != current) current = part.probe;
    common.progress({part.probe, before + done, all});
    if (done == part.plans.size()) before += done;
  };
  report.parts = run_suite(suite, observer, report.planted, callbacks);
  recorder.end();
  return report;
}

Outcome outcome_of(const VerifyReport& report) { return {view_verify(report), report.is_confirmed() ? 0 : 1}; }

Outcome run_on_device(const Request& request, const Common& common) {
  const Hypothesis planted = request.planted.empty() ? Hypothesis::none : require_hypothesis(request.planted);
  CudaDevice device(request.hardware.device);
  const Suite suite = make_suite(suite_options(request), require_target(device.identity().target));
  const std::vector<Kernel> kernels = kernels_of(suite);
  const auto begun = std::chrono::steady_clock::now();
  device.prepare(kernels, [&](std::size_t done) { common.progress({"compiling", done, kernels.size()}); });
  const double compile_seconds = seconds_since(begun);
  VerifyReport report = ask(suite, *device_observer(device, planted), request, common);
  report.compile_seconds = compile_seconds;
  return outcome_of(report);
}

Outcome replay(const Request& request, const Common& common) {
  if (!request.planted.empty() && require_hypothesis(request.planted) == Hypothesis::wrong_identity)
    throw Error("a recording cannot show a wrong identity: it changes what is launched, not what is predicted",
                "plant it on a GPU, without --replay; the other hypotheses can be planted here", {}, ErrorKind::usage);
  std::ifstream file(request.replay, std::ios::binary);
  if (!file)
    throw Error(fmt::format("cannot read {}", request.replay), "--replay takes a file that --record wrote");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Recording recording = read_recording(text);
  Suite suite = suite_of(recording);
  if (!request.only.empty()) {
    const std::vector<std::string> only = split(request.only, ',');
    std::erase_if(suite, [&](const SuitePart& part) { return std::ranges::find(only, part.probe) == only.end(); });
    if (suite.empty()) throw Error(fmt::format("the recording holds no {}", request.only));
  }
  Request recorded = request;
  recorded.seed = recording.seed;
  VerifyReport report = ask(suite, *replay_observer(recording), recorded, common);
  report.is_replayed = true;
  return outcome_of(report);
}

Outcome compile_only(const Request& request, const Common& common) {
  const Nvrtc nvrtc;
  const Target& target = target_of(common);
  if (!nvrtc.knows(target))
    throw Error(fmt::format("NVRTC {} does not compile for {}", nvrtc.version(), target.name),
                "install a newer one or set SWZ_NVRTC to its path", {}, ErrorKind::hardware);
  CompileReport report{nvrtc.version(), {}};
  for (const SuitePart& part : make_suite(suite_options(request), target)) {
    const auto begun = std::chrono::steady_clock::now();
    const std::vector<Kernel> kernels = kernels_of({part});
    CompileRow row{std::string(target.name), part.probe, static_cast<std::int64_t>(kernels.size()), 0, 0, ""};
    for (const CompiledKernel& compiled : nvrtc.compile(kernels, target, [&](std::size_t done) {
           common.progress({part.probe, done, kernels.size()});
         })) {
      if (!compiled.cubin.empty()) ++row.compiled;
      else if (row.log.empty()) row.log = compiled.log;
    }
    row.seconds = seconds_since(begun);
    report.rows.push_back(std::move(row));
  }
  return {view_compile(report), report.is_fine() ? 0 : 1};
}

Outcome emit_kernels(const Request& request, const Common& common) {
  Document document;
  Json sources = Json::array();
  for (const SuitePart& part : make_suite(suite_options(request), target_of(common)))
    if (const std::vector<Kernel> kernels = kernels_of({part}); !kernels.empty()) {
      const std::string source = whole_source(kernels.front());
      document.add(Paragraph{source, Tone::plain, true});
      sources.push_back({{"probe", part.probe}, {"kernels", kernels.size()}, {"source", source}});
    }
  document.add(Field{"sources", "", std::move(sources)});
  return {std::move(document)};
}

}  // namespace

Action define_verify(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  CLI::Option* quick = app.add_flag("--quick", request->quick, "a tenth of the cases: a few seconds");
  app.add_flag("--all", request->all, "ten times the cases")->excludes(quick);
  app.add_option("--only", request->only, "these probes, with commas between: wgmma,tma")->type_name("PROBES");
  app.add_option("--seed", request->seed, "draws other cases (default: 1)")->type_name("N");
  app.add_option("--cases", request->cases, "so many cases of each probe")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000}));
  app.add_option("--record", request->record, "write what was seen to a file, for --replay")->type_name("FILE");
  CLI::Option* replayed =
      app.add_option("--replay", request->replay, "compare a recording instead of a GPU")->type_name("FILE");
  app.add_option("--planted", request->planted, "a model with this mistake, which must not be confirmed")
      ->type_name("NAME");
  add_hardware_options(app, request->hardware);
  app.get_option("--record")->excludes(replayed);
  return [request, &common] {
    if (request->hardware.emit_kernel) return emit_kernels(*request, common);
    if (request->hardware.compile_only) return compile_only(*request, common);
    if (!request->replay.empty()) return replay(*request, common);
    return run_on_device(*request, common);
  };
}

}  // namespace swz
