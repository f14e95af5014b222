# The common style of the figures, loaded by each of them: formats, sizes,
# colours, dashes and points.
#
# STYLE    in the environment: color (the default), gray (greys and dashes
#          only), talk (larger letters and lines).
# FORMATS  in the environment: the formats to draw, some of "pdf svg png".
#
# The colours are Okabe and Ito's, which colour-blind eyes tell apart; a method
# also has a dash and a point of its own, so that nothing hangs on colour.

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

# One column of a journal, or half of a slide; letters in points.
WIDTH   = TALK ? 16.0 : 8.6
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
    .sprintf("; set pointsize %.3f; set output '%s.%s'", points, NAME, f)

# named_y(text): the command, for eval, that names the vertical axis; a label,
# for gnuplot's own place for it hangs on widths of letters SVG does not know.
named_y(text) = sprintf("set label '%s' at screen 0.03, graph 0.5 center rotate", text)
near_x(f) = f eq "svg" ? 0.8 : 0.5

# Methods: the number the data give them, and their line style.
sinc = 0; trapezoid = 1; legendre = 2; laguerre = 3; jacobi = 4; minimax = 5
memory_sinc      = 11
memory_trapezoid = 12
memory_legendre  = 13
memory_laguerre  = 14
memory_jacobi    = 15
memory_minimax   = 16              # the best sum

# Exponents, in the order of the data, have the styles 21 to 25.
hue(style) = word(GRAY ? "#606060 #909090 #000000 #404040 #707070 #202020" \
                       : "#0072b2 #009e73 #d55e00 #aa4488 #b87a00 #332288", style % 10)
ink(style) = GRAY || style > 30 ? "#000000" : hue(style)       # of letters
do for [s in "11 21"] {
    n = int(s)
    set style line n   linewidth 1.5 pointtype 7  dashtype (1.2,1.2)    linecolor rgb hue(n)
    set style line n+1 linewidth 1.5 pointtype 9  dashtype (6,3)        linecolor rgb hue(n+1)
    set style line n+2 linewidth 2.0 pointtype 5  dashtype solid        linecolor rgb hue(n+2)
    set style line n+3 linewidth 1.5 pointtype 13 dashtype (9,2,2,2)    linecolor rgb hue(n+3)
    set style line n+4 linewidth 1.5 pointtype 11 dashtype (5,2,1,2,1,2) linecolor rgb hue(n+4)
}
set style line memory_minimax linewidth 1.7 pointtype 15 dashtype (24,1.2) linecolor rgb hue(memory_minimax)

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
    sprintf("set arrow from graph %g,%g to graph %g,%g nohead linestyle %d;", x, y, x2, y, style) \
    .sprintf("set label '%s' at graph %g,%g textcolor rgb '%s'", text, x2+0.02, y, ink(style))

# A number rounded up to two digits, written with its power of ten.
up(x) = up_at(x, floor(log10(x)))
up_at(x, e) = sprintf("%.1f·10^{%s%d}", ceil(10*x/10.0**e)/10.0, e < 0 ? "−" : "", abs(e))
