# Mneme.  `make deps verify` and `make deps test` are all that a bare machine needs.
#
#   LEVEL=quick|full|extended  CLAIMS='vort.*'  J=2  SEED=1  QUICK=1  STYLE=color|gray|talk
#   CC=gcc|clang  WERROR=1  SANITIZE=address,undefined  PREFIX=/usr/local  DESTDIR=  RUNS=1000000 (fuzz)
#   SAMPLE=150 ONLY='numerics/exact/*' (mutants)

LEVEL ?= quick
CLAIMS ?=
J ?= 2
SEED ?= 1
STYLE ?= color
PREFIX ?= /usr/local
ifeq ($(origin CC),default)
CC := $(shell command -v gcc >/dev/null 2>&1 && echo gcc || echo cc)
endif
BUILD := build

GOALS := all verify figures experiments results paper docs test oracles reproduce regress bench baseline mutants install check-style
.PHONY: help deps clean uninstall fuzz fuzz-run sanitize sanitize-threads test-threads test-programs $(GOALS)

all:

clean:
	rm -rf $(BUILD)

uninstall: export TO := $(DESTDIR)$(PREFIX)
uninstall:
	rm -f "$$TO/bin/mneme" "$$TO/include/mneme.h"
	rm -f "$$TO/lib/"libmneme.* "$$TO/lib/mneme-mpi.so" "$$TO/lib/pkgconfig/mneme.pc"
	rm -rf "$$TO/share/mneme"
	rm -f "$$TO/share/man/man1/"mneme.1 "$$TO/share/man/man1/"mneme-*.1 "$$TO/share/man/man3/libmneme.3"

ifndef MNEME_STAGE
# First stage: libraries are looked for only after deps has run.
.NOTPARALLEL:

help:
	@sed -n '1,6p' Makefile | sed 's/^# \{0,1\}//'; echo "Targets: deps deps-experiments deps-pages deps-mutants deps-mpi deps-sanitizers deps-oracles $(GOALS) fuzz sanitize sanitize-threads uninstall clean"

deps:
	@CC="$(CC)" ./.ci/deps

# What some targets and tests need beyond that: deps-experiments, deps-pages, deps-mutants, deps-mpi, deps-sanitizers,
# deps-oracles.
deps-%:
	@CC="$(CC)" ./.ci/deps $*

$(GOALS) test-programs:
	@$(MAKE) --no-print-directory -j$(J) MNEME_STAGE=2 CC="$(CC)" $@

FUZZ_CC ?= clang

# A tree of its own, with clang's fuzzer and sanitizers in every object.
fuzz:
	@mkdir -p $(BUILD)/fuzz
	@echo 'int LLVMFuzzerTestOneInput(const char *b, unsigned long n) { return b == 0 && n > 0; }' | \
	    $(FUZZ_CC) -fsanitize=fuzzer,address,undefined -x c - -o $(BUILD)/fuzz/probe 2>/dev/null || { \
	    echo "fuzz: $(FUZZ_CC) with libFuzzer and sanitizers is not there (Debian: clang, libclang-rt-dev; FUZZ_CC= names another)" >&2; exit 2; }
	@$(MAKE) --no-print-directory -j$(J) MNEME_STAGE=2 CC="$(FUZZ_CC)" BUILD=$(BUILD)/fuzz WERROR= OPT=-O1 \
	    SANITIZE=fuzzer-no-link,address,undefined CFLAGS="$(CFLAGS) -fno-sanitize-recover=all" fuzz-run

# Trees of their own for the sanitizers: links to the sources beside a build.
linked_tree = mkdir -p $(BUILD)/$@; for place in $$(ls -A | grep -v -x -e build -e .git); do \
	    ln -sfn "$(CURDIR)/$$place" $(BUILD)/$@/; done
STRICT := CFLAGS="$(CFLAGS) -fno-sanitize-recover=all"

# The whole test suite under address, undefined and leak.
sanitize:
	@$(linked_tree)
	@UBSAN_OPTIONS=print_stacktrace=1 $(MAKE) --no-print-directory -C $(BUILD)/$@ -j$(J) MNEME_STAGE=2 CC="$(CC)" WERROR= OPT=-O1 \
	    SANITIZE=address,undefined $(STRICT) test

