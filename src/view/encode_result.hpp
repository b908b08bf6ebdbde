// Parts of what `swz tma check` says: the code that the call returned, and the block that was pasted.
#pragma once

#include <optional>

#include "tma/encode_result.hpp"
#include "tma/failure_text.hpp"
#include "view/document.hpp"

namespace swz {

// Beside the verdict, text only.
void add_returned(Document& d, const std::optional<EncodeResult>& result, const std::optional<PastedMap>& pasted);
// JSON: code {value, name, message, hint}, or null.
void add_result(Document& d, const std::optional<EncodeResult>& result);
// JSON: paste {program, blocks, notes}, or null.
void add_paste(Document& d, const std::optional<PastedMap>& pasted);

}  // namespace swz
