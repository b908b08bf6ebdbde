// SPDX-License-Identifier: Apache-2.0
// The baseline of bench_process: loads only the C library and does nothing.
int main() { return 0; }
