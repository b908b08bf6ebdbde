// SPDX-License-Identifier: Apache-2.0
// The decompressors of the libraries that CMake found: zstd, LZ4, zlib. They are part of the command, not of the library.
//
//   built_in_codecs().zstd == nullptr     built without libzstd-dev
#pragma once

#include "binary/codecs.hpp"

namespace swz {

Codecs built_in_codecs();

}  // namespace swz
