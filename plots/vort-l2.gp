# The L2 error of mixtures of exponentials against the horizon, exponent 4/5.
# Data: vort-l2.dat: T, norm N of the weights, N - C, errors of one fixed
# exponential, five fixed, five refit, five with rates too, a sum of 24.
NAME = "vort-l2"
load "style.gp"
DATA = NAME.".dat"

do for [format in FORMATS] {
    eval begin(format, TALK ? 14.5 : 8.4)
    set lmargin at screen left(0.165)
    set rmargin at screen right(0.965)
    set tmargin at screen 0.975
    set bmargin at screen 0.125
    set logscale xy
    set xrange [0.8:1e5]
    set yrange [5e-4:1.5e2]
    set xtics 1, 10
    set ytics 1e-4, 10
    set format xy "10^{%T}"
    set xlabel "horizon T (steps)" offset 0,near_x(format)
    unset label
    eval named_y("L^2 error over the lags 1 to T (1)")
    unset arrow
    set label "norm N of the weights" at 1.2,7
    set label "one fixed" at 3,0.62 textcolor rgb ink(one_exponential)
    set label "five fixed" at 1.3,0.15 textcolor rgb ink(fixed_mixture)
    set label "weights\nrefit" at 50,0.035 right textcolor rgb ink(refit_weights)
    set label "rates refit too" at 2200,0.25 textcolor rgb ink(refit_rates)
    set label "24, for T = 65536" at 200,0.007 textcolor rgb ink(memory_minimax)
    set label "proved: N − C" at 1500,2.9
    plot DATA using 1:2 with lines linestyle law_line, \
         DATA using 1:($3 > 0 ? $3 : NaN) with lines linestyle bound_line, \
         DATA using 1:4 with lines linestyle one_exponential, \
         DATA using 1:5 with lines linestyle fixed_mixture, \
         DATA using 1:($1 >= 16 ? $6 : NaN) with lines linestyle refit_weights, \
         DATA using 1:($1 >= 16 ? $7 : NaN) with lines linestyle refit_rates, \
         DATA using 1:8 with lines linestyle memory_minimax
    set output
}
