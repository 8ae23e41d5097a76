#!/usr/bin/env bash
# Hands in the sample submission as it is: the smallest agent that leaves a valid file.
set -euo pipefail

data=${DATA_DIR:-/home/data}
submission=${SUBMISSION_DIR:-/home/submission}

# The sample is not called sample_submission.csv everywhere; the shortest name that looks like one is it.
find_sample() {
    find -L "$data" -maxdepth 2 -type f -iname '*sample*submission*.csv' -printf '%d %f\t%p\n' |
        awk '{ print length($0) "\t" $0 }' | sort -n | head -n 1 | cut -f 3-
}

sample=$data/sample_submission.csv
[[ -f $sample ]] || sample=$(find_sample)
if [[ -z $sample ]]; then
    echo "dummy: no sample submission in $data (looked for *sample*submission*.csv), so there is nothing to hand in" >&2
    exit 1
fi

mkdir -p "$submission"
cp "$sample" "$submission/.submission.csv.part"
mv "$submission/.submission.csv.part" "$submission/submission.csv"
echo "dummy: copied $sample to $submission/submission.csv"
