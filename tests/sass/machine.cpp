// SPDX-License-Identifier: Apache-2.0
#include "sass/machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>

namespace swz {

namespace {

using Word = std::uint32_t;
using Long = std::uint64_t;

std::string after(std::string_view name, int add) {
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits == name.npos) return std::string(name);
  return std::string(name.substr(0, digits)) +
         std::to_string(std::atoi(std::string(name.substr(digits)).c_str()) + add);
}

// The bits of a float of 32 bits that is exactly a half, as a half.
Word half_of(double value) {
  const auto narrow = static_cast<float>(value);
  Word bits = 0;
  std::memcpy(&bits, &narrow, 4);
  const Word sign = bits >> 16 & 0x8000;
  const int exponent = static_cast<int>(bits >> 23 & 255) - 127 + 15;
  if ((bits & 0x7fffffff) == 0) return sign;
  if (exponent > 0) return sign | static_cast<Word>(exponent) << 10 | (bits >> 13 & 0x3ff);
  return sign | ((bits & 0x7fffff) | 0x800000) >> (14 - exponent);
}

}  // namespace

Word SassMachine::get(std::string_view name) const {
  if (name == "PT" || name == "UPT") return 1;
  const auto found = registers_.find(name);
  return found == registers_.end() ? 0 : found->second;
}

void SassMachine::set(std::string_view name, Word value) {
  if (name.find_first_of("0123456789") == name.npos) return;
  registers_[std::string(name)] = value;
}

bool SassMachine::holds(std::string_view guard) const {
  if (guard.empty()) return true;
  return guard[0] == '!' ? get(guard.substr(1)) == 0 : get(guard) != 0;
}

