// View of compiled kernels: what `swz kernel` says.
//
//   matmul  sm_90a, 128 threads, 4 warps
//     shared   global_smem, as much as the launch gives, on 16 B
//     verdict  no contradiction found
//
//   MMAs            instruction           A                             B
//   8 x, 727-762    wgmma m64n128k16      smem K-major 128B, SBO 1024   …
//     start         global_smem + 16384*%r360, + 32 each
//
//   shared memory   wavefronts  ideal  proof
//
// JSON has an entry for each site; text joins sites that say the same and shows the worst accesses alone.
#pragma once

#include <string>
#include <vector>

#include "ptx/kernel_report.hpp"
#include "view/document.hpp"

namespace swz {

// One PTX text with the reports of its kernels.
struct KernelText {
  std::string name;  // as the user wrote it
  PtxModule module = {};
  std::vector<KernelReport> kernels = {};
};

struct ShownSites {
  bool mma = true, smem = true, tma = true, tmem = true;
};

Document view_kernels(std::vector<KernelText> texts, const ShownSites& shown);
// Whether any finding is a lint.
bool has_lints(const std::vector<KernelText>& texts);

// All that is known of the site in a line, with the picture of its words or of its banks. Throws Error, with the nearest line
// that has one.
Document view_kernel_line(const KernelText& text, std::uint32_t line);

// The PTX with a comment behind each line that has a site.
std::string annotated_ptx(const KernelText& text);

}  // namespace swz
