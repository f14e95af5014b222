# Where each method puts the rates of 12 exponentials, and their weights.
# Data: vort-soe-nodes.dat, exponent 1/2, one block for each method.
NAME = "vort-soe-nodes"
load "style.gp"
DATA = NAME.".dat"
HORIZON = 1e6

# One row for each method, the best sum on top.  The height in it is the
# logarithm of the weight, from LEAST at the foot to 1 at the head.
NAMES = "sinc trapezoid Legendre Laguerre Jacobi minimax"
LEAST = 1e-8
HEAD = 0.7
foot(method) = method == minimax ? 0 : -1-method
height(weight) = HEAD*(1-log10(weight)/log10(LEAST))

do for [format in FORMATS] {
    eval begin(format, TALK ? 14.5 : 8.2)
    set lmargin at screen left(0.195)
    set rmargin at screen right(0.895)
    set tmargin at screen 0.925
    set bmargin at screen 0.125
    set logscale x
    set xrange [1e-10:2e2]
    set yrange [foot(jacobi)-0.15:foot(minimax)+0.9]
    set xtics 1e-10, 100
    set format x "10^{%T}"
    unset ytics
    set xlabel "rate λ (1/step)" offset 0,near_x(format)
    unset label
    unset arrow
    set label "weight (1)" at screen 0.985, screen 0.96 right
    set label "1/T" at 1/HORIZON, graph 1 center offset 0,0.8
    set arrow from 1/HORIZON, graph 0 to 1/HORIZON, graph 1 nohead linestyle bound_line
    do for [m = 0:5] {
        set label word(NAMES, m+1) at graph -0.03, first foot(m)+HEAD/2 right textcolor rgb ink(memory_sinc+m)
        set arrow from graph 0, first foot(m) to graph 1, first foot(m) nohead linewidth 0.5 linecolor rgb "#909090"
        do for [e in "8 4 0"] {
            y = foot(m)+height(10.0**(-e))
            set arrow from graph 1, first y to graph 1.012, first y nohead linewidth 1.0 linecolor rgb "#303030"
            set label (e eq "0" ? "1" : "10^{−".e."}") at graph 1.025, first y
        }
    }
    plot for [m = 0:5] DATA index m using 2:(foot(m)):(0):(height($3)) \
             with vectors nohead linewidth 1.0 linecolor rgb hue(memory_sinc+m), \
         for [m = 0:5] DATA index m using 2:(foot(m)+height($3)) with points linestyle memory_sinc+m
    set output
}
