// SPDX-License-Identifier: Apache-2.0
// The suite: what a run asks, and that a seed repeats it.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "arch/target.hpp"
#include "base/error.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "probe/suite.hpp"
#include "simulated.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

std::vector<std::string> texts(const Suite& suite) {
  std::vector<std::string> out;
  for (const SuitePart& part : suite)
    for (const ProbePlan& plan : part.plans) out.push_back(part.probe + " " + to_json(plan).dump());
  return out;
}

const SuitePart& part_of(const Suite& suite, std::string_view probe) {
  for (const SuitePart& part : suite)
    if (part.probe == probe) return part;
  throw Error("the suite has no such part");
}

// What most tests look at, made once.
const Suite& standard_suite() {
  static const Suite suite = make_suite({}, sm_90a());
  return suite;
}

std::string hint_of(const SuiteOptions& options, const Target& target, const std::string& message) {
  try {
    make_suite(options, target);
  } catch (const Error& e) {
    CHECK(e.message() == message);
    CHECK(e.kind == ErrorKind::usage);
    return e.hint;
  }
  FAIL("accepted");
  return "";
}

}  // namespace

TEST_CASE("the standard suite on Hopper asks as much as it promises") {
  const Suite& suite = standard_suite();
  std::vector<std::string> probes;
  for (const SuitePart& part : suite) probes.push_back(part.probe);
  CHECK(probes == std::vector<std::string>{"wavefront", "matrix", "mma", "wgmma", "tma", "tile", "tensor-map", "layout",
                                           "cluster", "im2col", "interleave", "reduce"});
  CHECK(probes == probes_on(sm_90a()));
  for (const SuitePart& part : suite)
    for (const ProbePlan& plan : part.plans) REQUIRE(probe_of(plan).name == part.probe);

  CHECK(part_of(suite, "wavefront").plans.size() >= 2000);
  CHECK(part_of(suite, "tma").plans.size() >= 500);
  CHECK(part_of(suite, "tensor-map").plans.size() >= 5000);

  std::set<std::string> shapes_of_a, shapes_of_b, in_registers, sparse_shapes;
  std::set<std::uint64_t> words;
  std::map<std::string, int> modes;
  std::set<int> base_offsets;
  std::set<std::pair<OperandRole, Major>> sides;
  std::int64_t descriptors = 0, beyond_128_kib = 0, other_lbo_and_sbo = 0;
  for (const ProbePlan& any : part_of(suite, "wgmma").plans) {
    const auto& plan = std::get<WgmmaPlan>(any);
    const std::string shape = to_string(plan.instruction) + (plan.instruction.a_in_registers ? ".rs" : "");
    if (plan.is_in_registers()) {
      CHECK_MESSAGE(in_registers.insert(shape).second, shape << " is asked twice");
      shapes_of_a.insert(shape);
      continue;
    }
    if (plan.instruction.sparse) sparse_shapes.insert(shape);
    else (plan.operand == OperandRole::a ? shapes_of_a : shapes_of_b).insert(shape);
    ++descriptors;
    words.insert(plan.word);
    const SmemDescriptor descriptor(plan.word, sm_90a());
    modes[std::string(require_swizzle(descriptor).name)] += 1;
    base_offsets.insert(descriptor.base_offset());
    sides.insert({plan.operand, plan.major});
    if (descriptor.start_address().count >= 128 * 1024) ++beyond_128_kib;
    if (descriptor.raw(FieldId::leading_byte_offset) != descriptor.raw(FieldId::stride_byte_offset))
      ++other_lbo_and_sbo;
  }
  CHECK(descriptors >= 5000);
  CHECK(words.size() > 4900);
  CHECK(base_offsets.size() == 8);
  CHECK(modes.size() == 4);
  for (const auto& mode : modes) CHECK_MESSAGE(mode.second > 1000, mode.first);
  CHECK(sides.size() == 4);
  CHECK(beyond_128_kib > 500);
  CHECK(other_lbo_and_sbo > 4000);

  // PTX ISA 9.1, 9.7.15.5.2: 32 N of f16 (two accumulators), bf16, tf32 and two by two fp8 (two accumulators);
  // 18 N of two by two integers and of b1. Each with A in shared memory and in registers.
  constexpr std::size_t shapes = 32 * (2 + 1 + 1 + 4 * 2) + 18 * (4 + 1);
  CHECK(wgmma_instructions(false).size() == shapes);
  CHECK(shapes_of_a.size() == 2 * shapes);
  CHECK(shapes_of_b.size() == 2 * shapes);
  CHECK(in_registers.size() == shapes);
  CHECK(sparse_shapes.size() > 40);  // types x a handful of N
}

