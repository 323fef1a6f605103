"""The kernel for processors with AVX2 and BMI2 (the level x86-64-v3)."""

include "_kernel.pxi"
