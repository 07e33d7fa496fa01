# packages.sh: finds out what is missing and installs it through apt.
#
# Sourced by ./run.  need_packages [test] leaves PG_CONFIG set to a PostgreSQL
# that can be built against and run, or ends the program with a message that
# says what to install.  What is there is recognised by what it does, not by
# the package it came from, so software built from source counts.

# Can sdc be built against, and run with, the PostgreSQL of this pg_config?
usable_postgresql()
{
	local pgxs

	pgxs=$("$1" --pgxs 2>/dev/null) && [ -f "$pgxs" ] &&
		[ -x "$("$1" --bindir)/postgres" ] &&
		[ -f "$("$1" --includedir-server)/postgres.h" ]
}

# Prints the pg_config to use, if there is one.
find_postgresql()
{
	local version

	for version in 18 17 16 15 14 13; do
		if usable_postgresql "/usr/lib/postgresql/$version/bin/pg_config"; then
			echo "/usr/lib/postgresql/$version/bin/pg_config"
			return 0
		fi
	done
	if usable_postgresql pg_config; then
		command -v pg_config
	fi
}

# The packages of the PostgreSQL that this system offers.
postgresql_packages()
{
	local version=

	if command -v apt-cache >/dev/null; then
		version=$(LC_ALL=C apt-cache show postgresql 2>/dev/null |
			sed -n 's/^Depends:.*postgresql-\([0-9]*\).*/\1/p' | tail -n 1)
	fi
	if [ -z "$version" ] || [ "$version" -lt 13 ] || [ "$version" -gt 18 ]; then
		version=15
	fi
	echo "postgresql-$version postgresql-server-dev-$version"
}

# Does the compiler find a header?
has_header()
{
	echo "#include <$1>" | gcc -E -x c - >/dev/null 2>&1
}

# Names the Debian packages of what is not there, one per line.
missing_packages()
{
	local purpose=$1

	command -v make >/dev/null || echo make
	command -v gcc >/dev/null || echo gcc
	has_header stdlib.h || echo libc6-dev
	has_header glpk.h || echo libglpk-dev
	# Debian's servers link it, and not every libpq-dev brings its header
	has_header openssl/evp.h || echo libssl-dev
	command -v setpriv >/dev/null || [ "$(id -u)" != 0 ] || echo util-linux
	if [ -z "${PG_CONFIG:-}" ] && [ -z "$(find_postgresql)" ]; then
		printf '%s\n' $(postgresql_packages)
	fi
	if [ "$purpose" = test ]; then
		command -v prove >/dev/null || echo perl
		perl -MIPC::Run -e 1 2>/dev/null || echo libipc-run-perl
	fi
}

# No "grep -q" behind a pipe: it leaves early, and with pipefail the writer's
# SIGPIPE then counts as a failure, now and then.

# Formatting is checked with the version that the style was written for.  It
# is installed where the system has it; elsewhere that check is skipped.
optional_packages()
{
	if [ "$1" = test ] && ! command -v clang-format-14 >/dev/null &&
		LC_ALL=C apt-cache show clang-format-14 2>/dev/null |
		grep '^Package:' >/dev/null; then
		echo clang-format-14
	fi
}

# Becomes root for apt, by sudo if need be.
as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

apt_install()
{
	as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get install \
		-y -q --no-install-recommends "$@"
}

# Installs packages; the lists are refreshed only when it fails without.
install_packages()
{
	local log

	log=$(mktemp)
	trap 'rm -f "$log"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	echo "installing $*" >&2
	if ! apt_install "$@" >"$log" 2>&1 </dev/null; then
		as_root apt-get -q update >>"$log" 2>&1 </dev/null || true
		if ! apt_install "$@" >>"$log" 2>&1 </dev/null; then
			cat "$log" >&2
			echo "apt-get could not install: $*" >&2
			exit 1
		fi
	fi
	rm -f "$log"
	trap - EXIT INT TERM HUP
}

need_packages()
{
	local purpose=${1:-} missing optional

	if [ -n "${PG_CONFIG:-}" ] && ! usable_postgresql "$PG_CONFIG"; then
		echo "PG_CONFIG=$PG_CONFIG is not the pg_config of a PostgreSQL" \
			"server with its development files" >&2
		exit 1
	fi
	missing=$(missing_packages "$purpose")
	optional=$(optional_packages "$purpose")
	if [ -n "$missing" ] && ! command -v apt-get >/dev/null; then
		echo "sdc needs these, under the names that Debian gives them;" \
			"install them and run again:" >&2
		printf '  %s\n' $missing >&2
		exit 1
	fi
	if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
		if [ -n "$missing" ]; then
			echo "run this as root, then again:" >&2
			echo "  apt-get install" $missing >&2
			exit 1
		fi
		optional=
	fi
	# What can be done without is not worth asking for a password.
	if [ -n "$missing" ]; then
		install_packages $missing $optional
	elif [ -n "$optional" ] && [ "$(id -u)" = 0 ]; then
		(install_packages $optional) 2>/dev/null || true
	fi
	if [ -z "${PG_CONFIG:-}" ]; then
		PG_CONFIG=$(find_postgresql)
	else
		PG_CONFIG=$(command -v "$PG_CONFIG")
	fi
}
