#!/bin/sh
# instruction_sets.sh
#	Builds a kernel unit test for several instruction sets, compilers and
#	levels of optimisation and runs each: the groups must be the same bits.
#
#	test/instruction_sets.sh [TOPIC ...]	default: the microaggregation tests
set -eu
cd "$(dirname "$0")/.."
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
top=$PWD
topics=${*:-microaggregate_group mdav vmdav}
failed=0

try()
{
	name=$1
	shift
	rm -f "$build"/*.o
	printf '%s\n' "$PWD"/src/kernel/*/*.c "$PWD/test/unit/unit.c" |
		(cd "$build" && xargs -P "$(nproc)" -n 8 "$@" -std=gnu99 \
			-ffp-contract=off -I"$top/src" -I"$top/test/unit" -c)
	# a test may include a kernel's source: then its object is left out
	rm -f "$build/kernels.a"
	ar rcs "$build/kernels.a" "$build"/*.o
	for topic in $topics; do
		"$@" -std=gnu99 -ffp-contract=off -Isrc -Itest/unit \
			-o "$build/test" "test/unit/$topic.c" "$build/kernels.a" -lglpk -lm
		if "$build/test" >"$build/out"; then
			echo "ok - $topic: $name"
		else
			echo "not ok - $topic: $name"
			grep '^not ok' "$build/out" || true
			failed=1
		fi
	done
}

has()
{
	grep -qw "$1" /proc/cpuinfo 2>/dev/null
}

try "gcc -O3, chosen at load time" gcc -O3
try "gcc -O0, base" gcc -O0 -DSDC_CLONES=
try "gcc -O3, base" gcc -O3 -DSDC_CLONES=
if has avx2 && has fma; then
	try "gcc -O3, AVX2 and FMA" gcc -O3 -DSDC_CLONES= -mavx2 -mfma
fi
if has avx512f; then
	try "gcc -O3, AVX-512" gcc -O3 -DSDC_CLONES= -mavx512f -mfma
fi
if command -v clang >/dev/null; then
	try "clang -O2, base" clang -O2
fi
exit $failed
