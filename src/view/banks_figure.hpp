// The figure of `swz banks`: the lines of shared memory that an instruction touches, by banks, with its lanes.
//
//   line\bank   0-3  4-7  8-11 …       a cell is as wide as the access, a word at least
//   0x0         0    1    2            the numbers are lanes; crossed out: another word of these banks is wanted by
//   0x80        8    9    10           a lane of the same group
#pragma once

#include <string>
#include <vector>

#include "smem/wavefront.hpp"
#include "view/document.hpp"

namespace swz {

// One panel for each instruction.
struct BanksPanel {
  std::string title;
  WavefrontReport report;
};
Figure banks_figure(const std::vector<BanksPanel>& panels);

// "0-3, 8": the lanes of a mask.
std::string lanes_text(std::uint32_t lanes);

}  // namespace swz
