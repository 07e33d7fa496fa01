#!/usr/bin/env bash
#
# fuzz.sh [NAME [RUNS]]: looks for inputs on which a kernel and its oracle
# differ, or on which ASan or UBSan stops it; ./run fuzz calls it.
#
# NAME is a target of test/fuzz, without it each has its turn; RUNS is how many
# inputs, 100000 if not said, or 120s for so many seconds.  Needs clang with
# libFuzzer.  New inputs that reach new code are kept in build/, and merged into
# test/fuzz/corpus, which stays small, with SDC_MERGE=1.  What fails is left as
# crash-... and printed.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${SDC_BUILD:?run this through ./run fuzz}/fuzz
only=${1:-}
runs=-runs=${2:-100000}
case $runs in
	*s) runs=-max_total_time=${2%s} ;;
esac

if ! command -v clang >/dev/null; then
	echo "fuzzing needs clang and its libFuzzer: clang, libclang-rt-dev" >&2
	exit 1
fi
cd "$root"
mkdir -p "$build/bin"
flags="-std=gnu99 -O1 -g -w -fno-omit-frame-pointer -ffp-contract=off"
flags+=" -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
make --no-print-directory -s -j"$(nproc)" -f test/unit/Makefile \
	BUILD="$build" CC=clang CFLAGS="$flags" "$build/kernels.a" \
	"$build/test/unit/unit.o"
for source in test/fuzz/${only:-*}.c; do
	name=$(basename "$source" .c)
	clang $flags -fsanitize=fuzzer -Isrc -Itest/unit -Itest/fuzz \
		-o "$build/bin/$name" "$source" "$build/test/unit/unit.o" \
		"$build/kernels.a" -lglpk -lm
	mkdir -p "$build/corpus/$name" "test/fuzz/corpus/$name"
	echo "$name"
	"$build/bin/$name" "$runs" -max_len=4096 -timeout=60 -print_final_stats=1 \
		-artifact_prefix="$build/" "$build/corpus/$name" \
		"test/fuzz/corpus/$name" >"$build/$name.log" 2>&1 || {
		tail -n 40 "$build/$name.log"
		exit 1
	}
	grep -E 'stat::number_of_executed_units|cov: .*DONE' "$build/$name.log" || true
	if [ -n "${SDC_MERGE:-}" ]; then
		"$build/bin/$name" -merge=1 -max_len=1024 "test/fuzz/corpus/$name" \
			"$build/corpus/$name" >>"$build/$name.log" 2>&1
	fi
done
