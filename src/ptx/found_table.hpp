// SPDX-License-Identifier: Apache-2.0
// FoundTable: results for some of many ids.
//
//   FoundTable<LaneValue> known(values.size());
//   known.open(7);        true: 7 is looked at for the first time
//   known.put(7, {…});    *known.find(7), which stays where it is
//
// The places of 256 ids are one page, which is made when one of them is opened. So a table with a few values of a large
// kernel is small. Used only inside src/ptx.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace swz {

template <class T>
class FoundTable {
 public:
  explicit FoundTable(std::size_t ids) : pages_((ids + page_ids - 1) / page_ids) {}

  // Null: it has no result.
  const T* find(std::uint32_t id) const {
    const auto& page = pages_[id / page_ids];
    const std::uint32_t at = page == nullptr ? unseen : (*page)[id % page_ids];
    return at < first ? nullptr : &held_[at - first];
  }
  bool is_unseen(std::uint32_t id) const {
    const auto& page = pages_[id / page_ids];
    return page == nullptr || (*page)[id % page_ids] == unseen;
  }
  // False: it is already open.
  bool open(std::uint32_t id) {
    std::uint32_t& at = place(id);
    return at == unseen && (at = opened, true);
  }
  const T& put(std::uint32_t id, T value) {
    std::uint32_t& at = place(id);
    if (at >= first) return held_[at - first] = std::move(value);
    at = static_cast<std::uint32_t>(held_.size()) + first;
    return held_.emplace_back(std::move(value));
  }

 private:
  static constexpr std::size_t page_ids = 256;
  static constexpr std::uint32_t unseen = 0, opened = 1, first = 2;
  std::uint32_t& place(std::uint32_t id) {
    auto& page = pages_[id / page_ids];
    if (page == nullptr) page = std::make_unique<std::array<std::uint32_t, page_ids>>();
    return (*page)[id % page_ids];
  }

  std::vector<std::unique_ptr<std::array<std::uint32_t, page_ids>>> pages_;
  std::deque<T> held_;
};

}  // namespace swz