bool SassMachine::execute(std::string_view opcode, std::span<const std::string_view> operands) {
  written_.clear();
  const std::string name(opcode.substr(0, opcode.find('.')));
  std::set<std::string> modifiers;
  for (std::size_t at = opcode.find('.'); at != opcode.npos;) {
    const std::size_t end = opcode.find('.', at + 1);
    modifiers.insert(std::string(opcode.substr(at + 1, end == opcode.npos ? end : end - at - 1)));
    at = end;
  }
  const auto has = [&](const char* modifier) { return modifiers.contains(modifier); };
  std::string base = name;
  if (base != "UBMSK" && base.size() > 3 && base[0] == 'U') base = base.substr(1);
  if (base == "UBMSK") base = "BMSK";
  bool readable = true;
  const auto bare = [](std::string_view text) {
    if (text.ends_with(".reuse")) text.remove_suffix(6);
    return text;
  };
  const auto text_of = [&](std::size_t i) { return i < operands.size() ? bare(operands[i]) : std::string_view(); };
  const auto is_condition = [&](std::size_t i) {
    std::string_view text = text_of(i);
    if (text.starts_with('!')) text.remove_prefix(1);
    return text.starts_with('P') || text.starts_with("UP");
  };
  // The value, and of -x the one's complement where that is asked for.
  const auto value = [&](std::size_t i, bool ones = false) -> Word {
    std::string_view text = text_of(i);
    if (text.empty()) return readable = false, 0;
    const char sign = text[0];
    const bool is_number = std::isdigit(static_cast<unsigned char>(text[sign == '-' ? 1 : 0])) != 0;
    if (is_number) return static_cast<Word>(std::strtoll(std::string(text).c_str(), nullptr, 0));
    if (sign == '-' || sign == '~') text.remove_prefix(1);
    if (!(text.starts_with('R') || text.starts_with("UR")) || text.find('.') != text.npos) return readable = false, 0;
    const Word found = get(text);
    return sign == '~' || (sign == '-' && ones) ? ~found : sign == '-' ? 0 - found : found;
  };
  const auto pair = [&](std::size_t i) -> Long {
    std::string_view text = text_of(i);
    if (text.ends_with(".64")) text.remove_suffix(3);
    return get(text) | static_cast<Long>(get(after(text, 1))) << 32;
  };
  const auto condition = [&](std::size_t i) -> bool {
    if (i >= operands.size()) return readable = false;
    return holds(text_of(i));
  };
  const auto put = [&](std::string_view to, Word what) {
    set(to, what);
    written_.emplace_back(to);
  };
  const auto put_pair = [&](std::string_view to, Long what) {
    put(to, static_cast<Word>(what));
    if (to != "RZ" && to != "URZ") put(after(to, 1), static_cast<Word>(what >> 32));
  };
  std::size_t outs = 0;  // predicates after the result, for carries
  while (is_condition(1 + outs) && !text_of(1 + outs).starts_with('!')) ++outs;
  const std::size_t a = 1 + outs;
  const bool carries = outs > 0 && !text_of(1).ends_with("PT");
  if (base != "PLOP3" && outs > 1 && !text_of(2).ends_with("PT")) return false;
  const auto sum_up = [&](std::initializer_list<Long> parts) {
    Long sum = 0;
    for (const Long part : parts) sum += part;
    put(text_of(0), static_cast<Word>(sum));
    if (carries) put(text_of(1), sum >> 32 != 0);
  };
  const auto enters = [&](std::size_t i) -> Long { return i < operands.size() && condition(i) ? 1 : 0; };

  if (base == "MOV" || (base == "IMAD" && has("MOV"))) {
    const Word from = value(base == "MOV" ? 1 : 3);
    if (readable) put(text_of(0), from);
    return readable;
  }
  if (base == "HFMA2" && text_of(1) == "-RZ" && text_of(2) == "RZ") {
    const auto half = [&](std::size_t i) { return half_of(std::atof(std::string(text_of(i)).c_str())); };
    put(text_of(0), half(3) << 16 | half(4));
    return true;
  }
  if (base == "IMAD" && has("WIDE")) {
    const auto x = value(a), y = value(a + 1);
    const Long product =
        has("U32")
            ? static_cast<Long>(x) * y
            : static_cast<Long>(static_cast<std::int64_t>(static_cast<std::int32_t>(x)) * static_cast<std::int32_t>(y));
    if (!readable || carries) return false;
    put_pair(text_of(0), product + pair(a + 2) + (has("X") ? enters(a + 3) : 0));
    return true;
  }
  if (base == "IMAD" && has("HI")) {
    const Word x = value(a), y = value(a + 1);
    const bool is_zero = text_of(a + 2) == "RZ" || text_of(a + 2) == "URZ";
    const Long product =
        has("U32")
            ? static_cast<Long>(x) * y
            : static_cast<Long>(static_cast<std::int64_t>(static_cast<std::int32_t>(x)) * static_cast<std::int32_t>(y));
    if (readable) put(text_of(0), static_cast<Word>((product + (is_zero ? 0 : pair(a + 2))) >> 32));
    return readable;
  }
  if (base == "IMAD") {
    const Word x = value(a), y = value(a + 1), z = value(a + 2, has("X"));
    const Long carry = has("X") ? enters(a + 3) : 0;
    if (readable && !carries) put(text_of(0), static_cast<Word>(x * y + z + carry));
    return readable && !carries;
  }
  if (base == "IADD3") {
    const bool upper = has("X");
    Long parts[5] = {};
    for (std::size_t i = 0; i < 3; ++i) {
      const bool subtracts = text_of(a + i).starts_with('-') && text_of(a + i).find('R') != std::string_view::npos;
      parts[i] = value(a + i, upper || carries);
      if (subtracts && carries && !upper) ++parts[3];
    }
    if (upper) parts[4] = enters(a + 3) + enters(a + 4);
    if (readable) sum_up({parts[0], parts[1], parts[2], parts[3], parts[4]});
    return readable;
  }
  if ((base == "VIADD" || base == "IADD") && modifiers.empty()) {
    const Word x = value(1), y = value(2);
    if (readable) put(text_of(0), x + y);
    return readable;
  }
  if (base == "LEA") {
    const bool high = has("HI"), extends = has("SX32");
    const Word x = value(a), y = value(a + 1, has("X"));
    const std::size_t place = a + (high && !extends ? 3 : 2);
    const auto by = static_cast<int>(value(place));
    Long wide = x;
    if (extends) wide = static_cast<Long>(static_cast<std::int64_t>(static_cast<std::int32_t>(x)));
    else if (high) wide |= static_cast<Long>(value(a + 2)) << 32;
    if (!readable || (carries && high)) return false;
    const Long shifted = wide << by;
    sum_up({high ? shifted >> 32 : shifted & 0xffffffff, y, has("X") ? enters(place + 1) : 0});
    return true;
  }
  if (base == "SHF") {
    const Word x = value(1), z = value(3);
    Word by = value(2);
    const bool wide = has("U64") || has("S64");
    const Long both = x | static_cast<Long>(z) << 32;
    if (!readable) return false;
    if (has("W")) by &= 31;
    if (has("L") && !has("HI")) put(text_of(0), by > 31 ? 0 : x << by);
    else if (has("R") && has("HI") && !wide && has("S32"))
      put(text_of(0), static_cast<Word>(static_cast<std::int32_t>(z) >> std::min(by, 31U)));
    else if (has("R") && has("HI") && !wide) put(text_of(0), by > 31 ? 0 : z >> by);
    else if (by > 63) return false;
    else {
      const Long shifted = has("L")                   ? both << by
                           : has("S64") || has("S32") ? static_cast<Long>(static_cast<std::int64_t>(both) >> by)
                                                      : both >> by;
      put(text_of(0), static_cast<Word>(has("HI") ? shifted >> 32 : shifted));
    }
    return true;
  }
  if (base == "LOP3") {
    const std::size_t d = is_condition(0) ? 1 : 0;
    const Word x = value(d + 1), y = value(d + 2), z = value(d + 3), table = value(d + 4);
    if (!readable || (d == 1 && condition(d + 5))) return false;
    Word result = 0;
    for (int bit = 0; bit < 32; ++bit)
      result |= (table >> ((x >> bit & 1) * 4 + (y >> bit & 1) * 2 + (z >> bit & 1)) & 1) << bit;
    put(text_of(d), result);
    if (d == 1) put(text_of(0), result != 0);
    return true;
  }
  if (base == "PLOP3") {
    const Word row = (condition(2) ? 4 : 0) + (condition(3) ? 2 : 0) + (condition(4) ? 1 : 0);
    const Word first = value(5) >> row & 1, second = value(6) >> row & 1;
    put(text_of(0), first);
    put(text_of(1), second);
    return true;
  }
  if (base == "ISETP" && (has("U64") || has("S64"))) {
    const auto wide = [&](std::size_t i) -> Long {
      const bool is_register = text_of(i).find('R') != std::string_view::npos;
      return is_register ? pair(i) : static_cast<Long>(std::strtoll(std::string(text_of(i)).c_str(), nullptr, 0));
    };
    const Long x = wide(2), y = wide(3);
    const bool third = condition(4),
               less = has("U64") ? x < y : static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y);
    const bool is = has("LT")   ? less
                    : has("LE") ? less || x == y
                    : has("GT") ? !less && x != y
                    : has("GE") ? !less
                    : has("EQ") ? x == y
                                : x != y;
    const auto join = [&](bool one) { return has("AND") ? one && third : has("OR") ? one || third : one != third; };
    put(text_of(0), join(is));
    put(text_of(1), join(!is));
    return readable;
  }
  if (base == "ISETP") {
    const Word x = value(2), y = value(3);
    const bool third = condition(4);
    const std::int64_t left = has("U32") ? static_cast<std::int64_t>(x) : static_cast<std::int32_t>(x);
    const std::int64_t right = has("U32") ? static_cast<std::int64_t>(y) : static_cast<std::int32_t>(y);
    bool holds_here = has("LT")   ? left < right
                      : has("LE") ? left <= right
                      : has("GT") ? left > right
                      : has("GE") ? left >= right
                      : has("EQ") ? left == right
                                  : left != right;
    if (has("EX")) {
      const bool lower = condition(5), same = left == right;
      holds_here = has("EQ")                ? same && lower
                   : has("NE")              ? !same || lower
                   : has("LT") || has("LE") ? left < right || (same && lower)
                                            : left > right || (same && lower);
    }
    const auto join = [&](bool one) { return has("AND") ? one && third : has("OR") ? one || third : one != third; };
    if (!readable) return false;
    put(text_of(0), join(holds_here));
    put(text_of(1), join(!holds_here));
    return true;
  }
  if (base == "SEL") {
    const Word x = value(1), y = value(2);
    if (readable) put(text_of(0), condition(3) ? x : y);
    return readable;
  }
  if (base == "VIMNMX" || base == "IMNMX" || base == "VIADDMNMX") {
    const std::size_t extra = base == "VIADDMNMX" ? 1 : 0;
    const Word x = extra == 1 ? value(a) + value(a + 1) : value(a), y = value(a + 1 + extra);
    const bool less = has("U32") ? x < y : static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y);
    if (readable) put(text_of(0), condition(a + 2 + extra) == less ? x : y);
    return readable;
  }
  if (base == "IABS") {
    const Word x = value(1);
    if (readable) put(text_of(0), x >> 31 ? 0 - x : x);
    return readable;
  }
  if (base == "SGXT") {
    const Word x = value(1), bits = value(2);
    if (!readable || bits < 1 || bits > 32) return false;
    const Long mask = (Long{1} << bits) - 1;
    const bool negative = !has("U32") && (x >> (bits - 1) & 1);
    put(text_of(0), static_cast<Word>(negative ? x | ~mask : x & mask));
    return true;
  }
  if (base == "BMSK" && modifiers.empty()) {
    const Word from = value(1), bits = value(2);
    if (!readable || from > 31 || bits > 32) return false;
    put(text_of(0), static_cast<Word>(((Long{1} << bits) - 1) << from));
    return true;
  }
  if (base == "PRMT") {
    const Long both = value(1) | static_cast<Long>(value(3)) << 32;
    const Word selector = value(2);
    Word result = 0;
    for (int k = 0; k < 4; ++k) {
      const Word nibble = selector >> 4 * k & 15;
      Word byte = static_cast<Word>(both >> 8 * (nibble & 7)) & 255;
      if (nibble & 8) byte = byte & 0x80 ? 255 : 0;
      result |= byte << 8 * k;
    }
    if (readable) put(text_of(0), result);
    return readable;
  }
  if (base == "POPC" || base == "BREV") {
    const Word x = value(1);
    Word result = 0;
    for (int bit = 0; bit < 32; ++bit) {
      if (base == "POPC") result += x >> bit & 1;
      else result |= (x >> bit & 1) << (31 - bit);
    }
    if (readable) put(text_of(0), result);
    return readable;
  }
  if (name == "R2UR" && operands.size() == 2) {
    put(text_of(0), value(1));
    return readable;
  }
  if (base == "R2P") {
    const Word x = value(1), mask = value(2);
    for (int i = 0; i < 7; ++i)
      if (mask >> i & 1) put("P" + std::to_string(i), x >> i & 1);
    return readable;
  }
  if ((name == "P2R" || name == "UP2UR") && operands.size() == 4 && text_of(2).ends_with("RZ")) {
    const Word mask = value(3);
    Word result = 0;
    for (int i = 0; i < 7; ++i)
      if (mask >> i & 1) result |= get((name == "P2R" ? "P" : "UP") + std::to_string(i)) << i;
    put(text_of(0), result);
    return true;
  }
  if (name == "RPCMOV") {
    const auto kept = [](std::string_view text) { return text == "Rpc.LO" ? "rpc0" : text == "Rpc.HI" ? "rpc1" : ""; };
    if (*kept(text_of(0)) != 0) registers_[kept(text_of(0))] = value(1);
    else put(text_of(0), get(kept(text_of(1))));
    return readable;
  }
  if (name == "LDL" || name == "STL") {
    const bool loads = name == "LDL";
    const std::string address(text_of(loads ? 1 : 0));
    const int place = address == "[R1]" ? 0 : static_cast<int>(std::strtol(address.c_str() + 4, nullptr, 0));
    const int bytes = has("U8") || has("S8") ? 1 : has("U16") || has("S16") ? 2 : 4;
    for (int i = 0; i < (has("128") ? 4 : has("64") ? 2 : 1); ++i) {
      const std::string reg = text_of(loads ? 0 : 1) == "RZ" ? "RZ" : after(text_of(loads ? 0 : 1), i);
      Word found = 0;
      for (int k = 0; k < bytes; ++k) {
        if (loads) found |= static_cast<Word>(local_[place + 4 * i + k]) << 8 * k;
        else local_[place + 4 * i + k] = static_cast<std::uint8_t>(get(reg) >> 8 * k);
      }
      if (has("S8") && (found & 0x80)) found |= 0xffffff00;
      if (has("S16") && (found & 0x8000)) found |= 0xffff0000;
      if (loads) put(reg, found);
    }
    return true;
  }
  if (base == "CS2R" && text_of(1) == "SRZ") {
    if (has("32")) put(text_of(0), 0);
    else put_pair(text_of(0), 0);
    return true;
  }
  return false;
}

}  // namespace swz
