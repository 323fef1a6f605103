"""What the benchmarks share: CPU time, and a count that is asserted."""

import time

import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        if "benchmark" in getattr(item, "fixturenames", ()):
            item.add_marker(
                pytest.mark.benchmark(timer=time.process_time, min_rounds=5, max_time=0.3)
            )


@pytest.fixture
def timed(benchmark):
    """Times a case; every pass must have made the number of plays that it should."""

    def call(case):
        numbers = set()
        benchmark(lambda: numbers.add(case.work()))
        expected = numbers if case.expected is None else {case.expected}
        assert numbers == expected
        assert len(numbers) == 1
        number = numbers.pop()
        benchmark.extra_info[case.unit] = number
        if benchmark.stats is not None:
            per_second = number / max(benchmark.stats.stats.median, 1e-9)
            benchmark.extra_info[f"{case.unit} per second"] = round(per_second)

    return call
