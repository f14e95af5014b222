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
# Rows of the panels: where row r stands from the top (−1: not there).
keys(r)  = r
state(r) = r == 1 ? 0 : r == 3 ? 1 : r == 4 ? 2 : r == 5 ? 3 : r == 6 ? 4 : r == 8 ? 5 : r == 9 ? 6 : r == 10 ? 7 : -1
place(p, r) = p < 2 ? keys(r) : state(r)
memory_hue(r) = int(word(GRAY ? "4210752 4210752 4210752 4210752 4210752 4210752 4210752 4210752 4210752 4210752 4210752 4210752 4210752 4210752 4210752 4210752" \
    : "29362 29362 29362 13983232 40563 40563 0 11158664 11158664 12089856 3351176 5263440 0 29362 13983232 40563", r+1))
shape(b) = int(word("6 4 7 2", b+1))

do for [format in FORMATS] {
    eval begin(format, TALK ? 24.0 : 13.6)
    set multiplot
    set xrange [-0.04:1.04]
    set xtics 0, 0.25
    unset key
    do for [p = 0:3] {
        rows = p < 2 ? 16 : 8
        set lmargin at screen (p % 2 ? 0.665 : 0.315)
        set rmargin at screen (p % 2 ? 0.985 : 0.635)
        set tmargin at screen (p < 2 ? 0.965 : 0.375)
        set bmargin at screen (p < 2 ? 0.44 : 0.105)
        set yrange [rows-0.4:-0.6]
        unset ytics
        unset label
        unset arrow
        set label (p % 2 ? "uniform" : "Zipf").(p < 2 ? ", equal keys" : ", equal state") at graph 0.5,1.0 center offset 0,0.55
        if (p % 2 == 0) {
            do for [r = 0:15] {
                if (place(p, r) >= 0) {
                    set label LABEL[r+1] at graph 0,first place(p, r) right offset -0.8,0
                }
            }
        }
        if (p > 1) {
            set format x "%.2g"
            set label "accuracy (1)" at graph 0.5,0 center offset 0,-2.2
        } else {
            set format x ""
        }
        if (p == 2) {
            # the key, under the panels
            do for [b = 0:2] {
                set label "" at screen 0.32+0.22*b,0.02 point pointtype shape(b) linecolor rgb "#000000"
                set label word("lag≤100 lag≤1000 lag>1000", b+1) at screen 0.34+0.22*b,0.02
            }
            set label "the text: ×" at screen 0.03,0.02
        }
        if (p == 0) {
            do for [n = 0:2] {
                set label "" at word("0.794 0.523 0.618", n+1)+0,word("0 3 4", n+1)+0 point pointtype 2 linewidth 1.5 linecolor rgb "#000000" front
            }
        }
        if (p == 1) {
            do for [n = 0:1] {
                set label "" at word("0.827 0.584", n+1)+0,word("0 3", n+1)+0 point pointtype 2 linewidth 1.5 linecolor rgb "#000000" front
            }
        }
        plot for [b = 0:2] DATA index p using ($3 == b && place(p, $2) >= 0 ? $4 : NaN):(place(p, $2)):5:6:(memory_hue(int($2))) \
            with xerrorbars pointtype shape(b) linewidth 1.1 linecolor rgb variable
    }
    unset multiplot
    set output
}
