// SPDX-License-Identifier: Apache-2.0
#include "ptx/site_claims.hpp"

#include <fmt/format.h>

#include <charconv>

#include "ptx/copy_opcode.hpp"
#include "ptx/kernel_parts.hpp"
#include "ptx/linear_form.hpp"

namespace swz {

SiteWatcher::SiteWatcher(const PtxInterpreter& warp, const PtxValues& values)
    : ClaimWatcher(warp, values), interpreter_(warp), all_(values) {
  const PtxModule& module = values.module();
  const PtxKernel& kernel = values.kernel();
  words_.resize(kernel.instructions.size());
  addresses_.resize(kernel.instructions.size());
  const Target* target = find_target(kernel.target);
  for (const MmaSite& site : mma_sites(values, target)) {
    add_operand(site, 1, site.a);
    add_operand(site, 2, site.b);
    // After the metadata in brackets, which sparse ones have.
    std::uint32_t place = 3;
    while (place < kernel.instructions[site.instruction].operands &&
           module.operands[operand_of(site, place)].kind == PtxOperandKind::address)
      ++place;
    if (site.idesc) words_[site.instruction].push_back({operand_of(site, place), site.idesc->word});
  }
  for (const SmemSite& site : smem_sites(values))
    for (std::uint32_t place = 0; place < kernel.instructions[site.instruction].operands; ++place) {
      if (module.operands[operand_of(site, place)].kind != PtxOperandKind::address) continue;
      addresses_[site.instruction].push_back({operand_of(site, place), site.address, 0});
      break;
    }
  numbers_.resize(kernel.instructions.size());
  for (const TmaSite& site : tma_sites(values, {})) add_copy(site);
}

void SiteWatcher::add_copy(const TmaSite& site) {
  const CopyOpcode copy = *copy_opcode(site.opcode);
  const CopyOpcode::Places at = copy.places();
  const auto operand = [&](int place) { return operand_of(site, static_cast<std::uint32_t>(place)); };
  if (site.shared) addresses_[site.instruction].push_back({operand(at.shared), *site.shared, 0});
  if (site.barrier) addresses_[site.instruction].push_back({operand(at.barrier), *site.barrier, 0});
  if (site.mask) words_[site.instruction].push_back({operand(at.mask), site.mask->word});
  const auto add_numbers = [&](const PtxOperand& list, const std::vector<SiteNumber>& all, int bits, bool is_signed) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].number)
        numbers_[site.instruction].push_back(
            {list.part + static_cast<std::uint32_t>(i), *all[i].number, bits, is_signed});
  };
  const PtxModule& module = all_.module();
  if (at.offsets >= 0) add_numbers(module.operands[operand(at.offsets)], site.offsets, 16, false);
  if (site.rank > 0)
    for (const PtxOperand& part : module.parts_of(module.operands[operand(at.map)]))
      if (part.kind == PtxOperandKind::list) add_numbers(part, site.coordinates, 32, true);
  if (site.rank == 0 && site.bytes)
    numbers_[site.instruction].push_back({operand(at.bytes), site.bytes->count, 32, false});
}

void SiteWatcher::add_operand(const MmaSite& site, std::uint32_t place, const MmaOperandSite& operand) {
  if (operand.word) words_[site.instruction].push_back({operand_of(site, place), *operand.word});
  if (operand.start) addresses_[site.instruction].push_back({operand_of(site, place), *operand.start, 4});
}

std::uint32_t SiteWatcher::operand_of(const PtxSite& site, std::uint32_t place) const {
  return all_.kernel().instructions[site.instruction].operand + place;
}

void SiteWatcher::before(const PtxStep& step) {
  ClaimWatcher::before(step);
  for (int lane = 0; lane < 32; ++lane) {
    if ((step.active >> lane & 1) == 0) continue;
    for (const Word& word : words_[step.instruction]) compare_word(step, word, lane);
    for (const Number& number : numbers_[step.instruction]) compare_number(step, number, lane);
    for (const Address& address : addresses_[step.instruction]) compare_address(step, address, lane);
  }
  if (step.active >> lane() & 1)
    for (const Address& address : addresses_[step.instruction]) compare_text(step, address);
}

void SiteWatcher::compare_word(const PtxStep& step, const Word& word, int lane) {
  const PtxOperand& operand = all_.module().operands[word.operand];
  if (!interpreter_.is_defined(operand, lane)) return;
  ++words;
  const std::uint64_t holds = interpreter_.value(operand, lane);
  if ((holds & word.said.known) != word.said.word)
    tell(step, lane,
         fmt::format("the word is {:#x}, said are {:#x} of the bits {:#x}", holds, word.said.word, word.said.known));
}

void SiteWatcher::compare_number(const PtxStep& step, const Number& number, int lane) {
  const PtxOperand& operand = all_.module().operands[number.operand];
  if (!interpreter_.is_defined(operand, lane)) return;
  ++numbers;
  const std::uint64_t whole = interpreter_.value(operand, lane) & bits_below(number.bits);
  const std::int64_t holds = number.is_signed ? as_signed(whole, number.bits) : static_cast<std::int64_t>(whole);
  if (holds != number.said) tell(step, lane, fmt::format("a number is {}, said is {}", holds, number.said));
}

