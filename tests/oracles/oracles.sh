#!/bin/sh
# oracles.sh ANSWERS MNEME [GROUP...]: tests/oracles/oracles.py by a Python that has mpmath.
python=/usr/bin/python3
"$python" -c 'import mpmath' 2>/dev/null || python=python3
exec "$python" "$(dirname "$0")/oracles.py" "$@"
