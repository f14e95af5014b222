# The error of sums of exponentials against their number of terms: the paper
# says geometric, and it is root-exponential.
# Data: vort-soe-terms.dat, exponent 1/2, lags 1 to 1000.
NAME = "vort-soe-terms"
load "style.gp"
DATA = NAME.".dat"
ALPHA = 0.5
BETA = 1-ALPHA
HORIZON = 1000.0
MOST = 256

# The rows may come in any order: each method's are sorted by terms, into the
# blocks of $sorted.
array sup[MOST]
set print $sorted
do for [method = 0:4] {
    do for [s = 1:MOST] { sup[s] = 0 }
    stats DATA using ($1 == method && $2 <= MOST ? (sup[int($2)] = $3, $2) : NaN) nooutput
    do for [s = 1:MOST] {
        if (sup[s] > 0) { print sprintf("%d %.12g", s, sup[s]) }
    }
    print ""
    print ""
}
unset print

# The root-exponential law, exp(-sqrt(2 pi beta S)) with beta = 1 - alpha, holds
# up to a constant, whose logarithm is the mean of the Legendre points' distance
# from it.  The geometric line passes through the first two of those points.
root(s) = exp(-sqrt(2*pi*BETA*s))
stats $sorted index legendre using (log($2/root($1))) nooutput
constant = exp(STATS_mean)
array x[2]
array y[2]
do for [k = 1:2] {
    stats $sorted index legendre every ::k-1::k-1 using (y[k] = log($2), x[k] = $1) nooutput
}
geometric(s) = exp(y[1] + (y[2]-y[1])/(x[2]-x[1])*(s-x[1]))
gauss_jacobi(s) = 4*ALPHA*exp(-4*s**2/HORIZON)

do for [format in FORMATS] {
    eval begin(format, TALK ? 13.5 : 7.6)
    set lmargin at screen left(0.165)
    set rmargin at screen right(0.975)
    set tmargin at screen 0.975
    set bmargin at screen 0.13
    set xrange [0:66]
    set xtics 0, 8
    set logscale y
    set yrange [1e-12:4]
    set ytics 1e-16, 100
    unset mytics
    set format y "10^{%T}"
    set xlabel "number of terms S (1)" offset 0,near_x(format)
    unset label
    eval named_y("largest error, lags 1–1000 (1)")
    unset arrow
    set label "proved for Jacobi: 2 exp(−S^2/250)" at 22,0.9
    set label "Laguerre" at 65,0.1 right textcolor rgb ink(memory_laguerre)
    set label "Jacobi" at 24.5,1e-2 textcolor rgb ink(memory_jacobi)
    set label "geometric," at 41,1e-9
    set label "through the" at 44,1.7e-10
    set label "first two points" at 46.5,3e-11
    eval sample(memory_legendre,  0.03, 0.12, 0.255, "Legendre")
    eval sample(memory_trapezoid, 0.03, 0.12, 0.190, "trapezoid")
    eval sample(memory_sinc,      0.03, 0.12, 0.125, "sinc")
    eval sample(law_line,         0.03, 0.12, 0.060, "law c exp(−√(πS))")
    do for [k = 0:2] {
        set label "" at graph 0.075, 0.255-0.065*k point linestyle memory_legendre-k
    }
    plot [s=2:66] '+' using 1:(geometric($1)) with lines linestyle contrast_line, \
         '+' using 1:(gauss_jacobi($1)) with lines linestyle bound_line, \
         $sorted index laguerre using 1:2 with linespoints linestyle memory_laguerre, \
         $sorted index jacobi using 1:2 with linespoints linestyle memory_jacobi, \
         $sorted index legendre using 1:2 with linespoints linestyle memory_legendre, \
         $sorted index trapezoid using 1:2 with linespoints linestyle memory_trapezoid, \
         $sorted index sinc using 1:2 with linespoints linestyle memory_sinc, \
         '+' using 1:(constant*root($1)) with lines linestyle law_line
    set output
}
