# awk -f tests/values.awk OLD NEW: compares two files of mneme report --format values.
#
# Exact lines must be the same; of measured values each estimate must lie in the other's interval, in the same
# unit, and of what decided, which is an end of one, what is compared must be the same.
# Prints the first lines that differ ("-" of OLD, "+" of NEW) and what was compared; exit 0 same, 1 not,
# 2 where the files are not of one run.
BEGIN { FS = "\t"; files = exact = same_measured = near_measured = shown = differing = 0; most = 5 }
function show(line) {
    if (shown++ < 2 * most)
        print line
}
# lower, upper and estimate of "e [l, u] of n, seed s"
function interval(text, part) {
    if (text !~ /^[^ ]+ \[[^ ]+, [^ ]+\] of /)
        return 0
    gsub(/[\[\],]/, " ", text)
    split(text, part, / +/)
    estimate = part[1] + 0; lower = part[2] + 0; upper = part[3] + 0
    return 1
}
function near(old, new, e, l, u) {
    if (!interval(old))
        return 0
    e = estimate; l = lower; u = upper
    return interval(new) && l <= estimate && estimate <= u && lower <= e && e <= upper
}
FNR == 1 {
    files++
    title[files] = $0
    if ($0 !~ /^# mneme-values-1/ || (files == 2 && $0 != title[1])) {
        print FILENAME ": \"" $0 "\" where \"" (files == 2 ? title[1] : "# mneme-values-1 ...") "\" is wanted"
        failed = 2
        exit 2
    }
    next
}
{ key = $1 "\t" $3; key = key "\t" ++seen[files, key] }
files == 1 {
    order[++lines] = key
    old[key] = $0
    next
}
!(key in old) { differing++; show("+ " $0); next }
{
    found[key] = 1
    if ($0 == old[key]) {
        if ($2 == "exact") exact++; else same_measured++
        next
    }
    split(old[key], was, FS)
    if ($2 == "measured" && was[2] == "measured" &&
        ($3 == "comparison" ? $4 == was[4] && $6 == was[6] : $5 == was[5] && near(was[4], $4))) {
        near_measured++
        next
    }
    differing++
    show("- " old[key])
    show("+ " $0)
}
END {
    if (failed)
        exit failed
    if (files != 2) {
        print "two files are wanted"
        exit 2
    }
    for (i = 1; i <= lines; i++)
        if (!(order[i] in found)) {
            differing++
            show("- " old[order[i]])
        }
    printf "%d exact values the same, %d measured the same, %d inside each other's interval, %d differ\n", \
        exact, same_measured, near_measured, differing
    exit differing > 0
}
