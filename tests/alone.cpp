// SPDX-License-Identifier: Apache-2.0
// A program that is nothing but the library (tests/CMakeLists.txt).
int main() {}
