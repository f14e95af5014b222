# The variance of scores from positive random features, measured and derived.
# Data: vort-features.dat: number of features, measured variance, formula, ends of
# the interval of five standard errors.
NAME = "vort-features"
load "style.gp"
DATA = NAME.".dat"
stats DATA using ($1*$3) nooutput
law(m) = STATS_max/m

do for [format in FORMATS] {
    eval begin(format, TALK ? 12.5 : 6.4)
    set lmargin at screen left(0.165)
    set rmargin at screen right(0.965)
    set tmargin at screen 0.97
    set bmargin at screen 0.155
    set logscale xy
    set xrange [0.7:100]
    set yrange [0.01:3]
    set xtics (1, 4, 16, 64)
    set ytics 1e-3, 10
    set format y "10^{%T}"
    set xlabel "number of features m (1)" offset 0,near_x(format)
    unset label
    eval named_y("variance / e^{2q·k} (1)")
    unset arrow
    set label "line: (e^{|q+k|^2} − 1) / m" at graph 0.44,0.90
    set label "points: 20000 draws, ±5 standard errors" at graph 0.04,0.08
    plot law(x) with lines linestyle law_line, \
         DATA using 1:2:4:5 with yerrorbars linestyle softmax dashtype solid pointtype 7
    set output
}
