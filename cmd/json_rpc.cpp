// SPDX-License-Identifier: Apache-2.0
#include "json_rpc.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "base/error.hpp"

namespace swz::json_rpc {

Json member(const Json& object, std::string_view name) {
  return object.is_object() && object.contains(name) ? object.at(name) : Json();
}

std::string text_member(const Json& object, std::string_view name) {
  const Json value = member(object, name);
  if (!value.is_string()) throw Refusal{invalid_params, fmt::format("\"{}\" is missing, or is not a text", name)};
  return value.get<std::string>();
}

std::size_t number_member(const Json& object, std::string_view name) {
  const Json value = member(object, name);
  try {
    return value.get<std::uint32_t>();
  } catch (const Error&) {
    throw Refusal{invalid_params, fmt::format("\"{}\" is missing, or is not a number from 0", name)};
  }
}

Json result_message(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json error_message(const Json& id, const Refusal& refusal) {
  Json error{{"code", refusal.code}, {"message", refusal.message}};
  if (!refusal.data.is_null()) error["data"] = refusal.data;
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}};
}

}  // namespace swz::json_rpc
