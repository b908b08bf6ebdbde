// SPDX-License-Identifier: Apache-2.0
// The topics of clusters and of what bounds a pipeline: limits of clusters, GPUs and the rates of their MMAs.
#include "cluster/shape.hpp"
#include "pipeline/gpu.hpp"
#include "view/arch/arch_table.hpp"

namespace swz {

namespace {

// One rate of one GPU.
struct GpuRate {
  std::string_view gpu;
  RateClass what = RateClass::f16;
  double macs = 0;
  Source source;
};

std::vector<GpuRate> gpu_rates() {
  std::vector<GpuRate> all;
  for (const Gpu& gpu : gpus())
    for (int what = 0; what <= static_cast<int>(RateClass::f64); ++what) {
      const auto rate_of = static_cast<RateClass>(what);
      if (const std::optional<double> macs = gpu.rate(rate_of))
        all.push_back({gpu.name, rate_of, *macs, gpu.rate_source()});
    }
  return all;
}

// Of its copies, or, if they are not known, of the rates of its MMAs.
Source source_of(const Gpu& gpu) { return gpu.copies.where.empty() ? gpu.rate_source() : gpu.copies; }

// A number of a GPU; 0 is not known.
auto measured(double Gpu::*member) {
  return [member](const Gpu& gpu) {
    return gpu.*member == 0 ? Cell(nullptr) : Cell(static_cast<std::int64_t>(gpu.*member));
  };
}

}  // namespace

void add_clusters(Document& d) {
  constexpr auto right = Column::Align::right;
  d.add(sourced<ClusterLimit>("cluster_limits", "CTAs of a cluster", cluster_limits(),
                              {{"target", "targets that begin with",
                                [](const ClusterLimit& row) {
                                  return Cell(row.target, row.target.empty() ? "all others" : row.target, Tone::strong);
                                }},
                               {"portable", "portable", &ClusterLimit::portable, right},
                               {"most", "at most", &ClusterLimit::most, right},
                               {"mask_bits", "bits of a mask", &ClusterLimit::mask_bits, right},
                               {"remark", "remark", or_none(&ClusterLimit::remark)}}));
}

void add_gpus(Document& d) {
  constexpr auto right = Column::Align::right;
  Table table =
      table_of<Gpu>("gpus", "what each SM receives per cycle while all read", gpus(),
                    {naming<Gpu>("GPU"),
                     {"target", "target", &Gpu::target},
                     {"sms", "SMs", &Gpu::sms, right},
                     {"l2_bytes", "B from L2", measured(&Gpu::l2_bytes), right},
                     {"dram_bytes", "B from DRAM", measured(&Gpu::dram_bytes), right},
                     {"copy_latency", "cycles until a copy of 8 KiB is there", measured(&Gpu::copy_latency), right},
                     {"evidence", "evidence", [](const Gpu& gpu) { return to_string(source_of(gpu).evidence); }},
                     {"source", "source", [](const Gpu& gpu) { return source_of(gpu).where; }}});
  d.add(std::move(table));
  d.add(sourced<GpuRate>("mma_rates", "multiply-adds of mma.sync per cycle and SM", gpu_rates(),
                         {{"gpu", "GPU", [](const GpuRate& rate) { return Cell(rate.gpu, "", Tone::strong); }},
                          {"class", "class", [](const GpuRate& rate) { return Cell(to_string(rate.what)); }},
                          {"macs_per_cycle", "per cycle",
                           [](const GpuRate& rate) { return Cell(static_cast<std::int64_t>(rate.macs)); }, right}}));
}

}  // namespace swz
