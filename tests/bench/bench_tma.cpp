// SPDX-License-Identifier: Apache-2.0
// Speed of what every tma command does, in process: check, encode and decode of a map, bound 1 µs each, and the
// plan of a 256 x 256 tile, bound 1 ms.
//
// Maps are taken in turn from 1024 random ones. Of the tiles (each element type and packing, both majors, each
// swizzle and order, rank 2 and rank 5, Hopper and Blackwell) all are planned once and the slowest is measured.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "ratios.hpp"
#include "tma/plan.hpp"
#include "tma/random_maps.hpp"
#include "tma/tensor_map_rules.hpp"

namespace {

constexpr std::size_t map_count = 1024;

const swz::Target& hopper() { return swz::require_target("sm_90a"); }

std::vector<swz::TensorMap> maps(bool are_accepted) {
  swz::RandomMaps random(9);
  std::vector<swz::TensorMap> out;
  while (out.size() < map_count) {
    const swz::TensorMap map = random.any();
    if (swz::is_accepted(map, hopper()) == are_accepted) out.push_back(map);
  }
  return out;
}

// One answer an iteration, to the next of the questions.
template <class Question, class Answer>
void in_turn(benchmark::State& state, const std::vector<Question>& questions, Answer answer) {
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(answer(questions[i]));
    i = (i + 1) % questions.size();
  }
}

void check_accepted(benchmark::State& state) {
  in_turn(state, maps(true), [](const swz::TensorMap& map) { return swz::violations(map, hopper()); });
}

void remarks(benchmark::State& state) {
  in_turn(state, maps(true), [](const swz::TensorMap& map) { return swz::remarks(map, hopper()); });
}

void check_refused(benchmark::State& state) {
  in_turn(state, maps(false), [](const swz::TensorMap& map) { return swz::violations(map, hopper()); });
}

void encode(benchmark::State& state) {
  in_turn(state, maps(true), [](const swz::TensorMap& map) { return swz::encode(map); });
}

void decode(benchmark::State& state) {
  std::vector<swz::EncodedTensorMap> encoded;
  for (const swz::TensorMap& map : maps(true)) encoded.push_back(swz::encode(map));
  in_turn(state, encoded, [](const swz::EncodedTensorMap& words) { return swz::decode(words); });
}

struct PlanQuestion {
  const swz::Target* target;
  swz::SmemTile tile;
  int max_rank;

  auto plan() const { return plan_tile(tile, packed_operand(tile, *target, tile.extents()), *target, max_rank); }
  double fastest_of(int runs) const {
    double fastest = 1e18;
    for (int i = 0; i < runs; ++i) {
      const auto start = std::chrono::steady_clock::now();
      benchmark::DoNotOptimize(plan());
      const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
      fastest = std::min(fastest, time.count());
    }
    return fastest;
  }
};

// Every 256 x 256 tile that TMA makes.
std::vector<PlanQuestion> plan_questions() {
  std::vector<PlanQuestion> out;
  for (const char* arch : {"sm_90a", "sm_100a"})
    for (const swz::DType& dtype : swz::dtypes())
      for (const swz::Packing packing : {swz::Packing::packed, swz::Packing::slots})
        for (const swz::Major major : {swz::Major::K, swz::Major::MN})
          for (const swz::SwizzleMode& swizzle : swz::swizzle_modes())
            for (const swz::StackingOrder order : {swz::StackingOrder::mn_first, swz::StackingOrder::k_first})
              for (const int max_rank : {2, 5}) {
                try {
                  PlanQuestion question{&swz::require_target(arch),
                                        swz::SmemTile({.dtype = dtype.name,
                                                       .packing = packing,
                                                       .major = major,
                                                       .mn = 256,
                                                       .k = 256,
                                                       .swizzle = swizzle.name,
                                                       .order = order}),
                                        max_rank};
                  if (std::holds_alternative<swz::TilePlan>(question.plan())) out.push_back(question);
                } catch (const swz::Error&) {  // no such tile: the packing, or a mode that no type of this width has
                }
              }
  return out;
}

const PlanQuestion& slowest_plan() {
  static const PlanQuestion slowest = [] {
    const std::vector<PlanQuestion> all = plan_questions();
    std::vector<double> times;
    for (const PlanQuestion& question : all) times.push_back(question.fastest_of(5));
    const auto at = std::max_element(times.begin(), times.end()) - times.begin();
    const PlanQuestion& found = all[static_cast<std::size_t>(at)];
    std::printf("slowest of %zu plans: %s, %s, %s, %s-major, %s, rank %d: %zu copies\n", all.size(),
                std::string(found.target->name).c_str(), std::string(found.tile.dtype().name).c_str(),
                std::string(found.tile.swizzle().name).c_str(), found.tile.major() == swz::Major::K ? "K" : "MN",
                std::string(to_string(found.tile.order())).c_str(), found.max_rank,
                std::get<swz::TilePlan>(found.plan()).copies.size());
    return found;
  }();
  return slowest;
}

void plan_256x256(benchmark::State& state) {
  const PlanQuestion& question = slowest_plan();
  for (auto _ : state) benchmark::DoNotOptimize(question.plan());
}

}  // namespace

BENCHMARK(check_accepted);
BENCHMARK(check_refused);
BENCHMARK(remarks);
BENCHMARK(encode);
BENCHMARK(decode);
BENCHMARK(plan_256x256);

int main(int argc, char** argv) {
  const Ratios ratios(argc, argv);
  for (const char* map : {"check_accepted", "check_refused", "remarks", "encode", "decode"}) ratios.bound(map, 1e3);
  ratios.bound("plan_256x256", 1e6);
}
