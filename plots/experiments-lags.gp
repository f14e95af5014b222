# Accuracy by lag: each memory fitted, then read at lags of three ranges and of the whole law.
# Data: experiments-lags.dat; blocks Zipf and uniform lags at equal keys, then both at equal state;
# bars: 99% intervals; crosses: what the text reports beyond lag 1000.
NAME = "experiments-lags"
load "style.gp"
DATA = NAME.".dat"
array LABEL[16] = ["power law, exact", "power law, sum", "power law, 5 terms", "one exponential", \
    "five exponentials", "five log-spaced", "no decay", "log-linear, tied", "log-linear, free", \
    "delta rule", "VLA", "free kernel", "best for the law", "order 1/2, untuned", \
    "time 100, untuned", "five, untuned"]
array STYLES[16] = [vort, vort, vort, one_exponential, refit_rates, fixed_mixture, linear_attention, loglinear, loglinear, \
    delta_rule, vla, free_kernel, law_line, vort, one_exponential, fixed_mixture]
style(r) = STYLES[r+1]
# Rows of the panels: where row r stands from the top (−1: not there).
state(r) = r == 1 ? 0 : r == 3 ? 1 : r == 4 ? 2 : r == 5 ? 3 : r == 6 ? 4 : r == 8 ? 5 : r == 9 ? 6 : r == 10 ? 7 : -1
place(p, r) = p < 2 ? r : state(r)
# A row has a line for each range of lags.
line(b) = 0.2*(b-1.5)
colour(r) = int("0x".substr(hue(style(r)), 2, 7))
shape(b) = int(word("6 4 7 5", b+1))
RANGES = "'lag ≤ 100' 'lag ≤ 1000' 'lag > 1000' 'the whole law'"
edge = TALK ? 0.36 : 0.315
bottom = TALK ? 0.115 : 0.105

do for [format in FORMATS] {
    eval begin(format, TALK ? 31.0 : 17.0)
    set multiplot
    set xrange [-0.04:1.04]
    set xtics 0, 0.25
    unset grid
    set grid xtics linewidth 0.5 dashtype 1 linecolor rgb "#d9d9d9"
    do for [p = 0:3] {
        rows = p < 2 ? 16 : 8
        set lmargin at screen column_left(p % 2, 2, edge, 0.985, 0.03)
        set rmargin at screen column_right(p % 2, 2, edge, 0.985, 0.03)
        set tmargin at screen (p < 2 ? 0.97 : 0.375)
        set bmargin at screen (p < 2 ? 0.425 : bottom)
        set yrange [rows-0.5:-0.5]
        unset ytics
        unset label
        unset arrow
        set label (p % 2 ? "uniform" : "Zipf").(p < 2 ? ", equal keys" : ", equal state") at graph 0.5,1.0 center offset 0,0.55
        do for [r = 0:15] {
            if (place(p, r) >= 0) {
                if (p % 2 == 0) {
                    set label LABEL[r+1] at graph 0,first place(p, r) right offset -0.8,0 textcolor rgb ink(style(r))
                }
                if (place(p, r) > 0) {
                    set arrow from graph 0,first place(p, r)-0.5 to graph 1,first place(p, r)-0.5 nohead linewidth 0.5 linecolor rgb "#d9d9d9" back
                }
            }
        }
        if (p > 1) {
            set format x "%.2g"
            set label "accuracy (1)" at graph 0.5,0 center offset 0,-2.2
        } else {
            set format x ""
        }
        if (p == 2) { # the key, under the panels
            do for [b = 0:3] {
                set label "" at screen left(0.04+0.235*b),0.036 point pointtype shape(b) linecolor rgb "#000000"
                set label word(RANGES, b+1) at screen left(0.065+0.235*b),0.036
            }
            set label "" at screen left(0.04),0.014 point pointtype 2 linewidth 1.5 linecolor rgb "#000000"
            set label "lag > 1000 in the text" at screen left(0.065),0.014
        }
        if (p == 0) {
            do for [n = 1:3] {
                set label "" at word("0.794 0.523 0.618", n)+0,word("0 3 4", n)+line(2) point pointtype 2 linewidth 1.5 linecolor rgb "#000000" front
            }
        }
        if (p == 1) {
            do for [n = 1:2] {
                set label "" at word("0.827 0.584", n)+0,word("0 3", n)+line(2) point pointtype 2 linewidth 1.5 linecolor rgb "#000000" front
            }
        }
        plot for [b = 0:3] DATA index p using ($3 == b && place(p, $2) >= 0 ? $4 : NaN):(place(p, $2)+line(b)):5:6:(colour(int($2))) \
            with xerrorbars pointtype shape(b) linewidth 1.0 linecolor rgb variable
    }
    unset multiplot
    set output
}
