# Errors of the float32 kernels against time, beside their proven bounds.
# Data: kernel-growth.dat, a block for each kernel; norms of an output row's
# error over the root mean square of the rows; a bound of 0 is none.
NAME = "kernel-growth"
load "style.gp"
DATA = NAME.".dat"
NAMES = "'linear' 'linear, gated' 'delta rule' 'VLA' 'log-linear, gated' 'VORT' 'softmax' 'convolution'"
bound(x) = x > 0 && x < 30 ? x : NaN
left(i)   = i % 2 ? 0.585 : 0.150
right(i)  = i % 2 ? 0.980 : 0.545
top(i)    = 0.985-0.232*(i/2)
bottom(i) = top(i)-0.205

stats DATA using 2 nooutput
LAST = STATS_max

do for [format in FORMATS] {
    eval begin(format, TALK ? 27.0 : 15.2)
    set multiplot
    set logscale xy
    set xrange [12:1.8*LAST]
    set yrange [3e-8:30]
    set xtics 16, 4
    set ytics 1e-6, 1000
    unset mxtics
    set mytics 1
    do for [i = 0:7] {
        set lmargin at screen left(i)
        set rmargin at screen right(i)
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
        set label word(NAMES, i+1) at graph 0.04,0.90
        if (i == 0) {
            set label "error / rms output (1)" at screen 0.025, screen 0.525 center rotate
        }
        if (i == 1) {
            set label "output" at graph 0.96, first 4 right
        }
        if (i == 3) {
            set label "bound: above the outputs" at graph 0.04, graph 0.72
            eval sample(bound_line,      0.04, 0.17, 0.54, "proven bound")
            eval sample(memory_legendre, 0.04, 0.17, 0.43, "largest error")
            eval sample(memory_sinc,     0.04, 0.17, 0.32, "rms error")
        }
        plot DATA index i using 2:(bound($3)) with lines linestyle bound_line, \
             DATA index i using 2:4 with linespoints linestyle memory_legendre, \
             DATA index i using 2:5 with linespoints linestyle memory_sinc
    }
    unset multiplot
    set output
}
