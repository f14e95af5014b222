#!/bin/sh
# Draws the figures: copies the scripts beside the data and runs gnuplot there.
#
#     sh plots/draw.sh PLOTS_DIR FIGURES_DIR [experiments]
#
# With "experiments", the figures of make experiments instead of the claims'.
# STYLE in the environment is color (the default), gray or talk.  A figure is
# drawn again only when its data, its script, the common style, STYLE or the
# gnuplot changed, or a picture of it is gone; same data, same bytes.
set -u
LC_ALL=C
export LC_ALL

figures='vort-weights vort-soe-error vort-soe-terms vort-soe-laws vort-soe-equioscillation vort-soe-nodes vort-soe-cells vort-banks vort-l2 vort-plasticity vort-features loglinear-levels loglinear-competition loglinear-memories vla-jacobian-norm vla-jacobian-growth vla-drift vla-recall vla-products vla-state-norm kernel-growth kernel-ulp kernel-methods'

experiments='experiments-lags experiments-kernels experiments-recall experiments-information experiments-bits'

if [ $# -eq 3 ] && [ "$3" = experiments ]; then
    figures=$experiments
    set -- "$1" "$2"
fi
if [ $# -ne 2 ] || [ ! -f "$1/style.gp" ] || [ ! -d "$2" ]; then
    echo "usage: sh draw.sh PLOTS_DIR FIGURES_DIR [experiments]   (the scripts; the data, where the pictures go)" >&2
    exit 2
fi
plots=$(CDPATH='' cd -- "$1" && pwd) && out=$(CDPATH='' cd -- "$2" && pwd) || exit 2
STYLE=${STYLE:-color}
case $STYLE in
color | gray | talk) ;;
*)
    echo "draw.sh: STYLE is color, gray or talk, not '$STYLE'" >&2
    exit 2
    ;;
esac
export STYLE

for name in style $figures; do
    cmp -s "$plots/$name.gp" "$out/$name.gp" || cp "$plots/$name.gp" "$out/$name.gp" || exit 1
done

if ! command -v gnuplot >/dev/null 2>&1; then
    echo "gnuplot is not installed, so nothing is drawn: data and scripts are in $out; to draw them, run there: gnuplot NAME.gp"
    exit 0
fi

# -d: no initial files of the user's.
terminals=$(gnuplot -d -e 'set print "-"; print GPVAL_TERMINALS' 2>/dev/null)
FORMATS=
for format in pdf svg png; do
    terminal=${format}cairo
    [ $format = svg ] && terminal=svg
    case " $terminals " in
    *" $terminal "*) FORMATS="$FORMATS $format" ;;
    *) echo "this gnuplot has no terminal $terminal: no $format is drawn" ;;
    esac
done
export FORMATS
[ -n "$FORMATS" ] || exit 0
case $FORMATS in *pdf*) wide=1 ;; *) wide='' ;; esac

mkdir -p "$out/.drawn" || exit 1
# what a run that was killed left there
for left in "$out/.drawn"/work.*; do
    [ ! -d "$left" ] || kill -0 "${left##*.}" 2>/dev/null || rm -rf "$left"
done
work="$out/.drawn/work.$$"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

# The key of a figure: what its pictures depend on.
key() {
    cksum <"$out/$1.dat"
    cksum <"$out/$1.gp"
    cksum <"$out/style.gp"
    echo "$STYLE$FORMATS $(gnuplot --version)"
}

pictures() {
    for format in $FORMATS; do
        echo "$1.$format"
    done
    [ -z "$wide" ] || echo "$1-wide.pdf"
}

drawn() {
    [ -f "$out/.drawn/$1" ] && [ "$(cat "$out/.drawn/$1")" = "$2" ] || return 1
    for picture in $(pictures "$1"); do
        [ -s "$out/$picture" ] || return 1
    done
}

failed=0
for name in $figures; do
    if [ ! -s "$out/$name.dat" ]; then
        echo "$name: no data ($out/$name.dat), not drawn"
        continue
    fi
    now=$(key "$name")
    drawn "$name" "$now" && continue

    # Drawn in a folder of its own, under its own name, then moved into place.
    rm -rf "$work" && mkdir "$work" && cp "$out/$name.dat" "$out/$name.gp" "$out/style.gp" "$work" || exit 1
    # One column in every format, two columns as PDF.
    if ! (cd "$work" && WIDE='' gnuplot -d "$name.gp" && { [ -z "$wide" ] || WIDE=1 FORMATS=pdf gnuplot -d "$name.gp"; }) >"$work/log" 2>&1; then
        echo "draw.sh: gnuplot failed on $plots/$name.gp:" >&2
        sed 's/^/    /' "$work/log" >&2
        failed=1
        continue
    fi
    # The PDF's date, blanked at its own length, so that offsets stay right.
    for pdf in "$work/$name.pdf" "$work/$name-wide.pdf"; do
        [ -f "$pdf" ] || continue
        sed 's/\/CreationDate (D:[0-9]\{14\}/\/CreationDate (D:20000101000000/' "$pdf" >"$work/undated" &&
            mv "$work/undated" "$pdf" || exit 1
    done
    rm -f "$out/.drawn/$name"
    for picture in $(pictures "$name"); do
        if [ ! -s "$work/$picture" ]; then
            echo "draw.sh: $plots/$name.gp drew no $picture" >&2
            failed=1
            continue 2
        fi
        mv "$work/$picture" "$out/$picture" || exit 1
    done
    printf '%s\n' "$now" >"$out/.drawn/$name"
    echo "$name: drawn ($STYLE,$FORMATS)"
done
exit $failed
