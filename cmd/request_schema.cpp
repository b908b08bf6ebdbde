#include "request_schema.hpp"

#include "line.hpp"

namespace swz {
namespace {

std::string property_name(const std::string& option) { return option.substr(option.find_first_not_of('-')); }

Json schema_of(const Option& option) {
  Json value = option.is_flag() ? Json{{"type", "boolean"}} : Json{{"type", "string"}};
  if (!option.choices.empty()) value[option.is_open ? "examples" : "enum"] = option.choices;
  if (option.repeats != nullptr)
    value = {{"type", "array"}, {"items", std::move(value)}, {"maxItems", option.repeats->most}};
  value["description"] = option.help;
  if (!option.initial.empty()) value["default"] = option.initial;
  return value;
}

// No request has both of two options that exclude each other, nor one that lacks what it needs.
void add_rules(Json& schema, const Option& option) {
  const std::string name = property_name(option.name());
  for (const std::string& other : option.excludes)
    schema["allOf"].push_back({{"not", {{"required", {name, property_name(other)}}}}});
  if (option.needs.empty()) return;
  Json any = Json::array({Json{{"not", {{"required", {name}}}}}});
  for (const std::string& other : option.needs) any.push_back({{"required", {property_name(other)}}});
  schema["allOf"].push_back({{"anyOf", std::move(any)}});
}

Json schema_of(const Command& command) {
  Common common;
  Json schema = {{"type", "object"},
                 {"description", std::string(command.summary)},
                 {"properties", {{"command", {{"const", std::string(command.name)}}}}},
                 {"required", {"command"}},
                 {"additionalProperties", false}};
  for (const Option& option : command.prepare().options + common_options(common)) {
    if (option.is_hidden) continue;
    schema["properties"][property_name(option.name())] = schema_of(option);
    if (option.is_required) schema["required"].push_back(property_name(option.name()));
    add_rules(schema, option);
  }
  return schema;
}

}  // namespace

Json request_schema(const Commands& table) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "a request to swz"}};
  schema["oneOf"] = Json::array();
  for (const Command& command : table) schema["oneOf"].push_back(schema_of(command));
  return schema;
}

}  // namespace swz
