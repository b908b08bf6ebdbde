// SPDX-License-Identifier: Apache-2.0
// The probes of tcgen05.shift and of the bytes that an mbarrier counts, against simulated hardware: what answers an
// open question is told by its name. There is no Blackwell here.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "base/error.hpp"
#include "probe/tmem_shift_probe.hpp"
#include "probe/tx_bytes_probe.hpp"
#include "told_explanations.hpp"

using namespace swz;

namespace {

template <class Read>
std::string error_of(const Read& read, Json json, const char* key, const Json& value) {
  json[key] = value;
  try {
    read(json);
  } catch (const Error& error) {
    return std::string(error.what());
  }
  return "none";
}

}  // namespace

TEST_CASE("tmem-shift: simulated hardware is confirmed, and each other answer is told by its name") {
  using enum Hypothesis;
  Random random(2);
  std::vector<TmemShiftPlan> plans;
  for (int i = 0; i < 40; ++i) plans.push_back(draw_tmem_shift(random));
  CHECK(judged<TmemShiftPlan>(plans, none).differing == 0);
  const auto unaligned =
      static_cast<int>(std::ranges::count_if(plans, [](const TmemShiftPlan& plan) { return plan.column % 8 != 0; }));
  CHECK(unaligned > 0);
  for (const Hypothesis is : {shift_of_one_quarter, shift_upwards, shift_across_quarters, shift_of_aligned_columns}) {
    CAPTURE(row_of(is).name);
    const Judged found = judged<TmemShiftPlan>(plans, is);
    CHECK(found.differing == (is == shift_of_aligned_columns ? unaligned : found.cases));
    CHECK(found.explained_by_it == found.differing);
  }
}

TEST_CASE("tmem-shift: what the model says") {
  const TmemShiftPlan plan{64, 24};
  const Observation values = expected(plan);
  REQUIRE(values.size() == 24 * 128);
  // The window begins at column 16.
  const auto at = [&](int lane, int column) {
    return value_name(plan, values[static_cast<std::size_t>((column - 16) * 128 + lane)]);
  };
  CHECK(at(4, 24) == "lane 5, column 24 of before");
  CHECK(at(95, 31) == "lane 95, column 31 of before");
  CHECK(at(4, 23) == "lane 4, column 23 of before");
  CHECK(at(4, 32) == "lane 4, column 32 of before");
  CHECK(element_name(plan, 8 * 128 + 4) == "lane 4, column 24");
  CHECK(value_name(plan, unreadable) == "no cell");

  // Not completed, or no code.
  const std::vector<TmemShiftPlan> plans{plan, plan};
  ByteBuffer output = simulate(plans, launch_of(plans));
  output[0] = 0;
  output[output.size() - 1] = 0xff;
  const Observations seen = decode(plans, output);
  CHECK(std::ranges::count(seen[0], unreadable) == std::ssize(seen[0]));
  CHECK(std::ranges::count(seen[1], unreadable) == 1);
}

TEST_CASE("tmem-shift: a plan is an object") {
  Random random(8);
  std::set<int> lanes;
  for (int i = 0; i < 200; ++i) {
    const TmemShiftPlan plan = draw_tmem_shift(random);
    lanes.insert(plan.lane);
    const TmemShiftPlan back = tmem_shift_plan(Json::parse(to_json(plan).dump()));
    CHECK(back.lane == plan.lane);
    CHECK(back.column == plan.column);
  }
  CHECK(lanes == std::set<int>{0, 32, 64, 96});
  const Json json = to_json(TmemShiftPlan{64, 24});
  CHECK(json.dump() == R"({"tmem_shift":"down","lane":64,"column":24})");
  CHECK(subject(TmemShiftPlan{64, 24}) == "tcgen05.shift.cta_group::1.down at lane 64, column 24");
  CHECK(error_of(tmem_shift_plan, json, "lane", 16) == "tcgen05.shift has no lane 16");
  CHECK(error_of(tmem_shift_plan, json, "lane", 128) == "tcgen05.shift has no lane 128");
  CHECK(error_of(tmem_shift_plan, json, "column", 7) == "column 7 is too near to an end of tensor memory");
  CHECK(error_of(tmem_shift_plan, json, "column", 489) == "column 489 is too near to an end of tensor memory");
}