# Kernels and references under thread.  With clang: its OpenMP library tells the sanitizer who waits for whom,
# gcc's does not.  One instruction set: the others are the same code in the same threads.
sanitize-threads:
	@$(linked_tree)
	@TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1 OMP_NUM_THREADS=4 $(MAKE) --no-print-directory -C $(BUILD)/$@ \
	    -j$(J) MNEME_STAGE=2 CC="$(FUZZ_CC)" WERROR= OPT=-O1 SANITIZE=thread ISAS=generic test-threads

else
# Second stage.
comma := ,
finds = $(shell printf '\043include <stdio.h>\n\043include <%s>\n' '$(1)' | $(CC) $(CPPFLAGS) -E -x c - >/dev/null 2>&1 && echo yes)
links = $(shell echo 'int main(void){return 0;}' | $(CC) $(LDFLAGS) -x c - $(1) -o /dev/null 2>/dev/null && echo yes)
accepts = $(shell echo 'int main(void){return 0;}' | $(CC) -Werror $(1) -x c - -c -o /dev/null 2>/dev/null && echo $(1))

# FLINT 3 contains Arb; before it Arb is a library of its own (flint-arb on Debian, arb elsewhere).
ifeq ($(call finds,flint/arb.h),yes)
ARB_FLAGS := -DMNEME_FLINT3
ARB_LIBS := -lflint
else ifeq ($(call finds,arb.h),yes)
ARB_FLAGS :=
ARB_LIBS := $(if $(call links,-lflint-arb),-lflint-arb,-larb) -lflint
else
$(error Arb is not found (neither flint/arb.h nor arb.h): run "make deps")
endif
$(foreach h,gmp.h mpfr.h gsl/gsl_eigen.h jansson.h zlib.h fftw3.h,$(if $(call finds,$(h)),,$(error $(h) is not found: run "make deps")))
$(if $(call links,-lfftw3f),,$(error FFTW in single precision (-lfftw3f) is not found: run "make deps"))

# Calls where the address is checked, not code at every place: the kernels compile ten times as fast.
comma := ,
CALLS := $(or $(call accepts,--param=asan-instrumentation-with-call-threshold=0),$(call accepts,-mllvm -asan-instrumentation-with-call-threshold=0))
SANITIZER := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -g)
OPT ?= -O2
# Lists end in {NULL}.  gcc 12 takes fmpq[1] arguments for overreads of their first half: a known false alarm.
CFLAGS_ALL := -std=c11 -D_GNU_SOURCE -I. $(OPT) -ffp-contract=off -Wall -Wextra -Wconversion \
	-Wno-missing-field-initializers $(call accepts,-Wno-stringop-overread) $(if $(WERROR),-Werror) $(SANITIZER) $(if $(SANITIZE),$(call accepts,-Wno-stringop-overflow)) $(if $(findstring address,$(SANITIZE)),$(CALLS)) $(ARB_FLAGS) $(CPPFLAGS) $(CFLAGS)
DL := $(if $(call links,-ldl),-ldl)
LIBS = $(LDFLAGS) $(SANITIZER) $(LIBRARY) $(OPENMP) -pthread $(DL) -lfftw3f -ljansson -lz -lgsl -lgslcblas $(ARB_LIBS) -lmpfr -lgmp -lm

