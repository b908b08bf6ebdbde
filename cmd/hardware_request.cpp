// SPDX-License-Identifier: Apache-2.0
#include "hardware_request.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/text.hpp"
#include "files.hpp"
#include "new_process.hpp"
#include "probe/cuda/cuda_device.hpp"
#include "view/verify/verify.hpp"

namespace swz {

namespace {

double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

TextLimits recording_text(std::string_view way_out) { return {limits::recording_bytes.most, "a recording", way_out}; }

VerifyAnswer ask(const Suite& suite, const Observer& observer, const DeviceIdentity& device,
                 const HardwareRequest& hardware, std::uint64_t seed, const Context& context, bool keeps_seen,
                 std::size_t together = 64) {
  // Written as it arrives; the file appears when all of it is there, or all until the GPU could not be asked any more.
  // Of confirmed cases only some are written in full.
  std::optional<Output> recording;
  if (!hardware.record.empty()) {
    recording.emplace(hardware.record, stdout);
    recording->write(recording_head(device, seed));
  }
  std::int64_t confirmed = 0, recorded = 0;
  VerifyAnswer answer;
  answer.report.device = device;
  answer.report.seed = seed;
  answer.report.planted = hardware.planted;
  std::size_t all = 0, before = 0;
  for (const SuitePart& part : suite) all += part.plans.size();
  SuiteCallbacks callbacks;
  callbacks.record = [&](const ProbePlan& plan, const Observed& seen, bool is_confirmed) {
    constexpr std::int64_t every = 5000;
    if (recording) recording->write(recording_line(plan, seen, !is_confirmed || confirmed++ % every == 0));
    ++recorded;
    if (keeps_seen) answer.seen.push_back({plan, seen});
  };
  callbacks.progress = [&](const SuitePart& part, std::size_t done) {
    context.progress({part.probe, before + done, all});
    if (done == part.plans.size()) before += done;
  };
  try {
    answer.report.parts = run_suite(suite, observer, answer.report.planted, callbacks, together);
  } catch (const Error& error) {
    const bool is_lost = dynamic_cast<const GpuLost*>(&error) != nullptr;
    if (!recording || error.kind != ErrorKind::hardware || (recorded == 0 && !is_lost)) throw;
    recording->commit();
    if (is_lost) go_on_in_new_process(hardware.record);
    throw Error(error.message(),
                fmt::format("{} holds the {} recorded before that, for --replay and --resume", hardware.record,
                            plural(recorded, "case")),
                {}, error.kind);
  }
  if (recording) recording->commit();
  return answer;
}

VerifyAnswer replay(const SuiteFor& suite, const HardwareRequest& hardware, const Context& context, bool keeps_seen) {
  if (hardware.planted == Hypothesis::wrong_identity)
    throw usage_error("a recording cannot show a wrong identity: it changes what is launched, not what is predicted",
                      "plant it on a GPU, without --replay; the other hypotheses can be planted here");
  const Recording recording =
      read_recording(read_text(*hardware.replay, context, recording_text("--replay takes a file that --record wrote")));
  const Suite plans = suite ? suite(require_target(recording.device.target)) : suite_of(recording);
  VerifyAnswer answer =
      ask(plans, replay_observer(recording), recording.device, hardware, recording.seed, context, keeps_seen);
  answer.report.is_replayed = true;
  return answer;
}

Answer compile(const Suite& suite, const Target& target, const Context& context) {
  const Nvrtc nvrtc;
  if (!nvrtc.knows(target))
    throw Error(fmt::format("NVRTC {} does not compile for {}", nvrtc.version(), target.name),
                "install a newer one or set SWZ_NVRTC to its path", {}, ErrorKind::hardware);
  CompileReport report{nvrtc.version(), {}};
  for (const SuitePart& part : suite) {
    const auto begun = std::chrono::steady_clock::now();
    const std::vector<Kernel>& kernels = part.kernels;
    CompileRow row{std::string(target.name), part.probe, static_cast<std::int64_t>(kernels.size()), 0, 0, ""};
    for (const CompiledKernel& compiled : nvrtc.compile(kernels, target, [&](std::size_t done) {
           context.progress({part.probe, done, kernels.size()});
         })) {
      if (!compiled.cubin.empty()) ++row.compiled;
      else if (row.log.empty()) row.log = compiled.log;
    }
    row.seconds = seconds_since(begun);
    report.rows.push_back(std::move(row));
  }
  return {view_compile(report), report.is_fine() ? 0 : 1};
}

// The first kernel of each probe; JSON has their number.
Answer emit(const Suite& suite) {
  Document document;
  Json sources = Json::array();
  for (const SuitePart& part : suite)
    if (!part.kernels.empty()) {
      const std::string source = whole_source(part.kernels.front());
      document.add(Paragraph{source, Tone::plain, true});
      sources.push_back({{"probe", part.probe}, {"kernels", part.kernels.size()}, {"source", source}});
    }
  document.add(Field{"sources", "", std::move(sources)});
  return {std::move(document)};
}

}  // namespace

Options hardware_options(HardwareRequest& r) {
  return {option("--record", "FILE", r.record, "write the observations to a file, for --replay")
              .file()
              .excluding({"--replay"}),
          option("--replay", "FILE", r.replay, "compare a recording instead of asking a GPU").file(),
          option("--resume", "FILE", r.resume, "continue a run that ended early: what FILE recorded is not asked again")
              .file()
              .excluding({"--replay"}),
          option("--planted", "NAME", r.planted, "use a model with this mistake, which must not be confirmed",
                 require_hypothesis)
              .taking(names_of(hypotheses()))
              .listing_by("swz verify --only list"),
          number("--device", "N", r.device, 0, 1023, "index of the GPU, in the order of the driver").by_default("0"),
          flag("--emit-kernel", r.emit_kernel, "print the CUDA source that would run"),
          flag("--compile-only", r.compile_only, "compile for --arch with NVRTC; needs no GPU")
              .excluding({"--emit-kernel"})};
}

VerifyAnswer ask_hardware(const SuiteFor& suite, const HardwareRequest& hardware, const Context& context,
                          bool keeps_seen) {
  if (hardware.replay) return replay(suite, hardware, context, keeps_seen);
  CudaDevice device(hardware.device);
  const Suite plans = suite(require_target(device.identity().target));
  std::optional<Recording> known;
  if (hardware.resume)
    known = read_recording(
        read_text(*hardware.resume, context, recording_text("--resume takes a file that --record wrote")), true);
  if (known && (known->device.target != device.identity().target || known->seed != hardware.seed))
    throw usage_error(fmt::format("{} is of {} with --seed {}", *hardware.resume, known->device.target, known->seed),
                      fmt::format("this is {} with --seed {}", device.identity().target, hardware.seed));
  const std::vector<Kernel> kernels = kernels_of(known ? without_known(plans, *known) : plans);
  const auto begun = std::chrono::steady_clock::now();
  device.prepare(kernels, [&](std::size_t done) { context.progress({"compiling", done, kernels.size()}); });
  const double compile_seconds = seconds_since(begun);
  Observer observer = device_observer(device, hardware.planted);
  if (known) observer = resuming_observer(*known, std::move(observer));
  VerifyAnswer answer =
      ask(plans, observer, device.identity(), hardware, hardware.seed, context, keeps_seen, known ? 1 : 64);
  answer.report.compile_seconds = compile_seconds;
  return answer;
}

std::optional<Answer> without_hardware(const SuiteFor& suite, const HardwareRequest& hardware, const Context& context) {
  if (!hardware.emit_kernel && !hardware.compile_only) return std::nullopt;
  const Target& target = context.target();
  const Suite plans = suite(target);
  return hardware.emit_kernel ? emit(plans) : compile(plans, target, context);
}

}  // namespace swz
