# The norm of products of VLA's Jacobians against their number and the proved
# bound, where the paper says that it is 1.
# Data: vla-products.dat, the layer's inputs, lambda0 = 1/10, one block for each
# d.
NAME = "vla-products"
load "style.gp"
DATA = NAME.".dat"
DIMS = "2 3 4 32"
style(k) = shade(vla, k)

stats DATA using 2 nooutput
LAST = STATS_max
stats DATA using ($1 < 32 ? $4 : NaN) nooutput
TOP = STATS_max
stats DATA using ($1 == 32 && $3 < TOP ? $2 : NaN) nooutput
X32 = STATS_max
stats DATA using ($1 == 32 && $3 < TOP ? $3 : NaN) nooutput
Y32 = STATS_max

do for [format in FORMATS] {
    eval begin(format, TALK ? 13.5 : 7.6)
    set lmargin at screen left(0.165)
    set rmargin at screen right(0.855)
    set tmargin at screen 0.975
    set bmargin at screen 0.13
    set logscale xy
    set xrange [10:LAST]
    set yrange [0.5:3*TOP]
    set xtics 1, 10
    set ytics 1, 10
    set mxtics 10
    unset mytics
    set format x "10^{%T}"
    set format y "10^{%T}"
    set xlabel "number of factors T (1)" offset 0,near_x(format)
    unset label
    eval named_y("norm of the product (1)")
    unset arrow
    eval sample(bound_line,    0.48, 0.57, 0.250, "proved bound")
    eval sample(style(2),      0.48, 0.57, 0.185, "certified product")
    eval sample(contrast_line, 0.48, 0.57, 0.120, "published: 1")
    do for [k = 0:2] {
        stats DATA index k using 3 nooutput
        set label "d = ".word(DIMS, k+1) at LAST, STATS_max offset 0.6,0 textcolor rgb ink(style(k))
    }
    set label "d = 32" at X32, Y32 offset 0.8,-0.4 textcolor rgb ink(style(3))
    plot 1 with lines linestyle contrast_line, \
         for [k = 0:3] DATA index k using 2:4 with lines linestyle bound_line, \
         for [k = 0:3] DATA index k using 2:3 with lines linestyle style(k)
    set output
}
