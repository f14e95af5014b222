#!/bin/sh
# Compiles the sample paper.
#
#     sh compile.sh PAPER_DIR REPORTS_DIR FIGURES_DIR OUTPUT_DIR MAKE
#
# What is missing (reports on all claims, figures as PDF) is made with MAKE first.
set -u
if [ $# -ne 5 ]; then
    echo "usage: sh compile.sh PAPER_DIR REPORTS_DIR FIGURES_DIR OUTPUT_DIR MAKE" >&2
    exit 2
fi
paper=$1 reports=$2 figures=$3 out=$4 make=$5

if ! command -v pdflatex >/dev/null 2>&1; then
    echo "paper: pdflatex is not installed (Debian: texlive-latex-base, texlive-latex-recommended); reports and figures do not need it" >&2
    exit 2
fi
for package in amsmath amssymb array booktabs longtable graphicx geometry hyperref; do
    if ! kpsewhich $package.sty >/dev/null 2>&1; then
        echo "paper: the LaTeX package $package is missing (Debian: texlive-latex-base, texlive-latex-recommended)" >&2
        exit 2
    fi
done

[ -s "$reports/claims.tex" ] && [ -s "$reports/numbers.tex" ] || $make verify >/dev/null || exit 1
$make figures || exit 1
mkdir -p "$out" && cp "$paper/paper.tex" "$reports/claims.tex" "$reports/numbers.tex" "$figures/captions.tex" "$out" || exit 1
# Inclusions fail one by one; say it once.
for name in $(sed -n 's/^  #1{\(.*\)}%$/\1/p' "$out/captions.tex"); do
    for pdf in "$figures/$name.pdf" "$figures/$name-wide.pdf"; do
        if [ ! -s "$pdf" ]; then
            echo "paper: $pdf is missing: figures need gnuplot with the terminal pdfcairo" >&2
            exit 2
        fi
        cp "$pdf" "$out" || exit 1
    done
done
cd "$out" || exit 1
for pass in 1 2; do
    if ! pdflatex -interaction=nonstopmode -halt-on-error paper.tex >pdflatex.log 2>&1; then
        echo "paper: pdflatex failed, see $out/paper.log:" >&2
        grep -A 3 '^!' paper.log | head -8 >&2
        exit 1
    fi
done
echo "paper: $out/paper.pdf"