TEST_CASE("tx-bytes: either answer is told") {
  Random random(4);
  std::vector<TxBytesPlan> plans;
  // Both types with three of seven swizzles, 6 bits with a fourth.
  for (std::size_t i = 0; i < 56; ++i) plans.push_back(draw_tx_bytes(i, random));
  const auto is_loaded = [](const TxBytesPlan& plan) { return expected(plan)[0] < 2; };
  CHECK(std::ranges::count_if(plans, is_loaded) == 28);
  CHECK(judged<TxBytesPlan>(plans, Hypothesis::none).differing == 0);
  const Judged padded = judged<TxBytesPlan>(plans, Hypothesis::padding_counted);
  CHECK(padded.differing == 28);
  CHECK(padded.explained_by_it == 28);

  // Of boxes that leave the tensor alone.
  const Judged inside = judged<TxBytesPlan>(plans, Hypothesis::outside_not_counted);
  CHECK(inside.differing ==
        std::ranges::count_if(plans, [&](const TxBytesPlan& p) { return p.outside > 0 && is_loaded(p); }));
  CHECK(inside.differing > 5);
  CHECK(inside.explained_by_it == inside.differing);
  // 16 rows, 3 of them outside: 8 of 16 rows are 1024 B, of 13 rows 832 B; with the padding 2048 and 1664.
  const TxBytesPlan edge{TensorMapDataType::u4_align16, TensorMapSwizzle::none, 16, 3};
  CHECK(expected(edge) == Observation{1, 0, 0, 0, 0, 0});
  CHECK(expected(edge, Hypothesis::outside_not_counted) == Observation{0, 0, 0, 1, 0, 0});
  CHECK(expected(edge, Hypothesis::padding_counted) == Observation{0, 0, 1, 0, 0, 0});
  CHECK(element_name(edge, 3) == "832 B expected, 8 for each 16 elements inside the tensor");
  CHECK(subject(edge) == "load of 16 rows of 128 b4x16_p64, swizzle none, 3 of them outside the tensor");
  // No two loads expect the same, so that every answer is told from every other.
  for (int rows = 1; rows <= 64; ++rows)
    for (int outside = 1; outside <= (rows - 1) / 4; ++outside) {
      std::set<std::string> counts;
      for (int load = 0; load < 6; ++load) {
        const std::string name = element_name({edge.type, edge.swizzle, rows, outside}, load);
        counts.insert(name.substr(0, name.find(' ')));
      }
      CHECK(counts.size() == 6);
    }

  const TxBytesPlan fp4{TensorMapDataType::u4_align16, TensorMapSwizzle::none, 4};
  CHECK(expected(fp4) == Observation{1, 0, 0});
  CHECK(expected(fp4, Hypothesis::padding_counted) == Observation{0, 0, 1});
  CHECK(element_name(fp4, 0) == "256 B expected, 8 for each 16 elements");
  CHECK(element_name(fp4, 2) == "512 B expected, 16 for each 16 elements");
  CHECK(value_name(fp4, 0) == "does not complete");
  const TxBytesPlan fp6{TensorMapDataType::u6_align16, TensorMapSwizzle::b128, 2};
  CHECK(expected(fp6) == Observation{0, 1, 0});
  CHECK(subject(fp6) == "load of 2 rows of 128 b6x16_p32, swizzle 128B");
}

TEST_CASE("tx-bytes: the driver's verdict of each swizzle is told") {
  using enum TensorMapSwizzle;
  constexpr auto u4 = TensorMapDataType::u4_align16, u6 = TensorMapDataType::u6_align16;
  for (const TensorMapSwizzle swizzle : {none, b128, b128_atom_32}) {
    CHECK(expected(TxBytesPlan{u4, swizzle, 2}) == Observation{1, 0, 0});
    CHECK(expected(TxBytesPlan{u6, swizzle, 2}) == Observation{0, 1, 0});
  }
  for (const TensorMapSwizzle swizzle : {b32, b64, b128_atom_32_flip_8})
    for (const TensorMapDataType type : {u4, u6})
      for (const Hypothesis hypothesis : {Hypothesis::none, Hypothesis::ptx_swizzles})
        CHECK(expected(TxBytesPlan{type, swizzle, 2}, hypothesis) == Observation{2, 2, 2});
  // What cuda.h and PTX disagree on.
  const TxBytesPlan open{u4, b128_atom_64, 2};
  CHECK(expected(open) == Observation{2, 2, 2});
  CHECK(expected(open, Hypothesis::ptx_swizzles) == Observation{1, 0, 0});
  CHECK(expected(TxBytesPlan{u6, b128_atom_64, 2}) == Observation{0, 1, 0});
  CHECK(value_name(open, 2) == "the driver refuses the map");

  Random random(4);
  std::vector<TxBytesPlan> plans;
  for (std::size_t i = 0; i < 14; ++i) plans.push_back(draw_tx_bytes(i, random));
  const Judged found = judged<TxBytesPlan>(plans, Hypothesis::ptx_swizzles);
  CHECK(found.differing == 1);
  CHECK(found.explained_by_it == 1);
}

