# libmneme(3) from mneme.h: what stands between the lines of C++ and the preprocessor, comments as text,
# declarations as code.
#
#     awk -v version=1.0.0 -v date=2026-11-29 -f header.awk mneme.h
function escaped(s) {
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    gsub(/'/, "\\(aq", s)
    gsub(/\^/, "\\(ha", s)
    gsub(/~/, "\\(ti", s)
    return s ~ /^\./ ? "\\&" s : s
}
function mode(next_mode) { # "text", "code" or ""
    if (now == next_mode)
        return
    if (now == "code" || now == "text")
        print ".fi"
    if (now == "code")
        print ".ft R"
    if (next_mode != "" && begun++)
        print ".PP"
    if (next_mode == "code" || next_mode == "text")
        print ".nf"
    if (next_mode == "code")
        print ".ft B"
    now = next_mode
}
BEGIN {
    print ".TH LIBMNEME 3 " date " \"libmneme " version "\" \"Mneme\""
    print ".SH NAME\nlibmneme \\- float32 kernels of long\\-memory sequence models"
    print ".SH SYNOPSIS\n.nf\n.B #include <mneme.h>\n.PP"
    print "cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs mneme) \\-lm\n.fi"
    print ".SH DESCRIPTION"
}
/^#ifdef __cplusplus/ { skip = 1 }
skip { if (/^#endif/) skip = 0; next }
/^#/ && !/^#define MN_/ { next }
/SPDX/ { in_text = 1; next }
# A comment at the margin is text; those behind or inside declarations belong to the code.
/^\/\*/ { in_text = 1 }
in_text {
    last = /\*\//
    line = $0
    sub(/^\/\* ?/, "", line)
    sub(/^ \* ?/, "", line)
    sub(/ *\*\/ *$/, "", line)
    sub(/^ *\* *$/, "", line)
    if (line != "" || now == "text") {
        if (line == "")
            blank = 1
        else {
            mode("text")
            if (blank)
                print ".sp"
            blank = 0
            print escaped(line)
        }
    }
    if (last)
        in_text = blank = 0
    next
}
/^ *$/ { if (now != "") gap = 1; next }
{
    if (gap && now == "code")
        print ".sp"
    gap = 0
    mode("code")
    print escaped($0)
}
END {
    mode("")
    print ".SH SEE ALSO\n.BR mneme (1),\n.BR mneme\\-bench (1)"
}