SOURCES := $(wildcard numerics/exact/*.c numerics/accuracy/*.c numerics/bench/*.c theorems/*.c theorems/*/*.c theorems/*/*/*.c reports/*.c reports/cli/*.c)
OBJECTS := $(SOURCES:%.c=$(BUILD)/obj/%.o)
PROGRAM := $(BUILD)/bin/mneme
# Tests link everything but the command line; the faulty program brings its own list of claims.
CLI := $(filter $(BUILD)/obj/reports/cli/%,$(OBJECTS))
CORE := $(filter-out $(CLI) $(BUILD)/obj/theorems/registry.o,$(OBJECTS))
TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c))

# libmneme: plain files once, the others once per instruction set (named generic, avx2, avx512); permissive licence, libm and
# OpenMP only.
OPENMP := $(if $(call links,-fopenmp),-fopenmp)
ISAS := generic $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),avx2 avx512)
ISA_FLAGS_avx2 := -mavx2 -mfma
ISA_FLAGS_avx512 := -mavx512f -mfma
KERNELS := linear delta vla loglinear vort softmax convolution table
KERNEL_OBJECTS := $(patsubst %,$(BUILD)/obj/kernels/%.o,api api_convolution check reference parts $(foreach i,$(ISAS),$(KERNELS:%=%.$(i))))
# What address sees as well is left to it: it doubles the time that kernels take to compile.
KERNEL_FLAGS = $(CFLAGS_ALL) $(if $(findstring address,$(SANITIZE)),-fno-sanitize=null$(comma)object-size$(comma)pointer-overflow) $(OPENMP) -fPIC -fvisibility=hidden $(if $(findstring avx2,$(ISAS)),-DMN_X86)
LIBRARY := $(BUILD)/lib/libmneme.a
SHARED := $(BUILD)/lib/libmneme.so.1
LIBRARY_VERSION := $(shell sed -n 's/.*MN_VERSION "\(.*\)".*/\1/p' numerics/kernels/mneme.h)

COMMIT := $(shell git rev-parse HEAD 2>/dev/null || echo unknown)

# mneme verify --mpi loads this; built where there is MPI (make deps-mpi), MPICC= names another compiler for it.
MPICC ?= mpicc
MPI_MODULE := $(if $(shell printf '\043include <mpi.h>\n' | $(MPICC) -fsyntax-only -x c - 2>/dev/null && echo yes),$(BUILD)/lib/mneme-mpi.so)

all: $(PROGRAM) $(LIBRARY) $(SHARED) $(MPI_MODULE)

# Everything is rebuilt when compiler or flags change, provenance when the commit does.
$(BUILD)/stamp: FORCE
	@mkdir -p $(BUILD)
	@echo '$(CC) $(CFLAGS_ALL)' | cmp -s - $@ || echo '$(CC) $(CFLAGS_ALL)' > $@
$(BUILD)/commit: FORCE
	@mkdir -p $(BUILD)
	@echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' > $@
# phony: .SECONDARY, below, has make take a missing file for up to date
.PHONY: FORCE
FORCE:

# Objects appear whole under their names: two makes in one tree do not read each other's halves.
$(BUILD)/obj/%.o: %.c $(BUILD)/stamp
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) $(DEFINES) -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@.$$$$ && mv $@.$$$$ $@
$(BUILD)/obj/numerics/accuracy/%.o: DEFINES = $(OPENMP)
$(BUILD)/obj/reports/provenance.o: $(BUILD)/commit
$(BUILD)/obj/reports/provenance.o: DEFINES = -DMNEME_COMMIT='"$(COMMIT)"' -DMNEME_FLAGS='"$(OPT) $(SANITIZER) $(CFLAGS)"'

define kernel_isa
$(BUILD)/obj/kernels/%.$(1).o: numerics/kernels/%.c $(BUILD)/stamp
	@mkdir -p $$(@D)
	@$$(CC) $$(KERNEL_FLAGS) $(ISA_FLAGS_$(1)) -DMN_ISA_NAME=$(1) -MMD -MP -MT $$@ -MF $$(@:.o=.d) -c $$< -o $$@.$$$$$$$$ && mv $$@.$$$$$$$$ $$@
endef
$(foreach i,$(ISAS),$(eval $(call kernel_isa,$(i))))
$(BUILD)/obj/kernels/%.o: numerics/kernels/%.c $(BUILD)/stamp
	@mkdir -p $(@D)
	@$(CC) $(KERNEL_FLAGS) -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@.$$$$ && mv $@.$$$$ $@

$(LIBRARY): $(KERNEL_OBJECTS)
	@mkdir -p $(@D)
	@rm -f $@.$$$$ && $(AR) rcs $@.$$$$ $^ && mv $@.$$$$ $@
$(SHARED): $(KERNEL_OBJECTS)
	@mkdir -p $(@D)
	@$(CC) -shared -Wl,-soname,libmneme.so.1 $(LDFLAGS) $(SANITIZER) $(OPENMP) $^ -lm -o $@.$$$$ && mv $@.$$$$ $@