TEST_CASE("every instruction of warps is in the standard suite") {
  const Suite& suite = standard_suite();
  std::set<std::string> matrices, timed;
  for (const ProbePlan& plan : part_of(suite, "matrix").plans)
    matrices.insert(std::get<MatrixPlan>(plan).instruction.name());
  for (const ProbePlan& plan : part_of(suite, "wavefront").plans)
    timed.insert(std::string(std::get<WavefrontPlan>(plan).pattern.instruction->name));
  CHECK(std::ssize(matrices) == std::ranges::count_if(matrix_forms(), [](const MatrixForm& form) {
          return runs_on(form.row->availability, sm_90a());
        }));
  CHECK(timed.size() == timed_instructions(sm_90a()).size());
  std::size_t operands = 0;
  for (const MmaSyncInstruction& instruction : mma_sync_instructions())
    if (runs_on(instruction, sm_90a())) operands += mma_plans(instruction).size();
  CHECK(part_of(suite, "mma").plans.size() == operands);
}

TEST_CASE("the plans depend on the options and the target alone") {
  Sweep every{2};
  for (const SuiteSize size : {SuiteSize::quick, SuiteSize::standard}) {
    if (!every.takes()) continue;
    const SuiteOptions options{size, {}, 7, 0};
    const std::vector<std::string> once = texts(make_suite(options, sm_90a()));
    CHECK(once == texts(make_suite(options, sm_90a())));
    SuiteOptions other = options;
    other.seed = 8;
    CHECK(once != texts(make_suite(other, sm_90a())));
  }
}

TEST_CASE("--only leaves probes out and changes nothing of the others") {
  const Suite whole = make_suite({SuiteSize::quick, {}, 3, 0}, sm_90a());
  for (const SuitePart& part : whole) {
    const Suite alone = make_suite({SuiteSize::quick, {part.probe}, 3, 0}, sm_90a());
    REQUIRE(alone.size() == 1);
    CHECK(texts(alone) == texts({part}));
  }
  const Suite two = make_suite({SuiteSize::quick, {"tma", "wgmma"}, 3, 0}, sm_90a());
  REQUIRE(two.size() == 2);
  CHECK(two[0].probe == "wgmma");
  CHECK(two[1].probe == "tma");
}

TEST_CASE("an unknown probe, and one that a target does not have") {
  CHECK(hint_of({SuiteSize::quick, {"wgmmma"}, 1, 0}, sm_90a(), "sm_90a has no probe 'wgmmma'") ==
        "did you mean 'wgmma'? its probes: wavefront, matrix, mma, wgmma, tma, tile, tensor-map, layout, cluster, "
        "im2col, "
        "interleave, reduce");
  CHECK(
      hint_of({SuiteSize::quick, {"mma", ""}, 1, 0}, sm_90a(), "sm_90a has no probe ''") ==
      "its probes: wavefront, matrix, mma, wgmma, tma, tile, tensor-map, layout, cluster, im2col, interleave, reduce");
  const std::string hopper = hint_of({SuiteSize::quick, {"tcgen05"}, 1, 0}, sm_90a(), "sm_90a has no probe 'tcgen05'");
  CHECK(hopper.ends_with(
      "its probes: wavefront, matrix, mma, wgmma, tma, tile, tensor-map, layout, cluster, im2col, interleave, reduce"));
  CHECK(probes_on(require_target("sm_80")) == std::vector<std::string>{"matrix", "mma", "layout"});
  CHECK(probes_on(require_target("sm_100a")) == std::vector<std::string>{"wavefront", "matrix", "mma", "tcgen05",
                                                                         "layout", "tmem-access", "tmem-copy",
                                                                         "tx-bytes", "tmem-mma", "tmem-shift"});
  // tcgen05.shift does not exist in a family.
  CHECK(probes_on(require_target("sm_100f")) == std::vector<std::string>{"wavefront", "matrix", "mma", "tcgen05",
                                                                         "layout", "tmem-access", "tmem-copy",
                                                                         "tx-bytes", "tmem-mma"});
}

