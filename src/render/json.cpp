// SPDX-License-Identifier: Apache-2.0
#include "render/json.hpp"

namespace swz {

std::string json_text(const Document& document) { return to_json(document).dump() + "\n"; }

}  // namespace swz
