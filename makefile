# PlexGPU's build. From a fresh checkout `make` is enough: config/setup.sh finds or builds PETSc first (once) and writes build/config.mk.
#
#   make               the libraries, build/lib/libplexgpu.so.0 and libplexgpugeo.so.0    make V=1 shows the commands
#   make demo          the examples, and a short tour of them
#   make demo-tohoku   the tsunami of 2011 on real bathymetry, with figures; needs Gmsh and a raster, see examples/tohoku/README.md
#   make check         builds and runs all tests; the last line is "N passed, N failed"; T="NAME ..." only these
#   make check LONG=yes  with the long cases, which show the numbers of the documentation: twice the time
#   make check WARP=64 the same with 64 threads a warp emulated, as GPUs of AMD have them
#   make check-fast    a minute of them, of all parts of the library, before a commit
#   make check-gpu     the tests again with assembly on this machine's GPU
#   make check-sanitize  tests and examples with the address and undefined behaviour sanitizers
#   make fuzz SECONDS=3600  the fuzzer of tests/fuzz with new seeds, on 1 to 3 processes
#   make fuzz-source SECONDS=600  libFuzzer over the source of pointwise functions; needs clang
#   make bench         the benchmarks on this machine's processor; bench-gpu: on its GPU
#   make bench-tune    tuning by a full search on many meshes, with figures
#   make bench-scaling  weak and strong scaling over its GPUs, a process a GPU
#   make bench-integration  element integration alone on its GPU, with figures
#   make bench-setup        set-up, auto's choices over time, and PETSc's tutorials as whole runs on its GPU
#   make bench-dg      nodal DG by the paper's kernels, tuned, on its GPU, with figures
#   make bench-water   linear shallow water by DG with quadrature, all ways, on its GPU, with figures
#   make layers        which folder of src/ uses one above it, and the circles of files
#   make kernels       compiles every kernel for a GPU (sm_90), and every file of cuda/ for one of AMD (gfx90a), without having one
#   make precompiled   build/share/plexgpu/kernels: what every program needs, compiled for GPUs; done by bundle and install, too
#   make python        the Python bindings, with UFL, in the environment build/python
#   make check-python  their tests, on one and two processes; ends with pytest's line
#   make bench-python  their examples by the host and this machine's GPU, with times
#   make python-pages  build/python-pages: their manual pages, HTML
#   make docs          build/docs/html: the documentation site, HTML; check-docs: no warning, no dead link, code in it runs
#   make env           PETSC_DIR, PETSC_ARCH and PLEXGPU of this build, for a shell: export $(make -s env)
#   make bundle        build/bundle/plexgpu-bundle.tar.xz: all of this, ready to run on another machine
#   make bundle PYTHON=no   without the Python bindings
#   make install       prefix=/usr/local, DESTDIR=
#   make format        formats the C and CUDA sources; check-format only says where they are off
#   make clean         removes what was built here; PETSc and the other slow things stay in ~/.cache/plexgpu

MAKEFLAGS += --no-builtin-rules --no-print-directory
ifeq ($(MAKELEVEL)$(filter -j% --jobserver%,$(MAKEFLAGS)),0)
  MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

version   := $(shell sed -n 's/^.define PLEXGPU_VERSION  *"\(.*\)"/\1/p' include/plexgpuversion.h)
soversion := 0
top       := $(CURDIR)
build     := build

# ---------------------------------------------------------------------------------------------------------------------
# Configuration: build/config.mk says which PETSc. It is made again when the set-up changes, and when the environment asks
# for another PETSc than the one it was made for.