# Built elsewhere, the program finds the tree's data by a link.
$(PROGRAM): $(OBJECTS) $(LIBRARY)
	@mkdir -p $(@D)
	@[ -d $(@D)/../../reports ] || { mkdir -p $(BUILD)/share && ln -sfn "$$PWD/reports" $(BUILD)/share/mneme; }
	@$(CC) $(OBJECTS) $(LIBS) -o $@.$$$$ && mv $@.$$$$ $@

$(BUILD)/lib/mneme-mpi.so: reports/mpi/transport.c reports/transport.h $(BUILD)/stamp
	@mkdir -p $(@D)
	@$(MPICC) -std=c11 -D_GNU_SOURCE -I. $(OPT) -Wall -Wextra $(if $(WERROR),-Werror) -fPIC -shared $(LDFLAGS) $< -o $@.$$$$ && mv $@.$$$$ $@

-include $(OBJECTS:.o=.d) $(KERNEL_OBJECTS:.o=.d) $(wildcard $(BUILD)/obj/tests/*.d $(BUILD)/obj/tests/fuzz/*.d $(BUILD)/obj/tests/oracles/*.d)

REPORTS := $(BUILD)/reports
FIGURES := $(BUILD)/figures

# What the data of the figures were computed with: `figures` computes them again when this or the program changed.
WITH = $(LEVEL) $(SEED) $(CLAIMS)

# The page takes what there is: figures, experiments, the kernels' accuracy and speed.
PAGE = set --; for part in experiments:experiments accuracy:regress bench:bench; do \
	    [ ! -f $(REPORTS)/$${part\#*:}.json ] || set -- "$$@" --$${part%%:*} $(REPORTS)/$${part\#*:}.json; done; \
	    [ ! -f $(REPORTS)/verify.json ] || $(PROGRAM) report --format html --figures $(FIGURES) "$$@" \
	        --output $(REPORTS)/index.html $(REPORTS)/verify.json

verify: $(PROGRAM)
	@mkdir -p $(REPORTS) $(FIGURES)
	@rm -f $(FIGURES)/.with
	@status=0; $(PROGRAM) verify --level $(LEVEL) -j $(J) --seed $(SEED) \
	    --json $(REPORTS)/verify.json --junit $(REPORTS)/junit.xml --witnesses $(REPORTS)/witnesses \
	    --series $(FIGURES) $(CLAIMS) || status=$$?; \
	if [ $$status -le 1 ] || [ $$status -eq 130 ]; then \
	    for form in markdown:$(REPORTS)/verify.md latex:$(REPORTS)/claims.tex numbers:$(REPORTS)/numbers.tex \
	        captions:$(FIGURES)/captions.tex captions-json:$(FIGURES)/captions.json; do \
	        $(PROGRAM) report --format $${form%%:*} --output $${form#*:} $(REPORTS)/verify.json || status=3; \
	    done; \
	    { $(PAGE); } || status=3; \
	fi; \
	[ $$status -gt 1 ] || printf '%s\n' "$(WITH)" > $(FIGURES)/.with; exit $$status

figures: $(PROGRAM)
	@mkdir -p $(FIGURES)
	@if [ $(PROGRAM) -nt $(FIGURES)/.with ] || [ "$$(cat $(FIGURES)/.with 2>/dev/null)" != "$(WITH)" ]; then \
	    rm -f $(FIGURES)/.with; report=$(FIGURES)/.verify.json; \
	    $(PROGRAM) verify --level $(LEVEL) -j $(J) --seed $(SEED) --json $$report --series $(FIGURES) $(CLAIMS) >/dev/null && \
	    $(PROGRAM) report --format captions --output $(FIGURES)/captions.tex $$report && \
	    $(PROGRAM) report --format captions-json --output $(FIGURES)/captions.json $$report && \
	    printf '%s\n' "$(WITH)" > $(FIGURES)/.with; \
	fi
	@if [ -z "$(CLAIMS)" ] && [ ! $(FIGURES)/kernel-ulp.dat -nt $(PROGRAM) ]; then $(PROGRAM) regress --series $(FIGURES) -j $(J); fi
	@STYLE=$(STYLE) sh plots/draw.sh plots $(FIGURES)
	@$(PAGE)

# The README's picture, from the reports on all claims and experiments.
results: $(PROGRAM)
	@$(PROGRAM) report --format svg --experiments $(REPORTS)/experiments.json --output reports/results.svg $(REPORTS)/verify.json

# The sample paper, from the reports on all claims and the figures; both are made first where they are missing.
paper: $(PROGRAM)
	@sh reports/paper/compile.sh reports/paper $(REPORTS) $(FIGURES) $(BUILD)/paper "$(MAKE) --no-print-directory"

# Manual pages, from the program's own tables and from mneme.h.
MAN := $(BUILD)/man
docs: $(PROGRAM)
	@mkdir -p $(MAN)/man1 $(MAN)/man3 && rm -f $(MAN)/man1/* $(MAN)/man3/*
	@$(PROGRAM) --help=man > $(MAN)/man1/mneme.1
	@for command in $$($(PROGRAM) --help | sed -n 's/^  \([a-z]\{1,\}\)  *.*/\1/p'); do \
	    $(PROGRAM) $$command --help=man > $(MAN)/man1/mneme-$$command.1 || exit 1; done
	@awk -v version=$(LIBRARY_VERSION) -v date="$$(sed -n 's/.*MNEME_DATE "\(.*\)".*/\1/p' reports/provenance.h)" \
	    -f reports/man/header.awk numerics/kernels/mneme.h > $(MAN)/man3/libmneme.3
	@echo "docs: $$(ls $(MAN)/man1 $(MAN)/man3 | grep -c '\.[13]$$') manual pages in $(MAN); man -l $(MAN)/man1/mneme.1"

# The texts' experiments on equal footing: not part of verify.  CLAIMS='experiments.zipf-lag' runs one.
experiments: $(PROGRAM)
	@mkdir -p $(REPORTS) $(FIGURES)
	@status=0; $(PROGRAM) verify --level $(LEVEL) -j $(J) --seed $(SEED) --json $(REPORTS)/experiments.json \
	    --junit $(REPORTS)/experiments.xml --series $(FIGURES) $(or $(CLAIMS),'experiments.*') || status=$$?; \
	if [ $$status -le 1 ]; then \
	    $(PROGRAM) report --format markdown --output $(REPORTS)/experiments.md $(REPORTS)/experiments.json && \
	    STYLE=$(STYLE) sh plots/draw.sh plots $(FIGURES) experiments && { $(PAGE); } || status=3; \
	fi; exit $$status

$(BUILD)/obj/tests/%.o: tests/%.c $(BUILD)/stamp
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@.$$$$ && mv $@.$$$$ $@
.SECONDARY:
FAULTY := $(BUILD)/tests/mneme-faulty
# Two tests look at the shared library.
$(BUILD)/tests/test_kernels_calls $(BUILD)/tests/test_cases_kernels: | $(SHARED)
$(BUILD)/tests/test_%: $(BUILD)/obj/tests/test_%.o $(BUILD)/obj/theorems/registry.o $(CORE) $(LIBRARY)
	@mkdir -p $(@D)
	@$(CC) $(filter %.o,$^) -lcmocka $(LIBS) -o $@.$$$$ && mv $@.$$$$ $@
# The program with claims that crash, hang, eat memory or cannot be decided.
$(FAULTY): $(BUILD)/obj/tests/faulty_registry.o $(CLI) $(CORE) $(LIBRARY)
	@mkdir -p $(@D)
	@$(CC) $(filter %.o,$^) $(LIBS) -o $@.$$$$ && mv $@.$$$$ $@

# What the exact layer says to tests/oracles/oracles.py.
ANSWERS := $(BUILD)/tests/answers
$(ANSWERS): $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/oracles/*.c)) $(BUILD)/obj/theorems/registry.o $(CORE) $(LIBRARY)
	@mkdir -p $(@D)
	@$(CC) $(filter %.o,$^) $(LIBS) -o $@.$$$$ && mv $@.$$$$ $@

# The README's example claim, as it stands there.
EXAMPLE := $(BUILD)/tests/mneme-example
$(BUILD)/example/claim.c: README.md
	@mkdir -p $(@D)
	@awk '/^```c$$/{on=1; next} /^```$$/{on=0} on' README.md > $@
$(BUILD)/example/registry.c: Makefile
	@mkdir -p $(@D)
	@printf '%s\n' '#include "theorems/claim.h"' 'extern const claim claim_example;' \
	    'const claim *const claim_registry[] = {&claim_example, NULL};' > $@
$(EXAMPLE): $(BUILD)/example/claim.c $(BUILD)/example/registry.c $(CLI) $(CORE) $(LIBRARY)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) $(filter %.c %.o,$^) $(LIBS) -o $@.$$$$ && mv $@.$$$$ $@

# The README's program on the kernel library, against the shared library and as a C++ caller would build it.
PREFILL := $(BUILD)/tests/prefill
$(BUILD)/example/prefill.c: README.md
	@mkdir -p $(@D)
	@awk '/^```c prefill$$/{on=1; next} /^```$$/{on=0} on' README.md > $@
$(PREFILL): $(BUILD)/example/prefill.c $(SHARED)
	@mkdir -p $(@D)
	@cp numerics/kernels/mneme.h $(BUILD)/example/ && ln -sf $(notdir $(SHARED)) $(BUILD)/lib/libmneme.so
	@$(CC) $(CFLAGS_ALL) -I$(BUILD)/example $< -L$(BUILD)/lib -Wl,-rpath,"$$(cd $(BUILD)/lib && pwd)" -lmneme -lm $(SANITIZER) -o $@.$$$$ && mv $@.$$$$ $@

# The exact layer against mpmath.  ONLY='gauss banks' runs these groups; another SEED= draws other cases.
oracles: $(PROGRAM) $(ANSWERS)
	@SEED=$(SEED) sh tests/oracles/oracles.sh $(ANSWERS) $(PROGRAM) $(ONLY)

# Verdicts and exact values again with other threads, compilers, optimisation and instruction sets: half an hour.
# ONLY='threads libm gcc-O0 gcc-O3 gcc-native clang-O0 clang-O3 clang-native'; CLAIMS='experiments.*' has what is measured.
reproduce: $(PROGRAM)
	@ONLY='$(ONLY)' sh tests/reproduce.sh $(PROGRAM) $(BUILD)/reproduce '$(MAKE) --no-print-directory -j$(J)' $(LEVEL) $(SEED) $(J) $(CLAIMS)

# Tests that compile callers of the library do it as the library was.
SANITIZED = $(if $(SANITIZE),SANITIZER='$(SANITIZER)' CXX='$(if $(findstring clang,$(CC)),$(subst clang,clang++,$(CC)),g++)')
test-programs: $(PREFILL) $(PROGRAM) $(MPI_MODULE) $(TESTS) $(FAULTY) $(EXAMPLE) $(ANSWERS)
# One at a time in a tree, where there is flock(1): the tests' files have fixed names.
test: test-programs
	@J=$(J) SEED=$(SEED) $(SANITIZED) $(if $(shell command -v flock),flock $(BUILD)/tests) sh -c 'rm -rf $(BUILD)/tests/quick; exec sh tests/run.sh "$$@"' run $(TESTS)

# First a race that must be seen.
THREADED := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_kernels_*.c tests/test_reference*.c tests/test_gradient*.c tests/test_judge.c))
$(BUILD)/tests/race: tests/race.c $(BUILD)/stamp
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) $(OPENMP) $< -o $@.$$$$ && mv $@.$$$$ $@
test-threads: $(BUILD)/tests/race $(THREADED)
	@! $(BUILD)/tests/race >$(BUILD)/race.log 2>&1 || { echo "a race is not seen: see tests/race.c" >&2; exit 1; }
	@grep -q 'data race' $(BUILD)/race.log || { cat $(BUILD)/race.log >&2; exit 1; }
	@J=$(J) SEED=$(SEED) $(SANITIZED) sh tests/run.sh $(THREADED)

# Every kernel against the certified reference and the committed numbers; QUICK=1: small shapes.
regress: $(PROGRAM)
	@mkdir -p $(REPORTS)
	@$(PROGRAM) regress $(if $(QUICK),--quick) -j $(J) --json $(REPORTS)/regress.json --junit $(REPORTS)/regress.xml; \
	    status=$$?; { $(PAGE); } || status=3; exit $$status

# Each tests/fuzz/fuzz_NAME.c, from the files of tests/fuzz/seeds/NAME on; what is found is left in found-NAME-*.
# FUZZED: all that the targets need, to be extended along with them (the kernels take minutes to build like this).
RUNS ?= 1000000
FUZZED := $(filter $(addprefix $(BUILD)/obj/,$(addprefix numerics/accuracy/,array%.o file.o inputs_text.o judge_verdict.o) \
	$(addprefix numerics/exact/,number.o enclosure.o witness.o replay%.o soe_certify.o soe_minimax.o soe_sum.o banks.o fenwick.o gauss.o gl.o hankel.o vla_witness.o random.o) \
	$(addprefix reports/,annotations.o changes.o decimal.o figures.o gather.o html%.o json_codec.o latex%.o journal.o journal_identity.o markdown.o mathml.o plan.o pool.o ranks.o slots.o stop.o sweep.o values.o sweep_work.o provenance.o \
	regress_baseline.o runner.o soe_text.o tables.o text.o unit.o vla_python.o witness_python.o writers.o) \
	$(addprefix reports/cli/,cli.o cmd_report.o manual.o places.o run.o) \
	$(addprefix theorems/,claim.o context.o series.o work_unit.o experiments/texts/corpus.o)),$(OBJECTS))
FUZZ := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
$(BUILD)/libfuzzed.a: $(FUZZED) Makefile
	@rm -f $@.$$$$ && $(AR) rcs $@.$$$$ $(FUZZED) && mv $@.$$$$ $@
$(BUILD)/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(BUILD)/libfuzzed.a
	@$(CC) -fsanitize=fuzzer $^ $(filter-out $(LIBRARY),$(LIBS)) -o $@.$$$$ && mv $@.$$$$ $@
fuzz-run: $(FUZZ:%=$(BUILD)/fuzz_%)
	@J=$(J) SEED=$(SEED) RUNS=$(RUNS) sh tests/fuzz/run.sh $(BUILD) $(FUZZ)

# Small faults in claims, exact layer and kernels, all compiled into a copy of the tree, and which of them no test or
# check sees.  All of them (a day) or SAMPLE=N, of the files that ONLY's patterns name.  The experiments' claims are
# statistics and take no part; the tests are those of these rooms (KILLING='*': all).  AGAIN=results.tsv: the survivors of
# an earlier run.
SAMPLE ?= 0
MUTABLE := $(filter-out theorems/experiments/%,$(wildcard numerics/exact/*.c numerics/kernels/*.c theorems/*.c theorems/*/*.c theorems/*/*/*.c)) \
	$(addprefix numerics/kernels/,block.h gates.h step.h solve.h simd.h)
