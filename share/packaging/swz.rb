# SPDX-License-Identifier: Apache-2.0
# The formula for Homebrew: compiles the command from the source distribution. scripts/rehearse sets VERSION and SHA256.
class Swz < Formula
  desc "Layout inspector and descriptor calculator for tensor-core shared memory"
  homepage "https://github.com/OWNER/swz"
  url "https://files.pythonhosted.org/packages/source/s/swz/swz-VERSION.tar.gz"
  sha256 "SHA256"
  license "Apache-2.0"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "cairo"
  depends_on "fmt"
  depends_on "lz4"
  depends_on "zstd"
  uses_from_macos "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DSWZ_BUILD_TESTS=OFF", "-DSWZ_UNITY=ON", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_match "128B", shell_output("#{bin}/swz decode 0x4000004000010042")
  end
end
