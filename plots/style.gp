# The common style of the figures, loaded by each of them: formats, sizes,
# colours, dashes and points.
#
# STYLE    in the environment: color (the default), gray (greys and dashes
#          only), talk (larger letters and lines).
# WIDE     in the environment: empty (one column of a journal, 8.6 cm, or half
#          of a slide), or 1 (two columns, 17.8 cm, or a slide: NAME-wide).
# FORMATS  in the environment: the formats to draw, some of "pdf svg png".
#
set encoding utf8
set minussign
STYLE = system("echo \"$STYLE\"")
if (STYLE eq "") { STYLE = "color" }
if (STYLE ne "color" && STYLE ne "gray" && STYLE ne "talk") {
    print "STYLE is color, gray or talk, not '".STYLE."'"
    exit status 1
}
GRAY = STYLE eq "gray"
TALK = STYLE eq "talk"

# Centimetres; letters in points.
WIDE    = system("echo \"$WIDE\"") eq "1"
NARROW  = TALK ? 16.0 : 8.6
WIDTH   = !WIDE ? NARROW : TALK ? 32.0 : 17.8
SUFFIX  = WIDE ? "-wide" : ""
LETTERS = TALK ? 14.5 : 7.0
LINES   = TALK ? 2.4 : 1.0
POINTS  = TALK ? 0.8 : 0.42
FONT    = "DejaVu Sans"

# The formats that this gnuplot can draw.
FORMATS = system("echo \"$FORMATS\"")
if (FORMATS eq "") { FORMATS = "pdf svg png" }
wanted = FORMATS
FORMATS = ""
do for [f in wanted] {
    terminal = f eq "svg" ? "svg" : f."cairo"
    if (strstrt(" ".GPVAL_TERMINALS." ", " ".terminal." ")) {
        FORMATS = FORMATS." ".f
    } else {
        print "gnuplot has no terminal ".terminal.": ".NAME.".".f." is not drawn"
    }
}

# begin(format, h): the commands, for eval, that open the file NAME.format, h
# centimetres high.  PDF is true to size, PNG has 300 dots to the inch and SVG
# 192 pixels.  The factors make letters, lines and points alike in all three.
begin(f, h) = f eq "pdf" ? sized("pdfcairo size %.2fcm,%.2fcm fontscale 0.75", WIDTH, h, LETTERS, LINES, POINTS, f) \
            : f eq "png" ? sized("pngcairo size %.0f,%.0f fontscale 3.125", dots(WIDTH), dots(h), LETTERS, LINES*300/144.0, POINTS*2.6, f) \
            : sized("svg size %.0f,%.0f fixed", 0.64*dots(WIDTH), 0.64*dots(h), LETTERS*192/72.0, LINES*192/144.0, POINTS*(TALK ? 0.8 : 1.2), f)
dots(cm) = floor(cm/2.54*300)
sized(terminal, w, h, letters, lines, points, f) = \
    sprintf("set terminal ".terminal, w, h) \
    .sprintf(" enhanced font '%s,%.2f' linewidth %.3f dashlength %.1f butt background '#ffffff'", FONT, letters, lines, f eq "svg" ? 1.0 : 1.5) \
    .sprintf("; set pointsize %.3f; set output '%s.%s'", points, NAME.SUFFIX, f)

# Margins and pieces of lines keep their centimetres when the figure is wide:
# fractions of one column from the left, from the right, in between.
left(x)    = x*NARROW/WIDTH
right(x)   = 1-(1-x)*NARROW/WIDTH
piece(x)   = x*NARROW/WIDTH

# Panels beside each other: the edges of column c of n between left(a) and
# right(b), with piece(gap) between them.
column_width(n, a, b, gap)   = (right(b)-left(a)+piece(gap))/n
column_left(c, n, a, b, gap)  = left(a)+c*column_width(n, a, b, gap)
column_right(c, n, a, b, gap) = column_left(c+1, n, a, b, gap)-piece(gap)

