// The baseline of bench_process: linked like swz, does nothing.
int main() { return 0; }
