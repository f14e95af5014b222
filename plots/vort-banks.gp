# The error of K banks for all orders of [1/20,1], sup norm, T = 4096.
# Data: vort-banks.dat: fewest banks for an error, error of as many equal cells,
# and the bound H_T (1-delta)/(2K).
NAME = "vort-banks"
load "style.gp"
DATA = NAME.".dat"

do for [format in FORMATS] {
    eval begin(format, TALK ? 13.5 : 7.2)
    set lmargin at screen left(0.155)
    set rmargin at screen right(0.965)
    set tmargin at screen 0.975
    set bmargin at screen 0.14
    set logscale xy
    set xrange [2.2:600]
    set yrange [1.3e-3:2]
    set xtics 1, 10
    set mxtics 10
    set ytics 1e-4, 10
    set format y "10^{%T}"
    set xlabel "number of banks K (1)" offset 0,near_x(format)
    unset label
    eval named_y("largest error of a weight (1)")
    unset arrow
    eval sample(bound_line,      0.44, 0.53, 0.93, "bound H_T (1−δ) / (2K)")
    eval sample(equal_banks,     0.44, 0.53, 0.86, "equal cells")
    eval sample(vort,            0.44, 0.53, 0.79, "the fewest")
    plot DATA using 1:4 with lines linestyle bound_line, \
         DATA using 1:3 with linespoints linestyle equal_banks, \
         DATA using 1:2 with linespoints linestyle vort
    set output
}
