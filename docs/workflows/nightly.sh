#!/bin/sh
# Build once, run, gate, pages; one folder per night. In the crontab:
# 17 3 * * * MODEL=vllm/my-model@http://inference.example:8000/v1 /srv/long-context/nightly.sh
# The same command again on the same day resumes. The exit code is the gate's: 1 if worse, suspicious or broken.
set -eu
cd "$(dirname "$0")"
night=nights/$(date +%F)
[ -d bench ] || longreach build "${FAMILY:-needles}" benchmark.yaml -o bench/
longreach run bench/ -m "$MODEL" -o "$night" --budget "${BUDGET:-20Mtok}" --wait-for-server 10min --yes
code=0
longreach gate "$night" --against nights/ --margin "${MARGIN:-5}" -o gate.html > gate.txt || code=$?
cat gate.txt
longreach report "$night" -o "$night/page.html" > report.txt
[ "$(ls nights | grep -c ^2)" -lt 2 ] || longreach history nights/ -o history.html > history.txt
exit $code
