# The share of pairs that come back, without training: against their number, d = 32, for three kinds of
# keys, and for n = 8 against all tokens written, filler included.
# Data: experiments-recall.dat; blocks of a memory, nine for each kind of key and part; bars: 99% intervals.
NAME = "experiments-recall"
load "style.gp"
DATA = NAME.".dat"
NAMES = "'linear attention' 'delta rule' 'VLA, u along k' 'VLA, W_u drawn' 'decaying rule' 'softmax, |k| = 1' 'softmax, |k| = √d'"
KEYS = "'random unit keys' 'orthonormal keys' 'ELU+1 keys' 'n = 8, unit keys'"
row(n) = int(word("0 1 3 5 2 7 8", n+1))
style(n) = n == 0 ? linear_attention : n == 1 ? delta_rule : n == 2 ? vla : n == 3 ? vla_drawn : n == 4 ? decaying_rule \
         : n == 5 ? softmax_unit : softmax
panel(k) = k < 3 ? 2*k : 1

do for [format in FORMATS] {
    eval begin(format, TALK ? 35.0 : 20.0)
    set multiplot
    set logscale x 2
    set lmargin at screen left(0.125)
    set rmargin at screen right(0.975)
    set yrange [-0.05:1.09]
    set ytics 0, 0.2
    set format y "%.1f"
    do for [k = 0:3] {
        set tmargin at screen 0.99-0.205*k-(k == 3 ? 0.04 : 0)
        set bmargin at screen 0.805-0.205*k-(k == 3 ? 0.04 : 0)
        unset label
        unset arrow
        if (k < 3) {
            set xrange [3.5:73]
            set xtics (4, 8, 16, 32, 64)
        } else {
            set xrange [7:585]
            set xtics (8, 16, 32, 64, 128, 256, 512)
        }
        if (k < 2) { set format x "" } else { set format x "%g" }
        if (k == 2) { set label "pairs n (1)" at graph 0.5,0 center offset 0,-1.9 }
        if (k == 3) { set label "tokens T (1)" at graph 0.5,0 center offset 0,-1.9 }
        eval named_y("share recalled (1)")
        set label word(KEYS, k+1) at graph 0.97,(k == 1 ? 0.25 : k == 2 ? 0.9 : k == 3 ? 0.7 : 0.32) right
        if (k == 3) { # the key, under the panels
            do for [n = 0:6] {
                eval sample(style(n), n < 4 ? 0 : 0.48, n < 4 ? 0.1 : 0.58, -0.38-0.105*(n % 4), word(NAMES, n+1))
            }
        }
        plot for [n = 0:6] DATA index 9*panel(k)+row(n) using (k < 3 ? $4 : $5):6:7:8 with yerrorlines linestyle style(n)
    }
    unset multiplot
    set output
}
