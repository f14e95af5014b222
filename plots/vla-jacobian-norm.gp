# The norm of the Jacobian I - a k^T against the cosine of a and k.
# Data: vla-jacobian-norm.dat, block 0 the closed form, block 1 matrices.
NAME = "vla-jacobian-norm"
load "style.gp"
DATA = NAME.".dat"
golden = (1+sqrt(5))/2

do for [format in FORMATS] {
    eval begin(format, TALK ? 12.0 : 6.8)
    set lmargin at screen left(0.125)
    set rmargin at screen right(0.975)
    set tmargin at screen 0.97
    set bmargin at screen 0.145
    set xrange [0:1]
    set yrange [0.95:1.7]
    set xtics 0, 0.2
    set ytics 1, 0.1
    set format x "%.1f"
    set format y "%.1f"
    set xlabel "cosine c = α̂·k̂ (1)" offset 0,near_x(format)
    unset label
    unset arrow
    eval named_y("Jacobian norm ‖I − α̂k̂^T‖ (1)")
    set arrow from 0,1 to 1,1 nohead linestyle contrast_line
    set arrow from 0,golden to 1,golden nohead linestyle bound_line
    set label "published: 1" at 0.03,1.028
    set label "golden ratio, not attained" at 0.97,golden+0.03 right
    set label "line: √((3 − 2c + √(5−4c))/2)" at 0.38,1.52
    set label "points: matrices, by Sturm’s count" at 0.38,1.46
    plot DATA index 0 using 2:3 with lines linestyle law_line, \
         DATA index 1 using 2:3 with points linestyle vla
    set output
}
