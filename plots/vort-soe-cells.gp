# The least number of exponentials in every cell of the table: horizons,
# exponents, accuracies, absolute and relative error.
# Data: vort-soe-cells.dat, one block for each kind of error.
NAME = "vort-soe-cells"
load "style.gp"
DATA = NAME.".dat"
HORIZON = "2 4 6 9"                                   # powers of ten
ALPHA = "0.1 0.35 0.5 0.8 0.95"
KIND = "absolute relative"

# One row for each pair, a gap between the horizons.
GAP = 0.45
bottom(h) = h*(words(ALPHA)+GAP)
which(list, x) = sum [k = 1:words(list)] (abs(word(list, k)-x) < 1e-6 ? k-1 : 0)
row(horizon, alpha) = bottom(which(HORIZON, log10(horizon)))+which(ALPHA, alpha)

# One hue from light to dark, its lightness even in S*; letters turn white on
# the dark cells.
stats DATA using 5 nooutput
MOST = STATS_max
if (GRAY) {
    set palette defined (0 "#f8f8f8", 1 "#2b2b2b")
} else {
    set palette defined (0 "#f2f7fc", 0.25 "#b0cfe6", 0.5 "#6fa1cb", 0.75 "#376fa6", 1 "#0d4176")
}
set cbrange [0:MOST]
unset colorbox
letters(s) = s > (GRAY ? 0.63 : 0.69)*MOST ? 0xffffff : 0x000000

do for [format in FORMATS] {
    eval begin(format, TALK ? 17.5 : 9.4)
    set multiplot
    unset grid
    unset border
    set tics scale 0
    set tmargin at screen 0.945
    set bmargin at screen 0.1
    set xrange [1:15]
    set yrange [-0.5:bottom(words(HORIZON)-1)+words(ALPHA)-0.5]
    set xtics 2, 2 offset 0, 0.3
    set format x "%.0f"
    unset ytics
    do for [relative = 0:1] {
        side = relative ? 0.595 : 0.185
        set lmargin at screen side
        set rmargin at screen side+0.395
        unset label
        set label "S*, ".word(KIND, relative+1)." error" at graph 0.5, screen 0.975 center
        if (!relative) {
            set label "ε = 10^{−d}, digits of accuracy d (1)" at screen 0.5875, screen 0.025 center
            set label "α" at graph -0.04, screen 0.975 right
            do for [h = 0:words(HORIZON)-1] {
                set label "T = 10^".word(HORIZON, h+1) at screen 0.03, first bottom(h)+(words(ALPHA)-1)/2.0 center rotate
                do for [a = 1:words(ALPHA)] {
                    set label word(ALPHA, a) at graph -0.04, first bottom(h)+a-1 right
                }
            }
        }
        plot DATA index relative using 4:(row($2, $3)):(1.0):(0.5):5 with boxxyerror \
                 fillstyle solid 1.0 border linecolor rgb "#ffffff" linewidth 0.5 linecolor palette, \
             DATA index relative using 4:(row($2, $3)):5:(letters($5)) with labels textcolor rgb variable
    }
    unset multiplot
    set output
}