TEST_CASE("so many cases as are wanted") {
  for (const std::int64_t cases : {1, 7, 33}) {
    SuiteOptions options;
    options.cases = cases;
    for (const char* target : {"sm_75", "sm_90a", "sm_100a"})
      for (const SuitePart& part : make_suite(options, require_target(target))) {
        CAPTURE(part.probe);
        // Of layouts, each with every access that reads it.
        if (part.probe == "layout") CHECK(static_cast<std::int64_t>(part.plans.size()) > 4 * cases);
        else CHECK(static_cast<std::int64_t>(part.plans.size()) == cases);
      }
  }
  const Suite quick = make_suite({SuiteSize::quick, {}, 1, 0}, sm_90a());
  const Suite& standard = standard_suite();
  for (std::size_t i = 0; i < quick.size(); ++i) CHECK(quick[i].plans.size() * 3 <= standard[i].plans.size());
}

TEST_CASE("each kernel once, and every batch of one kernel") {
  const Suite suite = make_suite({SuiteSize::quick, {}, 1, 0}, sm_90a());
  std::set<std::string> kernels;
  for (const Kernel& kernel : kernels_of(suite)) CHECK(kernels.insert(kernel.file + "\n" + kernel.statement).second);
  for (const SuitePart& part : suite) {
    CAPTURE(part.probe);
    std::multiset<std::string> before, after;
    for (const ProbePlan& plan : part.plans) before.insert(to_json(plan).dump());
    for (const std::vector<ProbePlan>& batch : batches(part, 5)) {
      REQUIRE(!batch.empty());
      CHECK(batch.size() <= 5);
      for (const ProbePlan& plan : batch) {
        CHECK(kernel_of(plan) == kernel_of(batch.front()));
        after.insert(to_json(plan).dump());
      }
    }
    CHECK(before == after);
  }
}

TEST_CASE("a run tells every case, and how far it is") {
  SuiteOptions options;
  options.cases = 40;
  options.only = {"wavefront", "tensor-map"};
  const Suite suite = make_suite(options, sm_90a());
  std::map<std::string, std::vector<std::size_t>> progress;
  int recorded = 0;
  SuiteCallbacks callbacks;
  callbacks.progress = [&](const SuitePart& part, std::size_t done) { progress[part.probe].push_back(done); };
  callbacks.record = [&](const ProbePlan& plan, const Observed& seen, bool is_confirmed) {
    ++recorded;
    CHECK(is_confirmed);
    CHECK(seen.digest == digest(expected(plan)));
  };
  const std::vector<PartReport> parts =
      run_suite(suite, simulated_observer(Hypothesis::none), Hypothesis::none, callbacks);
  CHECK(recorded == 80);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].kernels > 1);
  CHECK(parts[1].kernels == 0);
  for (const PartReport& part : parts) CHECK(part.cases == 40);
  for (const auto& [probe, done] : progress) {
    CHECK(std::ranges::is_sorted(done));
    CHECK(done.back() == 40);
  }
  VerifyReport report;
  report.parts = parts;
  CHECK(report.cases() == 80);
  CHECK(report.is_confirmed());
  report.parts[1].confirmed -= 1;
  CHECK(report.confirmed() == 79);
  CHECK_FALSE(report.is_confirmed());
}

namespace {

// Simulated tensor memory in which one plan traps, whatever else is in its launch.
class TrappingDevice : public ProbeDevice {
 public:
  enum class Survives { no, yes };
  explicit TrappingDevice(std::string trap, Survives survives = Survives::yes)
      : trap_(std::move(trap)), survives_(survives) {}

  const DeviceIdentity& identity() const override { return identity_; }
  void prepare(std::span<const Kernel>, const std::function<void(std::size_t)>&) override {}
  ByteBuffer run(const Kernel&, const Launch& launch) override {
    if (lost_) throw GpuLost("lost");
    ++launches;
    // The address of each block, as kernels/tmem_copy.cu reads it: lane and column of the shift.
    for (std::size_t block = 0; block < launch.inputs[0].size(); block += 32)
      if (trap_ == "all" || std::to_string(read_at<std::uint32_t>(launch.inputs[0], block + 24) & 0x1ff) == trap_) {
        lost_ = survives_ == Survives::no;
        throw LaunchFault("CUDA_ERROR_ILLEGAL_INSTRUCTION", "the probe failed");
      }
    return simulate(std::span<const TmemShiftPlan>(), launch);
  }
  std::optional<EncodedTensorMap> encode(const TensorMap&) override { return std::nullopt; }
  std::optional<EncodedTensorMap> encode(const Im2colMap&) override { return std::nullopt; }

