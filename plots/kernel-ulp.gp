# How far the float32 kernels' outputs are off, in units of the last place of the
# exact one: shares of the outputs by powers of two.
# Data: kernel-ulp.dat, a block for each kernel.
NAME = "kernel-ulp"
load "style.gp"
DATA = NAME.".dat"
NAMES = "'linear' 'linear, gated' 'delta rule' 'VLA' 'log-linear, gated' 'VORT' 'softmax' 'convolution'"
style(i) = i == 0 ? linear_attention : i == 1 ? gated_attention : i == 2 ? delta_rule : i == 3 ? vla \
         : i == 4 ? loglinear : i == 5 ? vort : i == 6 ? softmax : convolution
top(i)    = 0.985-0.232*(i/2)
bottom(i) = top(i)-0.205

do for [format in FORMATS] {
    eval begin(format, TALK ? 27.0 : 15.2)
    set multiplot
    set logscale x
    set xrange [0.02:2e4]
    set yrange [0:32]
    set xtics 1e-2, 100
    set ytics 0, 10
    set boxwidth 0.8 relative
    set style fill solid 0.35 noborder
    do for [i = 0:7] {
        set lmargin at screen column_left(i % 2, 2, 0.150, 0.980, 0.04)
        set rmargin at screen column_right(i % 2, 2, 0.150, 0.980, 0.04)
        set tmargin at screen top(i)
        set bmargin at screen bottom(i)
        set format y (i % 2 ? "" : "%.0f")
        set format x (i < 6 ? "" : "10^{%T}")
        if (i < 6) {
            unset xlabel
        } else {
            set xlabel "error (ulp)" offset 0,near_x(format)
        }
        unset label
        unset arrow
        set label word(NAMES, i+1) at graph 0.96,0.90 right
        set arrow from 0.5, graph 0 to 0.5, graph 1 nohead linestyle contrast_line
        if (i == 0) {
            set label "share of the outputs (%)" at screen left(0.025), screen 0.525 center rotate
            set label "½ ulp" at 0.4, graph 0.75 right
            set label "boxes: chunks" at graph 0.96,0.77 right textcolor rgb ink(style(i))
            set label "line: steps" at graph 0.96,0.66 right
        }
        plot DATA index i using ($2/sqrt(2)):(100*$3):($2/2*0.92) with boxes linecolor rgb hue(style(i)), \
             DATA index i using ($2/sqrt(2)):(100*$4) with histeps linestyle law_line
    }
    unset multiplot
    set output
}
