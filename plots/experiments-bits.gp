# Bits a character saved by a memory, over a readout of the last three
# characters alone, against the number of characters that the memory sees.
# Data: experiments-bits.dat, blocks of seven memories a text; columns: memory 3,
# context 4, bits 5, gain 8 with ends 9, 10 of the paired 99% interval.
NAME = "experiments-bits"
load "style.gp"
DATA = NAME.".dat"
NAMES = "'no decay' 'one exponential' 'five, read as one' 'one power law' 'five exponentials' 'five power laws'"
# The key: exponentials on the left.
right_half(n) = n == 1 || n == 4 || n == 6
place(n) = n == 3 || n == 6 ? 2 : n == 4 || n == 5 ? 1 : 0
TEXTS = "'King James' 'FAQ'"
style(n) = n == 1 ? linear_attention : n == 2 ? one_exponential : n == 3 ? fixed_mixture : n == 4 ? vort \
         : n == 5 ? refit_weights : power_laws
stats DATA using 4 nooutput
PANELS = STATS_blocks >= 14 ? 2 : 1

do for [format in FORMATS] {
    eval begin(format, TALK ? 20.0 : 11.0)
    set multiplot
    set logscale x 2
    set lmargin at screen left(0.135)
    set rmargin at screen right(0.965)
    set xrange [50:11000]
    set yrange [-0.022:0.062]
    set ytics 0.02
    set format y "%.2f"
    do for [k = 0:PANELS-1] {
        set tmargin at screen 0.985-0.46*k
        set bmargin at screen 0.555-0.46*k
        set xtics ("" 64, "" 512, "" 4096, "" 8192)
        unset xlabel
        if (k == PANELS-1) {
            set xtics ("64" 64, "512" 512, "4096" 4096, "8192" 8192)
            set xlabel "characters seen, C (1)" offset 0,near_x(format)
        }
        unset label
        unset arrow
        eval named_y("bits saved (bit/character)")
        set label word(TEXTS, k+1) at graph 0.03,0.07
        set arrow from graph 0,first 0 to graph 1,first 0 nohead linestyle contrast_line
        if (k == 0) {
            do for [n = 1:6] {
                eval sample(style(n), right_half(n) ? 0.57 : 0.03, right_half(n) ? 0.66 : 0.12, 0.95-0.06*place(n), word(NAMES, n))
            }
        }
        plot for [n = 1:6] DATA index 7*k+n using ($4*(1+0.02*(n-3))):8:9:10 with yerrorlines linestyle style(n)
    }
    unset multiplot
    set output
}
