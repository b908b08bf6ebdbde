#include "generated_lines.hpp"

#include <algorithm>

namespace swz {

using namespace std::string_view_literals;

// What draws the value; null: a flag.
struct LineGenerator::Option {
  std::string_view name;
  std::string (LineGenerator::*draw)() = nullptr;
};

// A command: what stands in its place without a name, how often at most, and its options.
struct LineGenerator::Form {
  std::string_view command;
  std::string (LineGenerator::*argument)() = nullptr;
  int fewest = 0, most = 0;
  std::vector<Option> options;
};

const std::vector<LineGenerator::Form>& LineGenerator::forms() {
  using G = LineGenerator;
  static const std::vector<Option> tile_options{
      {"--dtype", &G::dtype}, {"--tile", &G::tile},   {"--major", &G::text}, {"--swizzle", &G::mode},
      {"--order", &G::text},  {"--base", &G::number}, {"--slots"},           {"--tile", &G::tile},
  };
  static const std::vector<Option> map_options{
      {"--dtype", &G::dtype},
      {"--dims", &G::numbers},
      {"--strides", &G::numbers},
      {"--box", &G::numbers},
      {"--swizzle", &G::mode},
      {"--element-strides", &G::numbers},
      {"--interleave", &G::text},
      {"--l2", &G::text},
      {"--oob", &G::text},
      {"--address", &G::word},
      {"--im2col"},
      {"--lower", &G::numbers},
      {"--upper", &G::numbers},
      {"--channels", &G::number},
      {"--pixels", &G::number},
      {"--wide", &G::text},
      {"--dims", &G::numbers},
      {"--box", &G::numbers},
  };
  const auto with = [](std::vector<Option> options, const std::vector<Option>& more) {
    options.insert(options.end(), more.begin(), more.end());
    return options;
  };
  static const std::vector<Form> all{
      {"decode", &G::word, 1, 4, {{"--as", &G::text}, {"--kind", &G::text}}},
      {"decode", &G::tensor_map, 1, 1, {}},
      {"encode smem", nullptr, 0, 0,
       {{"--start", &G::number}, {"--lbo", &G::number}, {"--sbo", &G::number}, {"--swizzle", &G::mode},
        {"--base-offset", &G::number}, {"--lbo-mode", &G::text}, {"--from", &G::text}}},
      {"encode idesc", nullptr, 0, 0,
       {{"--kind", &G::text}, {"--a-type", &G::dtype}, {"--b-type", &G::dtype}, {"--d-type", &G::dtype},
        {"--scale-type", &G::dtype}, {"--m", &G::number}, {"--n", &G::number}, {"--k", &G::number},
        {"--sparse"}, {"--transpose-b"}, {"--max-shift", &G::number}}},
      {"desc", nullptr, 0, 0,
       with(tile_options,
            {{"--mma", &G::mma}, {"--operand", &G::text}, {"--from", &G::layout}, {"--emit", &G::text}})},
      {"map", &G::word, 1, 4,
       with(tile_options, {{"--mma", &G::mma},
                           {"--operand", &G::text},
                           {"--start", &G::number},
                           {"--against", &G::against},
                           {"--against", &G::against},
                           {"--at", &G::tile}})},
      {"phase", nullptr, 0, 0, tile_options},
      {"layout", &G::expression, 1, 3, {{"--map"}, {"--table"}, {"--limit", &G::number}}},
      {"layout", &G::expression, 1, 1, {}},
      {"diff", &G::expression, 2, 2, {}},
      {"place", nullptr, 0, 0,
       with(tile_options, {{"--layout", &G::layout},
                           {"--cells", &G::text},
                           {"--label", &G::text},
                           {"--color-by", &G::text},
                           {"--panels", &G::text},
                           {"--highlight", &G::highlight},
                           {"--beside", &G::beside}})},
      {"banks", nullptr, 0, 0,
       with(tile_options, {{"--layout", &G::layout},
                           {"--access", &G::access},
                           {"--access", &G::access},
                           {"--tv", &G::layout},
                           {"--tv-tile", &G::tile},
                           {"--compare", &G::variants}})},
      {"banks", nullptr, 0, 0, {{"--lanes", &G::numbers}, {"--active", &G::word}, {"--access", &G::access}}},
      {"choose", nullptr, 0, 0, tile_options},
      {"swizzle explain", &G::swizzle, 1, 1, {{"--dtype", &G::dtype}, {"--elements"}}},
      {"swizzle find", nullptr, 0, 0,
       with(
           tile_options,
           {{"--layout", &G::layout}, {"--reads", &G::access}, {"--reads", &G::access}, {"--writes", &G::access}})},
      {"swizzle lint",
       &G::c_expression,
       1,
       1,
       {{"--dtype", &G::dtype},
        {"--bits", &G::number},
        {"--bytes", &G::number},
        {"--rows", &G::extent},
        {"--cols", &G::extent},
        {"--var", &G::text}}},
      {"frag",
       &G::fragment,
       0,
       1,
       {{"--dtype", &G::dtype},
        {"--operand", &G::text},
        {"--accumulator", &G::dtype},
        {"--color-by", &G::text},
        {"--highlight", &G::highlight},
        {"--table"},
        {"--list"}}},
      {"tiles",
       nullptr,
       0,
       0,
       {{"--tile", &G::mma},
        {"--mma", &G::mma},
        {"--tile", &G::mma},
        {"--mma", &G::mma},
        {"--dtype", &G::dtype},
        {"--highlight", &G::highlight}}},
      {"tma check", nullptr, 0, 0, with(map_options, {{"--code", &G::text}})},
      {"tma check", nullptr, 0, 0, {{"--paste", &G::pasted}, {"--code", &G::text}}},
      {"tma encode", nullptr, 0, 0, with(map_options, {{"--emit", &G::text}})},
      {"tma place", nullptr, 0, 0,
       with(map_options,
            {{"--start", &G::numbers}, {"--base", &G::number}, {"--major", &G::text}, {"--cells", &G::text}})},
      {"tma plan", nullptr, 0, 0,
       with(tile_options, {{"--operand", &G::tile},
                           {"--stride", &G::number},
                           {"--rank", &G::small},
                           {"--layout", &G::layout},
                           {"--mma", &G::mma}})},
      {"arch", &G::text, 0, 1, {}},
      {"help", &G::text, 0, 2, {}},
  };
  return all;
}

// splitmix64
std::uint64_t LineGenerator::random() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Of one to a few elements; one in a hundred has thousands.
std::string LineGenerator::list(std::size_t most, char separator, std::string (LineGenerator::*draw)()) {
  const std::size_t count = one_in(100) ? below(6000) : 1 + below(most);
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += (i > 0 ? std::string(1, separator) : "") + (this->*draw)();
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
    return one_of({"0", "1", "16", "0x400", "0x80", "128", "1024", "4096", "65536", "1048576", "1048577"});
  if (one_in(3)) return digits();
  return one_of({"-1",
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
  if (one_in(2)) return one_of({"3,4,3", "2,4,3", "1,4,3", "Sw<3,3,3>", "Sw<2,5,2>", "Sw<3,4,3>", "Sw<1,0,1>"});
  return one_in(3) ? s : "Sw<" + s + ">";
}

// With two modes as a rule, for what takes an operand.
std::string LineGenerator::layout() {
  std::string out;
  const std::string shape = "(" + tuple(1) + "," + tuple(1) + ")";
  if (one_in(8)) out = plain_layout();
  else if (one_in(3))
    out = one_of({"(8,64):(64,1)", "(64,64):(64,1)", "(64,8):(1,64)", "(128,64)", "(32,32):(33,1)"});
  else out = shape + ":" + strides(shape);
  if (one_in(12)) return expression();
  if (one_in(3)) {
    std::string s = swizzle();
    if (!s.starts_with("Sw<")) s = "Sw<3,4,3>";
    out =
        s + (one_in(2) ? " o 0 o " : " o smem_ptr[" + one_of({"16", "8", "32", "4", "64"}) + "b](unset) o ") + out;
  }
  return out;
}

std::string LineGenerator::argument(int depth) {
  if (depth > 0 && one_in(4)) return call(depth - 1);
  if (one_in(3)) return extent();
  if (one_in(8)) return "<" + plain_layout() + "," + (one_in(4) ? "_" : plain_layout()) + ">";
  if (one_in(6)) return tuple(2);
  return plain_layout();
}

std::string LineGenerator::call(int depth) {
  static const Texts names{"append",
                           "blocked_product",
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
  std::string out = one_of(names) + "(" + argument(depth);
  for (std::uint64_t i = one_in(60) ? below(70) : below(3); i-- > 0;) out += "," + argument(depth);
  return out + ")";
}

std::string LineGenerator::expression() {
  if (one_in(3)) return call(2);
  if (one_in(4)) return layout();
  if (one_in(6))
    return one_of({"K_SW128<bf16>", "MN_SW64<f16>", "K_INTER<tf32>", "MN_SW128_32B<tf32>", "K_SW128_32B<f16>"});
  if (one_in(60)) return std::string(below(200), '(') + "8" + std::string(below(200), ')');
  std::string out = plain_layout();
  for (std::uint64_t i = one_in(60) ? below(400) : below(3); i-- > 0;)
    out += (one_in(4) ? " o <" + extent() + "," + extent() + ">" : " o " + plain_layout());
  if (one_in(6)) out = "(" + out + ")(" + list(3, ',', &LineGenerator::small) + ")";
  if (one_in(9)) out += "(_," + small() + ")";
  return out;
}

std::string LineGenerator::c_term(int depth) {
  if (depth == 0 || one_in(5))
    return one_in(2) ? number() : one_of({"addr", "row", "col", "addr", "row", "col", "i"});
  const std::string op =
      one_of({"^", "&", "|", "+", "-", "*", "/", "%", "<<", ">>", "==", "<", "&&", "||", "!=", ">="});
  if (one_in(9)) return one_of({"~", "-", "!"}) + "(" + c_term(depth - 1) + ")";
  if (one_in(12)) return "(" + c_term(depth - 1) + " ? " + c_term(depth - 1) + " : " + c_term(depth - 1) + ")";
  const std::string right = one_in(2) ? small() : c_term(depth - 1);
  return "(" + c_term(depth - 1) + " " + op + " " + right + ")";
}

std::string LineGenerator::c_expression() {
  if (one_in(3))
    return one_of({"addr ^ ((addr >> 3) & 0x70)", "addr + ((addr >> 7) & 7) * 16", "row * 72 + col",
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
    return one_of({"0x4000004000010042", "0x4000404000010042", "0xc000010000010000", "0x08200490", "0x40"});
  if (one_in(8)) return number();
  if (one_in(4)) return hex(16);
  return "0x" + hex(one_in(4) ? static_cast<int>(below(20)) : 16);
}

std::string LineGenerator::dtype() {
  if (one_in(15)) return text();
  return one_of({"f16", "bf16", "tf32", "f32", "f64", "e4m3", "e5m2",    "e2m1",  "e3m2",          "s8",    "u8",
                 "s4",  "b1",   "b16",  "s32", "u32", "b128", "FLOAT16", "UINT8", "16U4_ALIGN16B", "ue8m0", "u64"});
}

std::string LineGenerator::mode() {
  if (one_in(15)) return text();
  return one_of(
      {"none", "32B", "64B", "128B", "128B_32B", "128B_ATOM_32B", "auto", "INTERLEAVE", "SWIZZLE_128B", "3"});
}

std::string LineGenerator::tile() {
  const std::string out = extent() + one_of({"x", "x", "x", ","}) + extent();
  return one_in(30) ? out + "x" + extent() : out;
}

std::string LineGenerator::mma() {
  if (one_in(3))
    return one_of(
        {"m64n256k16", "m64n64k16", "m128n256k16", "m16n8k16", "m64n8k8", "m64n128k32", "m16n8k8", "64x16"});
  if (one_in(3)) return extent() + "x" + extent() + "x" + extent();
  return "m" + extent() + "n" + extent() + "k" + extent();
}

std::string LineGenerator::fragment() {
  if (one_in(4))
    return one_of({"ldmatrix.x4.trans", "stmatrix.x2", "movmatrix.trans", "mma.m8n8k4.col.row", "mma.m16n8k16",
                   "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "wgmma.m64n256k16", "mma", "ldmatrix"});
  std::string out = one_of({"mma.", "wgmma.", "ldmatrix.", "stmatrix."}) + mma();
  while (one_in(2))
    out += "." + one_of({"row", "col", "f32", "f16", "x4", "trans", "b16", "sync", "s8", "x1", "x2"});
  return out;
}

std::string LineGenerator::access() {
  if (one_in(15)) return text();
  std::string out = one_of({"ldmatrix.x4", "ldmatrix.x2.trans", "ldmatrix.x1", "stmatrix.x4", "ld.shared.b128",
                            "st.shared.b32", "ld.shared.b64", "ld.shared.b8", "ld.shared", "st.shared",
                            "cp.async.16", "transpose", "list", "LDS.128", "st.shared.v4.f32"});
  if (one_in(2)) out += " " + one_of({"rows", "columns", "gmem", "tv"});
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
    out += one_of({"rows", "ks", "chunks", "lanes", "values", "registers", "threads", "columns", "m-blocks",
                   "n-block", "k-steps"});
    out += " " + (one_in(2) ? small() : small() + "-" + extent()) + (one_in(3) ? "," + number() : "");
    if (i > 0) out += "; ";
  }
  return out;
}

std::string LineGenerator::numbers() {
  return list(5, ',', one_in(4) ? &LineGenerator::number : &LineGenerator::extent);
}

std::string LineGenerator::against() {
  if (one_in(3)) return layout();
  return "--tile " + tile() + " --swizzle " + mode() + (one_in(3) ? " --base " + number() : "");
}

std::string LineGenerator::tensor_map() {
  std::string out;
  const int words = one_in(10) ? static_cast<int>(below(40)) : 16;
  for (int i = 0; i < words; ++i)
    out += one_in(3) ? hex(16) : one_of({"0000000000000000", "0000000000000010", "1065000000000000"});
  if (one_in(4)) out = "0x7f00:\t0x" + hex(16) + "\t0x" + hex(16) + "\n";
  return out;
}

std::string LineGenerator::pasted() {
  std::string out = "error\n";
  for (std::uint64_t i = one_in(60) ? below(6000) : below(12); i-- > 0;)
    out += one_of({"TMA Desc Addr:   0x7fff", "format         ", "dim            ", "gmem_address   ",
                   "globalDim      ", "globalStrides  ", "boxDim         ", "elementStrides ", "interleave     ",
                   "swizzle        ", "l2Promotion    ", "oobFill        ",
                   "Error: Failed to initialize the TMA descriptor "}) +
           " " + (one_in(2) ? "(" + numbers() + ")" : number()) + "\n";
  return out;
}

std::string LineGenerator::text() {
  if (one_in(3))
    return one_of({"k",          "mn",      "a",     "b",        "d",        "smem",    "idesc",
                   "f16",        "mxf4",    "chunk", "element",  "bank",     "byte",    "atom",
                   "coordinate", "subtile", "both",  "logical",  "mn-first", "k-first", "cuda",
                   "row",        "addr",    "32B",   "none",     "swizzle",  "dtype",   "tma",
                   "layout",     "thread",  "value", "register", "715",      "nan",     "zero"});
  if (one_in(4)) return number();
  return one_of({"",
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
void LineGenerator::damage(std::vector<std::string>& words) {
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

std::vector<std::string> LineGenerator::next() {
  static const Texts formats{"text", "json", "svg"};
  const Form& form = forms()[below(forms().size())];
  std::vector<std::string> words;
  const std::string command(form.command);
  const std::size_t space = command.find(' ');
  words.push_back(command.substr(0, space));
  if (space != std::string::npos) words.push_back(command.substr(space + 1));
  const auto spread = static_cast<std::uint64_t>(form.most - form.fewest);
  std::uint64_t count = static_cast<std::uint64_t>(form.fewest) + below(spread + 1);
  if (form.most > 1 && one_in(100)) count = below(2000);
  for (std::uint64_t i = 0; i < count; ++i) words.push_back((this->*form.argument)());
  for (const Option& option : form.options) {
    // The lists repeat what a line needs.
    const bool is_repeated = std::ranges::find(words, option.name) != words.end();
    if (is_repeated || one_in(2)) continue;
    words.emplace_back(option.name);
    if (option.draw != nullptr) words.push_back((this->*option.draw)());
    const bool may_repeat = option.name == "--beside" || option.name == "--access" || option.name == "--reads";
    for (std::uint64_t i = may_repeat && one_in(30) ? below(300) : 0; i-- > 0;) {
      words.emplace_back(option.name);
      words.push_back((this->*option.draw)());
    }
  }
  if (one_in(2)) {
    words.emplace_back("-f");
    words.push_back(one_of(formats));
  }
  if (one_in(4)) {
    words.emplace_back("--arch");
    words.push_back(one_in(8) ? text() : one_of({"sm_90a", "sm_100a", "sm_80", "sm_120a", "hopper", "sm_103a"}));
  }
  if (one_in(5)) damage(words);
  return words;
}

}  // namespace swz
