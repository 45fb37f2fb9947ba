"""PETSc is started before any test; the meshes that tests share."""

import gc
import os
import sys

import pytest

# Where pytest-xdist hands out tests (`run`), its workers start PETSc: from a process that has started MPI they would take
# what MPI sets in the environment.
if "TEST_JOBS" not in os.environ or "PYTEST_XDIST_WORKER" in os.environ:
    import petsc4py

    petsc4py.init([sys.argv[0], "-options_left", "no"])
    from petsc4py import PETSc


def pytest_configure(config):
    config.addinivalue_line("markers", "parallel: is run on two processes as well, some on four")


@pytest.fixture(autouse=True)
def collected():
    """Objects that PETSc shares between processes are destroyed at the same place on all of them."""
    yield
    gc.collect()
    PETSc.garbage_cleanup()


@pytest.fixture
def options():
    """Sets options and takes them back: options(name=value)."""
    database, names = PETSc.Options(), []

    def set_(**values):
        for name, value in values.items():
            database[name] = value
            names.append(name)

    yield set_
    for name in names:
        database.delValue(name)
