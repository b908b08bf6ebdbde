// A program that is nothing but the library (tests/CMakeLists.txt).
int main() {}
