# The share of pairs that come back against the load n/d, without training.
# Data: vla-recall.dat, d = 32; blocks of one memory, four for each kind of key;
# bars: 99% intervals.
NAME = "vla-recall"
load "style.gp"
DATA = NAME.".dat"
NAMES = "'linear attention' 'delta rule' 'VLA, u along k' 'VLA, drawn W_u'"
KEYS = "'random unit keys' 'orthonormal keys' 'ELU+1 keys'"
style(n) = n == 0 ? linear_attention : n == 1 ? delta_rule : n == 2 ? vla : vla_drawn

do for [format in FORMATS] {
    eval begin(format, TALK ? 26.0 : 15.0)
    set multiplot
    set logscale x 2
    set lmargin at screen left(0.125)
    set rmargin at screen right(0.975)
    set xrange [0.22:4.6]
    set yrange [-0.04:1.09]
    set ytics 0, 0.2
    set format y "%.1f"
    do for [k = 0:2] {
        set tmargin at screen 0.99-0.31*k
        set bmargin at screen 0.70-0.31*k
        set xtics ("" 0.25, "" 0.5, "" 1, "" 2, "" 4)
        if (k == 2) {
            set xtics ("1/4" 0.25, "1/2" 0.5, "1" 1, "2" 2, "4" 4)
            set xlabel "load n/d (1)" offset 0,near_x(format)
        } else {
            unset xlabel
        }
        unset label
        unset arrow
        eval named_y("share recalled (1)")
        set label word(KEYS, k+1) at graph 0.03,(k == 2 ? 0.92 : 0.08)
        set arrow from 1,graph 0 to 1,graph 1 nohead linestyle contrast_line
        if (k == 0) {
            do for [n = 0:3] {
                eval sample(style(n), 0.03, 0.13, 0.44-0.085*n, word(NAMES, n+1))
            }
        }
        plot for [n = 0:3] DATA index 4*k+n using 4:5:6:7 with yerrorlines linestyle style(n)
    }
    unset multiplot
    set output
}
