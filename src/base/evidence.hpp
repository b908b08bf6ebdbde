// How every fact shows where it comes from.
//
// A table row carries a Source (who says so) and an Evidence (how sure we may be). Where sources disagree the
// hardware wins, then the vendor's document.
#pragma once

#include <string>
#include <string_view>

namespace swz {

// Strongest first.
enum class Evidence {
  measured,    // observed on a GPU, byte for byte
  documented,  // the vendor's document says so
  header,      // NVIDIA's own public headers do it this way
  derived,     // follows by arithmetic from rows above it
  claimed,     // public, unverified
};

constexpr std::string_view to_string(Evidence e) {
  switch (e) {
    case Evidence::measured: return "measured";
    case Evidence::documented: return "documented";
    case Evidence::header: return "header";
    case Evidence::derived: return "derived";
    case Evidence::claimed: return "claimed";
  }
  return "";
}

// where: a section or file a reader can find, for example "PTX ISA 9.1, 9.7.15.5.1.2.2".
struct Source {
  std::string_view where;
  Evidence evidence = Evidence::documented;
};
// "PTX ISA 9.1, 9.7.16 (documented)"
std::string to_string(const Source& source);

}  // namespace swz
