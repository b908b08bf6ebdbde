#include "verify_options.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "base/error.hpp"
#include "input.hpp"
#include "output.hpp"
#include "probe/cuda/cuda_device.hpp"
#include "probe/cuda/kernels.hpp"
#include "tile_options.hpp"
#include "view/verify.hpp"

namespace swz {

namespace {

double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
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
    constexpr std::int64_t every = 5000;
    if (out_) out_->write(recording_line(plan, seen, !is_confirmed || count_++ % every == 0));
  }
  void end() {
    if (out_) out_->commit();
  }

 private:
  std::unique_ptr<Output> out_;
  std::int64_t count_ = 0;
};

VerifyAnswer ask(const Suite& suite, Observer& observer, const HardwareOptions& options, std::uint64_t seed,
                 const Common& common, bool keeps_seen) {
  Recorder recorder(options.record);
  recorder.begin(observer.identity(), seed);
  VerifyAnswer answer;
  answer.report.device = observer.identity();
  answer.report.seed = seed;
  answer.report.planted = options.model();
  std::size_t all = 0, before = 0;
  for (const SuitePart& part : suite) all += part.plans.size();
  SuiteCallbacks callbacks;
  callbacks.record = [&](const ProbePlan& plan, const Observed& seen, bool is_confirmed) {
    recorder.add(plan, seen, is_confirmed);
    if (keeps_seen) answer.seen.push_back({plan, seen});
  };
  callbacks.progress = [&](const SuitePart& part, std::size_t done) {
    common.progress({part.probe, before + done, all});
    if (done == part.plans.size()) before += done;
  };
  answer.report.parts = run_suite(suite, observer, answer.report.planted, callbacks);
  recorder.end();
  return answer;
}

VerifyAnswer replay(const SuiteFor& suite, const HardwareOptions& options, const Common& common, bool keeps_seen) {
  if (options.model() == Hypothesis::wrong_identity)
    throw Error("a recording cannot show a wrong identity: it changes what is launched, not what is predicted",
                "plant it on a GPU, without --replay; the other hypotheses can be planted here", {},
                ErrorKind::usage);
  const Recording recording = read_recording(read_text(
      options.replay, common, {largest_recording_bytes, "a recording", "--replay takes a file that --record wrote"}));
  const Suite plans = suite ? suite(require_target(recording.device.target)) : suite_of(recording);
  VerifyAnswer answer = ask(plans, *replay_observer(recording), options, recording.seed, common, keeps_seen);
  answer.report.is_replayed = true;
  return answer;
}

Outcome compile(const Suite& suite, const Target& target, const Common& common) {
  const Nvrtc nvrtc;
  if (!nvrtc.knows(target))
    throw Error(fmt::format("NVRTC {} does not compile for {}", nvrtc.version(), target.name),
                "install a newer one or set SWZ_NVRTC to its path", {}, ErrorKind::hardware);
  CompileReport report{nvrtc.version(), {}};
  for (const SuitePart& part : suite) {
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

// The first kernel of each probe; JSON says how many there are.
Outcome emit(const Suite& suite) {
  Document document;
  Json sources = Json::array();
  for (const SuitePart& part : suite)
    if (const std::vector<Kernel> kernels = kernels_of({part}); !kernels.empty()) {
      const std::string source = whole_source(kernels.front());
      document.add(Paragraph{source, Tone::plain, true});
      sources.push_back({{"probe", part.probe}, {"kernels", kernels.size()}, {"source", source}});
    }
  document.add(Field{"sources", "", std::move(sources)});
  return {std::move(document)};
}

}  // namespace

void add_hardware_options(CLI::App& app, HardwareOptions& options) {
  app.add_option("--record", options.record, "write what was seen to a file, for --replay")->type_name("FILE");
  CLI::Option* replay =
      app.add_option("--replay", options.replay, "compare a recording instead of a GPU")->type_name("FILE");
  app.get_option("--record")->excludes(replay);
  app.add_option("--planted", options.planted, "a model with this mistake, which must not be confirmed")
      ->type_name("NAME");
  app.add_option("--device", options.device, "which GPU, as the driver counts them (default: 0)")->type_name("N");
  CLI::Option* emit = app.add_flag("--emit-kernel", options.emit_kernel, "print the CUDA source that would run");
  app.add_flag("--compile-only", options.compile_only, "compile for --arch with NVRTC; needs no GPU")
      ->excludes(emit);
}

VerifyAnswer ask_hardware(const SuiteFor& suite, const HardwareOptions& options, const Common& common,
                          bool keeps_seen) {
  const Hypothesis model = options.model();  // a wrong name is said before anything is asked
  if (!options.replay.empty()) return replay(suite, options, common, keeps_seen);
  CudaDevice device(options.device);
  const Suite plans = suite(require_target(device.identity().target));
  const std::vector<Kernel> kernels = kernels_of(plans);
  const auto begun = std::chrono::steady_clock::now();
  device.prepare(kernels, [&](std::size_t done) { common.progress({"compiling", done, kernels.size()}); });
  const double compile_seconds = seconds_since(begun);
  VerifyAnswer answer = ask(plans, *device_observer(device, model), options, options.seed, common, keeps_seen);
  answer.report.compile_seconds = compile_seconds;
  return answer;
}

std::optional<Outcome> without_hardware(const SuiteFor& suite, const HardwareOptions& options,
                                        const Common& common) {
  if (!options.emit_kernel && !options.compile_only) return std::nullopt;
  const Target& target = target_of(common);
  const Suite plans = suite(target);
  return options.emit_kernel ? emit(plans) : compile(plans, target, common);
}

}  // namespace swz