void SiteWatcher::compare_address(const PtxStep& step, const Address& address, int lane) {
  const PtxOperand& operand = all_.module().operands[address.operand];
  if (!interpreter_.is_defined(operand, lane)) return;
  ++addresses;
  const int bits = all_.shared_address_bits();
  const std::int64_t window = std::int64_t{1} << bits;
  const std::uint64_t whole = interpreter_.value(operand, lane);
  const auto holds = static_cast<std::int64_t>(whole << address.shift & bits_below(bits));
  if (holds % address.said.alignment != 0)
    tell(step, lane,
         fmt::format("{} is {:#x}, said is a multiple of {}", address.said.text, holds, address.said.alignment));
  // An address out of the window may have wrapped; the field of a word has no bit that shows it.
  if (!address.said.offset || (address.shift == 0 && whole >= static_cast<std::uint64_t>(window))) return;
  for (std::uint32_t id = 0; id < all_.module().symbols.size(); ++id) {
    const PtxSymbol& symbol = all_.module().symbols[id];
    if (symbol.name != address.said.symbol || symbol.space != PtxSpace::shared) continue;
    const auto begins = static_cast<std::int64_t>(interpreter_.value({.kind = PtxOperandKind::symbol, .id = id}, lane));
    if (address.shift != 0 && holds < begins) continue;
    ++offsets;
    if (begins + address.said.offset->count != holds)
      tell(step, lane,
           fmt::format("{} is {} past {}, the report has {}", address.said.text, holds - begins, symbol.name,
                       address.said.offset->count));
  }
}

void SiteWatcher::compare_text(const PtxStep& step, const Address& address) {
  const PtxOperand& operand = all_.module().operands[address.operand];
  const ValueId value = all_.of_operand(address.operand);
  if (value == no_value || !interpreter_.is_defined(operand, lane())) return;
  std::uint64_t sum = 0;
  std::int64_t constant = 0;
  std::string_view rest = address.said.text;
  bool is_negative = rest.starts_with('-');
  if (is_negative) rest.remove_prefix(1);
  while (!rest.empty()) {
    const std::size_t end = std::min({rest.find(" + "), rest.find(" - "), rest.size()});
    std::string_view name = rest.substr(0, end);
    std::uint64_t factor = 1;
    const auto [behind, error] = std::from_chars(name.data(), name.data() + name.size(), factor);
    if (error == std::errc()) name.remove_prefix(static_cast<std::size_t>(behind - name.data()));
    if (name.starts_with('*')) name.remove_prefix(1);
    bool is_term = true;
    const std::optional<std::uint64_t> holds =
        name.empty() ? std::optional<std::uint64_t>(1) : named(value, address.shift, name, is_term);
    if (!holds) {
      if (!is_term)
        tell(step, lane(), fmt::format("{} names {}, which the address is not made of", address.said.text, name));
      return;
    }
    sum += (is_negative ? 0 - factor : factor) * *holds;
    if (name.empty()) constant += is_negative ? -static_cast<std::int64_t>(factor) : static_cast<std::int64_t>(factor);
    is_negative = end < rest.size() && rest[end + 1] == '-';
    rest.remove_prefix(end < rest.size() ? end + 3 : end);
  }
  ++texts;
  const std::uint64_t mask = bits_below(all_.shared_address_bits()),
                      holds = interpreter_.value(operand, lane()) << address.shift & mask;
  if ((sum & mask) != holds)
    tell(step, lane(), fmt::format("{} is {:#x}, the address {:#x}", address.said.text, sum & mask, holds));
  if (constant != address.said.constant.count)
    tell(step, lane(),
         fmt::format("the constant of {} is said to be {}", address.said.text, address.said.constant.count));
}

std::optional<std::uint64_t> SiteWatcher::named(ValueId address, int shift, std::string_view name, bool& is_term) {
  is_term = false;
  std::optional<std::uint64_t> out;
  for (const LinearTerm& term : linear_form(all_, address, all_.shared_address_bits(), shift).terms) {
    LinearForm alone;
    alone.terms = {{term.value, 1, term.is_progress}};
    if (to_string(alone, all_) != name) continue;
    is_term = true;
    const auto holds = form(term.value, lane());
    if (!holds || out) return std::nullopt;
    out = *holds;
    if (!term.is_progress) continue;
    const auto enters = form(induction(all_, term.value)->enters, lane());
    if (!enters) return std::nullopt;
    *out -= *enters;
  }
  return out;
}

void SiteWatcher::tell(const PtxStep& step, int lane, const std::string& what) {
  if (!contradiction.empty()) return;
  const PtxInstruction& one = all_.kernel().instructions[step.instruction];
  contradiction = fmt::format("line {}: {}: in lane {}: {}", one.line, one.opcode, lane, what);
}

}  // namespace swz
