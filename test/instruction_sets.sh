#!/bin/sh
# instruction_sets.sh
#	Builds a kernel unit test for several instruction sets, compilers and
#	levels of optimisation and runs each: the groups must be the same bits.
#
#	test/instruction_sets.sh [TOPIC ...]	default: the microaggregation tests
#
#	Where Debian's gcc-aarch64-linux-gnu and qemu-user-static are installed, they
#	are run as a 64-bit ARM runs them, too, but for topics that call GLPK.
set -eu
cd "$(dirname "$0")/.."
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
top=$PWD
topics=${*:-microaggregate_group mdav vmdav}
failed=0
# what runs a program, and the library of the solver
run=
solver=-lglpk

# Kernels that need no library, or all.
sources()
{
	if [ -n "$solver" ]; then
		printf '%s\n' "$top"/src/kernel/*/*.c
	else
		grep -L '<glpk.h>' "$top"/src/kernel/*/*.c
	fi
}

try()
{
	name=$1
	shift
	rm -f "$build"/*.o
	# the host of the tests tells the solver, if there is one, to be silent
	echo 'int glp_term_out(int flag) { return flag; }' >"$build/silent.c"
	{
		sources
		echo "$top/test/unit/unit.c"
		[ -n "$solver" ] || echo "$build/silent.c"
	} |
		(cd "$build" && xargs -P "$(nproc)" -n 8 "$@" -std=gnu99 \
			-ffp-contract=off -I"$top/src" -I"$top/test/unit" -c)
	# a test may include a kernel's source: then its object is left out
	rm -f "$build/kernels.a"
	ar rcs "$build/kernels.a" "$build"/*.o
	for topic in $topics; do
		"$@" -std=gnu99 -ffp-contract=off -Isrc -Itest/unit \
			-o "$build/test" "test/unit/$topic.c" "$build/kernels.a" $solver -lm
		if $run "$build/test" >"$build/out"; then
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
if command -v aarch64-linux-gnu-gcc >/dev/null &&
	command -v qemu-aarch64-static >/dev/null; then
	run="qemu-aarch64-static -L /usr/aarch64-linux-gnu"
	solver=
	try "gcc -O2, 64-bit ARM" aarch64-linux-gnu-gcc -O2
fi
exit $failed
