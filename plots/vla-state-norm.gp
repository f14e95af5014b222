# The norm of VLA's state against time: random inputs against constructed ones,
# for which the paper says that it reaches a plateau.
# Data: vla-state-norm.dat, one row, |v| <= 1, lambda0 = 1/10, one block for each
# curve.
NAME = "vla-state-norm"
load "style.gp"
DATA = NAME.".dat"
plain = 0; spiral = 1; random = 2; linear = 3; chain = 4; refreshed = 5
style(k) = k == plain ? linear_attention : k == spiral ? delta_rule : k == random ? shade(vla, 4) : k == linear ? shade(vla, 0) \
         : k == chain ? shade(vla, 2) : shade(vla, 3)

stats DATA using 2 nooutput
LAST = STATS_max
stats DATA using ($1 == refreshed ? $3 : NaN) nooutput
TOP = STATS_max
stats DATA using ($1 == chain ? $4 : NaN) nooutput
TOP = STATS_max > TOP ? STATS_max : TOP

do for [format in FORMATS] {
    eval begin(format, TALK ? 13.5 : 7.6)
    set lmargin at screen left(0.165)
    set rmargin at screen right(0.965)
    set tmargin at screen 0.975
    set bmargin at screen 0.13
    set logscale xy
    set xrange [1:LAST]
    set yrange [0.3:4*TOP]
    set xtics 1, 10
    set ytics 1, 100
    set mxtics 10
    unset mytics
    set format x "10^{%T}"
    set format y "10^{%T}"
    set xlabel "time T (steps)" offset 0,near_x(format)
    unset label
    eval named_y("norm of the state, |v| ≤ 1 (1)")
    unset arrow
    eval sample(bound_line,       0.04, 0.13, 0.950, "bound, d = 4")
    eval sample(style(refreshed), 0.04, 0.13, 0.885, "chained, d = 4, with refresh")
    eval sample(style(chain),     0.04, 0.13, 0.820, "chained, d = 4")
    eval sample(style(linear),    0.04, 0.13, 0.755, "climb, rank-one W_u, d = 2")
    eval sample(style(plain),     0.04, 0.13, 0.690, "plain linear attention")
    eval sample(style(spiral),    0.04, 0.13, 0.625, "√T: spiral, delta rule")
    eval sample(style(random),    0.04, 0.13, 0.560, "random inputs, d = 4")
    plot DATA index chain using 2:4 with lines linestyle bound_line, \
         DATA index plain using 2:3 with lines linestyle style(plain), \
         DATA index spiral using 2:3 with lines linestyle style(spiral), \
         DATA index random using 2:3 with lines linestyle style(random), \
         DATA index linear using 2:3 with lines linestyle style(linear), \
         DATA index chain using 2:3 with lines linestyle style(chain), \
         DATA index refreshed using 2:3 with lines linestyle style(refreshed)
    set output
}
