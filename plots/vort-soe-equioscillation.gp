# The error of the best sum of 12 exponentials: it alternates 2S+1 times between
# the bounds, so that no sum of 12 does better than the lower one.
# Data: vort-soe-equioscillation.dat, exponent 1/2, lags 1 to 10^6.
NAME = "vort-soe-equioscillation"
load "style.gp"
DATA = NAME.".dat"
TERMS = 12
UNIT = 1e-4

# The rows are read into arrays: blank lines between them would break the curve.
stats DATA using 1:2 nooutput
ROWS = STATS_records
array t[ROWS]
array error[ROWS]
row = 0
stats DATA using (row = row+1, t[row] = $1, error[row] = $2/UNIT, $1) nooutput
stats DATA using ($3/UNIT) nooutput
upper = STATS_max
stats DATA using ($4/UNIT) nooutput
lower = STATS_min

# An extremum is the largest error of its sign before the sign turns.
MOST = 4*TERMS
array extremum[MOST]
count = 0
do for [row = 1:ROWS] {
    turned = row == 1 || error[row]*error[extremum[count]] < 0
    if (turned) { count = count+1 }
    if (turned || abs(error[row]) > abs(error[extremum[count]])) { extremum[count] = row }
}

# The lags that are drawn one by one, the extrema aside.
near(t, error) = t < 24 && abs(error) < 0.99*lower

above(x) = sprintf("%.3f", ceil(1e3*x)/1e3)
below(x) = sprintf("%.3f", floor(1e3*x)/1e3)

do for [format in FORMATS] {
    eval begin(format, TALK ? 12.5 : 6.8)
    set lmargin at screen left(0.14)
    set rmargin at screen right(0.975)
    set tmargin at screen 0.975
    set bmargin at screen 0.145
    set logscale x
    set xrange [0.7:1.5e6]
    set yrange [-13.5:13.5]
    set xtics 1, 10
    set ytics -12, 4
    set format x "10^{%T}"
    set xlabel "lag t (steps)" offset 0,near_x(format)
    unset label
    eval named_y("1 − sum / w_t, relative error (10^{−4})")
    do for [k = 1:count] {
        if (k == 1 || k % 5 == 0) {
            y = error[extremum[k]]
            set label sprintf("%d", k) at t[extremum[k]], y center offset 0, (y > 0 ? 0.8 : -0.8) textcolor rgb ink(memory_minimax)
        }
    }
    set label sprintf("minimax, %d terms: %d extrema alternate", TERMS, count) at 1.2,12 textcolor rgb ink(memory_minimax)
    set label "largest error: this sum ≤ ".above(upper).", any ≥ ".below(lower) at 1.2,-12
    plot upper with lines linestyle bound_line, \
         -upper with lines linestyle bound_line, \
         t using (t[$1]):(error[$1]) with lines linestyle memory_minimax, \
         t using (near(t[$1], error[$1]) ? t[$1] : NaN):(error[$1]):(0.55) \
             with points linestyle memory_minimax pointtype 7 pointsize variable, \
         extremum using (t[$2]):(error[$2]):(1.25) every ::0::count-1 \
             with points linestyle memory_minimax pointsize variable
    set output
}
