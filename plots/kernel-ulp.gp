# How far the float32 kernels' outputs are off, in units of the last place of the
# exact one: shares of the outputs by powers of two.
# Data: kernel-ulp.dat, a block for each kernel.
NAME = "kernel-ulp"
load "style.gp"
DATA = NAME.".dat"
NAMES = "'linear' 'linear, gated' 'delta rule' 'VLA' 'log-linear, gated' 'VORT' 'softmax' 'convolution'"
left(i)   = i % 2 ? 0.585 : 0.150
right(i)  = i % 2 ? 0.980 : 0.545
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
        set lmargin at screen left(i)
        set rmargin at screen right(i)
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
            set label "share of the outputs (%)" at screen 0.025, screen 0.525 center rotate
            set label "½ ulp" at 0.4, graph 0.75 right
            set label "boxes: chunks" at graph 0.96,0.77 right textcolor rgb ink(memory_sinc)
            set label "line: steps" at graph 0.96,0.66 right textcolor rgb ink(memory_legendre)
        }
        plot DATA index i using ($2/sqrt(2)):(100*$3):($2/2*0.92) with boxes linecolor rgb hue(memory_sinc), \
             DATA index i using ($2/sqrt(2)):(100*$4) with histeps linewidth 1.0 linecolor rgb hue(memory_legendre)
    }
    unset multiplot
    set output
}