# named_y(text): the command, for eval, that names the vertical axis; a label,
# for gnuplot's own place for it hangs on widths of letters SVG does not know.
named_y(text) = sprintf("set label '%s' at screen %g, graph 0.5 center rotate", text, left(0.03))
near_x(f) = f eq "svg" ? 0.8 : 0.5

# Line styles: one for each memory, the same in every figure, and one for each other method; each has a colour, a
# dash and a point of its own.  The colours of a group differ by 20 and more in CIELAB for deuteranopes and
# protanopes too, but for the purple and the blues of sums, the red of log-linear attention beside the grey of
# softmax, and the two greens, which their dashes tell apart.
#
# Memories.
linear_attention = 1
delta_rule       = 2
vla              = 3
loglinear        = 4
softmax          = 5
vort             = 6               # the power law's weights, its banks
convolution      = 7               # with a kernel of any form
free_kernel      = 8               # weights fitted lag by lag, or a few lags together
# Sums of exponentials: the best one is VORT's memory.  The data give the others numbers.
sinc = 0; trapezoid = 1; legendre = 2; laguerre = 3; jacobi = 4; minimax = 5
memory_sinc      = 11
memory_trapezoid = 12
memory_legendre  = 13
memory_laguerre  = 14
memory_jacobi    = 15
memory_minimax   = 16              # the best sum
# Mixtures of exponentials that something else than the best sum chose.
one_exponential  = 21
fixed_mixture    = 22
refit_weights    = 23
refit_rates      = 24
equal_banks      = 25
# Ways to compute one thing.
form(k)          = 41+k            # k = 0 .. 4
# Values of a parameter of one memory, k = 0 .. 4 from light to dark.
shade(memory, k) = 40+10*memory+k
# Kinds of one memory, where they meet.
gated_attention  = shade(linear_attention, 4)
decaying_rule    = shade(delta_rule, 4)
vla_drawn        = shade(vla, 3)
softmax_unit     = shade(softmax, 0)
power_laws       = shade(vort, 1)  # several orders, read one by one

array HUE[110]
array INK[110]                     # of letters: darker where the line is light
paint(first, colours, inks) = sum [k = 1:words(colours)] \
    (HUE[first+k-1] = word(colours, k), INK[first+k-1] = word(inks, k), 0)
OTHERS_HUE = GRAY ? "#808080 #a0a0a0 #000000 #505050 #303030" : "#6699cc #c08a00 #ee6677 #5c5cff #661100"
OTHERS_INK = GRAY ? "#606060 #707070 #000000 #505050 #303030" : "#3a6ea5 #8a6300 #c23b4e #4a4ae0 #661100"
MEMORIES   = GRAY ? "#606060 #909090 #000000 #404040 #707070 #202020 #a0a0a0 #585858" : "#0072b2 #009e73 #d55e00 #882255 #4d4d4d #332288 #e6ab02 #117733"
MEMORY_INK = GRAY ? "#606060 #707070 #000000 #404040 #606060 #202020 #808080 #585858" : "#0072b2 #007a5a #b84f00 #882255 #4d4d4d #332288 #8a6700 #117733"
GREYS      = "#a8a8a8 #808080 #585858 #303030 #000000"
GREY_INK   = "#707070 #606060 #505050 #303030 #000000"
x = paint(1, MEMORIES, MEMORY_INK) + paint(11, OTHERS_HUE, OTHERS_INK) + paint(memory_minimax, word(MEMORIES, vort), word(MEMORY_INK, vort)) \
  + paint(21, OTHERS_HUE, OTHERS_INK) + paint(41, OTHERS_HUE, OTHERS_INK)