  bool is_lost() const override { return lost_; }

  int launches = 0;

 private:
  std::string trap_;
  Survives survives_;
  bool lost_ = false;
  DeviceIdentity identity_;
};

Suite shifts_at(const std::vector<int>& columns) {
  std::vector<ProbePlan> plans;
  for (const int column : columns) plans.emplace_back(TmemShiftPlan{32, column});
  return Suite{{"tmem-shift", std::move(plans)}};
}

}  // namespace

TEST_CASE("a launch that traps is a case that is not answered, and the run goes on") {
  const Suite suite = shifts_at({16, 24, 41, 48, 64});
  TrappingDevice device("41");
  std::string recording = recording_head({"B200", "sm_100a", "1", "2", "3"}, 1);
  std::vector<std::string> failures;
  SuiteCallbacks callbacks;
  callbacks.record = [&](const ProbePlan& plan, const Observed& seen, bool is_confirmed) {
    failures.push_back(seen.failure);
    CHECK(is_confirmed == seen.failure.empty());
    recording += recording_line(plan, seen, !is_confirmed);
  };
  const PartReport part =
      run_suite(suite, device_observer(device, Hypothesis::none), Hypothesis::none, callbacks).front();
  CHECK(part.cases == 5);
  CHECK(part.confirmed == 4);
  CHECK(failures == std::vector<std::string>{"", "", "CUDA_ERROR_ILLEGAL_INSTRUCTION", "", ""});
  CHECK(device.launches == 6);  // all together, then each alone
  REQUIRE(part.mismatches.size() == 1);
  CHECK(part.mismatches[0].failure == "CUDA_ERROR_ILLEGAL_INSTRUCTION");
  CHECK_FALSE(part.mismatches[0].mismatch.has_value());
  CHECK(part.mismatches[0].explanations.empty());

  // The recording says the same again.
  CHECK(recording.find(R"("failed":"CUDA_ERROR_ILLEGAL_INSTRUCTION"})") != std::string::npos);
  const Recording back = read_recording(recording);
  const PartReport again = run_suite(suite_of(back), replay_observer(back), Hypothesis::none, {}).front();
  CHECK(again.confirmed == 4);
  REQUIRE(again.mismatches.size() == 1);
  CHECK(again.mismatches[0].failure == part.mismatches[0].failure);
  CHECK(to_json(again.mismatches[0].plan) == to_json(part.mismatches[0].plan));
}

TEST_CASE("a trap that the process does not survive: other processes go on from the recording, to the end") {
  const Suite suite = shifts_at({16, 41, 24, 48, 41, 64});
  const std::string head = recording_head({"B200", "sm_100a", "1", "2", "3"}, 1);
  std::string recording = head;
  int processes = 0;
  std::vector<PartReport> parts;
  for (bool is_done = false; !is_done && processes < 10; ++processes) {
    TrappingDevice device("41", TrappingDevice::Survives::no);
    Observer observer = device_observer(device, Hypothesis::none);
    const bool resumes = recording != head;
    if (resumes) observer = resuming_observer(read_recording(recording), std::move(observer));
    std::string written = head;
    SuiteCallbacks callbacks;
    callbacks.record = [&](const ProbePlan& plan, const Observed& seen, bool is_confirmed) {
      written += recording_line(plan, seen, !is_confirmed);
    };
    try {
      parts = run_suite(suite, observer, Hypothesis::none, callbacks, processes == 0 ? 64 : 1);
      is_done = true;
    } catch (const GpuLost&) {
    }
    recording = written;
  }
  CHECK(processes == 3);  // all together; alone up to the trap, whose plan stands twice; the rest
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].cases == 6);
  CHECK(parts[0].confirmed == 4);
  REQUIRE(parts[0].mismatches.size() == 2);
  CHECK(parts[0].mismatches[0].failure == "CUDA_ERROR_ILLEGAL_INSTRUCTION");
  CHECK(kernels_of(without_known(suite, read_recording(recording))).empty());
  CHECK(kernels_of(without_known(suite, Recording{})).size() == 1);
}
