// SPDX-License-Identifier: Apache-2.0
// The picture of a cluster.
#pragma once

#include "view/cluster/cluster.hpp"

namespace swz {

// The CTAs by x and y, for A and for B; with a tile the bytes that a barrier counts; with a rank what it loads, to whom,
// and its masks bit by bit.
Figure cluster_figure(const ClusterView& view);
// The CTAs of a mask.
Figure mask_figure(const ClusterMaskView& view);

}  // namespace swz
