// SPDX-License-Identifier: Apache-2.0
// The baseline of bench_process: loads the C library alone and does nothing.
int main() { return 0; }
