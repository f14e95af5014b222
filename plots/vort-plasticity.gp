# The loss along gradient steps of length 1/L, and the proved rate.
# Data: vort-plasticity.dat, one block for each run; each is divided by its first
# loss.
NAME = "vort-plasticity"
load "style.gp"
DATA = NAME.".dat"
array first[5]
do for [k = 0:4] {
    stats DATA index k using 3 every ::0::0 nooutput
    first[1+k] = STATS_max
}

do for [format in FORMATS] {
    eval begin(format, TALK ? 13.5 : 7.6)
    set lmargin at screen left(0.155)
    set rmargin at screen right(0.965)
    set tmargin at screen 0.975
    set bmargin at screen 0.13
    set logscale y
    set xrange [0:48]
    set yrange [1e-7:60]
    set xtics 0, 8
    set ytics 1e-8, 10
    set format y "10^{%T}"
    set xlabel "step k (1)" offset 0,near_x(format)
    unset label
    eval named_y("loss f(α_k) / f(α_0) (1)")
    unset arrow
    eval sample(shade(vort, 0), 0.04, 0.12, 0.94, "1/20 → 4/5, T = 64")
    eval sample(shade(vort, 1), 0.04, 0.12, 0.88, "1 → 4/5, T = 64")
    eval sample(shade(vort, 2), 0.52, 0.60, 0.94, "1 → 7/20, T = 64")
    eval sample(shade(vort, 3), 0.52, 0.60, 0.88, "1 → 4/5, T = 512")
    set label "thin: the proved (1 − μ/L)^k" at graph 0.04, 0.06
    plot for [k = 0:3] DATA index k using 2:($4/first[1+k]) with lines linewidth 0.8 dashtype solid linecolor rgb hue(shade(vort, k)), \
         for [k = 0:3] DATA index k using 2:($3/first[1+k]) with lines linestyle shade(vort, k)
    set output
}
