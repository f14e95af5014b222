# The error of sums of 24 exponentials against the lag.
# Data: vort-soe-error.dat, exponent 1/2, one block for each method.
NAME = "vort-soe-error"
load "style.gp"
DATA = NAME.".dat"
ALPHA = 0.5
law(t) = t**(ALPHA-1)/gamma(ALPHA)

# The largest error over every lag from 1 to 10^6, certified: written beside the
# method's name, rounded up.
array largest[5]
do for [method = 0:4] {
    stats DATA index method using 4 nooutput
    largest[1+method] = STATS_max
}
most(method) = "≤ ".up(largest[1+method])

do for [format in FORMATS] {
    eval begin(format, TALK ? 14.5 : 8.2)
    set lmargin at screen left(0.165)
    set rmargin at screen right(0.975)
    set tmargin at screen 0.975
    set bmargin at screen 0.13
    set logscale xy
    set xrange [0.7:1.5e6]
    set yrange [1e-9:2]
    set xtics 1, 10
    set ytics 1e-16, 10
    set format xy "10^{%T}"
    set xlabel "lag t (steps)" offset 0,near_x(format)
    unset label
    eval named_y("error of the weight |w_t − sum| (1)")
    unset arrow
    set label "weight w_t ≈ t^{α−1} / Γ(α)" at 40,0.2
    set label "Laguerre\n".most(laguerre) at 1.1,3e-2 textcolor rgb ink(memory_laguerre)
    set label "Jacobi\n".most(jacobi) at 1200,8e-4 textcolor rgb ink(memory_jacobi)
    eval sample(memory_legendre,  0.44, 0.53, 0.185, "Legendre ".most(legendre))
    eval sample(memory_trapezoid, 0.44, 0.53, 0.120, "trapezoid ".most(trapezoid))
    eval sample(memory_sinc,      0.44, 0.53, 0.055, "sinc ".most(sinc))
    plot law(x) with lines linestyle law_line, \
         DATA index laguerre using 2:3 with lines linestyle memory_laguerre, \
         DATA index jacobi using 2:3 with lines linestyle memory_jacobi, \
         DATA index legendre using 2:3 with lines linestyle memory_legendre, \
         DATA index trapezoid using 2:3 with lines linestyle memory_trapezoid, \
         DATA index sinc using 2:3 with lines linestyle memory_sinc
    set output
}
