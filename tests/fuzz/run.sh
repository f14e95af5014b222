#!/bin/sh
# run.sh BUILD NAME...: RUNS changed files for each target, J targets at once; a line a target in the order
# given, and what a target found in BUILD/found-NAME-*.
build=$1 seeds=$PWD/tests/fuzz/seeds
shift
cd "$build" || exit 3
# allocations are most of the time: few freed ones kept, nothing given back to the system
ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=8:allocator_release_to_os_interval_ms=-1
export seeds ASAN_OPTIONS
printf '%s\n' "$@" | xargs -n 1 -P "${J:-1}" sh -c '
    rm -rf "corpus-$1" "status-$1"
    mkdir "corpus-$1"
    "./fuzz_$1" -runs="${RUNS:-1000000}" -seed="${SEED:-1}" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
        -malloc_limit_mb=64 -artifact_prefix="found-$1-" "corpus-$1" "$seeds/$1" >"$1.log" 2>&1
    echo $? >"status-$1"' fuzz
broken=''
for name in "$@"; do
    if [ "$(cat "status-$name" 2>/dev/null)" = 0 ]; then
        sed -n "s/^Done \([0-9]* runs in [0-9]* second(s)\)/$name: \1, nothing found/p" "$name.log"
    else
        tail -n 30 "$name.log"
        broken="$broken $name"
    fi
done
[ -z "$broken" ] || { echo "fuzz: findings in$broken: see $build/found-*" >&2; exit 1; }
