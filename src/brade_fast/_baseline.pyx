"""The kernel for every processor that the wheel is for."""

include "_kernel.pxi"
