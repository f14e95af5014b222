# Three memories of a power law with as many states: where each errs, how the
# error falls with the number of states, and how log-linear attention's depends
# on the position.
# Data: loglinear-memories.dat, block 0 errors at lags, block 1 errors against
# the number of states, block 2 errors at positions.
NAME = "loglinear-memories"
load "style.gp"
DATA = NAME.".dat"
level = loglinear; best = memory_minimax; fixed = fixed_mixture

do for [format in FORMATS] {
    eval begin(format, TALK ? 25.0 : 14.2)
    set multiplot
    set lmargin at screen left(0.15)
    set rmargin at screen right(0.96)
    unset label

    # errors at lags
    set tmargin at screen 0.985
    set bmargin at screen 0.715
    set logscale xy
    set xrange [1:2**20]
    set xtics 1, 10
    set format x "10^{%T}"
    set yrange [1e-8:3]
    set ytics 1e-8, 100
    set format y "10^{%T}"
    set xlabel "lag j (tokens)" offset 0,near_x(format)
    eval named_y("relative error (1)")
    set label "one weight a level, t = 2^{20} − 1" at 3, 0.9 textcolor rgb ink(level)
    set label "fixed rates" at 3, 4e-5 textcolor rgb ink(fixed)
    set label "best exponentials" at 600, 1.5e-5 textcolor rgb ink(best)
    set label "21 states" at graph 0.975, graph 0.92 right
    plot DATA index 0 using 2:3 with lines linestyle level, \
         DATA index 0 using 2:5 with lines linestyle fixed dashtype solid linewidth 1.0, \
         DATA index 0 using 2:4 with lines linestyle best dashtype solid linewidth 1.0

    # errors against states
    set tmargin at screen 0.64
    set bmargin at screen 0.385
    unset logscale x
    set xrange [3:33]
    set xtics 4, 4
    set format x "%.0f"
    set yrange [1e-9:6]
    set ytics 1e-9, 100
    set xlabel "number of states N (1)" offset 0,near_x(format)
    unset label
    eval named_y("largest relative error (1)")
    set label "lags 1 … 2^{20} − 1" at graph 0.03, graph 0.1
    set label "one weight a level" at 32.5, 0.6 right textcolor rgb ink(level)
    set label "its mean-square error" at 32.5, 3.2e-2 right
    set label "fixed rates" at 24.5, 1.1e-3 textcolor rgb ink(fixed)
    set label "best exponentials" at 18.8, 4e-6 right textcolor rgb ink(best)
    plot DATA index 1 using 2:3 with linespoints linestyle level, \
         DATA index 1 using 2:6 with lines linestyle contrast_line, \
         DATA index 1 using 2:5 with linespoints linestyle fixed, \
         DATA index 1 using 2:4 with linespoints linestyle best

    # errors at positions
    set tmargin at screen 0.31
    set bmargin at screen 0.065
    unset logscale y
    set logscale x
    set xrange [1:2048]
    set xtics 1, 10
    set format x "10^{%T}"
    set yrange [0:1]
    set ytics 0, 0.2
    set format y "%.1f"
    set xlabel "position t (tokens)" offset 0,near_x(format)
    unset label
    eval named_y("largest relative error (1)")
    set label "at t = 2^n" at 40, 0.86 right
    set label "at t = 2^n − 1" at 2.2, 0.05
    plot DATA index 2 using 2:3 with lines linestyle level linewidth 0.5, \
         tanh(0.25*log(x)) with lines linestyle law_line, \
         x > 1 ? tanh(0.25*log(2.0*x/(x+1))) : 1/0 with lines linestyle law_line
    unset multiplot
    set output
}
