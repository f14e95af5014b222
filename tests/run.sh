#!/bin/sh
# Runs test programs one after the other; all of them, and fails if one does.
# The last line adds up what they said.
passed=0 failed=0 skipped=0 broken=''
for program in "$@"; do
    name=$(basename "$program")
    output=$("$program" 2>&1)
    status=$?
    printf '%s\n' "$output" | grep -v -E '^\[ +(OK|RUN) +\]' | sed "s/^/$name: /"
    p=$(printf '%s\n' "$output" | sed -n 's/^\[  PASSED  \] \([0-9]*\) test(s)\..*/\1/p' | tail -n 1)
    f=$(printf '%s\n' "$output" | sed -n 's/^\[  FAILED  \] \([0-9]*\) test(s), listed below.*/\1/p' | tail -n 1)
    s=$(printf '%s\n' "$output" | sed -n 's/^\[  SKIPPED \] \([0-9]*\) test(s), listed below.*/\1/p' | tail -n 1)
    passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0})) skipped=$((skipped + ${s:-0}))
    # a program that died, or that never reached its closing line, has failed whatever it printed
    if [ $status -ne 0 ] || [ -z "$p" ]; then
        broken="$broken $name"
        [ -n "$f" ] || failed=$((failed + 1))
    fi
done
[ -z "$broken" ] || echo "failed:$broken (SEED=${SEED:-1})"
echo "$passed passed, $failed failed, $skipped skipped"
[ -z "$broken" ]
