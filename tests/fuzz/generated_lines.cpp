// SPDX-License-Identifier: Apache-2.0
#include "generated_lines.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "line.hpp"

namespace swz {

using namespace std::string_view_literals;

// By the option if it has values of its own, otherwise by the name of its value in help.
LineGenerator::Draw LineGenerator::draw_of(const Option& option, std::string_view command) {
  using G = LineGenerator;
  static const std::map<std::string_view, Draw> draws{
      {"--tile", &G::tile},
      {"--rows", &G::extent},
      {"--cols", &G::extent},
      {"--rank", &G::small},
      {"--bits", &G::small},
      {"--dims", &G::extents},
      {"--box", &G::extents},
      {"--strides", &G::byte_strides},
      {"--paste", &G::pasted},
      {"--stride", &G::number},
      {"MNxK", &G::tile},
      {"MxNxK", &G::mma},
      {"SHAPE", &G::mma},
      {"TYPE", &G::dtype},
      {"MODE", &G::mode},
      {"LAYOUT", &G::layout},
      {"ADDRESS", &G::number},
      {"ADDRESSES", &G::numbers},
      {"N", &G::number},
      {"N,...", &G::numbers},
      {"N,N,...", &G::extents},
      {"ROW,K", &G::coordinates},
      {"T,R", &G::coordinates},
      {"ROW,COLUMN", &G::coordinates},
      {"COORDINATE", &G::coordinates},
      {"MASK", &G::number},
      {"ACCESS", &G::access},
      {"VARIANTS", &G::variants},
      {"MODE|LAYOUT", &G::beside},
      {"WHAT", &G::highlight},
      {"WORD", &G::word},
      {"A", &G::expression},
      {"TILE|LAYOUT", &G::against},
      {"B", &G::expression},
      {"SWIZZLE", &G::swizzle},
      {"SM", &G::arch},
  };
  if (option.value == "A:B") return &G::range;
  if (option.value == "LENGTH") return &G::length;
  if (option.name() == "EXPR") return command == "layout" ? &G::expression : &G::c_expression;
  if (option.name() == "NAME" && command == "frag") return &G::fragment;
  for (const std::string& key : {option.name(), option.value})
    if (const auto found = draws.find(key); found != draws.end()) return found->second;
  return &G::text;
}

std::string LineGenerator::value_of(const Option& option, std::string_view command) {
  if (!option.choices.empty() && !one_in(12)) return option.choices[below(option.choices.size())];
  return (this->*draw_of(option, command))();
}

void LineGenerator::add(Words& words, const Option& option, std::string_view command) {
  const bool is_many = option.repeats != nullptr && one_in(3);
  for (std::uint64_t i = is_many ? (one_in(30) ? below(2000) : 2 + below(2)) : 1; i > 0; --i) {
    if (!option.is_argument()) words.push_back(option.name());
    if (!option.is_flag()) words.push_back(value_of(option, command));
  }
}

// splitmix64
std::uint64_t LineGenerator::random() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// One in a hundred has thousands.
std::string LineGenerator::list(std::size_t count, Draw draw) {
  if (one_in(100)) count = below(6000);
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    out += (this->*draw)();
  }
  return out;
}

std::string LineGenerator::digits() {
  std::string out;
  for (std::uint64_t i = below(one_in(20) ? 400 : 22); i-- > 0;) out += static_cast<char>('0' + below(10));
  return out;
}

std::string LineGenerator::number() {
  if (one_in(4)) return small();
  if (one_in(3)) return std::to_string((std::uint64_t{1} << below(64)) + below(3) - 1);
  if (one_in(2))
    return one_of_texts({"0", "1", "16", "0x400", "0x80", "128", "1024", "4096", "65536", "1048576", "1048577"});
  if (one_in(3)) return digits();
  return one_of_texts({"-1",
                       "",
                       "0x",
                       "4294967295",
                       "4294967296",
                       "9007199254740993",
                       "4611686018427387904",
                       "9223372036854775807",
                       "9223372036854775808",
                       "18446744073709551615",
                       "18446744073709551616",
                       "0xffffffffffffffff",
                       "1e9",
                       "1.5",
                       "0b",
                       "007",
                       "--1",
                       "1 2",
                       "\xd9\xa3",
                       "auto"});
}

std::string LineGenerator::small() { return std::to_string(below(20)); }

std::string LineGenerator::extent() {
  if (one_in(30)) return number();
  if (one_in(5)) return std::to_string(1 + below(100));
  return std::to_string(std::uint64_t{1} << below(one_in(8) ? 20 : 9));
}

