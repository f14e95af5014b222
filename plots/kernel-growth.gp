# Errors of the float32 kernels against time, beside their proven bounds.
# Data: kernel-growth.dat, a block for each kernel; norms of an output row's
# error over the root mean square of the rows; a bound of 0 is none.
NAME = "kernel-growth"
load "style.gp"
DATA = NAME.".dat"
NAMES = "'linear' 'linear, gated' 'delta rule' 'VLA' 'log-linear, gated' 'VORT' 'softmax' 'convolution'"
style(i) = i == 0 ? linear_attention : i == 1 ? gated_attention : i == 2 ? delta_rule : i == 3 ? vla \
         : i == 4 ? loglinear : i == 5 ? vort : i == 6 ? softmax : convolution
bound(x) = x > 0 && x < 30 ? x : NaN
top(i)    = 0.985-0.232*(i/2)
bottom(i) = top(i)-0.205

stats DATA using 2 nooutput
LAST = STATS_max

do for [format in FORMATS] {
    eval begin(format, TALK ? 27.0 : 15.2)
    set multiplot
    set logscale xy
    set xrange [12:1.8*LAST]
    set yrange [3e-9:300]
    set xtics 16, 16
    set ytics 1e-9, 1000
    unset mxtics
    set mytics 1
    do for [i = 0:7] {
        set lmargin at screen column_left(i % 2, 2, 0.150, 0.980, 0.04)
        set rmargin at screen column_right(i % 2, 2, 0.150, 0.980, 0.04)
        set tmargin at screen top(i)
        set bmargin at screen bottom(i)
        set format y (i % 2 ? "" : "10^{%T}")
        set format x (i < 6 ? "" : "%.0f")
        if (i < 6) {
            unset xlabel
        } else {
            set xlabel "time T (tokens)" offset 0,near_x(format)
        }
        unset label
        unset arrow
        set arrow from graph 0, first 1 to graph 1, first 1 nohead linestyle contrast_line
        set label word(NAMES, i+1) at graph 0.04,0.92
        if (i == 0) {
            set label "error / rms output (1)" at screen left(0.025), screen 0.525 center rotate
        }
        if (i == 1) {
            set label "output" at graph 0.96, first 8 right
        }
        if (i == 0) {
            set label "proven bound" at graph 0.04, graph 0.73
            set label "largest error (points)" at graph 0.04, graph 0.37 textcolor rgb ink(style(i))
            set label "rms error (line)" at graph 0.96, graph 0.09 right textcolor rgb ink(style(i))
        }
        if (i == 3) {
            set label "bound above output" at graph 0.04, graph 0.68
        }
        plot DATA index i using 2:(bound($3)) with lines linestyle bound_line, \
             DATA index i using 2:4 with points linestyle style(i), \
             DATA index i using 2:5 with lines linestyle style(i) dashtype solid
    }
    unset multiplot
    set output
}