TEST_CASE("tx-bytes: the driver's maps are used; of one that it refuses nothing is loaded") {
  class Driver : public ProbeDevice {
   public:
    const DeviceIdentity& identity() const override { return identity_; }
    void prepare(std::span<const Kernel>, const std::function<void(std::size_t)>&) override {}
    ByteBuffer run(const Kernel&, const Launch& launch) override {
      launch_ = launch;
      return simulate(plans_, launch);
    }
    std::optional<EncodedTensorMap> encode(const TensorMap& map) override {
      CHECK(map.box[0] == 128);
      if (map.data_type == TensorMapDataType::u6_align16) return std::nullopt;
      EncodedTensorMap out;
      out.words.fill(map.global_address);
      return out;
    }
    std::optional<EncodedTensorMap> encode(const Im2colMap&) override { return std::nullopt; }
    std::vector<TxBytesPlan> plans_;
    Launch launch_;

   private:
    DeviceIdentity identity_;
  };
  Driver device;
  device.plans_ = {{TensorMapDataType::u6_align16, TensorMapSwizzle::none, 3},
                   {TensorMapDataType::u4_align16, TensorMapSwizzle::none, 3},
                   {TensorMapDataType::u4_align16, TensorMapSwizzle::b64, 3}};
  const std::vector<ProbePlan> plans(device.plans_.begin(), device.plans_.end());
  const Observations seen = observe(device, plans);
  CHECK(seen[0] == Observation{2, 2, 2});
  CHECK(seen[1] == Observation{1, 0, 0});
  // Accepted, but its pattern is narrower than a row.
  CHECK(seen[2] == Observation{3, 3, 3});
  CHECK(judge(plans[2], observed(seen[2]), Hypothesis::none).has_value());
  CHECK(value_name(plans[2], 3) == "the driver accepts the map, no load");
  REQUIRE(device.launch_.addresses.size() == 2);
  CHECK(device.launch_.addresses[0].offset == 128);
  CHECK(device.launch_.inputs[1].size() == 3 * 128);
  // The tensor lies in its buffer.
  CHECK(read_at<std::uint64_t>(device.launch_.inputs[1], 128) + 3 * 96 <= device.launch_.inputs[2].size());
}

TEST_CASE("tx-bytes: a plan is an object") {
  Random random(6);
  for (std::size_t i = 0; i < 50; ++i) {
    const TxBytesPlan plan = draw_tx_bytes(i, random);
    CHECK(to_json(tx_bytes_plan(Json::parse(to_json(plan).dump()))).dump() == to_json(plan).dump());
  }
  const Json json = to_json(TxBytesPlan{TensorMapDataType::u4_align16, TensorMapSwizzle::b128, 4});
  CHECK(json.dump() == R"({"tx_bytes":"b4x16_p64","swizzle":"128B","rows":4})");
  CHECK(error_of(tx_bytes_plan, json, "tx_bytes", "bf16") == "bf16 is not padded in shared memory");
  CHECK(error_of(tx_bytes_plan, json, "swizzle", "7") == "swizzle 7 is not probed");
  CHECK(error_of(tx_bytes_plan, json, "rows", 65) == "65 rows are not probed");
  CHECK(error_of(tx_bytes_plan, json, "outside", 1) == "1 of 4 rows outside are not probed");
  CHECK(to_json(TxBytesPlan{TensorMapDataType::u4_align16, TensorMapSwizzle::b128, 5, 1}).dump() ==
        R"({"tx_bytes":"b4x16_p64","swizzle":"128B","rows":5,"outside":1})");
}