no_config_goals := clean format check-format help docs
ifneq ($(filter-out $(no_config_goals),$(or $(MAKECMDGOALS),all)),)
  asked_dir  := $(PETSC_DIR)
  asked_arch := $(PETSC_ARCH)
  include $(build)/config.mk
  ifneq ($(asked_dir),)
    ifneq ($(asked_dir)|$(asked_arch),$(PLEXGPU_PETSC))
      ifeq ($(MAKE_RESTARTS),)
        stale := stale
      endif
    endif
  endif
  $(build)/config.mk: config/setup.sh $(wildcard config/*.sh) $(stale)
	@env -u PETSC_DIR -u PETSC_ARCH $(if $(asked_dir),PETSC_DIR='$(asked_dir)' PETSC_ARCH='$(asked_arch)') config/setup.sh $@
  .PHONY: stale
  stale:
  ifneq ($(PETSC_DIR),)
    -include $(PETSC_DIR)/$(PETSC_ARCH)/lib/petsc/conf/petscvariables
  endif
endif
SHELL := /bin/bash

# ---------------------------------------------------------------------------------------------------------------------
# Flags. PETSc's compiler and its flags first, then ours; CFLAGS and LDFLAGS of the command line last.

OPTFLAGS    ?= -O3 -g
WARNFLAGS   ?= -Wall -Wextra
plex_cflags  = $(CC_FLAGS) -std=gnu11 $(OPTFLAGS) $(WARNFLAGS) -fPIC -MMD -MP $(CFLAGS)
plex_include = -Iinclude -Icuda -Isrc $(PETSC_CC_INCLUDES) $(CPPFLAGS)
plex_defines = -DPLEXGPU_SOURCE_DIR='"$(top)/cuda"' -DPLEXGPU_EXAMPLES_DIR='"$(top)/examples"' \
               -DPLEXGPU_EMULATE_DIR='"$(top)/src/backend/emulate"' -DPLEXGPU_CC='"$(CC)"' -DPLEXGPU_CC_FLAGS='"$(strip $(PETSC_CC_INCLUDES))"'
compile      = $(CC) $(plex_cflags) $(plex_include) $(defines)
rpath       := -Wl,--enable-new-dtags -Wl,-rpath,'$$ORIGIN/../lib'
plex_metis   = $(or $(METIS_LIB),$(PLEXGPU_METIS)) # empty: PlexGPU is built without METIS
plex_libdw   = $(PLEXGPU_LIBDW) # empty: PlexGPU is built without libdw
plex_libs    = -Wl,--as-needed $(PETSC_LIB) $(plex_metis) $(plex_libdw) -lelf -ldl -lpthread -lm
link         = $(CC) $(CC_LINKER_FLAGS) $(PCC_LINKER_FLAGS) $(rpath) $(LDFLAGS)

# Objects are made again when the command line changes: build/flags holds the one they were made with. `make env` makes none.
ifneq ($(if $(filter env,$(MAKECMDGOALS)),,$(PCC)),)
  $(shell mkdir -p $(build))$(file >$(build)/flags.new,$(compile) $(plex_defines) $(link) $(plex_metis) $(plex_libdw) $(PLEXGPU_HIP))
  $(shell cd $(build) && { cmp -s flags.new flags || cp flags.new flags; rm -f flags.new; })
endif

# say TOOL,FILE: a short line in place of the command, unless V=1
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(patsubst $(build)/%,%,$(2));)

# ---------------------------------------------------------------------------------------------------------------------
# What there is

sources    := $(sort $(filter-out src/preload/% src/geo/%,$(shell find src -name '*.c' 2>/dev/null)))
objects    := $(sources:%.c=$(build)/obj/%.o)
# The library is libplexgpu.so.0. libplexgpu.so, which PETSc loads with -dll_append, and libplexgpu_preload.so bring it in (src/preload/load.h).
plugin     := $(build)/lib/libplexgpu.so
library    := $(plugin).$(soversion)
preload    := $(build)/lib/libplexgpu_preload.so
# A library of its own, which needs nothing of the large one. Its files of HDF5 are compiled into both.
geo         := $(build)/lib/libplexgpugeo.so.$(soversion)
geo_objects := $(patsubst %.c,$(build)/obj/%.o,$(sort $(wildcard src/geo/*.c)) src/io/hdf5file.c src/io/hdf5library.c src/io/hdf5parallel.c)
examples   := $(patsubst examples/%.c,$(build)/examples/%,$(wildcard examples/*.c))
unmodified := $(patsubst examples/unmodified/%.c,$(build)/examples/%,$(wildcard examples/unmodified/*.c))
# Programs in C++, where PETSc was configured with a C++ compiler
unmodified_cxx := $(if $(CXX_FLAGS),$(patsubst examples/unmodified/%.cc,$(build)/examples/%,$(wildcard examples/unmodified/*.cc)))
benchmarks := $(patsubst benchmarks/%.c,$(build)/benchmarks/%,$(wildcard benchmarks/*.c))

geo_users  := $(shell grep -l 'include <plexgpugeo.h>' examples/*.c tests/*/*.c 2>/dev/null)