MUTANTS := $(BUILD)/mutants
KILLING ?= test_kernels_* test_soe* test_vla_* test_witness test_hankel test_banks test_loglinear test_gl test_gauss test_number test_laplace test_enclosure test_claims test_cases_recurrences test_cases_kernels test_cases_exact test_oracles
LLVM := $(lastword $(wildcard /usr/lib/llvm-*/include/clang-c/Index.h /usr/lib64/llvm*/include/clang-c/Index.h /opt/homebrew/opt/llvm/include/clang-c/Index.h))
LLVM := $(patsubst %/include/clang-c/Index.h,%,$(LLVM))
mutants:
	@mkdir -p $(MUTANTS)
	@$(CC) -O1 -D_GNU_SOURCE $(addprefix -I,$(addsuffix /include,$(LLVM))) tests/mutants/mutate.c \
	    $(patsubst %,-L%/lib -Wl$(comma)-rpath$(comma)%/lib,$(LLVM)) -lclang -o $(MUTANTS)/mutate 2>/dev/null || { \
	    echo "mutants: libclang is not there: run \"make deps-mutants\"" >&2; exit 2; }
	@$(CC) -O1 -D_GNU_SOURCE tests/mutants/run.c -o $(MUTANTS)/run
	@ARB_FLAGS="$(ARB_FLAGS)" sh tests/mutants/tree.sh $(abspath $(MUTANTS)) $(abspath $(MUTANTS)/tree) $(J) \
	    "--sample $(SAMPLE) --seed $(SEED) --only '$(or $(ONLY),*)'$(if $(AGAIN), --survivors $(abspath $(AGAIN)))" $(MUTABLE)
	@MAKEFLAGS= $(MAKE) --no-print-directory -C $(MUTANTS)/tree BUILD=build J=$(J) CC="$(CC)" OPT=-O1 CFLAGS=-w MNEME_STAGE= test-programs
	@$(MUTANTS)/run kill -j $(J) --tests '$(KILLING)' --explained tests/mutants/equivalent.tsv $(MUTANTS)/tree

