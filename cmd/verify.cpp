// swz verify: ask the hardware.
#include "view/verify.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "hardware_request.hpp"

namespace swz {
namespace {

struct Request {
  bool lists_probes = false, quick = false, all = false;
  SuiteOptions suite;
  HardwareRequest hardware;
};

Options suite_options_of(Request& r) {
  return Options{flag("--quick", r.quick, "a tenth of the cases: a few seconds"),
                 flag("--all", r.all, "ten times the cases").excluding({"--quick"}),
                 option("--seed", "N", r.hardware.seed, "draw other cases").by_default("1"),
                 number("--cases", "N", r.suite.cases, 1, limits::probe_cases.most,
                        "number of cases per probe; for the probe layout, of layouts")} +
         hardware_options(r.hardware);
}

Options options_of(Request& r) {
  const Words probes = names_of(swz::probes());
  Option only{"--only", "PROBES", "run only these probes, separated by commas: wgmma,tma; list shows them",
              [&r, probes](const std::string& text) {
                r.lists_probes = text == "list";
                if (r.lists_probes) return;
                for (const std::string& name : pieces_of(text, ","))
                  r.suite.only.push_back(probes[index_of_word(name, probes, "--only")]);
              }};
  return Options{std::move(only).taking(probes)} + suite_options_of(r);
}

Options tma_options_of(Request& r) {
  r.suite.only = {"tma", "tensor-map"};
  return suite_options_of(r);
}

SuiteOptions suite_of(const Request& r) {
  SuiteOptions options = r.suite;
  options.size = r.quick ? SuiteSize::quick : r.all ? SuiteSize::all : SuiteSize::standard;
  options.seed = r.hardware.seed;
  // The kernels are few, however many cases ask them.
  if (r.hardware.emit_kernel || r.hardware.compile_only)
    options.cases = std::min<std::int64_t>(options.cases, 1000);
  return options;
}

// A recording has its own plans; --only leaves some of them.
void keep_only(VerifyReport& report, const Words& only) {
  if (only.empty()) return;
  std::erase_if(report.parts,
                [&](const PartReport& part) { return std::ranges::find(only, part.probe) == only.end(); });
  if (report.parts.empty())
    throw Error(fmt::format("the recording has no case of {}", fmt::join(only, ",")),
                "leave --only out to see what it has");
}

Answer answer(const Request& r, const Context& context) {
  if (r.lists_probes) return {view_probes()};
  const SuiteFor suite = [&](const Target& target) { return make_suite(suite_of(r), target); };
  if (std::optional<Answer> found = without_hardware(suite, r.hardware, context)) return *found;
  const bool is_replayed = r.hardware.replay.has_value();
  VerifyReport report = ask_hardware(is_replayed ? SuiteFor() : suite, r.hardware, context).report;
  if (is_replayed) keep_only(report, r.suite.only);
  return {view_verify(report), report.is_confirmed() ? 0 : 1};
}

}  // namespace

Command verify_command() {
  return {.name = "verify",
          .summary = "compare what the GPU does with what swz predicts; exit 1 when it differs",
          .details = R"(Launches small kernels, each of which runs one instruction on position codes,
and compares the place that every element came from with what swz predicts.
--only list shows the probes, what each one asks, and the wrong models that it
detects.

Needs an NVIDIA driver and NVRTC, in the usual places or in the files that
SWZ_LIBCUDA and SWZ_NVRTC name. If one is missing, swz names it and exits with
3. --replay compares a recording instead; --compile-only and --emit-kernel need
no GPU.

A probe that cannot fail proves nothing: --planted NAME replaces the model of
swz by a wrong one, which must not be confirmed.)",
          .examples = {{"swz verify", "the suite for this GPU"},
                       {"swz verify --only list", "the probes and the mistakes that can be planted"},
                       {"swz verify --quick --only wgmma", "a few seconds"},
                       {"swz verify --replay tests/data/h200.jsonl", "what an H200 said, compared again"},
                       {"swz verify --compile-only --arch sm_90a", "do the kernels compile?"}},
          .prepare = [] { return prepare(options_of, answer); }};
}

Command verify_tma_command() {
  return {.name = "verify tma",
          .summary = "check on the GPU where boxes land, what is refused, and the 128 bytes",
          .details = R"(Runs the probes tma and tensor-map of swz verify: random boxes of rank 1 to 5
are loaded and compared byte for byte with swz tma place, fills and gaps
included; random arguments are passed to cuTensorMapEncodeTiled, and its
verdicts and bytes are compared with swz tma check and swz tma encode.)",
          .examples = {{"swz verify tma", "some 600 loads and 5,000 verdicts"},
                       {"swz verify tma --seed 2 --all", "ten times as many others"}},
          .prepare = [] { return prepare(tma_options_of, answer); }};
}

}  // namespace swz
