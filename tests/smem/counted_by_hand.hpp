// SPDX-License-Identifier: Apache-2.0
// counted_by_hand: wavefronts by simulating the passes, lane by lane and word by word; slow, and written without
// smem/access.
//
//   ld.shared.b32, 32 lanes at a pitch of 128 B: each pass serves one lane, 32 passes
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "smem/access.hpp"

namespace swz {

struct HandCount {
  int wavefronts = 0, ideal = 0;
};

inline bool has_partners(const AccessPattern& p, int distance) {
  for (int lane = 0; lane < 32; ++lane) {
    const int partner = (lane & distance) != 0 ? lane - distance : lane + distance;
    const bool both = (p.active >> lane & 1) != 0 && (p.active >> partner & 1) != 0;
    if (both && p.address[static_cast<std::size_t>(lane)] != p.address[static_cast<std::size_t>(partner)]) return false;
  }
  return true;
}

// Pass by pass: every bank serves the first word that is still wanted there, for all lanes that want it.
inline HandCount count_group(const AccessPattern& p, int first, int last) {
  struct Wish {
    std::int64_t word;
    bool served;
  };
  std::array<Wish, 256> wishes;
  std::size_t count = 0;
  for (int lane = first; lane < last; ++lane) {
    if ((p.active >> lane & 1) == 0) continue;
    const std::int64_t begin = p.address[static_cast<std::size_t>(lane)];
    for (std::int64_t word = begin / 4; word * 4 < begin + p.instruction->bytes; ++word)
      wishes[count++] = {word, false};
  }
  HandCount out;
  int served_words = 0;
  for (bool left = count != 0; left;) {
    std::array<std::int64_t, 32> serving;
    serving.fill(-1);
    left = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (wishes[i].served) continue;
      std::int64_t& bank = serving[static_cast<std::size_t>(wishes[i].word % 32)];
      if (bank == -1) {
        bank = wishes[i].word;
        ++served_words;
      }
      wishes[i].served = bank == wishes[i].word;
      left = left || !wishes[i].served;
    }
    ++out.wavefronts;
  }
  out.ideal = (served_words + 31) / 32;
  return out;
}

// Atomics: every bank serves one lane at a time. In any place of the words, the lanes of one word wait for each other.
inline HandCount atomic_group(const AccessPattern& p, int first, int last) {
  std::array<int, 32> waiting = {};
  HandCount out;
  for (int lane = first; lane < last; ++lane) {
    if ((p.active >> lane & 1) == 0) continue;
    const std::uint32_t at = p.address[static_cast<std::size_t>(lane)];
    int same = 0;
    for (int other = first; other < last; ++other)
      same += (p.active >> other & 1) != 0 && p.address[static_cast<std::size_t>(other)] == at;
    out.ideal = std::max(out.ideal, same);
    out.wavefronts = std::max(out.wavefronts, ++waiting[at / 4 % 32]);
  }
  const int turns = p.instruction->name.find("cas") != std::string_view::npos ? 2 : 1;
  return {turns * out.wavefronts, turns * out.ideal};
}

inline HandCount counted_by_hand(const AccessPattern& p) {
  const bool is_matrix = p.instruction->name.find("matrix") != std::string_view::npos;
  const bool is_load = p.instruction->name.starts_with("ld.");
  int lanes = p.instruction->bytes <= 4 ? 32 : 128 / p.instruction->bytes;
  if (is_load && lanes < 32 && (has_partners(p, 1) || has_partners(p, 2))) lanes *= 2;
  int last = 32;
  if (is_matrix) {
    const std::size_t x = p.instruction->name.find(".x");
    last =
        8 * (p.instruction->name[x + 2] - '0') * (p.instruction->name.find("m16n16") != std::string_view::npos ? 2 : 1);
  }
  HandCount sum;
  for (int first = 0; first < last; first += lanes) {
    const bool is_atomic = p.instruction->name.starts_with("atom.");
    const HandCount group = is_atomic ? atomic_group(p, first, first + lanes) : count_group(p, first, first + lanes);
    sum.wavefronts += group.wavefronts;
    sum.ideal += group.ideal;
  }
  // Measured: an instruction whose lanes are all predicated off.
  if (sum.wavefronts == 0) sum = {1, 1};
  return sum;
}

}  // namespace swz
