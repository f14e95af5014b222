# The weights of the fractional kernel, their power law and their gap to it.
# Data: vort-weights.dat, one block for each exponent.
NAME = "vort-weights"
load "style.gp"
DATA = NAME.".dat"
ALPHA = "0.1 0.35 0.5 0.8 0.95"
alpha(k) = real(word(ALPHA, k+1))
law(a, j) = j**(a-1)/gamma(a)
bound(a, j) = 1-(1+a/j)**(a-1)

# The gap falls like alpha(1-alpha)/2j, so it is drawn multiplied by the lag.
do for [format in FORMATS] {
    eval begin(format, TALK ? 19.0 : 10.6)
    set multiplot
    set logscale x
    set xrange [0.7:1.5e6]
    set xtics 1, 10
    set lmargin at screen left(0.175)
    set rmargin at screen right(0.84)

    set tmargin at screen 0.985
    set bmargin at screen 0.53
    set logscale y
    set yrange [1e-7:3]
    set format x ""
    set format y "10^{%T}"
    set ytics 1e-8, 10
    unset xlabel
    unset label
    eval named_y("weight w_j (1)")
    do for [k = 0:4] {
        set label "α = ".word(ALPHA, k+1) at 1.5e6, law(alpha(k), 1e6) offset 0.6,0 textcolor rgb ink(shade(vort, k))
    }
    set label "points: weights w_j" at 1.2,1e-5
    set label "lines: law j^{α−1} / Γ(α)" at 1.2,2e-6
    plot for [k = 0:4] DATA index k using 2:4 with lines linestyle law_line, \
         for [k = 0:4] DATA index k using 2:3 every 4 with points linestyle shade(vort, k)

    set tmargin at screen 0.50
    set bmargin at screen 0.095
    unset logscale y
    unset label
    eval named_y("lag × relative gap (steps)")
    set yrange [0:0.309]
    set ytics 0, 0.05
    set format x "10^{%T}"
    set format y "%.2f"
    set xlabel "lag j (steps)" offset 0,near_x(format)
    do for [k = 0:4] {
        set label "α = ".word(ALPHA, k+1) at 1.5e6, 1e6*bound(alpha(k), 1e6) offset 0.6,0 textcolor rgb ink(shade(vort, k))
    }
    set label "lines: proved bound j (1 − (1+α/j)^{α−1})" at 1.2,0.282
    set label "points: j (1 − w_j Γ(α) j^{1−α})" at 30,0.19
    plot for [k = 0:4] DATA index k using 2:($2*$6) with lines linestyle shade(vort, k), \
         for [k = 0:4] DATA index k using 2:($2*$5) every 4 with points linestyle shade(vort, k)
    unset multiplot
    set output
}
