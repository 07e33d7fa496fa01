#!/usr/bin/env bash
#
# versions.sh [-d ROOTS] [-k "KIND [NAME...]"]... [13 15 17 18 bare ten
# container]: builds and tests this tree on other systems, each a Debian root
# directory entered by chroot.
#
#   13 15 17 18   the PostgreSQL of bullseye, bookworm, trixie and forky with
#                 its own compiler: "make" with bitcode, its warnings counted,
#                 then ./run test with -Werror, and make installcheck
#   bare          bookworm with nothing but the clone: ./run demo and
#                 ./run test, both twice; the second time apt is forbidden
#   ten           bookworm with a PostgreSQL that has a database "shop", and
#                 neither sdc nor a compiler: the ten commands of README.md,
#                 from git clone to a safe copy in another database, typed by
#                 the role that owns the shop and may use sudo
#
#   container     the lines of Containerfile, one after the other, where nothing
#                 builds images: bookworm with its own PostgreSQL 15 stands for
#                 the image that FROM names, each FROM is a copy of it, RUN is
#                 done in chroot.  Then a server of the last stage is asked
#
# Without names all seven run.  With -k, once or more, only "./run test KIND
# NAME..." runs, with -Werror, and what was built is kept there for the next
# time; -k security stands for the whole of regress and for the TAP files 040
# to 050.  Roots are made with debootstrap where they are missing (2 GB each,
# some minutes) and kept in ROOTS: the option, or $SDC_ROOTS, or
# /var/tmp/sdc-roots.  The root of "bare" is copied before it is used.  Needs
# root, Linux and, for new roots, debootstrap.
#
# Ends with a table; the output of each is kept beside it as ROOTS/<name>.out.

set -euo pipefail

clone=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
roots=${SDC_ROOTS:-/var/tmp/sdc-roots}
# The mirror that this machine itself installs from.
mirror=${SDC_MIRROR:-$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* \
	2>/dev/null | grep -oE '(https?|mirror\+file|file):[^ ]*/debian/?( |$)' |
	head -n 1 | tr -d ' ' || true)}
place=/srv/sdc

suite_of()
{
	case $1 in
		13) echo bullseye ;;
		15 | bare | ten | container) echo bookworm ;;
		17) echo trixie ;;
		18) echo forky ;;
		*) return 1 ;;
	esac
}

directory_of()
{
	case $1 in
		bare | ten | container) echo "$roots/bare12" ;;
		*) echo "$roots/pg$1" ;;
	esac
}

# Makes a root unless there is one.  A file .done tells a whole root from one
# whose making was interrupted.
make_root()
{
	local name=$1 directory suite script=() packages=()

	directory=$(directory_of "$name")
	suite=$(suite_of "$name")
	if [ -e "$directory.done" ]; then
		return 0
	fi
	if [ "$directory" != "$roots/bare12" ]; then
		packages=("--include=build-essential,libglpk-dev,libssl-dev,libipc-run-perl,postgresql-$name,postgresql-server-dev-$name")
	fi
	# A debootstrap older than the suite has no script of that name.
	if [ ! -e "/usr/share/debootstrap/scripts/$suite" ]; then
		script=(/usr/share/debootstrap/scripts/sid)
	fi
	echo "making $directory ($suite)" >&2
	rm -rf "$directory"
	debootstrap --variant=minbase "${packages[@]}" "$suite" "$directory" \
		"$mirror" "${script[@]}" >"$directory.log" 2>&1 || {
		tail -n 20 "$directory.log" >&2
		return 1
	}
	touch "$directory.done"
}

# Runs a bash script, read from stdin, inside a root.  Mounts and processes
# live in name spaces of their own and vanish with it.
inside()
{
	unshare --mount --pid --fork --kill-child bash -ec '
		mount -t proc proc "$1/proc"
		mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
		exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			HOME=/root TERM=dumb CI=true chroot "$1" bash -s' inside "$1"
}

# What was built is kept, and so are the times of files that are what they were,
# since make looks at these.
copy_clone()
{
	local old=$1$place new=$1$place.new file

	rm -rf "$new"
	mkdir -p "$old" "$new"
	tar -C "$clone" --exclude=./.git --exclude=./build --exclude=./bench \
		--exclude='*.o' --exclude='*.bc' --exclude='*.so' -cf - . |
		tar -C "$new" -xf - --no-same-owner
	while IFS= read -r -d '' file; do
		if cmp -s "$old/$file" "$new/$file"; then
			touch -r "$old/$file" "$new/$file"
		fi
	done < <(cd "$new" && find . -type f -print0)
	find "$old" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
	find "$new" -mindepth 1 -maxdepth 1 -exec mv -t "$old" {} +
	rmdir "$new"
	cp /etc/resolv.conf "$1/etc/resolv.conf"
}

test_kinds()
{
	local directory status=0 kind

	directory=$(directory_of "$1")
	copy_clone "$directory"
	for kind in "${kinds[@]}"; do
		echo "== $kind"
		inside "$directory" <<-SCRIPT || status=$?
			cd $place
			export PG_CONFIG=/usr/lib/postgresql/$1/bin/pg_config COPT=-Werror
			./run test $kind
		SCRIPT
	done
	return $status
}

test_version()
{
	local directory status=0

	directory=$(directory_of "$1")
	rm -rf "$directory$place"
	copy_clone "$directory"
	inside "$directory" <<-SCRIPT || status=$?
		cd $place
		export PG_CONFIG=/usr/lib/postgresql/$1/bin/pg_config
		\$PG_CONFIG --version
		gcc --version | head -n 1
		make -s -j\$(nproc) with_llvm=yes PG_CONFIG=\$PG_CONFIG || exit 1
		make -s clean PG_CONFIG=\$PG_CONFIG
		export COPT=-Werror
		./run test || exit 1
		test/with_cluster.sh make -s -C \$(./run build) -f ../../Makefile installcheck
	SCRIPT
	rm -rf "$directory$place"
	return $status
}

test_bare()
{
	local directory=$roots/bare12.copy status=0

	rm -rf "$directory"
	cp -a "$roots/bare12" "$directory"
	copy_clone "$directory"
	inside "$directory" <<-SCRIPT || status=$?
		cd $place
		bad=0
		time ./run demo || bad=1
		time ./run test || bad=1
		printf '#!/bin/sh\necho "apt-get \$*" >>/apt-was-called\nexit 100\n' \
			>/usr/local/sbin/apt-get
		chmod +x /usr/local/sbin/apt-get
		find / -xdev -type f ! -path '/var/log/*' ! -path /before | sort >/before
		time ./run demo || bad=1
		time ./run test || bad=1
		find / -xdev -type f ! -path '/var/log/*' ! -path /before ! -path /after | sort >/after
		diff /before /after | grep '^[<>]' | grep -v '$place/build/' && bad=1
		test ! -e /apt-was-called || bad=1
		exit \$bad
	SCRIPT
	rm -rf "$directory"
	return $status
}

# What is there before the first command: a server with somebody's shop, whose
# owner may use sudo.  The clone is cloned from a clone of what is
# committed, as it would be from elsewhere.
test_ten()
{
	local directory=$roots/bare12.ten status=0

	rm -rf "$directory"
	cp -a "$roots/bare12" "$directory"
	cp /etc/resolv.conf "$directory/etc/resolv.conf"
	git clone -q --bare --no-hardlinks "$clone" "$directory/srv/sdc.git"
	cp "$clone/test/data/shop.sql" "$directory/srv/shop.sql"
	git -C "$clone" show HEAD:README.md |
		sed -n '/^## Three ways in/,/^## How/{/^```sh$/,/^```$/{/^```/d;p;};}' \
			>"$directory/srv/commands"
	inside "$directory" <<-'SCRIPT' || status=$?
		set -eu
		export LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive
		apt-get -qq update
		apt-get -qq install -y --no-install-recommends postgresql sudo </dev/null >/dev/null
		useradd -m anna
		chown -R anna: /srv/sdc.git
		printf 'anna ALL=(ALL) NOPASSWD: ALL\nDefaults env_keep += "LANG DEBIAN_FRONTEND"\n' >/etc/sudoers.d/anna
		echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/yes
		pg_ctlcluster "$(ls /etc/postgresql)" main start
		cd /srv
		sudo -u postgres psql -Xqc 'CREATE ROLE anna LOGIN' -c 'CREATE DATABASE shop OWNER anna' \
			-c 'CREATE DATABASE staging OWNER anna'
		sudo -u anna psql -Xqd shop -v ON_ERROR_STOP=1 -v shop=shop -v customers=1000 -f /srv/shop.sql
		cat >/srv/type <<-'TYPE'
			export SDC=/srv/sdc.git
			cd
			exec 3</srv/commands
			passed=0
			failed=0
			while IFS= read -r command <&3; do
			    echo "\$ $command"
			    start=$(date +%s)
			    if (eval "$command") </dev/null; then
			        passed=$((passed + 1))
			    else
			        failed=$((failed + 1))
			    fi
			    echo "after $(($(date +%s) - start)) s"
			done
			test $((passed + failed)) -le 10 || failed=$((failed + 1))
			found=$(psql -XAtd staging -c "SELECT count(*) || ' ' || count(*) FILTER (WHERE c::text ~ 'web\.test|171 555') FROM shop.customer AS c")
			echo "customers in staging, and those with an identifier of before: $found"
			test "$found" = "1000 0" && passed=$((passed + 1)) || failed=$((failed + 1))
			test "$(psql -XAtd staging -c 'SELECT count(*) FROM shop.ticket JOIN shop.customer USING (email)')" = 250 &&
			    passed=$((passed + 1)) || failed=$((failed + 1))
			echo "$passed passed, $failed failed, 0 skipped"
			test $failed = 0
		TYPE
		sudo -iu anna env LANG=$LANG DEBIAN_FRONTEND=$DEBIAN_FRONTEND sh /srv/type
	SCRIPT
	rm -rf "$directory"
	return $status
}

# One line of Containerfile, with the stage that it belongs to in $stage.
container_line()
{
	local words

	read -ra words <<<"$1"
	case ${words[0]} in
		ARG) ;;
		FROM)
			[[ ${words[1]} == docker.io/library/postgres:15-bookworm ]] || return 1
			stage=$roots/container.${words[3]:-last}
			rm -rf "$stage"
			cp -a "$roots/container.base" "$stage"
			;;
		RUN) inside "$stage" <<<"set -e; ${1#RUN }" ;;
		COPY)
			if [[ ${words[1]} == --from=* ]]; then
				cp -a "$roots/container.${words[1]#--from=}${words[2]}." "$stage${words[3]}"
			else
				[ "${words[1]}" = . ] || return 1
				mkdir -p "$stage${words[2]}"
				git -C "$clone" archive HEAD | tar -C "$stage${words[2]}" -xf -
			fi
			;;
		*) return 1 ;;
	esac
}

