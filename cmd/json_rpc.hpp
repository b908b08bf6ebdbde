// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0, as the protocols of agents (mcp_server.hpp) and of editors (lsp_server.hpp) use it: the members of a message,
// and the two answers.
//
//   {"jsonrpc":"2.0","id":1,"method":"ping"}                                          a request
//   {"jsonrpc":"2.0","id":1,"result":{}}                                              its answer
//   {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no method \"pong\""}}   a refusal
//
// Source: https://www.jsonrpc.org/specification
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"

namespace swz::json_rpc {

constexpr int parse_error = -32700, invalid_request = -32600, unknown_method = -32601, invalid_params = -32602,
              internal_error = -32603;

// Thrown where a message is read: its answer has "error" instead of "result".
struct Refusal {
  int code;
  std::string message;
  Json data = {};  // null: none
};

// Null if the value is no object, or has no such member.
Json member(const Json& object, std::string_view name);

// Throws Refusal (invalid_params) if the member is missing or of another type.
std::string text_member(const Json& object, std::string_view name);
std::size_t number_member(const Json& object, std::string_view name);

Json result_message(const Json& id, Json result);
Json error_message(const Json& id, const Refusal& refusal);

}  // namespace swz::json_rpc
