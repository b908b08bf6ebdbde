# The tag under which WebAssembly throws C++ exceptions: one i32, the address of the exception.
	.tagtype __cpp_exception i32
	.globl __cpp_exception
__cpp_exception:
