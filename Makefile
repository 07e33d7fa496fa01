# sdc: statistical disclosure control inside PostgreSQL.
#
#   make && make install     the extension (PG_CONFIG chooses the server)
#   make unit lint           checks that need no server
#   make test bench          through ./run, against a throw-away cluster
#
# A new file in sql/, src/ or test/sql/ is found by itself: nothing here needs
# to be told about it.

EXTENSION = sdc
EXTVERSION = 0.1.0
MODULE_big = sdc

srcroot := $(patsubst %/,%,$(dir $(firstword $(MAKEFILE_LIST))))
sources := $(wildcard $(srcroot)/src/*.c $(srcroot)/src/*/*.c)
scripts := $(sort $(wildcard $(srcroot)/sql/[0-9]*.sql))

OBJS = $(patsubst $(srcroot)/%.c,%.o,$(sources))
DATA_built = sdc--$(EXTVERSION).sql
DATA = $(wildcard $(srcroot)/sql/updates/sdc--*--*.sql)
EXTRA_CLEAN = sdc--$(EXTVERSION).sql

PG_CPPFLAGS = -I$(srcroot)/src
# Masks are reproducible bit by bit from a seed, so no fused multiply-add.
PG_CFLAGS = -std=gnu99 -Wextra -Wno-unused-parameter -Wno-sign-compare \
	-Wno-missing-field-initializers -Wno-clobbered -ffp-contract=off
SHLIB_LINK = -lglpk -lm

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

src/kernel/%.o: CFLAGS += -O3

sdc--$(EXTVERSION).sql: $(scripts)
	cat $^ >$@
