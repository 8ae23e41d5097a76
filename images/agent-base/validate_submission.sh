#!/usr/bin/env bash
# Asks whether a submission is well-formed: validate_submission.sh FILE. Prints the answer, which never tells a score.
set -euo pipefail

file=${1:-}
if [[ ! -f $file ]]; then
    echo "validate_submission: ${file:-no file named}${file:+ is not there}; say: validate_submission.sh /home/submission/submission.csv" >&2
    exit 1
fi

url=${VALIDATION_URL:-http://localhost:5000}
curl --silent --show-error --max-time 600 --form "file=@\"${file}\"" "$url/validate" || {
    echo "validate_submission: $url does not answer; it does while a run is under way" >&2
    exit 1
}
echo