bench: $(PROGRAM)
	@mkdir -p $(REPORTS)
	@$(PROGRAM) bench --json $(REPORTS)/bench.json
	@$(PAGE)

# Recomputes the committed certificates (WHAT=certificates), the kernels' accuracy (WHAT=accuracy) and the exact values of the
# quick run (WHAT=values), or all; read the diff before committing it.  A row of the kernels that gets worse needs REASON='...'.
baseline: $(PROGRAM)
	@$(if $(filter accuracy values,$(WHAT)),true,$(PROGRAM) verify --level extended -j $(J) --rebase reports/baselines $(or $(CLAIMS),'vort.soe-rate/sup-errors' 'vort.soe-terms/table') || test $$? -eq 1)
	@$(if $(or $(CLAIMS),$(filter certificates values,$(WHAT))),true,$(PROGRAM) regress -j $(J) --rebase reports/baselines/accuracy.json $(if $(REASON),--reason '$(REASON)'))
	@mkdir -p $(BUILD)
	@$(if $(or $(CLAIMS),$(filter certificates accuracy,$(WHAT))),true,$(PROGRAM) verify -j $(J) --json $(BUILD)/values.json >/dev/null && \
	    $(PROGRAM) report --format values --output reports/baselines/values-quick.tsv $(BUILD)/values.json)
	@git --no-pager diff --stat -- reports/baselines 2>/dev/null || true

