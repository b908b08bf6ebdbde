// SPDX-License-Identifier: Apache-2.0
#include "pipeline/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

constexpr Source none = {"", Evidence::claimed};
constexpr Source h100_copies = {"H100, all SMs at once", Evidence::measured};
constexpr Source h200_copies = {"H200, all SMs at once", Evidence::measured};
constexpr Source b200_copies = {"SemiAnalysis microbench-blackwell 9a068d8, B200", Evidence::reported};

// clang-format off
constexpr Gpu rows[] = {
    {"A100",         "sm_80",   108,  0,  0,    0, none},
    {"RTX 4090",     "sm_89",   128,  0,  0,    0, none},
    {"RTX 6000 Ada", "sm_89",   142,  0,  0,    0, none},
    {"H100",         "sm_90a",  132, 50, 12,  850, h100_copies},
    {"H200",         "sm_90a",  132, 55, 17,  720, h200_copies},
    {"B200",         "sm_100a", 148, 58, 25, 1100, b200_copies},
    {"RTX 5090",     "sm_120a", 170,  0,  0,    0, none},
    {"RTX PRO 6000", "sm_120a", 188,  0,  0,    0, none},
};

// In the order of RateClass; 0: the GPU has no such MMA, or no source has its rate. sm_90 has no mma.sync of fp8: ptxas
// converts the operands to f16, which costs more than the two HMMA.
struct Rates {
  std::string_view gpu;
  std::array<double, 10> macs;
  Source source;
};
constexpr Rates rates[] = {
    //                f16  f16_f16 tf32  fp8 fp8_f16 mxf8f6f4 mxf4 int8  int4 f64
    {"A100",         {1024, 1024,  512,    0,    0,    0,    0, 2048, 4096, 64}, {"A100 whitepaper", Evidence::documented}},
    {"RTX 4090",     { 256,  512,  128,  512, 1024,    0,    0, 1024, 2048,  0}, {"Ada whitepaper", Evidence::documented}},
    {"RTX 6000 Ada", { 512,  512,  256, 1024, 1024,    0,    0, 1024, 2048,  0}, {"Ada whitepaper", Evidence::documented}},
    {"H100",         {1355, 1361,  677,  664,    0,    0,    0, 2710,    0, 128}, {"H100 and H200, mma.sync", Evidence::measured}},
    {"H200",         {1355, 1361,  677,  664,    0,    0,    0, 2710,    0, 128}, {"H100 and H200, mma.sync", Evidence::measured}},
    {"RTX 5090",     { 256,  512,  128,  512, 1024, 1024, 2048, 1024,    0,  0}, {"RTX Blackwell whitepaper; gau-nernst.github.io", Evidence::documented}},
    {"RTX PRO 6000", { 512,  512,  256, 1024, 1024, 1024, 2048, 1024,    0,  0}, {"RTX Blackwell whitepaper; gau-nernst.github.io", Evidence::documented}},
};
// clang-format on

const Rates* rates_of(std::string_view gpu) {
  const auto found = std::ranges::find(rates, gpu, &Rates::gpu);
  return found == std::end(rates) ? nullptr : found;
}

// "sm_100a" and "sm_100f" are one chip.
std::string_view chip(std::string_view target) {
  if (target.ends_with('a') || target.ends_with('f')) target.remove_suffix(1);
  return target;
}

}  // namespace

std::optional<double> Gpu::rate(RateClass what) const {
  const Rates* row = rates_of(name);
  const double macs = row == nullptr ? 0 : row->macs[static_cast<std::size_t>(what)];
  return macs == 0 ? std::nullopt : std::optional(macs);
}

Source Gpu::rate_source() const {
  const Rates* row = rates_of(name);
  return row == nullptr ? none : row->source;
}

std::span<const Gpu> gpus() { return rows; }

const Gpu* find_gpu(std::string_view name) {
  const auto plain = [](std::string_view text) {
    std::string letters = lower_case(text);
    std::erase_if(letters, [](char c) { return c == ' ' || c == '-' || c == '_'; });
    return letters;
  };
  const auto found = std::ranges::find_if(rows, [&](const Gpu& gpu) { return plain(gpu.name) == plain(name); });
  return found == std::end(rows) ? nullptr : found;
}

const Gpu& require_gpu(std::string_view name) {
  if (const Gpu* gpu = find_gpu(name)) return *gpu;
  std::vector<std::string> names;
  for (const Gpu& gpu : rows) names.emplace_back(gpu.name);
  throw Error(fmt::format("{} is not a GPU whose rates are known", quoted(std::string(name))),
              "one of " + join_and(names) + "; or only --arch");
}

const Gpu* gpu_of(const Target& target) {
  const auto found = std::ranges::find_if(rows, [&](const Gpu& gpu) { return chip(gpu.target) == chip(target.name); });
  return found == std::end(rows) ? nullptr : found;
}

std::optional<RateClass> rate_class(const DType& dtype, bool has_f16_accumulators, bool is_block_scaled) {
  const std::string_view name = dtype.name;
  if (name == "f16" || name == "bf16") return has_f16_accumulators ? RateClass::f16_f16 : RateClass::f16;
  if (name == "tf32") return RateClass::tf32;
  if (name == "s8" || name == "u8") return RateClass::int8;
  if (name == "s4" || name == "u4") return RateClass::int4;
  if (name == "f64") return RateClass::f64;
  if (dtype.is_floating && dtype.value_bits <= 8) {
    if (is_block_scaled) return dtype.value_bits == 4 && dtype.memory_bits == 4 ? RateClass::mxf4 : RateClass::mxf8f6f4;
    return has_f16_accumulators ? RateClass::fp8_f16 : RateClass::fp8;
  }
  return std::nullopt;
}

}  // namespace swz
