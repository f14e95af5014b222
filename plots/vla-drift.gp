# How far five ways to update the inverse drift from it in float arithmetic.
# Data: vla-drift.dat, blocks of one form and precision: ten for directions
# drawn at random, then ten for nearly one direction.
NAME = "vla-drift"
load "style.gp"
DATA = NAME.".dat"
FORMS = "textbook symmetric Joseph Potter Cholesky"
# The symmetric form is the solid line; the textbook form lies under it.
style(k) = form(k == 1 ? 2 : k == 2 ? 1 : k)

do for [format in FORMATS] {
    eval begin(format, TALK ? 21.0 : 12.0)
    set multiplot
    set logscale xy
    set lmargin at screen left(TALK ? 0.18 : 0.155)
    set rmargin at screen right(0.955)
    set xrange [8:1.2e5]
    set yrange [3e-17:1e-3]
    set xtics 10, 10
    set ytics 1e-16, 10000
    set format y "10^{%T}"
    do for [kind = 0:1] {
        set tmargin at screen (kind ? 0.515 : 0.985)
        set bmargin at screen (kind ? 0.085 : 0.555)
        set format x (kind ? "10^{%T}" : "")
        if (kind) {
            set xlabel "updates (steps)" offset 0,near_x(format)
        } else {
            unset xlabel
        }
        unset label
        unset arrow
        eval named_y("relative error of A (1)")
        set label (kind ? "u nearly along one direction" : "u drawn at random") at graph 0.03,0.94
        set label "float32" at 1.2e4,1.2e-7 textcolor rgb "#000000"
        set label "float64" at 1.2e4,2.2e-16 textcolor rgb "#000000"
        if (kind == 0) {
            do for [k = 0:4] {
                eval sample(style(k), 0.06, 0.19, 0.60-0.058*k, word(FORMS, k+1))
            }
        }
        plot for [f = 0:4] for [wide = 0:1] DATA index (kind*5+f)*2+wide using 5:6 \
             with linespoints linestyle style(f)
    }
    unset multiplot
    set output
}
