#!/bin/sh
# tree.sh BIN TREE JOBS DRAW FILE...: a copy of the sources under TREE in which FILEs carry mutants, drawn by
# "BIN/run choose DRAW TREE"; TREE/mutants.tsv lists them.  BIN holds mutate and run.
set -eu
bin=$1 tree=$2 jobs=$3 draw=$4
shift 4
rm -rf "$tree"
mkdir -p "$tree"
{ git ls-files 2>/dev/null || find . -path ./build -prune -o -type f -print; } > "$tree.files"
tar -cf - -T "$tree.files" | tar -xf - -C "$tree"
machine=
case $(uname -m) in x86_64) machine='-mavx512f -mfma -DMN_X86 -DMN_ISA_NAME=avx512' ;; esac
# A header is parsed in a unit that includes nothing else.
cat > "$tree.mutate" <<END
case \$1 in
*.h) unit=$tree.unit-\$\$.c; printf '#include "%s"\\n' "\$1" > "\$unit" ;;
*) unit=\$1 ;;
esac
'$bin/mutate' "\$1" "\$unit" "\$2" "\$3" -std=c11 -D_GNU_SOURCE -I. -fopenmp $machine ${ARB_FLAGS:-} || exit 255
[ "\$unit" = "\$1" ] || rm -f "\$unit"
END
rm -rf "$tree.lists"
mkdir -p "$tree.lists"
printf '%s\n' "$@" | xargs -P "$jobs" -I@ sh -c 'sh "$1" "$3" /dev/null - > "$2/$(echo "$3" | tr / +)"' sh "$tree.mutate" "$tree.lists" @
cat "$tree.lists"/* > "$tree/all.tsv"
eval "'$bin/run' choose $draw '$tree'"
cut -d' ' -f1 "$tree/chosen" | sort -u |
    xargs -P "$jobs" -I@ sh -c 'sh "$1" "$3" "$2/chosen" "$2/$3" > /dev/null' sh "$tree.mutate" "$tree" @
# The part that reads the environment goes where every program takes it from.
printf '\n#include "tests/mutants/mutant.c"\n' >> "$tree/numerics/kernels/parts.c"