std::string LineGenerator::range() {
  const std::uint64_t first = below(40);
  return one_in(10) ? text() : std::to_string(first) + ":" + (one_in(4) ? "" : std::to_string(first + below(40)));
}

std::string LineGenerator::length() {
  constexpr std::array units{"mm", "in", "pt", "px", "cm", ""};
  return one_in(10) ? text() : std::to_string(1 + below(400)) + units[below(units.size())];
}

std::string LineGenerator::tuple(int depth) {
  if (depth == 0 || one_in(3)) return extent();
  std::string out = "(";
  const std::uint64_t count = one_in(150) ? below(1100) : 1 + below(4);
  for (std::uint64_t i = 0; i < count; ++i) out += (i > 0 ? "," : "") + tuple(depth - 1);
  return out + ")";
}

// In the nesting of `shape`: a number for each of its numbers.
std::string LineGenerator::strides(const std::string& shape) {
  std::string out;
  for (std::size_t i = 0; i < shape.size();) {
    if (shape[i] == '(' || shape[i] == ')' || shape[i] == ',') {
      out += shape[i++];
      continue;
    }
    while (i < shape.size() && shape[i] != '(' && shape[i] != ')' && shape[i] != ',') ++i;
    out += one_in(6) ? "0" : one_in(25) ? "-" + small() : extent();
  }
  return out;
}

std::string LineGenerator::plain_layout() {
  const std::string shape = tuple(2);
  return one_in(5) ? shape : shape + ":" + strides(shape);
}

std::string LineGenerator::swizzle() {
  if (one_in(6)) return mode();
  const std::string s = small() + "," + small() + "," + (one_in(3) ? "-" : "") + small();
  if (one_in(2)) return one_of_texts({"3,4,3", "2,4,3", "1,4,3", "Sw<3,3,3>", "Sw<2,5,2>", "Sw<3,4,3>", "Sw<1,0,1>"});
  return one_in(3) ? s : "Sw<" + s + ">";
}

// With two modes as a rule, for what takes an operand.
std::string LineGenerator::layout() {
  std::string out;
  const std::string shape = "(" + tuple(1) + "," + tuple(1) + ")";
  if (one_in(8)) out = plain_layout();
  else if (one_in(3))
    out = one_of_texts({"(8,64):(64,1)", "(64,64):(64,1)", "(64,8):(1,64)", "(128,64)", "(32,32):(33,1)"});
  else out = shape + ":" + strides(shape);
  if (one_in(12)) return expression();
  if (one_in(3)) {
    std::string s = swizzle();
    if (!s.starts_with("Sw<")) s = "Sw<3,4,3>";
    out = s + (one_in(2) ? " o 0 o " : " o smem_ptr[" + one_of_texts({"16", "8", "32", "4", "64"}) + "b](unset) o ") +
          out;
  }
  return out;
}

std::string LineGenerator::argument_text(int depth) {
  if (depth > 0 && one_in(4)) return call(depth - 1);
  if (one_in(3)) return extent();
  if (one_in(8)) return "<" + plain_layout() + "," + (one_in(4) ? "_" : plain_layout()) + ">";
  if (one_in(6)) return tuple(2);
  return plain_layout();
}

std::string LineGenerator::call(int depth) {
  static const Texts names{"append",
                           "blocked_product",
                           "ceil_div",
                           "compact_col_major",
                           "compact_order",
                           "compact_row_major",
                           "compatible",
                           "congruent",
                           "coshape",
                           "crd2crd",
                           "dice",
                           "domain_distribute",
                           "filter_zeros",
                           "get_1d_coord",
                           "get_coord",
                           "get_flat_coord",
                           "get_hier_coord",
                           "make_composed_layout",
                           "make_coord",
                           "make_fragment_like",
                           "make_identity_layout",
                           "make_identity_tensor",
                           "make_layout_like",
                           "make_shape",
                           "make_step",
                           "make_stride",
                           "make_swizzle",
                           "make_tile",
                           "make_tuple",
                           "max_alignment",
                           "reverse",
                           "round_up",
                           "shape_div",
                           "slice",
                           "weakly_congruent",
                           "coalesce",
                           "complement",
                           "composition",
                           "cosize",
                           "crd2idx",
                           "depth",
                           "downcast",
                           "filter",
                           "flat_divide",
                           "flat_product",
                           "flatten",
                           "get",
                           "group",
                           "idx2crd",
                           "layout_b",
                           "left_inverse",
                           "logical_divide",
                           "logical_product",
                           "make_layout",
                           "make_ordered_layout",
                           "max_common_layout",
                           "max_common_vector",
                           "mode",
                           "nullspace",
                           "prepend",
                           "raked_product",
                           "rank",
                           "recast",
                           "replace",
                           "right_inverse",
                           "select",
                           "shape",
                           "size",
                           "stride",
                           "take",
                           "tile_to_shape",
                           "tiled_divide",
                           "tiled_product",
                           "upcast",
                           "zipped_divide",
                           "zipped_product",
                           "nosuch"};
  std::string out = one_of_texts(names) + "(" + argument_text(depth);
  for (std::uint64_t i = one_in(60) ? below(70) : below(3); i-- > 0;) out += "," + argument_text(depth);
  return out + ")";
}

