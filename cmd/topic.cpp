// SPDX-License-Identifier: Apache-2.0
#include "topic.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "dialect/dialect.hpp"

namespace swz {
namespace {

// Words that lead to the same commands are in one row, with | between them.
struct TopicRow {
  std::string_view words;
  std::vector<std::string_view> commands;
};

const std::vector<TopicRow>& topic_rows() {
  static const std::vector<TopicRow> table{
      {"conflict|conflicts|bank|bank-conflict|bank-conflicts|wavefront|wavefronts|shared-load|lds|sts",
       {"banks", "swizzle find"}},
      {"atomic|atomics|atom|red|contention", {"banks"}},
      {"padding|pad|stride|pitch", {"banks", "swizzle find", "layout"}},
      {"swizzles|swizzling|xor|permute", {"swizzle explain", "swizzle find", "swizzle lint"}},
      {"fragment|fragments|register|registers|thread|lane|hmma|movmatrix|mma.sync", {"frag"}},
      {"ldmatrix|stmatrix|ldsm|stsm", {"frag", "banks"}},
      {"mma|wgmma|gmma|hgmma", {"frag", "desc", "decode", "map"}},
      {"tcgen05|umma|blackwell", {"tmem d", "desc", "encode idesc", "frag", "sf way"}},
      {"descriptor|descriptors|matrix-descriptor|smem-desc|word", {"decode", "desc", "encode smem"}},
      {"idesc|instruction-descriptor", {"decode", "encode idesc"}},
      {"lbo|sbo|leading-byte-offset|stride-byte-offset|base-offset", {"desc", "decode", "phase"}},
      {"smem|shared|shared-memory", {"place", "desc", "identify", "banks"}},
      {"k-loop|kloop|advance|loop", {"map", "decode"}},
      {"tmap|tensormap|tensor-map|cutensormap|cutensormapencodetiled|im2col", {"tma check", "tma encode", "decode"}},
      {"convolution|conv|fprop|dgrad|wgrad", {"tma conv", "tma place"}},
      {"tma decode", {"decode"}},
      {"tma layout|tma swizzle|tma box", {"tma plan", "tma place"}},
      {"accumulator|tensor-memory|tmem alloc", {"tmem d", "tmem plan"}},
      {"tmem b", {"desc", "pair"}},
      {"scale|scales|scale-factor|scale-factors|sfa|sfb|nvfp4|mxfp4|mxfp8|block-scaled|128x4|8x4|to-blocked",
       {"sf list", "sf place", "sf diff", "sf identify", "sf tmem", "sf way"}},
      {"fp4|fp6|fp8|e2m1|e3m2|e2m3|mxf8f6f4", {"narrow", "sf way"}},
      {"sparsity|metadata|structured-sparsity", {"sparse"}},
      {"2sm|2cta|cta-group|cta-pair", {"pair", "cluster", "tmem d"}},
      {"multicast|mapa|dsmem|ctarank|ctamask|cta-mask|distributed-shared-memory|launch-control|clc", {"cluster"}},
      {"cutlass|hopper", {"translate", "frag", "desc"}},
      {"ptx|sass|cubin|fatbin|wheel|nsight|ncu", {"kernel", "banks", "frag"}},
      {"dump|cuda-gdb|debug|debugger", {"identify", "decode", "gdb"}},
      {"agent|agents|model-context-protocol|llm|claude|codex", {"mcp", "skills install"}},
      {"convert|notation|dialect|dialects", {"translate"}},
      {"compare|equal", {"diff"}},
      {"tile|tiling|atoms", {"tiles", "choose", "place"}},
      {"mode|modes", {"choose", "swizzle explain", "arch"}},
      {"types|dtype|target|targets|evidence", {"arch"}},
      {"gpu|hardware|test|check", {"verify"}},
      {"explain", {"swizzle explain", "decode"}},
      {"lint", {"swizzle lint", "decode"}},
  };
  return table;
}

// The topics of the table, then the names of all dialects.
std::vector<Topic> all_topics() {
  std::vector<Topic> out;
  for (const TopicRow& row : topic_rows())
    for (std::string& word : split(row.words, '|')) out.push_back({std::move(word), row.commands});
  const auto is_group = [](std::string_view name) {
    return std::ranges::any_of(commands(), [&](const Command& c) { return !second_word(c, name).empty(); });
  };
  for (const Dialect& dialect : dialects()) {
    if (is_group(dialect.name)) continue;
    std::string name(dialect.name);
    std::ranges::replace(name, '_', '-');
    if (std::ranges::find(out, name, &Topic::word) == out.end()) out.push_back({std::move(name), {"translate"}});
  }
  return out;
}

}  // namespace

bool Topic::leads_into(const Commands& table) const {
  return std::ranges::any_of(table,
                             [&](const Command& c) { return std::ranges::find(commands, c.name) != commands.end(); });
}

std::span<const Topic> topics() {
  static const std::vector<Topic> all = all_topics();
  return all;
}

const Topic* find_topic(const std::string& word, const Commands& table) {
  std::string name = lower_case(word);
  std::ranges::replace(name, '_', '-');
  const auto found = std::ranges::find(topics(), name, &Topic::word);
  return found == topics().end() || !found->leads_into(table) ? nullptr : &*found;
}

}  // namespace swz
