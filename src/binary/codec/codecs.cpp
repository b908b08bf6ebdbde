// SPDX-License-Identifier: Apache-2.0
#include "binary/codec/codecs.hpp"

#ifdef SWZ_HAS_LZ4
#include <lz4.h>
#endif
#ifdef SWZ_HAS_ZSTD
#include <zstd.h>
#endif
#ifdef SWZ_HAS_ZLIB
#include <zlib.h>

#include <algorithm>
#include <climits>
#endif

namespace swz {

namespace {

#ifdef SWZ_HAS_LZ4
std::int64_t lz4(std::string_view from, std::span<char> to) {
  if (from.size() > LZ4_MAX_INPUT_SIZE || to.size() > LZ4_MAX_INPUT_SIZE) return -1;
  return LZ4_decompress_safe(from.data(), to.data(), static_cast<int>(from.size()), static_cast<int>(to.size()));
}
#endif

#ifdef SWZ_HAS_ZSTD
// At once, so that the window is the output and nothing else is allocated.
std::int64_t zstd(std::string_view from, std::span<char> to) {
  const std::size_t count = ZSTD_decompress(to.data(), to.size(), from.data(), from.size());
  return ZSTD_isError(count) != 0 ? -1 : static_cast<std::int64_t>(count);
}
#endif

#ifdef SWZ_HAS_ZLIB
// zlib counts in 32 bits: in pieces.
std::int64_t deflate_without_header(std::string_view from, std::span<char> to) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return -1;
  std::size_t read = 0, written = 0;
  int result = Z_OK;
  while (result == Z_OK) {
    const auto in = static_cast<uInt>(std::min<std::size_t>(from.size() - read, UINT_MAX / 2));
    const auto out = static_cast<uInt>(std::min<std::size_t>(to.size() - written, UINT_MAX / 2));
    // zlib does not write to it.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data() + read));
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef*>(to.data() + written);
    stream.avail_out = out;
    result = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += out - stream.avail_out;
    if (result == Z_OK && in == stream.avail_in && out == stream.avail_out) result = Z_BUF_ERROR;
  }
  inflateEnd(&stream);
  return result == Z_STREAM_END ? static_cast<std::int64_t>(written) : -1;
}
#endif

}  // namespace

Codecs built_in_codecs() {
  Codecs codecs;
#ifdef SWZ_HAS_LZ4
  codecs.lz4 = lz4;
#endif
#ifdef SWZ_HAS_ZSTD
  codecs.zstd = zstd;
#endif
#ifdef SWZ_HAS_ZLIB
  codecs.deflate = deflate_without_header;
#endif
  return codecs;
}

}  // namespace swz
