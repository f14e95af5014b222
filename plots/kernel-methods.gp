# Chunked against recurrent: the root mean square error of the kernels in chunks
# over that token by token, both against the exact outputs.
# Data: kernel-methods.dat, a block for each kernel.
NAME = "kernel-methods"
load "style.gp"
DATA = NAME.".dat"
NAMES = "'linear' 'linear, gated' 'delta rule' 'VLA' 'log-linear, gated' 'VORT' 'softmax' 'convolution'"
style(i) = i == 0 ? linear_attention : i == 1 ? gated_attention : i == 2 ? delta_rule : i == 3 ? vla \
         : i == 4 ? loglinear : i == 5 ? vort : i == 6 ? softmax : convolution
stats DATA using 2 nooutput
LAST = STATS_max

do for [format in FORMATS] {
    eval begin(format, TALK ? 13.5 : 7.6)
    set lmargin at screen left(0.145)
    set rmargin at screen right(0.965)
    set tmargin at screen 0.975
    set bmargin at screen 0.13
    set logscale xy
    set xrange [12:1.3*LAST]
    set yrange [0.35:6]
    set xtics 16, 4
    set ytics ("½" 0.5, 1, 2, 4)
    set format x "%.0f"
    set format y "%.0f"
    set xlabel "time T (tokens)" offset 0,near_x(format)
    unset label
    unset arrow
    eval named_y("error in chunks / token by token (1)")
    set arrow from graph 0, first 1 to graph 1, first 1 nohead linestyle law_line
    do for [i = 0:7] {
        eval sample(style(i), i % 2 ? 0.50 : 0.04, i % 2 ? 0.60 : 0.14, 0.27-0.065*(i/2), word(NAMES, i+1))
    }
    plot for [i = 0:7] DATA index i using 2:3 with linespoints linestyle style(i)
    set output
}