std::string LineGenerator::expression() {
  if (one_in(3)) return call(2);
  if (one_in(4)) return layout();
  if (one_in(6))
    return one_of_texts({"K_SW128<bf16>", "MN_SW64<f16>", "K_INTER<tf32>", "MN_SW128_32B<tf32>", "K_SW128_32B<f16>"});
  if (one_in(60)) return std::string(below(200), '(') + "8" + std::string(below(200), ')');
  std::string out = plain_layout();
  for (std::uint64_t i = one_in(60) ? below(400) : below(3); i-- > 0;)
    out += (one_in(4) ? " o <" + extent() + "," + extent() + ">" : " o " + plain_layout());
  if (one_in(6)) out = "(" + out + ")(" + list(1 + below(3), &LineGenerator::small) + ")";
  if (one_in(9)) out += "(_," + small() + ")";
  return out;
}

std::string LineGenerator::c_term(int depth) {
  if (depth == 0 || one_in(5))
    return one_in(2) ? number() : one_of_texts({"addr", "row", "col", "addr", "row", "col", "i"});
  const std::string op =
      one_of_texts({"^", "&", "|", "+", "-", "*", "/", "%", "<<", ">>", "==", "<", "&&", "||", "!=", ">="});
  if (one_in(9)) return one_of_texts({"~", "-", "!"}) + "(" + c_term(depth - 1) + ")";
  if (one_in(12)) return "(" + c_term(depth - 1) + " ? " + c_term(depth - 1) + " : " + c_term(depth - 1) + ")";
  const std::string right = one_in(2) ? small() : c_term(depth - 1);
  return "(" + c_term(depth - 1) + " " + op + " " + right + ")";
}

std::string LineGenerator::c_expression() {
  if (one_in(3))
    return one_of_texts({"addr ^ ((addr >> 3) & 0x70)", "addr + ((addr >> 7) & 7) * 16", "row * 72 + col",
                         "row*64 + ((col/8 ^ row%8)*8 + col%8)", "row*128 + ((col*2) ^ ((row & 7) << 4))",
                         "addr ^ ((addr & 0x780) << 6)", "addr * 3 % 1024", "addr"});
  if (one_in(40)) return std::string(below(100), '(') + "addr" + std::string(below(100), ')');
  return c_term(static_cast<int>(1 + below(5)));
}

std::string LineGenerator::hex(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += "0123456789abcdef"[below(16)];
  return out;
}

std::string LineGenerator::word() {
  if (one_in(3))
    return one_of_texts({"0x4000004000010042", "0x4000404000010042", "0xc000010000010000", "0x08200490", "0x40"});
  if (one_in(8)) return number();
  if (one_in(4)) return hex(16);
  return "0x" + hex(one_in(4) ? static_cast<int>(below(20)) : 16);
}

std::string LineGenerator::dtype() {
  if (one_in(15)) return text();
  return one_of_texts({"f16",   "bf16", "tf32", "f32", "f64", "e4m3", "e5m2", "e2m1",    "e3m2",  "s8",
                       "u8",    "s4",   "b1",   "b16", "s32", "u32",  "b128", "FLOAT16", "UINT8", "16U4_ALIGN16B",
                       "ue8m0", "u64"});
}

std::string LineGenerator::arch() {
  if (one_in(15)) return text();
  return one_of_texts(
      {"sm_75", "sm_80", "sm_90", "sm_90a", "hopper", "sm_100a", "sm_100f", "sm_103a", "sm_120a", "h100"});
}

std::string LineGenerator::mode() {
  if (one_in(15)) return text();
  return one_of_texts(
      {"none", "32B", "64B", "128B", "128B_32B", "128B_ATOM_32B", "auto", "INTERLEAVE", "SWIZZLE_128B", "3"});
}

std::string LineGenerator::tile() {
  const std::string out = extent() + one_of_texts({"x", "x", "x", ","}) + extent();
  return one_in(30) ? out + "x" + extent() : out;
}