# By the environment: paths may have quotes in them.
install: export TO := $(DESTDIR)$(PREFIX)
install: export HERE := $(PREFIX)
DATA := "$$TO/share/mneme"
install: $(PROGRAM) $(LIBRARY) $(SHARED) $(MPI_MODULE) docs
	install -d "$$TO/bin" "$$TO/include" "$$TO/lib/pkgconfig" $(DATA)/baselines $(DATA)/schemas $(DATA)/plots $(DATA)/html $(DATA)/sweeps
	install -m 755 $(PROGRAM) "$$TO/bin/mneme"
	install -m 644 numerics/kernels/mneme.h "$$TO/include/mneme.h"
	install -m 644 $(LIBRARY) "$$TO/lib/libmneme.a"
	install -m 755 $(SHARED) "$$TO/lib/libmneme.so.$(LIBRARY_VERSION)"
	$(if $(MPI_MODULE),install -m 755 $(MPI_MODULE) "$$TO/lib/mneme-mpi.so")
	ln -sf libmneme.so.$(LIBRARY_VERSION) "$$TO/lib/libmneme.so.1"
	ln -sf libmneme.so.1 "$$TO/lib/libmneme.so"
	{ printf 'prefix=%s\n' "$$HERE" | sed 's/[^[:alnum:]=_.\/+,:@%-]/\\&/g'; \
	    sed -e 's|@VERSION@|$(LIBRARY_VERSION)|' -e 's|@OPENMP@|$(OPENMP)|' numerics/kernels/mneme.pc.in; \
	    } > "$$TO/lib/pkgconfig/mneme.pc"
	install -m 644 numerics/kernels/LICENSE $(DATA)/LICENSE.libmneme
	install -m 644 reports/baselines/*.json $(DATA)/baselines
	install -m 644 reports/schemas/*.json reports/schemas/*.xsd $(DATA)/schemas
	install -m 644 plots/*.gp plots/draw.sh $(DATA)/plots
	install -m 644 reports/html/page.* $(DATA)/html
	install -m 755 reports/sweeps/slurm.sh $(DATA)/sweeps
	install -m 644 reports/sweeps/github.yml $(DATA)/sweeps
	install -d "$$TO/share/man/man1" "$$TO/share/man/man3"
	install -m 644 $(MAN)/man1/*.1 "$$TO/share/man/man1"
	install -m 644 $(MAN)/man3/*.3 "$$TO/share/man/man3"

check-style:
	clang-format --dry-run --Werror $$(git ls-files '*.c' '*.h')
endif
