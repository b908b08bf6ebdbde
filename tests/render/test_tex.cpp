// SPDX-License-Identifier: Apache-2.0
// A tikzpicture of a small scene, word for word; what TeX would read as a command is text.
#include <doctest/doctest.h>

#include "render/scene.hpp"

using namespace swz;

TEST_CASE("a scene as a tikzpicture") {
  Scene scene{100, 50, "two {chunks}", {}};
  scene.items.push_back(Box{0, 0, 100, 50, {Ink::page}});
  scene.items.push_back(Box{10, 10, 30, 20, {Ink::tint, {3, 0}}, {Ink::line}, 1, true, "chunk 3"});
  scene.items.push_back(Box{10, 10, 30, 20, {}, {Ink::accent}, 2.5, false});
  scene.items.push_back(Rule{0, 5, 40, 5, {Ink::border}, 1});
  scene.items.push_back(Label{25, 24, 11, "3_a", {Ink::on_tint, {3, 0}}, Label::Anchor::middle});
  scene.items.push_back(Label{5, 40, 12, "x", {Ink::text, {}, true}, Label::Anchor::start, Label::Face::sans_bold});
  CHECK(tikz_text(scene) ==
        "% two {chunks}\n"
        "% \\usepackage{tikz}, then \\input this file.\n"
        "\\definecolor{swzaccent}{HTML}{053FB8}\n"
        "\\definecolor{swzborder}{HTML}{24292F}\n"
        "\\definecolor{swzhue3}{HTML}{A7A275}\n"
        "\\definecolor{swzline}{HTML}{8C959F}\n"
        "\\definecolor{swzontint}{HTML}{14181D}\n"
        "\\definecolor{swztext}{HTML}{1F2328}\n"
        "\\begin{tikzpicture}[x=0.75bp,y=-0.75bp,line width=0.75bp,\n"
        "  every node/.style={inner sep=0pt,outer sep=0pt},\n"
        "  swzmono/.style={font=\\ttfamily\\fontsize{10}{12}\\selectfont},\n"
        "  swzsans/.style={font=\\sffamily\\fontsize{10}{12}\\selectfont},\n"
        "  swzbold/.style={font=\\sffamily\\bfseries\\fontsize{10}{12}\\selectfont}]\n"
        "\\useasboundingbox (0,0) rectangle (100,50);\n"
        "\\path[fill=swzhue3,draw=swzline] (10,10) rectangle +(30,20);\n"
        "\\path[draw=swzaccent,line width=1.875bp] (10,10) rectangle +(30,20);\n"
        "\\draw[swzborder] (0,5) -- (40,5);\n"
        "\\node[swzmono,scale=0.825,swzontint,anchor=base] at (25,24) {3\\_a};\n"
        "\\node[swzbold,scale=0.9,swztext,anchor=base west,opacity=0.35] at (5,40) {x};\n"
        "\\end{tikzpicture}\n");
}

TEST_CASE("what TeX would read as a command is text") {
  const auto written = [](const char* text) {
    Scene scene;
    scene.items.push_back(Label{0, 0, 10, text});
    const std::string tex = tikz_text(scene);
    const std::size_t begin = tex.find("at (0,0) {") + 10;
    return tex.substr(begin, tex.find("};\n", begin) - begin);
  };
  CHECK(written("\\a{b}") == "\\textbackslash{}a\\{b\\}");
  CHECK(written("#$%&_^~") == "\\#\\$\\%\\&\\_\\textasciicircum{}\\textasciitilde{}");
  CHECK(written("a<b>c|d\"") == "a\\textless{}b\\textgreater{}c\\textbar{}d\\textquotedblright{}");
  CHECK(written("  two  blanks") == "~~two ~blanks");
  CHECK(written("--k") == "-{}-k");
  CHECK(written("× 16 → 2") == "$\\times$ 16 $\\rightarrow$ 2");
}

TEST_CASE("a dark picture brings its page; every palette has its letters") {
  Scene scene{10, 10, "", {}};
  scene.items.push_back(Box{0, 0, 10, 10, {Ink::page}});
  scene.items.push_back(Box{0, 0, 5, 5, {Ink::tint, {7, 2}}});
  scene.items.push_back(Label{1, 1, 11, "a", {Ink::on_tint, {7, 2}}});
  scene.theme = Theme::dark;
  CHECK(tikz_text(scene).find("\\definecolor{swzpage}{HTML}{0D1117}") != std::string::npos);
  scene.theme = Theme::light;
  scene.palette = Palette::grey;
  const std::string grey = tikz_text(scene);
  CHECK(grey.find("swzpage") == std::string::npos);
  CHECK(grey.find("\\definecolor{swzontint7c}{HTML}{FFFFFF}") != std::string::npos);
  CHECK(grey.find("\\definecolor{swzhue7c}") != std::string::npos);
}
