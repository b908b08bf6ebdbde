// SPDX-License-Identifier: Apache-2.0
#include "scale/scale_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra.hpp"

namespace swz {
namespace {

using Axis = ScaleDigit::Axis;

std::int64_t next_multiple(std::int64_t count, std::int64_t of) { return checked_mul(ceil_div(count, of), of); }

void require_multiple(const ScaleLayoutRow& row, std::string_view what, std::int64_t count, std::int64_t of) {
  if (count % of == 0) return;
  throw usage_error(fmt::format("layout {} has whole groups of {} {}, not {}", row.name, of, what, count),
                    fmt::format("take {}, with padding of your own ({})", next_multiple(count, of), row.source.where));
}

// The part of an axis that a digit counts: "row / 32 % 4".
std::string digit_text(std::string_view axis, std::string_view from, std::string_view count, bool is_last) {
  std::string text(axis);
  if (!from.empty()) text += fmt::format(" / {}", from);
  if (!is_last) text += fmt::format(" % {}", count);
  return text;
}

void append_term(std::string& sum, std::string_view stride, const std::string& digit) {
  if (!sum.empty()) sum += " + ";
  if (stride.empty()) sum += digit;
  else
    sum += digit.find(' ') == std::string::npos ? fmt::format("{} * {}", stride, digit)
                                                : fmt::format("{} * ({})", stride, digit);
}

// Whether a digit begins at a part of its axis: half, quarter.
bool is_part(int from) { return from < 0; }

// The beginning of the next digit of the axis; nothing for the last. A part is after every number.
std::optional<int> next_of(const ScaleLayoutRow& row, ScaleDigit digit) {
  std::optional<int> next, part;
  if (is_part(digit.from)) return next;
  for (const ScaleDigit& other : row.digits) {
    if (other.axis != digit.axis) continue;
    if (is_part(other.from)) part = other.from;
    else if (other.from > digit.from && (!next || other.from < *next)) next = other.from;
  }
  return next ? next : part;
}

// The letter of an extent in a formula.
std::string_view extent_name(Axis axis) { return axis == Axis::row ? "R" : axis == Axis::kb ? "C" : "B"; }

std::int64_t& index_along(ScaleCoordinate& at, Axis axis) {
  return axis == Axis::row ? at.row : axis == Axis::kb ? at.kb : at.batch;
}

// What the padded extent of an axis is a multiple of.
std::int64_t multiple_of(const ScaleLayoutRow& row, Axis axis) {
  std::int64_t most = 1;
  for (const ScaleDigit& digit : row.digits)
    if (digit.axis == axis) most = std::max<std::int64_t>(most, digit.from);
  return most;
}

}  // namespace

std::string_view index_name(ScaleDigit::Axis axis) {
  return axis == Axis::row ? "row" : axis == Axis::kb ? "kb" : "batch";
}

std::string ScaleLayoutRow::order() const {
  std::string text;
  for (const ScaleDigit& digit : digits) {
    if (digit.axis == Axis::none) continue;
    if (!text.empty()) text += ' ';
    text += static_cast<char>(digit.axis);
    text +=
        is_part(digit.from) ? fmt::format("{}/{}", extent_name(digit.axis), -digit.from) : std::to_string(digit.from);
  }
  return text;
}

bool ScaleLayoutRow::has_batch_digit() const {
  return std::ranges::find(digits, Axis::batch, &ScaleDigit::axis) != digits.end();
}

bool ScaleLayoutRow::takes(const ScaleExtents& extents) const {
  return extents.rows % rows_of == 0 && extents.factors % factors_of == 0 &&
         (most_rows == 0 || extents.rows <= most_rows);
}

ScaleLayout::ScaleLayout(RowOf<ScaleLayoutRow, require_scale_layout> row, ScaleExtents extents)
    : row_(row), extents_(extents) {
  require_multiple(*row_, "rows", extents.rows, row_->rows_of);
  require_multiple(*row_, "factors of K", extents.factors, row_->factors_of);
  if (row_->most_rows != 0 && extents.rows > row_->most_rows)
    throw usage_error(fmt::format("layout {} has at most {} rows, not {}", row_->name, row_->most_rows, extents.rows),
                      fmt::format("these are the rows of one tile ({})", row_->source.where));
  padded_ = {next_multiple(extents.rows, multiple_of(*row_, Axis::row)),
             next_multiple(extents.factors, multiple_of(*row_, Axis::kb)), extents.batches};
  std::int64_t stride = row_->unit;
  for (const ScaleDigit& digit : row_->digits) {
    if (digit.axis == Axis::none) continue;
    const std::int64_t from = from_of(digit);
    const std::int64_t count = end_of(digit) / from;
    const std::int64_t next = checked_mul(stride, digit.room != 0 ? digit.room : count);
    digits_.push_back({digit.axis, from, count, stride, next, !next_of(*row_, digit)});
    stride = next;
  }
  size_ = {row_->has_batch_digit() ? stride : checked_mul(stride, extents.batches)};
}

std::int64_t ScaleLayout::extent_along(Axis axis) const {
  return axis == Axis::row ? padded_.rows : axis == Axis::kb ? padded_.factors : padded_.batches;
}

std::int64_t ScaleLayout::from_of(ScaleDigit digit) const {
  return is_part(digit.from) ? extent_along(digit.axis) / -digit.from : digit.from;
}

std::int64_t ScaleLayout::end_of(ScaleDigit digit) const {
  const std::optional<int> next = next_of(*row_, digit);
  return next ? from_of({digit.axis, *next}) : extent_along(digit.axis);
}

std::int64_t ScaleLayout::batch_stride() const { return row_->has_batch_digit() ? 0 : size_.count / extents_.batches; }

Bytes ScaleLayout::offset(ScaleCoordinate at) const {
  std::int64_t offset = at.batch * batch_stride();
  for (const Digit& digit : digits_) offset += index_along(at, digit.axis) / digit.from % digit.count * digit.stride;
  return {offset};
}

std::optional<ScaleCoordinate> ScaleLayout::at(Bytes offset) const {
  const std::int64_t batch = batch_stride() == 0 ? size_.count : batch_stride();
  ScaleCoordinate at{0, 0, offset.count / batch};
  std::int64_t rest = offset.count % batch;
  for (std::size_t i = digits_.size(); i-- > 0;) {
    const Digit& digit = digits_[i];
    const std::int64_t value = rest / digit.stride;
    if (value >= digit.count) return {};
    rest %= digit.stride;
    index_along(at, digit.axis) += value * digit.from;
  }
  if (rest >= row_->bytes) return {};
  return at;
}

Layout ScaleLayout::layout() const {
  const auto mode_of = [&](Axis axis) {
    std::vector<Digit> digits;
    std::ranges::copy_if(digits_, std::back_inserter(digits), [&](const Digit& d) { return d.axis == axis; });
    std::ranges::sort(digits, {}, &Digit::from);
    std::vector<FlatMode> modes;
    for (const Digit& digit : digits) modes.push_back({digit.count, digit.stride});
    return coalesce(Layout(modes));
  };
  std::vector<Layout> modes{mode_of(Axis::row), mode_of(Axis::kb)};
  if (extents_.batches > 1)
    modes.push_back(row_->has_batch_digit() ? mode_of(Axis::batch) : Layout(extents_.batches, batch_stride()));
  return make_layout(modes);
}

std::string ScaleLayout::formula() const {
  std::string sum;
  for (const Digit& digit : joined_digits()) {
    if (digit.count == 1) continue;
    append_term(sum, digit.stride == 1 ? "" : std::to_string(digit.stride),
                digit_text(index_name(digit.axis), digit.from == 1 ? "" : std::to_string(digit.from),
                           std::to_string(digit.count), digit.is_last));
  }
  if (extents_.batches > 1 && batch_stride() > 0) append_term(sum, std::to_string(batch_stride()), "batch");
  return sum.empty() ? "0" : sum;
}

std::vector<ScaleLayout::Digit> ScaleLayout::joined_digits() const {
  std::vector<Digit> digits;
  for (const Digit& digit : digits_) {
    Digit* before = digits.empty() ? nullptr : &digits.back();
    const bool continues = before != nullptr && before->axis == digit.axis && before->next == digit.stride &&
                           before->stride * before->count == digit.stride && before->from * before->count == digit.from;
    if (!continues) {
      digits.push_back(digit);
      continue;
    }
    before->count *= digit.count;
    before->next = digit.next;
    before->is_last = digit.is_last;
  }
  return digits;
}

ScaleLayout::Block ScaleLayout::block() const {
  std::vector<Digit> digits = joined_digits();
  // The last digits of the axes count tiles.
  while (digits.size() > 1 && digits.back().is_last && digits.back().stride > digits.front().next) digits.pop_back();
  if (digits.front().is_last) digits.resize(1);
  Block block{{1, 1, 1}, {digits.back().next}};
  for (const Digit& digit : digits) {
    ScaleExtents& e = block.extents;
    (digit.axis == Axis::row ? e.rows : digit.axis == Axis::kb ? e.factors : e.batches) *= digit.count;
  }
  return block;
}

namespace {

// Where a digit begins, if it is not the first: "32", "(R / 2)".
std::string from_text(ScaleDigit digit) {
  if (is_part(digit.from)) return fmt::format("({} / {})", extent_name(digit.axis), -digit.from);
  return digit.from == 1 ? "" : std::to_string(digit.from);
}

// How many values a digit has: "32", "R", "ceil(C / 4)".
std::string count_text(const ScaleLayoutRow& row, ScaleDigit digit, const std::string& from, std::optional<int> next) {
  const std::string_view all = extent_name(digit.axis);
  if (is_part(digit.from)) return std::to_string(-digit.from);
  if (next && is_part(*next)) return fmt::format("({} / {})", all, -*next * digit.from);
  if (next) return std::to_string(*next / digit.from);
  if (from.empty()) return std::string(all);
  const bool is_exact = (digit.axis == Axis::row ? row.rows_of : row.factors_of) % digit.from == 0;
  return is_exact ? fmt::format("({} / {})", all, from) : fmt::format("ceil({} / {})", all, from);
}

}  // namespace

std::string symbolic_formula(const ScaleLayoutRow& row) {
  std::string sum, extents;  // the extents that the stride so far contains besides the number
  std::int64_t number = row.unit;
  for (std::size_t i = 0; i < row.digits.size() && row.digits[i].axis != Axis::none; ++i) {
    const ScaleDigit first = row.digits[i];
    std::string stride = number == 1 ? "" : std::to_string(number);
    if (!extents.empty()) stride += (stride.empty() ? "" : " * ") + extents;
    // Digits that continue each other are one term.
    for (;; ++i) {
      const ScaleDigit digit = row.digits[i];
      const std::optional<int> next = next_of(row, digit);
      if (digit.room != 0) number *= digit.room;
      else if (is_part(digit.from)) number *= -digit.from;
      else if (next && !is_part(*next)) number *= *next / digit.from;
      else extents += (extents.empty() ? "" : " * ") + count_text(row, digit, from_text(digit), next);
      const bool continues = i + 1 < row.digits.size() && row.digits[i + 1].axis == digit.axis && next &&
                             *next == row.digits[i + 1].from && !is_part(*next) && digit.room == 0;
      if (!continues) break;
    }
    const std::optional<int> next = next_of(row, row.digits[i]);
    const bool is_number = next && !is_part(*next);
    const std::string count =
        is_number ? std::to_string(*next / first.from) : count_text(row, first, from_text(first), next);
    append_term(sum, stride, digit_text(index_name(first.axis), from_text(first), count, !next));
  }
  return sum;
}

}  // namespace swz
