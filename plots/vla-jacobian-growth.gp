# The largest Jacobian norm that the layer reaches after T tokens with u along
# one direction: the key for which Kantorovich's inequality is sharp.
# Data: vla-jacobian-growth.dat, d = 32, one block for each lambda0.
NAME = "vla-jacobian-growth"
load "style.gp"
DATA = NAME.".dat"
golden = (1+sqrt(5))/2
kappa(lambda, t) = 1+t/(32.0*lambda)
cosine(k) = 2*sqrt(k)/(1+k)
largest(c) = sqrt((3-2*c+sqrt(5-4*c))/2)
LAMBDA = "0.1 10"

do for [format in FORMATS] {
    eval begin(format, TALK ? 12.0 : 6.8)
    set lmargin at screen left(0.125)
    set rmargin at screen right(0.955)
    set tmargin at screen 0.97
    set bmargin at screen 0.145
    set logscale x
    set xrange [1:1e7]
    set yrange [0.95:1.7]
    set xtics 1, 10
    set ytics 1, 0.1
    set format x "10^{%T}"
    set format y "%.1f"
    set xlabel "tokens T (steps)" offset 0,near_x(format)
    unset label
    unset arrow
    eval named_y("largest Jacobian norm (1)")
    set arrow from 1,1 to 1e7,1 nohead linestyle contrast_line
    set arrow from 1,golden to 1e7,golden nohead linestyle bound_line
    set label "published: 1" at 7e6,1.028 right
    set label "golden ratio, not attained" at 1.5,golden+0.03
    set label "λ_0 = 0.1" at 40,1.31 left textcolor rgb ink(shade(vla, 1))
    set label "λ_0 = 10" at 1.5e4,1.31 left textcolor rgb ink(shade(vla, 3))
    set label "lines: c = 2√κ/(1+κ)," at 7e6,1.225 right
    set label "κ = 1 + T/(dλ_0)" at 7e6,1.165 right
    set label "points: the layer, d = 32" at 7e6,1.105 right
    plot for [k = 0:1] largest(cosine(kappa(real(word(LAMBDA, k+1)), x))) with lines linestyle law_line, \
         for [k = 0:1] DATA index k using 2:5 every 4 with points linestyle shade(vla, 1+2*k)
    set output
}
