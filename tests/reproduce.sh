#!/bin/sh
# reproduce.sh PROGRAM FOLDER MAKE LEVEL SEED J [PATTERN...]
#
# Whether a report says the same whoever computes it: runs PROGRAM's claims again with other numbers of
# threads and processes, with the C library's mathematics for older processors, and with programs built by
# other compilers at other levels of optimisation and for other instruction sets (in FOLDER); compares
# every exact value, and measured ones within their intervals (values.awk).
# ONLY='threads libm gcc-O0 ...' in the environment picks some.  FOLDER/report.txt keeps what was said.
program=$1 folder=$2 make=$3 level=$4 seed=$5 jobs=$6
shift 6
here=$(dirname "$0")
mkdir -p "$folder" || exit 2
: >"$folder/report.txt"
runs=0 differing='' missing=''

say() {
    printf '%s\n' "$*" | tee -a "$folder/report.txt"
}

wanted() {
    case " ${ONLY:-$1} " in *" $1 "*) return 0 ;; esac
    return 1
}

# values NAME PROGRAM JOBS PATTERN...: FOLDER/NAME.tsv
values() {
    name=$1 with=$2 j=$3
    shift 3
    "$with" verify --level "$level" --seed "$seed" -j "$j" --json "$folder/$name.json" "$@" >"$folder/$name.log" 2>&1
    status=$?
    if [ $status -gt 1 ] || ! "$with" report --format values --output "$folder/$name.tsv" "$folder/$name.json"; then
        say "$name: verify ended with $status: see $folder/$name.log"
        return 1
    fi
}

# compare NAME WORDS: with the first run
compare() {
    runs=$((runs + 1))
    if said=$(awk -f "$here/values.awk" "$folder/first.tsv" "$folder/$1.tsv"); then
        say "$2: $said"
    else
        say "$2: $said"
        differing="$differing $1"
    fi
}

# try NAME WORDS PROGRAM JOBS PATTERN...
try() {
    name=$1 words=$2
    shift 2
    if values "$name" "$@"; then compare "$name" "$words"; else differing="$differing $name"; fi
}

# built NAME COMPILER OPT: the program of a tree of its own, with the plain kernels, which are all that claims call
built() {
    if ! command -v "$2" >/dev/null 2>&1; then
        missing="$missing $1"
        return 1
    fi
    if ! $make MNEME_STAGE=2 CC="$2" OPT="$3" BUILD="$folder/$1" ISAS=generic SANITIZE= "$folder/$1/bin/mneme" \
        >"$folder/$1.log" 2>&1; then
        say "$1: it cannot be built: see $folder/$1.log"
        differing="$differing $1"
        return 1
    fi
}

values first "$program" "$jobs" "$@" || exit 2
say "first: $("$program" --version | head -n 1), $(sed -n 's/.*"compiler": "\(.*\)",*/\1/p' "$folder/first.json"), -j $jobs: $(tail -n 1 "$folder/first.log")"
if wanted threads; then
    for n in 1 2 8; do
        export OMP_NUM_THREADS=$n
        try "threads-$n" "OMP_NUM_THREADS=$n -j $n" "$program" $n "$@"
        unset OMP_NUM_THREADS
    done
fi
if wanted libm; then
    # glibc takes other versions of exp, log, sin ... where it believes that there is neither AVX2 nor FMA
    export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F
    try libm "the C library without FMA" "$program" "$jobs" "$@"
    unset GLIBC_TUNABLES
fi
for compiler in gcc clang; do
    for level_of in 0 3; do
        name=$compiler-O$level_of
        if wanted "$name" && built "$name" "$compiler" "-O$level_of"; then
            try "$name" "$compiler -O$level_of" "$folder/$name/bin/mneme" "$jobs" "$@"
        fi
    done
    name=$compiler-native
    if wanted "$name" && built "$name" "$compiler" "-O3 -march=native"; then
        try "$name" "$compiler -O3 -march=native" "$folder/$name/bin/mneme" "$jobs" "$@"
    fi
done
[ -z "$missing" ] || say "not compared, no compiler:$missing"
if [ $runs -eq 0 ] || [ -n "$differing" ]; then
    say "reproduce: not the same:${differing:- nothing was compared}"
    exit 1
fi
say "reproduce: $runs runs, and each exact value is that of the first"
