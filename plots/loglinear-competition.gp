# The weights of four levels while the logit of one of them moves: softmax takes
# from the others, softplus does not.
# Data: loglinear-competition.dat, block 0 softmax, block 1 softplus.
NAME = "loglinear-competition"
load "style.gp"
DATA = NAME.".dat"
OTHERS = "−2 0 2"                                     # the logits that stay

do for [format in FORMATS] {
    eval begin(format, TALK ? 15.0 : 8.2)
    set multiplot
    set lmargin at screen left(0.125)
    set rmargin at screen right(0.97)
    set xrange [-6:6]
    set xtics -6, 2
    do for [panel = 0:1] {
        set tmargin at screen panel ? 0.525 : 0.98
        set bmargin at screen panel ? 0.115 : 0.57
        set yrange [0:panel ? 6.3 : 1.04]
        set ytics 0, panel ? 1 : 0.2
        set format x panel ? "%.0f" : ""
        set format y panel ? "%.0f" : "%.1f"
        unset xlabel
        if (panel) {
            set xlabel "logit of the moving level (1)" offset 0,near_x(format)
        }
        unset label
        eval named_y(panel ? "softplus weight (1)" : "softmax weight (1)")
        set label "moving level" at panel ? 2.7 : 5.8, panel ? 3.4 : 0.63 right textcolor rgb ink(panel ? loglinear : softmax)
        do for [k = 1:3] {
            stats DATA index panel using (column(3+k)) every ::0::0 nooutput
            set label "stays at ".word(OTHERS, k) at -5.8, STATS_max+(panel ? 0.3 : 0.05) textcolor rgb ink(shade(panel ? loglinear : softmax, k == 3 ? 3 : k-1))
        }
        plot DATA index panel using 2:4 with lines linestyle shade(panel ? loglinear : softmax, 0), \
             DATA index panel using 2:5 with lines linestyle shade(panel ? loglinear : softmax, 1), \
             DATA index panel using 2:6 with lines linestyle shade(panel ? loglinear : softmax, 3), \
             DATA index panel using 2:3 with lines linestyle shade(panel ? loglinear : softmax, 2)
    }
    unset multiplot
    set output
}
