# The level at which each position of log-linear attention sees each lag.
# Data: loglinear-levels.dat, one block for each position, rows of position,
# lag and level.
NAME = "loglinear-levels"
load "style.gp"
DATA = NAME.".dat"
POSITIONS = 64
LEVELS = 7                                            # 0 .. 6

# One colour a level, light for the near and dark for the far past.
COLORS = GRAY ? "#f4f4f4 #d4d4d4 #b2b2b2 #8f8f8f #6c6c6c #484848 #202020" \
              : "#fdf3dc #f5d38b #8fcbb3 #4aa3b5 #2f74a8 #2b4a8c #1d2358"
color(l) = word(COLORS, l+1)
set palette maxcolors LEVELS defined (0 color(0), 1 color(1), 2 color(2), 3 color(3), 4 color(4), 5 color(5), 6 color(6))
set cbrange [-0.5:LEVELS-0.5]
unset colorbox

do for [format in FORMATS] {
    eval begin(format, TALK ? 14.5 : 7.8)
    set lmargin at screen left(0.125)
    set rmargin at screen right(0.855)
    set tmargin at screen 0.975
    set bmargin at screen 0.12
    unset grid
    set tics out nomirror
    set border 3
    set xrange [-0.5:POSITIONS-0.5]
    set yrange [-0.5:POSITIONS-0.5]
    set xtics 0, 8
    set ytics 0, 8
    set xlabel "position t (tokens)" offset 0,near_x(format)
    unset label
    unset object
    eval named_y("lag t − s (tokens)")
    # a key of squares
    do for [l = 0:LEVELS-1] {
        set object l+1 rectangle from graph 1.03, graph 0.87-0.07*l to graph 1.075, graph 0.925-0.07*l front noclip \
            fillstyle solid 1.0 border linecolor rgb "#303030" linewidth 0.5 fillcolor rgb color(l)
        set label sprintf("%d", l) at graph 1.095, graph 0.8975-0.07*l
    }
    set label "level" at graph 1.03, graph 0.96
    set label "t = 2^n: two levels" at 30.2, 57 right
    set arrow from 30.6, 57 to 32, 33.3 head filled size screen 0.015,20 linestyle law_line
    set label "t = 2^n − 1: octaves of lags" at 40, 61 right
    set arrow from 40.6, 61 to 60.1, 61 head filled size screen 0.015,20 linestyle law_line
    plot DATA using 1:2:(0.52):(0.52):3 with boxxyerror fillstyle solid 1.0 noborder linecolor palette
    unset arrow
    set output
}
