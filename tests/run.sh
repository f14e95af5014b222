#!/bin/sh
# Runs test programs, J at once; reports on them in the order in which they are given, and fails if one of them
# does.  The last line adds up what they said.
output=$(mktemp -d) || exit 3
trap 'rm -rf "$output"' EXIT
trap 'kill $runner 2>/dev/null; exit 130' INT TERM
export output
# the outputs appear under their names when the programs have ended
printf '%s\n' "$@" | xargs -n 1 -P "${J:-1}" sh -c '
    name=$(basename "$1")
    "$1" >"$output/$name.running" 2>&1
    echo $? >"$output/$name.status"
    mv "$output/$name.running" "$output/$name.output"' run &
runner=$!
passed=0 failed=0 skipped=0 broken=''
for program in "$@"; do
    name=$(basename "$program")
    until [ -f "$output/$name.output" ]; do
        kill -0 $runner 2>/dev/null || break
        sleep 0.1
    done
    text=$(cat "$output/$name.output" 2>&1)
    status=$(cat "$output/$name.status" 2>/dev/null)
    printf '%s\n' "$text" | grep -v -E '^\[ +(OK|RUN) +\]' | sed "s/^/$name: /"
    p=$(printf '%s\n' "$text" | sed -n 's/^\[  PASSED  \] \([0-9]*\) test(s)\..*/\1/p' | tail -n 1)
    f=$(printf '%s\n' "$text" | sed -n 's/^\[  FAILED  \] \([0-9]*\) test(s), listed below.*/\1/p' | tail -n 1)
    s=$(printf '%s\n' "$text" | sed -n 's/^\[  SKIPPED \] \([0-9]*\) test(s), listed below.*/\1/p' | tail -n 1)
    passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0})) skipped=$((skipped + ${s:-0}))
    # a program that died, or that never reached its closing line, has failed whatever it printed
    if [ "$status" != 0 ] || [ -z "$p" ]; then
        broken="$broken $name"
        [ -n "$f" ] || failed=$((failed + 1))
    fi
done
[ -z "$broken" ] || echo "failed:$broken (SEED=${SEED:-1})"
echo "$passed passed, $failed failed, $skipped skipped"
[ -z "$broken" ]
