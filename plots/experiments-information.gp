# Information between symbols of a text at a distance, its shuffles, and laws.
# Data: experiments-information.dat, blocks: King James characters, words; FAQ
# characters, words; columns: lag 4, bits 5 with ends 6, 7 of the 99% interval,
# 8 shuffled, 9 blocks of 1000 shuffled, 10 shuffled within them, 11 power law,
# 12 broken power law, 13 exponential, fitted from lag 1.
NAME = "experiments-information"
load "style.gp"
DATA = NAME.".dat"
PANELS = "'Bible, characters' 'Bible, words' 'FAQ, characters' 'FAQ, words'"
stats DATA using 4 nooutput
BLOCKS = STATS_blocks

# A logarithmic axis has no place for what is not above 0.
above(y) = y > 0 ? y : 1/0
floor_of(k) = k % 2 ? 3e-5 : 1e-6

do for [format in FORMATS] {
    eval begin(format, TALK ? 24.0 : 13.0)
    set multiplot
    set logscale xy
    set xrange [0.8:12500]
    set format y "10^{%T}"
    do for [k = 0:(BLOCKS < 4 ? BLOCKS-1 : 3)] {
        column = k % 2
        line = k / 2
        set lmargin at screen 0.145+0.47*column
        set rmargin at screen 0.50+0.47*column
        set tmargin at screen 0.985-0.465*line
        set bmargin at screen 0.555-0.465*line
        set yrange [floor_of(k):3]
        set xtics ("" 1, "" 10, "" 100, "" 1000, "" 1e4)
        unset xlabel
        if (line == 1) {
            set xtics ("1" 1, "10" 10, "10^{2}" 100, "10^{3}" 1000, "10^{4}" 1e4)
            set xlabel "lag l (1)" offset 0,near_x(format)
        }
        unset label
        unset arrow
        if (column == 0) { eval named_y("I(l) (bit)") }
        set label word(PANELS, k+1) at graph 0.97,0.93 right
        if (k == 1) {
            eval sample(bound_line, 0.20, 0.30, 0.85, "power law")
            eval sample(law_line, 0.20, 0.30, 0.78, "broken")
            eval sample(contrast_line, 0.20, 0.30, 0.71, "exponential")
        }
        if (k == 0) {
            set label "blocks of 1000" at graph 0.04,0.19 textcolor rgb ink(22)
            set label "in random order" at graph 0.04,0.13 textcolor rgb ink(22)
            set label "random inside" at graph 0.04,0.275 textcolor rgb ink(21)
            set label "dots: all shuffled" at graph 0.04,0.06 textcolor rgb "#606060"
        }
        plot DATA index k using 4:11 with lines linestyle bound_line, \
             '' index k using 4:13 with lines linestyle contrast_line, \
             '' index k using 4:(above($9)) with lines linestyle 22, \
             '' index k using 4:(above($10)) with lines linestyle 21, \
             '' index k using 4:(above($8)) with points pointtype 2 pointsize 0.5 linecolor rgb "#606060", \
             '' index k using 4:12 with lines linestyle law_line, \
             '' index k using 4:5:($6 > 0 ? $6 : floor_of(k)):7 with yerrorbars linestyle 23 linewidth 0.8
    }
    unset multiplot
    set output
}
