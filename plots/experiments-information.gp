# Information between symbols of a text at a distance, its shuffles, and laws.
# Data: experiments-information.dat, blocks: King James characters, words; FAQ
# characters, words; columns: lag 4, bits 5 with ends 6, 7 of the 99% interval,
# 8 shuffled, 9 blocks of 1000 shuffled, 10 shuffled within them, 11 power law,
# 12 broken power law, 13 exponential, fitted from lag 1.
NAME = "experiments-information"
load "style.gp"
DATA = NAME.".dat"
PANELS = "'King James, characters' 'King James, words' 'FAQ, characters' 'FAQ, words'"
stats DATA using 4 nooutput
BLOCKS = STATS_blocks
within = form(0); blocks = form(1); measured = form(2); shuffled = form(4)

# A logarithmic axis has no place for what is not above 0.
above(y) = y > 0 ? y : 1/0
floor_of(k) = k % 2 ? 3e-5 : 1e-6

do for [format in FORMATS] {
    eval begin(format, TALK ? 26.0 : 14.2)
    set multiplot
    set logscale xy
    set xrange [0.8:12500]
    set format y "10^{%T}"
    do for [k = 0:(BLOCKS < 4 ? BLOCKS-1 : 3)] {
        column = k % 2
        line = k / 2
        set lmargin at screen column_left(column, 2, 0.15, 0.975, 0.115)
        set rmargin at screen column_right(column, 2, 0.15, 0.975, 0.115)
        set tmargin at screen 0.965-0.405*line
        set bmargin at screen 0.61-0.405*line
        set yrange [floor_of(k):3]
        set ytics 1e-6, 10
        set xtics ("" 1, "" 10, "" 100, "" 1000, "" 1e4)
        unset xlabel
        if (line == 1) {
            set xtics ("1" 1, "10" 10, "10^{2}" 100, "10^{3}" 1000, "10^{4}" 1e4)
            set xlabel "lag l (1)" offset 0,near_x(format)
        }
        unset label
        unset arrow
        if (column == 0) { eval named_y("I(l) (bit)") }
        set label word(PANELS, k+1) at graph 0.5,1.0 center offset 0,0.6
        # the key, under the panels
        if (k == 2) {
            set label "" at graph -0.13,-0.27 point linestyle measured
            set label "the text" at graph -0.03,-0.27 textcolor rgb ink(measured)
            eval sample(within, -0.2, -0.06, -0.34, "random inside blocks of 1000")
            eval sample(blocks, -0.2, -0.06, -0.41, "the blocks in random order")
        }
        if (k == 3) {
            set label "" at graph 0.12,-0.27 point linestyle shuffled
            set label "all shuffled" at graph 0.22,-0.27 textcolor rgb ink(shuffled)
            eval sample(bound_line, 0.05, 0.19, -0.34, "power law")
            eval sample(law_line, 0.05, 0.19, -0.41, "broken power law")
            eval sample(contrast_line, 0.05, 0.19, -0.48, "exponential")
        }
        plot DATA index k using 4:5:($6 > 0 ? $6 : floor_of(k)):7 with yerrorbars linestyle measured linewidth 0.6 pointsize 0.6, \
             '' index k using 4:(above($9)) with lines linestyle blocks, \
             '' index k using 4:(above($10)) with lines linestyle within, \
             '' index k using 4:(above($8)) with points linestyle shuffled pointsize 0.4, \
             '' index k using 4:11 with lines linestyle bound_line, \
             '' index k using 4:13 with lines linestyle contrast_line, \
             '' index k using 4:12 with lines linestyle law_line
    }
    unset multiplot
    set output
}