std::string LineGenerator::mma() {
  if (one_in(3))
    return one_of_texts(
        {"m64n256k16", "m64n64k16", "m128n256k16", "m16n8k16", "m64n8k8", "m64n128k32", "m16n8k8", "64x16"});
  if (one_in(3)) return extent() + "x" + extent() + "x" + extent();
  return "m" + extent() + "n" + extent() + "k" + extent();
}

std::string LineGenerator::fragment() {
  if (one_in(4))
    return one_of_texts({"ldmatrix.x4.trans", "stmatrix.x2", "movmatrix.trans", "mma.m8n8k4.col.row", "mma.m16n8k16",
                         "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "wgmma.m64n256k16", "mma", "ldmatrix",
                         "tcgen05.ld.16x256b.x4", "tcgen05.ld.16x32bx2.x8.pack::16b",
                         "tcgen05.st.32x32b.x128.unpack::16b", "tcgen05.ld.red.32x32b.x2.max.f32"});
  std::string out = one_of_texts({"mma.", "wgmma.", "ldmatrix.", "stmatrix.", "tcgen05.ld."}) + mma();
  while (one_in(2))
    out += "." + one_of_texts({"row", "col", "f32", "f16", "x4", "trans", "b16", "sync", "s8", "x1", "x2"});
  return out;
}

std::string LineGenerator::access() {
  if (one_in(15)) return text();
  std::string out = one_of_texts({"ldmatrix.x4", "ldmatrix.x2.trans", "ldmatrix.x1", "stmatrix.x4", "ld.shared.b128",
                                  "st.shared.b32", "ld.shared.b64", "ld.shared.b8", "ld.shared", "st.shared",
                                  "cp.async.16", "transpose", "list", "LDS.128", "st.shared.v4.f32"});
  if (one_in(2)) out += " " + one_of_texts({"rows", "columns", "gmem", "tv"});
  return out;
}

std::string LineGenerator::beside() { return one_in(3) ? layout() : one_in(2) ? mode() : "linear"; }

std::string LineGenerator::variants() {
  const auto variant = [this] {
    return one_in(3) ? "pad " + number() : one_in(2) ? swizzle() : one_in(2) ? "mode " + mode() : beside();
  };
  std::string out = variant();
  for (std::uint64_t i = one_in(60) ? below(6000) : below(4); i-- > 0;) out += ";" + variant();
  return out;
}

std::string LineGenerator::highlight() {
  std::string out;
  for (std::uint64_t i = one_in(60) ? below(400) : 1 + below(3); i-- > 0;) {
    out += one_of_texts({"rows", "ks", "chunks", "lanes", "values", "registers", "threads", "columns", "m-blocks",
                         "n-block", "k-steps", "bytes", "banks", "lines", "offsets", "coordinates"});
    out += " " + (one_in(2) ? small() : small() + "-" + extent()) + (one_in(3) ? "," + number() : "");
    if (i > 0) out += "; ";
  }
  return out;
}

std::string LineGenerator::coordinates() {
  std::string out;
  for (std::uint64_t i = one_in(60) ? below(400) : 1 + below(2); i-- > 0;)
    out += (out.empty() ? "" : ";") + (one_in(6) ? "((1,2),3)" : list(one_in(8) ? below(5) : 2, &LineGenerator::small));
  return out;
}

std::string LineGenerator::numbers() {
  return list(1 + below(5), one_in(4) ? &LineGenerator::number : &LineGenerator::small);
}

std::string LineGenerator::extents() { return list(one_in(20) ? below(7) : rank_, &LineGenerator::extent); }

// Of a packed tensor whose dimensions are powers of two, or of any.
std::string LineGenerator::byte_strides() {
  if (one_in(8)) return list(rank_, &LineGenerator::number);
  std::string out;
  std::uint64_t bytes = std::uint64_t{16} << below(10);
  for (std::size_t i = 1; i < rank_; ++i) {
    out += std::string(i > 1 ? "," : "") + std::to_string(bytes);
    bytes <<= below(8);
  }
  return out;
}

std::string LineGenerator::against() {
  if (one_in(3)) return layout();
  return "--tile " + tile() + " --swizzle " + mode() + (one_in(3) ? " --base " + number() : "");
}

std::string LineGenerator::tensor_map() {
  std::string out;
  const int words = one_in(10) ? static_cast<int>(below(40)) : 16;
  for (int i = 0; i < words; ++i)
    out += one_in(3) ? hex(16) : one_of_texts({"0000000000000000", "0000000000000010", "1065000000000000"});
  if (one_in(4)) out = "0x7f00:\t0x" + hex(16) + "\t0x" + hex(16) + "\n";
  return out;
}