x = paint(shade(linear_attention, 0), GRAY ? GREYS : "#7cb8da #3f97c9 #0072b2 #005485 #00344f", GRAY ? GREY_INK : "#3a7ca6 #2c7fb0 #0072b2 #005485 #00344f") \
  + paint(shade(delta_rule, 0), GRAY ? GREYS : "#7fcdb5 #3fb592 #009e73 #006f51 #00432f", GRAY ? GREY_INK : "#2f8f73 #1f8a6a #007a5a #006f51 #00432f") \
  + paint(shade(vla, 0), GRAY ? GREYS : "#f0a468 #e5832f #d55e00 #9a4400 #5c2900", GRAY ? GREY_INK : "#b5621c #b85c0e #b84f00 #9a4400 #5c2900") \
  + paint(shade(loglinear, 0), GRAY ? GREYS : "#cf8fac #ac5981 #882255 #62183d #3d0f26", GRAY ? GREY_INK : "#a8577f #9c4a72 #882255 #62183d #3d0f26") \
  + paint(shade(softmax, 0), GREYS, GREY_INK) \
  + paint(shade(vort, 0), GRAY ? GREYS : "#a49ad6 #7a6dc0 #5648a6 #332288 #190f4d", GRAY ? GREY_INK : "#7265b8 #6a5cb5 #5648a6 #332288 #190f4d")
hue(style) = style > 30 && style < 41 ? "#000000" : HUE[style]
ink(style) = style > 30 && style < 41 ? "#000000" : INK[style]
do for [n in "1 11 21 41 50 60 70 80 90 100"] {
    n = int(n)
    set style line n   linewidth 1.5 pointtype 7  dashtype (1.2,1.2)    linecolor rgb HUE[n]
    set style line n+1 linewidth 1.5 pointtype 9  dashtype (6,3)        linecolor rgb HUE[n+1]
    set style line n+2 linewidth 2.0 pointtype 5  dashtype solid        linecolor rgb HUE[n+2]
    set style line n+3 linewidth 1.5 pointtype 13 dashtype (9,2,2,2)    linecolor rgb HUE[n+3]
    set style line n+4 linewidth 1.5 pointtype 11 dashtype (5,2,1,2,1,2) linecolor rgb HUE[n+4]
}
set style line vort           linewidth 1.7 pointtype 15 dashtype (24,1.2) linecolor rgb HUE[vort]
set style line memory_minimax linewidth 1.7 pointtype 15 dashtype (24,1.2) linecolor rgb HUE[memory_minimax]
set style line convolution    linewidth 1.7 pointtype 6 dashtype (3,1.5) linecolor rgb HUE[convolution]
set style line one_exponential linewidth 1.5 pointtype 6 dashtype (12,3) linecolor rgb HUE[one_exponential]
set style line refit_rates    linewidth 1.5 pointtype 12 dashtype (3,1.5) linecolor rgb HUE[refit_rates]
set style line free_kernel    linewidth 1.2 pointtype 4 dashtype (4,1.5,1,1.5) linecolor rgb HUE[free_kernel]

# Laws, bounds and lines drawn for contrast: thin and black.
law_line = 31; bound_line = 32; contrast_line = 33
set style line law_line      linewidth 0.9 dashtype solid       linecolor rgb "#000000"
set style line bound_line    linewidth 0.9 dashtype (12,4)      linecolor rgb "#000000"
set style line contrast_line linewidth 0.9 dashtype (1.5,3)     linecolor rgb "#000000"

set border linewidth 1.0 linecolor rgb "#303030"
set tics scale 0.6, 0.3 textcolor rgb "#000000"
set grid xtics ytics linewidth 0.5 dashtype 1 linecolor rgb "#d9d9d9"
set samples 400
unset key

# sample(style, x, x2, y, text): the commands, for eval, that write a line of a
# key: a piece of the line and its name; where curves lie too close for names.
sample(style, x, x2, y, text) = \
    sprintf("set arrow from graph %g,%g to graph %g,%g nohead linestyle %d;", x, y, x+piece(x2-x), y, style) \
    .sprintf("set label '%s' at graph %g,%g textcolor rgb '%s'", text, x+piece(x2-x+0.02), y, ink(style))

# A number rounded up to two digits, written with its power of ten.
up(x) = up_at(x, floor(log10(x)))
up_at(x, e) = sprintf("%.1f·10^{%s%d}", ceil(10*x/10.0**e)/10.0, e < 0 ? "−" : "", abs(e))
