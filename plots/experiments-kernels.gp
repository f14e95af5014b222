# Weights against the lag as the law of lags has them: fitted, and the optimum.
# Data: experiments-kernels.dat; eleven blocks of a memory for Zipf lags, eleven for uniform lags; sum of
# squares 1.
NAME = "experiments-kernels"
load "style.gp"
DATA = NAME.".dat"
NAMES = "'power law' 'one exponential' 'five exponentials' 'log-linear, free levels' 'free kernel' 'optimum for the law'"
block(n) = int(word("0 3 4 8 9 10", n+1))
style(n) = n == 0 ? vort : n == 1 ? one_exponential : n == 2 ? refit_rates : n == 3 ? loglinear : n == 4 ? free_kernel : law_line

do for [format in FORMATS] {
    eval begin(format, TALK ? 20.0 : 11.0)
    set multiplot
    set logscale xy
    set xrange [1:2600]
    set lmargin at screen left(0.15)
    set rmargin at screen right(0.975)
    do for [law = 0:1] {
        set tmargin at screen 0.985-0.45*law
        set bmargin at screen 0.56-0.43*law
        set yrange [(law ? 1.5e-3 : 7e-4):(law ? 0.09 : 0.3)]
        set format y "10^{%T}"
        set format x (law ? "10^{%T}" : "")
        if (law) {
            set xlabel "lag (1)" offset 0,near_x(format)
        } else {
            unset xlabel
        }
        unset label
        unset arrow
        eval named_y("weight, sum of squares 1")
        set label law ? "uniform lags" : "Zipf lags" at graph 0.97,0.9 right
        if (law) { set label "the four others: one line" at graph 0.97,0.25 right }
        if (!law) {
            do for [n = 0:5] {
                eval sample(style(n), 0.03, 0.13, 0.50-0.085*n, word(NAMES, n+1))
            }
        }
        plot for [n = 0:5] DATA index 11*law+block(n) using 4:5 with lines linestyle style(n)
    }
    unset multiplot
    set output
}