std::string LineGenerator::pasted() {
  std::string out = "error\n";
  for (std::uint64_t i = one_in(60) ? below(6000) : below(12); i-- > 0;)
    out += one_of_texts({"TMA Desc Addr:   0x7fff", "format         ", "dim            ", "gmem_address   ",
                         "globalDim      ", "globalStrides  ", "boxDim         ", "elementStrides ", "interleave     ",
                         "swizzle        ", "l2Promotion    ", "oobFill        ",
                         "Error: Failed to initialize the TMA descriptor "}) +
           " " + (one_in(2) ? "(" + numbers() + ")" : number()) + "\n";
  return out;
}

std::string LineGenerator::text() {
  if (one_in(3))
    return one_of_texts({"k",          "mn",      "a",     "b",        "d",        "smem",    "idesc",
                         "f16",        "mxf4",    "chunk", "element",  "bank",     "byte",    "atom",
                         "coordinate", "subtile", "both",  "logical",  "mn-first", "k-first", "cuda",
                         "row",        "addr",    "32B",   "none",     "swizzle",  "dtype",   "tma",
                         "layout",     "thread",  "value", "register", "715",      "nan",     "zero"});
  if (one_in(4)) return number();
  return one_of_texts({"",
                       " ",
                       "-",
                       "--",
                       "\0"sv,
                       "\xff\xfe",
                       "\xc3",
                       "\xe2\x88\x98",
                       "\x1b[31m",
                       "(",
                       "'",
                       "\"",
                       "%s%n",
                       "../..",
                       "A very long text A very long text A very long text A very long text A very long text",
                       "\n",
                       "\r\n",
                       "K",
                       "Major::K",
                       "--help",
                       "-h",
                       "nosuch",
                       "x"});
}

// One word of the line loses, gains or repeats something.
void LineGenerator::damage(Words& words) {
  const std::size_t at = below(words.size());
  std::string& w = words[at];
  switch (below(7)) {
    case 0: words.erase(words.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), w); break;
    case 2: w.insert(below(w.size() + 1), 1, static_cast<char>(below(256))); break;
    case 3: w = w.substr(0, below(w.size() + 1)); break;
    case 4: w += text(); break;
    case 5: words.push_back(text()); break;
    default:
      if (one_in(20)) w = std::string(below(200'000), w.empty() ? 'x' : w[0]);
      else if (!w.empty()) w[below(w.size())] = static_cast<char>(below(256));
  }
}

Words LineGenerator::next() {
  static const Texts left_out{"batch",         "verify", "verify tma",     "verify tile", "verify desc",
                              "verify layout", "mcp",    "skills install", "lsp"};
  const Commands& table = commands();
  const Command* command = nullptr;
  do command = &table[below(table.size())];
  while (std::ranges::find(left_out, command->name) != left_out.end());
  rank_ = 1 + below(5);

  Words words;
  const std::string name(command->name);
  const std::size_t space = name.find(' ');
  words.push_back(name.substr(0, space));
  if (space != std::string::npos) words.push_back(name.substr(space + 1));
  Common common;
  const auto has = [&words](const std::string& option) { return std::ranges::find(words, option) != words.end(); };
  const Options pictures = picture_options(common);
  for (const Option& option : with_common(command->prepare().options, common)) {
    const bool is_of_picture = option.value != "N" && find_option(pictures, option.name()) != nullptr;
    if (is_of_picture && !one_in(20)) continue;
    if (option.name() == "--output" || option.name() == "--color" || (option.name() == "--help" && !one_in(50)))
      continue;
    // A tile is what most commands are about.
    const std::uint64_t rarity = option.is_required || option.name() == "--tile" || option.name() == "--dims" ||
                                         option.name() == "--box" || option.name() == "--strides"
                                     ? 1
                                     : 3;
    if (rarity > 1 ? !one_in(rarity) : one_in(12)) continue;
    if (std::ranges::any_of(option.excludes, has) && !one_in(20)) continue;
    if (!option.needs.empty() && std::ranges::none_of(option.needs, has) && !one_in(20)) continue;
    add(words, option, command->name);
  }
  if (command->name == "decode" && one_in(8)) words = {"decode", tensor_map()};
  if (command->name == "tma check" && one_in(4)) words = {"tma", "check", "--paste", pasted()};
  if (one_in(5)) damage(words);
  // No file is read or written, for any damage.
  std::erase_if(words, [](const std::string& word) {
    return word.starts_with('@') || word.starts_with("--out") || (word.starts_with("-o") && !word.starts_with("--"));
  });
  return words;
}

}  // namespace swz
