#include "render/json.hpp"

#include <algorithm>

#include "view/document.hpp"

namespace swz {
namespace {

// A block as a member of an object: empty for a block that is not in JSON.
const std::string& key_of(const Block& block) {
  static const std::string none;
  return std::visit(
      []<class B>(const B& b) -> const std::string& {
        if constexpr (requires { b.key; }) return b.key;
        else return none;
      },
      block);
}

bool is_list(const Block& block) {
  const auto* field = std::get_if<Field>(&block);
  return field == nullptr || field->value.is_array();
}

// Commas between what is appended, and brackets around it.
class Brackets {
 public:
  Brackets(std::string& out, char begin, char end) : out_(out), end_(end) { out_ += begin; }
  ~Brackets() { out_ += end_; }
  Brackets(const Brackets&) = delete;
  Brackets& operator=(const Brackets&) = delete;

  void next() {
    if (!is_first_) out_ += ',';
    is_first_ = false;
  }
  void next(std::string_view key) {
    next();
    append_json_string(out_, key);
    out_ += ':';
  }

 private:
  std::string& out_;
  char end_;
  bool is_first_ = true;
};

void append(std::string& out, const Field& field) { field.value.append_to(out); }

void append(std::string& out, const Table& table) {
  Brackets list(out, '[', ']');
  for (const std::vector<Cell>& cells : table.rows) {
    list.next();
    Brackets row(out, '{', '}');
    const std::size_t count = std::min(cells.size(), table.columns.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (table.columns[i].key.empty()) continue;
      row.next(table.columns[i].key);
      cells[i].value.append_to(out);
    }
  }
}

void append(std::string& out, const Notes& notes) {
  Brackets list(out, '[', ']');
  for (const Finding& finding : notes.findings) {
    list.next();
    to_json(finding).append_to(out);
  }
}

void append(std::string& out, const Group& group) {
  Brackets list(out, '[', ']');
  for (const Document& member : group.members) {
    list.next();
    append_json(out, member);
  }
}

template <class B>
requires(!requires(const B& b) { b.key; }) void append(std::string&, const B&) {}

void append_block(std::string& out, const Block& block) {
  std::visit([&out](const auto& b) { append(out, b); }, block);
}

struct MemberBlocks {
  std::string_view key;
  std::vector<const Block*> blocks;
};

std::vector<MemberBlocks> members_of(const Document& document) {
  std::vector<MemberBlocks> members;
  for (const Block& block : document.blocks) {
    const std::string& key = key_of(block);
    if (key.empty()) continue;
    auto member = std::ranges::find(members, key, &MemberBlocks::key);
    if (member == members.end()) member = members.insert(member, {key, {}});
    if (!member->blocks.empty() && !(is_list(block) && is_list(*member->blocks.back()))) member->blocks.clear();
    member->blocks.push_back(&block);
  }
  return members;
}

// The items of one more list, inside the brackets of the one that `out` ends with.
void join_list(std::string& out, const Block& block) {
  std::string items;
  append_block(items, block);
  if (items == "[]") return;
  out.pop_back();
  if (out.back() != '[') out += ',';
  out.append(items, 1);
}

}  // namespace

void append_json(std::string& out, const Document& document) {
  Brackets object(out, '{', '}');
  for (const MemberBlocks& member : members_of(document)) {
    object.next(member.key);
    append_block(out, *member.blocks.front());
    for (std::size_t i = 1; i < member.blocks.size(); ++i) join_list(out, *member.blocks[i]);
  }
  if (document.source.empty()) return;
  object.next("source");
  append_json_string(out, document.source);
}

std::string json_text(const Document& document) {
  std::string out;
  append_json(out, document);
  return out + "\n";
}

}  // namespace swz
