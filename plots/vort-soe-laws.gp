# The least number of exponentials against the accuracy: it grows like the
# product of ln T and ln 1/epsilon, and the paper says like their sum.
# Data: vort-soe-laws.dat, exponent 1/2, relative error, one block for each
# horizon.
NAME = "vort-soe-laws"
load "style.gp"
DATA = NAME.".dat"
HORIZON = "2 4 6 9"                                   # powers of ten
horizon(k) = 10.0**word(HORIZON, k+1)
lambda(digits) = digits*log(10)                       # ln 1/epsilon

# The law of the kernel t^(-beta) on the reals holds up to a constant added to
# lambda, which the first point of each curve gives.  The constant of the sum is
# one for all horizons, and the first point of the last one gives it.
array digits[4]
array terms[4]
do for [k = 0:3] {
    stats DATA index k using (digits[1+k] = $2, terms[1+k] = $3, $2) every ::0::0 nooutput
}
slope(k) = log(4*horizon(k))/pi**2
product(k, d) = terms[1+k]+slope(k)*(lambda(d)-lambda(digits[1+k]))
logarithm(k, d) = log(horizon(k))+lambda(d)
addition(k, d) = terms[4]*logarithm(k, d)/logarithm(3, digits[4])

do for [format in FORMATS] {
    eval begin(format, TALK ? 13.5 : 7.6)
    set lmargin at screen left(0.125)
    set rmargin at screen right(0.855)
    set tmargin at screen 0.975
    set bmargin at screen 0.13
    set xrange [1.3:14.7]
    set xtics 2, TALK ? 4 : 2, 14
    set mxtics TALK ? 2 : 1
    set yrange [0:92]
    set ytics 0, 10
    set format x "10^{−%.0f}"
    set xlabel "relative error ε (1)" offset 0,near_x(format)
    unset label
    eval named_y("least number of terms S* (1)")
    unset arrow
    eval sample(law_line,      0.03, 0.12, 0.860, "ln(4T) (ln(1/ε)+c) / π^2, on the reals")
    eval sample(contrast_line, 0.03, 0.12, 0.785, "C ln(T/ε): the published\nO(log(T/ε))")
    set label "S*, at the integers" at graph 0.14, 0.935 textcolor rgb ink(memory_minimax)
    set label "" at graph 0.075, 0.935 point linestyle memory_minimax
    do for [k = 0:3] {
        stats DATA index k using 3 nooutput
        set label "T = 10^".word(HORIZON, k+1) at 14.7, STATS_max offset 0.6,0 textcolor rgb ink(memory_minimax)
    }
    plot for [k = 0:3] [d=2:14] '+' using 1:(addition(k, $1)) with lines linestyle contrast_line, \
         for [k = 0:3] [d=2:14] '+' using 1:(product(k, $1)) with lines linestyle law_line, \
         for [k = 0:3] DATA index k using 2:3 with points linestyle memory_minimax
    set output
}
