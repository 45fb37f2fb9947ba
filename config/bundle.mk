# PlexGPU as built elsewhere, for a machine with a GPU.
#   make check-gpu    the tests with assembly on the GPU          make check    the tests on the processor
#   make bench-gpu    the benchmarks on the GPU                   ./run COMMAND runs anything else
#   make bench-scaling  weak and strong scaling over its GPUs     make bench-tune   tuning on many meshes
#   make bench-integration  integration alone on the GPU          make bench-dg     nodal DG by the paper's kernels, tuned
#   make bench-water        DG with quadrature, all ways
#   make check-python       the tests of the Python bindings by this machine's Python, on the GPU where there is one
#   make bench-python       their examples by the host and the GPU, with times
.PHONY: check-python bench-python
.PHONY: check check-gpu bench-gpu bench-tune bench-scaling bench-integration bench-dg bench-water
check-gpu:
	@./run tests/run --gpu $(T)

check:
	@./run tests/run $(T)

bench-gpu:
	@./run benchmarks/run-gpu.sh

bench-tune:
	@./run benchmarks/run-tune.sh

bench-dg:
	@./run benchmarks/run-dg.sh

bench-water:
	@./run benchmarks/run-water.sh

bench-integration:
	@./run benchmarks/run-integration.sh

bench-scaling:
	@./run benchmarks/run-scaling.sh

check-python:
	@TEST_JOBS=$${TEST_JOBS:-8} ./run python-bindings/tests/run build/python $(T)

bench-python:
	@./run python-bindings/examples/run build/python
