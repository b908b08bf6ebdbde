// SPDX-License-Identifier: Apache-2.0
// The threads of the machine as Workers (base/workers.hpp).
//
//   KernelCatalog catalog(codecs, filter, call_on_threads);      16 processors: up to 16 cubins are decompressed at once
#pragma once

#include <cstddef>
#include <functional>

namespace swz {

// The calls end before it returns. The first exception of a call is thrown again here.
void call_on_threads(std::size_t count, const std::function<void(std::size_t)>& call);

}  // namespace swz