# What only benchmarks and tests compute with, in folders of benchmarks/: programs take from this archive what they call.
study         := $(build)/obj/benchmarks/study.a
study_objects := $(patsubst %.c,$(build)/obj/%.o,$(wildcard benchmarks/*/*.c))

# A test is a C file tests/FOLDER/NAME.c with a main(), and becomes build/tests/NAME. The other C files of its folder, and those of tests/common, are linked into it.
test_sources := $(wildcard tests/*/*.c)
test_mains   := $(if $(test_sources),$(shell grep -l '^int main' $(test_sources)))
test_parts   := $(filter-out $(test_mains),$(test_sources))
# With complex scalars there are neither kernels nor DG: these are the tests, of check the second list too
ifeq ($(PETSC_SCALAR),complex)
  fast_complex := basis boundary complex complex-2 elements essential formats forms forms-2 hanging mass matrix messages newton options parallel pattern plan \
                  rotations supported takeover timestep types
  all_complex  := $(fast_complex) assembly basis-parallel boundary-parallel cohesive cohesive-2 essential-parallel formats-parallel forms-4 fromarrays fromarrays-3 mass-parallel \
                  messages-parallel parallel-2 parallel-3 parallel-4 prisms prisms-2 reorder reorder-3 stokes subdomains subdomains-parallel surfaces surfaces-3 tensor tensor-2 tensor-4
  test_mains   := $(foreach t,$(all_complex),$(wildcard tests/*/$(t).c))
endif
test_objects  = $(patsubst %.c,$(build)/obj/%.o,$(filter $(dir $(1))% tests/common/%,$(test_parts))) # TEST.c
tests        := $(addprefix $(build)/tests/,$(notdir $(test_mains:.c=)))
preprocessed := $(patsubst %,$(build)/preprocessed/%.i,elasticity hyperelasticity stokes reaction combustion mantle)
test_made    := $(if $(all_complex),,$(addprefix $(build)/tests/,application.i application_field1.i))
# PETSc's tutorials that benchmarks/solution.py runs, from PETSc's own sources where these are there
tutorials    := $(foreach t,snes-ex13 snes-ex17 snes-ex56 snes-ex62 ts-ex45,$(if $(wildcard $(PETSC_DIR)/src/$(subst -,/tutorials/,$(t)).c),$(build)/tutorials/$(t)))

.PHONY: all examples benchmarks tests tutorials demo demo-tohoku check check-fast check-gpu bench bench-gpu bench-tune bench-scaling bench-integration bench-setup bench-dg bench-water fuzz fuzz-source check-sanitize layers kernels precompiled python check-python bench-python python-pages docs check-docs env bundle install clean format check-format help
all: $(library) $(plugin) $(preload) $(geo)
examples: $(examples) $(unmodified) $(unmodified_cxx)
benchmarks: $(benchmarks)
tests: $(tests) $(test_made)

# With complex scalars PlexDGCreate() and PlexHDGCreate() are errors: what is behind them compiles, and has PetscScalar for double
ifeq ($(PETSC_SCALAR),complex)
  $(build)/obj/src/dg/%.o $(build)/obj/src/hdg/%.o $(build)/obj/benchmarks/%.o: WARNFLAGS += -Wno-incompatible-pointer-types
endif
$(build)/obj/%.o: %.c $(build)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(compile) -c -o $@ $<

# Preprocessed C, which a machine without a C compiler takes as source of pointwise functions
$(build)/tests/%.i: tests/source/%.c tests/source/application.h $(build)/flags
	@mkdir -p $(@D)
	$(call say,CPP,$<)$(CC) -E $(plex_include) -o $@ $<
$(build)/preprocessed/%.i: examples/%.c examples/example.h examples/program.h $(build)/flags
	@mkdir -p $(@D)
	$(call say,CPP,$<)$(CC) -E $(plex_include) -o $@ $<
$(build)/preprocessed/%.i: examples/unmodified/%.c $(build)/flags
	@mkdir -p $(@D)
	$(call say,CPP,$<)$(CC) -E $(PETSC_CC_INCLUDES) $(CPPFLAGS) -o $@ $<

# Only these are told where the checkout lies: the others compile to the same in any folder.
$(patsubst %,$(build)/obj/src/%.o,backend/interface/source backend/emulate/compiler assembly/source/preprocess assembly/tune/problem dg/impls/separate/tune): defines = $(plex_defines)
$(build)/obj/src/util/partitionmetis.o: defines = -DPLEXGPU_METIS=$(if $(strip $(plex_metis)),1,0)
$(build)/obj/src/assembly/source/debuginfo.o: defines = -DPLEXGPU_LIBDW=$(if $(strip $(plex_libdw)),1,0)
$(build)/obj/src/backend/hip/%.o: defines = $(if $(strip $(PLEXGPU_HIP)),-DPLEXGPU_HIP=1 $(if $(filter-out yes,$(PLEXGPU_HIP)),-I$(PLEXGPU_HIP)/include),-DPLEXGPU_HIP=0)
$(build)/obj/src/preload/%.o: defines = -DPLEXGPU_SONAME='"$(notdir $(library))"'
$(build)/obj/examples/%.o $(build)/obj/benchmarks/%.o $(build)/obj/tests/backend/rocks.o $(build)/obj/tests/backend/kernels.o \
  $(build)/obj/tests/fuzz/library.o: defines = $(plex_defines)

# Pointwise functions have PETSc's parameters, used or not.
$(build)/obj/examples/%.o $(build)/obj/benchmarks/%.o $(build)/obj/tests/%.o: WARNFLAGS += -Wno-unused-parameter
$(build)/obj/tests/%.o: plex_include += -I. -Itests/common

# Roots are computed in vector registers.
$(build)/obj/src/dg/systems/%.o: OPTFLAGS += -fno-math-errno

$(library): $(objects)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(link) -shared -Wl,-z,defs -Wl,-soname,$(@F) -o $@ $(objects) $(plex_libs)

$(geo): $(geo_objects)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(link) -shared -Wl,-z,defs -Wl,-soname,$(@F) -o $@ $(geo_objects) -Wl,--as-needed $(PETSC_LIB) -ldl -lm

$(study): $(study_objects)
	@rm -f $@
	$(call say,AR,$@)ar rcs $@ $^

$(plugin) $(preload): $(build)/lib/libplexgpu%: $(library)
	@rm -f $@
	$(call say,LINK,$@)$(CC) $(LDFLAGS) -shared -Wl,-z,defs -Wl,--as-needed -o $@ $(filter %.o,$^) -ldl
$(plugin): $(build)/obj/src/preload/plugin.o
$(preload): $(build)/obj/src/preload/preload.o

# Programs keep their symbol tables: the pointwise functions of an application are named by them.
define program # SOURCE PROGRAM OBJECTS
$(2): $$(build)/obj/$(1:.c=.o) $(3) $(if $(filter examples/%,$(1)),,$$(study)) $$(library) $(if $(filter $(1),$(geo_users)),$$(geo)) | $$(plugin)
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$$(link) -o $$@ $$(filter %.o,$$^) $$(filter %.a,$$^) $$(filter %.so.$$(soversion),$$^) $$(plex_libs)
endef
$(foreach s,$(filter-out benchmarks/ab.c,$(wildcard examples/*.c benchmarks/*.c)),$(eval $(call program,$(s),$(build)/$(s:.c=),)))
$(foreach s,$(test_mains),$(eval $(call program,$(s),$(build)/tests/$(notdir $(s:.c=)),$(call test_objects,$(s)))))

# Programs that know nothing of PlexGPU: compiled without its headers, linked without its library
$(build)/obj/examples/unmodified/%.o: plex_include = $(PETSC_CC_INCLUDES) $(CPPFLAGS)
$(build)/obj/examples/unmodified/%.o: defines =
$(unmodified): $(build)/examples/%: $(build)/obj/examples/unmodified/%.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(link) -o $@ $< -Wl,--as-needed $(PETSC_LIB) -lm

$(unmodified_cxx): $(build)/examples/%: examples/unmodified/%.cc examples/unmodified/%.hh $(build)/flags
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CXX) $(CXX_FLAGS) -std=gnu++17 $(OPTFLAGS) $(WARNFLAGS) -Wno-unused-parameter $(filter -Werror,$(CFLAGS)) $(PETSC_CC_INCLUDES) $(CPPFLAGS) $(rpath) $(LDFLAGS) -o $@ $< -Wl,--as-needed $(PETSC_LIB) -lm

# PETSc's tutorials know nothing of PlexGPU either; a machine without PETSc's headers takes their preprocessed source
define tutorial # PROGRAM SOURCE
$(1): $(2) $$(build)/flags
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$$(CC) -std=gnu11 $$(OPTFLAGS) -w $$(PETSC_CC_INCLUDES) $$(CPPFLAGS) -c -o $$@.o $$< && $$(link) -o $$@ $$@.o -Wl,--as-needed $$(PETSC_LIB) -lm && rm $$@.o
$(1).i: $(2) $$(build)/flags
	@mkdir -p $$(@D)
	$$(call say,CPP,$$@)$$(CC) -E $$(PETSC_CC_INCLUDES) $$(CPPFLAGS) -o $$@ $$<
endef
$(foreach t,$(tutorials),$(eval $(call tutorial,$(t),$(PETSC_DIR)/src/$(subst -,/tutorials/,$(notdir $(t))).c)))
tutorials: $(tutorials) $(addsuffix .i,$(tutorials))

# Loads two libraries itself
$(build)/benchmarks/ab: $(build)/obj/benchmarks/ab.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(link) -o $@ $< -Wl,--as-needed $(PETSC_LIB) -ldl -lm

-include $(shell find $(build)/obj -name '*.d' 2>/dev/null)

# ---------------------------------------------------------------------------------------------------------------------
# Using it

environment = PETSC_DIR='$(PETSC_DIR)' PETSC_ARCH='$(PETSC_ARCH)' PLEXGPU_PYTHON='$(PLEXGPU_PYTHON)' MPIEXEC='$(MPIEXEC)' \
              PLEXGPU_CUDA_DIR='$(PLEXGPU_CUDA_DIR)'

demo: examples
	@$(environment) examples/demo.sh

demo-tohoku: $(build)/examples/tohoku
	@$(environment) examples/tohoku/run.sh

check: all $(if $(all_complex),,examples benchmarks) tests
	@$(environment) $(if $(WARP),PLEXGPU_EMULATE_WARP=$(WARP)) $(if $(LONG),PLEXGPU_TEST_LONG=$(LONG)) tests/run $(or $(T),$(all_complex))

# Half a second to five each, once their kernels are in the cache
fast_tests := boundary dgmesh dgoutput elements facts hdgoutput hdgparallel instructions lowstorage matrix messages newton nodal okada options parallel partial pattern plan raster register \
              rotations settings supported symbol takeover timestep types vectors
ifneq ($(all_complex),)
  fast_tests := $(fast_complex)
endif
check-fast: all $(addprefix $(build)/tests/,$(filter $(notdir $(tests)),$(fast_tests))) $(test_made)
	@$(environment) tests/run $(fast_tests)

check-gpu: all examples benchmarks tests
	@$(environment) tests/run --gpu $(T)

bench: benchmarks
	@$(environment) benchmarks/run.sh

bench-gpu: benchmarks
	@$(environment) benchmarks/run-gpu.sh

bench-tune: benchmarks
	@$(environment) benchmarks/run-tune.sh

bench-scaling: $(build)/benchmarks/scaling
	@$(environment) benchmarks/run-scaling.sh

bench-dg: $(build)/benchmarks/dg
	@$(environment) benchmarks/run-dg.sh

bench-water: $(build)/benchmarks/shallow_water $(build)/benchmarks/dgscaling
	@$(environment) benchmarks/run-water.sh

bench-integration: $(build)/benchmarks/integration
	@$(environment) benchmarks/run-integration.sh

bench-setup: benchmarks tutorials
	@$(environment) benchmarks/run-setup.sh

# The library, tests and examples once more with the sanitizers, in a folder of their own; what is run stands in tests/sanitizers
sanitize_build    := build-sanitize
sanitize_flags    := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
sanitize_tests    := backend boundary elements pattern plan rotations source supported symbol nodal raster okada fuzz fuzzsource forms sanitize sanitizedg messages newton matrix
sanitize_examples := elasticity stokes reaction
check-sanitize: $(build)/config.mk
	@mkdir -p $(sanitize_build)
	@cmp -s $(build)/config.mk $(sanitize_build)/config.mk || cp -p $(build)/config.mk $(sanitize_build)/
	@$(CC) -O1 -fPIC -c -o $(sanitize_build)/sanitize.o config/sanitize.c
	@$(MAKE) build=$(sanitize_build) OPTFLAGS='-O1 -g' CFLAGS='$(CFLAGS) $(sanitize_flags)' LDFLAGS='$(LDFLAGS) $(sanitize_flags) $(top)/$(sanitize_build)/sanitize.o' all \
	  $(addprefix $(sanitize_build)/tests/,$(sanitize_tests)) $(addprefix $(sanitize_build)/examples/,$(sanitize_examples))
	@$(environment) PLEXGPU_EMULATE_FLAGS='-O0 -g1 $(sanitize_flags)' BUILD=$(sanitize_build) tests/sanitizers $(T)

# New cases for the fuzzers: of whole problems, and of texts for the source of pointwise functions, by clang's libFuzzer
SECONDS ?= 600
fuzz: all $(build)/tests/fuzz
	@$(environment) tests/fuzz/run $(SECONDS)

fuzz_source := $(build)/fuzz-source/fuzzsource
$(fuzz_source): $(wildcard src/assembly/source/*.[ch]) tests/fuzz/fuzzsource.c $(objects)
	@command -v clang >/dev/null || { echo "make fuzz-source: there is no clang, whose libFuzzer it needs: apt-get install clang" >&2; exit 1; }
	@mkdir -p $(@D)
	$(call say,CLANG,$@)OMPI_CC=clang MPICH_CC=clang $(CC) -std=gnu11 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -DPLEX_LIBFUZZER $(plex_include) $(plex_defines) -o $@ \
	  tests/fuzz/fuzzsource.c $(filter src/assembly/source/%.c,$^) $(filter-out $(build)/obj/src/assembly/source/%,$(objects)) $(plex_libs) -Wl,-rpath,$(PETSC_DIR)/$(PETSC_ARCH)/lib

fuzz-source: $(fuzz_source) $(build)/tests/fuzzsource
	@$(environment) tests/fuzz/run-source $(SECONDS)

layers: $(library)
	@$(or $(PLEXGPU_PYTHON),python3) config/layers.py $(build)

kernels: $(build)/tests/kernels
	@$(environment) tests/run kernels kernels-hip

# Kernels that are the same for every problem (src/backend/interface/files.c), for these GPUs: compute capability 8.0, 9.0 and 10.0; empty: for none
PLEXGPU_KERNELS ?= sm_80 sm_90 sm_100
precompile      := $(build)/bin/precompile
compiled        := $(build)/share/plexgpu/kernels
$(precompile): $(build)/obj/config/precompile.o $(library)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(link) -o $@ $^ $(plex_libs)

# What another user has compiled, as root for an installation, is not used
precompiled: $(precompile)
	@[ ! -e $(compiled) ] || [ -O $(compiled) ] || rm -rf $(compiled)
	@install -d -m 755 $(compiled)
	$(if $(strip $(PLEXGPU_KERNELS)),@$(environment) PLEXGPU_SOURCE_DIR='$(top)/cuda' $(precompile) $(compiled) $(PLEXGPU_KERNELS))

python: all
	@$(environment) config/bindings.sh $(top)/$(build)/python

python-pages: python
	@$(environment) $(top)/$(build)/python/bin/python python-bindings/pages.py $(top)/$(build)/python-pages

env:
	@echo 'PETSC_DIR=$(PETSC_DIR) PETSC_ARCH=$(PETSC_ARCH) PLEXGPU=$(top)/$(build)'

# Neither the pages nor Sphinx need PETSc; code that is run does
docs:
	@PLEXGPU_VERSION='$(version)' config/docs.sh $(build)/docs

check-docs: all examples
	@. tests/environment; PLEXGPU_VERSION='$(version)' $(environment) config/docs.sh $(build)/docs check

check-python: python
	@$(environment) python-bindings/tests/run $(top)/$(build)/python $(T)

bench-python: python
	@$(environment) python-bindings/examples/run $(top)/$(build)/python

# PYTHON=no, or a set-up with PLEXGPU_PYTHON=no: a bundle without the bindings
bundle_python = $(if $(PLEXGPU_PYTHON),$(filter-out no,$(or $(PYTHON),yes)))
bundle: all examples benchmarks tests tutorials precompiled $(preprocessed) $(if $(bundle_python),python)
	@$(environment) config/bundle.sh $(build)/bundle $(if $(bundle_python),$(build)/python)

format:
	@config/format.sh

check-format:
	@config/format.sh --check

clean:
	rm -rf $(build) $(sanitize_build)

help:
	@sed -n '3,/^$$/s/^# \{0,1\}//p' makefile

# ---------------------------------------------------------------------------------------------------------------------
# Installing it

prefix     ?= /usr/local
libdir     ?= $(prefix)/lib
includedir ?= $(prefix)/include
datadir    ?= $(prefix)/share

# A folder as seen from that of the libraries, which can then be moved together
from_lib    = $(shell realpath -ms --relative-to='$(libdir)' '$(1)')
petsc_link  = -Wl,-rpath,$(PETSC_DIR)/$(PETSC_ARCH)/lib -L$(PETSC_DIR)/$(PETSC_ARCH)/lib -lpetsc

install: all precompiled
	install -d '$(DESTDIR)$(libdir)/pkgconfig' '$(DESTDIR)$(includedir)/plexgpu/private' '$(DESTDIR)$(datadir)/doc/plexgpu'
	install -m 755 $(library) $(plugin) $(preload) $(geo) '$(DESTDIR)$(libdir)/'
	install -m 644 include/*.h '$(DESTDIR)$(includedir)/'
	install -m 644 include/plexgpu/*.h '$(DESTDIR)$(includedir)/plexgpu/'
	install -m 644 include/plexgpu/private/*.h '$(DESTDIR)$(includedir)/plexgpu/private/'
	for name in plexgpu plexgpugeo; do \
	  sed -e 's|@prefix@|$(prefix)|' -e 's|@libdir@|$(libdir)|' -e 's|@includedir@|$(includedir)|' -e 's|@datadir@|$(datadir)|' \
	    -e 's|@version@|$(version)|' -e "s|@library@|lib$$name.so.$(soversion)|" -e 's|@petsc_cflags@|$(strip $(PETSC_CC_INCLUDES))|' \
	    -e 's|@petsc_libs@|$(petsc_link)|' $$name.pc.in >"$(DESTDIR)$(libdir)/pkgconfig/$$name.pc" || exit 1; \
	done
	install -d '$(DESTDIR)$(libdir)/cmake/PlexGPU'
	for name in PlexGPUConfig PlexGPUConfigVersion; do \
	  sed -e 's|@version@|$(version)|' -e 's|@soversion@|$(soversion)|' -e 's|@petsc_dir@|$(PETSC_DIR)|' -e 's|@petsc_arch@|$(PETSC_ARCH)|' \
	    -e 's|@petsc_cflags@|$(foreach f,$(PETSC_CC_INCLUDES),"$f")|' -e 's|@petsc_libs@|$(foreach f,$(petsc_link),"$f")|' \
	    -e 's|@from_lib_include@|$(call from_lib,$(includedir))|' -e 's|@from_lib_data@|$(call from_lib,$(datadir))|' \
	    packaging/cmake/$$name.cmake.in >"$(DESTDIR)$(libdir)/cmake/PlexGPU/$$name.cmake" || exit 1; \
	done
	config/install-data.sh '$(DESTDIR)$(datadir)/plexgpu' '$(compiled)'
	install -m 644 $(wildcard README.md LICENSE CHANGELOG.md CITATION.cff docs/*.md) '$(DESTDIR)$(datadir)/doc/plexgpu/'
	for folder in $(notdir $(wildcard docs/dev docs/howto docs/pictures)); do \
	  install -d '$(DESTDIR)$(datadir)/doc/plexgpu/'$$folder && \
	  install -m 644 docs/$$folder/* '$(DESTDIR)$(datadir)/doc/plexgpu/'$$folder/ || exit 1; \
	done