test_container()
{
	local base=$roots/container.base status=0 stage= line

	rm -rf "$base"
	cp -a "$roots/bare12" "$base"
	cp /etc/resolv.conf "$base/etc/resolv.conf"
	inside "$base" <<-'SCRIPT'
		set -e
		apt-get -qq update
		DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends postgresql-15 </dev/null >/dev/null
	SCRIPT
	while IFS= read -r line <&3; do
		echo "$line"
		container_line "$line" || {
			echo "not ok - $line"
			status=1
			break
		}
	done 3< <(sed -e '/^#/d' -e '/^$/d' -e ':a' -e '/\\$/{N;s/\\\n */ /;ba;}' \
		-e 's/${VERSION}/15/g' "$clone/Containerfile")
	if [ $status = 0 ]; then
		inside "$stage" <<-'SCRIPT' || status=$?
			set -e
			if command -v gcc || [ -e /sdc ]; then
				exit 1
			fi
			pg_ctlcluster 15 main start
			ask="setpriv --reuid=postgres --regid=postgres --clear-groups psql -XAtq -v ON_ERROR_STOP=1"
			$ask -c 'CREATE EXTENSION sdc' \
				-c 'CREATE TABLE t AS SELECT i, i % 3 AS k FROM generate_series(1, 30) AS i'
			# the lists of names, libcrypto and libglpk are there
			test "$($ask -c "SELECT count(*) FROM t WHERE sdc.fake('user' || i, 'email', 'person') ~ '@example'" \
				-c "SELECT length(sdc.pseudonym('12345678', 'person', format => 'same'))" \
				-c "SELECT count(*) > 0 FROM sdc.risk_report('t', 'k')" | paste -sd' ')" = '30 8 t'
			pg_ctlcluster 15 main stop
		SCRIPT
	fi
	[ $status = 0 ] && echo "1 passed, 0 failed, 0 skipped" ||
		echo "0 passed, 1 failed, 0 skipped"
	rm -rf "$roots"/container.{base,build,last}
	return $status
}

# Lines of the table for one version, from what it said: one for each kind of
# -k, or one for the whole, which has failed without a last line of counts.
table_rows()
{
	awk -v name="$1" -v result="$2" '
		function row()
		{
			printf "%-8s %-8s %7d %7d %7d %9d  %s\n", name, kind, passed,
				failed, skipped, warnings,
				passed == 0 || failed != 0 ||
				(kind == "all" && result != "ok") ? "FAILED" : "ok"
			passed = failed = skipped = warnings = 0
		}
		BEGIN { kind = "all" }
		/^== / { if (kind != "all") row(); kind = $2 }
		/warning:/ { warnings++ }
		/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ {
			passed = $1; failed = $3; skipped = $5
		}
		END { row() }' "$3"
}

# From here on bash has read the whole file: it may change while this runs.
{
if [ "$(id -u)" != 0 ]; then
	echo "versions.sh must run as root, for chroot" >&2
	exit 1
fi
kinds=()
while getopts d:k: option; do
	case $option in
		d) roots=$OPTARG ;;
		k)
			if [ "$OPTARG" = security ]; then
				kinds+=(regress)
				OPTARG="tap $(cd "$clone/test/t" && echo 04*.pl 050_*.pl)"
			fi
			kinds+=("$OPTARG")
			;;
		*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
mkdir -p "$roots"
if [ $# = 0 ]; then
	set -- 13 15 17 18 bare ten container
fi
worst=0
table=$(printf '%-8s %-8s %7s %7s %7s %9s  %s' \
	version tests passed failed skipped warnings result)
for name in "$@"; do
	if ! suite_of "$name" >/dev/null; then
		echo "no version is called $name" >&2
		exit 2
	fi
	make_root "$name"
	echo "testing $name"
	said=$roots/$name.out
	result=ok
	if [ "$name" = bare ]; then
		test_bare >"$said" 2>&1 || result=FAILED
	elif [ "$name" = ten ]; then
		test_ten >"$said" 2>&1 || result=FAILED
	elif [ "$name" = container ]; then
		test_container >"$said" 2>&1 || result=FAILED
	elif [ ${#kinds[@]} != 0 ]; then
		test_kinds "$name" >"$said" 2>&1 || result=FAILED
	else
		test_version "$name" >"$said" 2>&1 || result=FAILED
	fi
	table+=$'\n'$(table_rows "$name" $result "$said")
	if [ $result != ok ]; then
		worst=1
		grep '^not ok' "$said" || true
		tail -n 60 "$said"
	fi
done
printf '%s\n' "$table"
exit $worst
}
