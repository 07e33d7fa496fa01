# sdc: statistical disclosure control inside PostgreSQL.
#
#   make && make install     the extension (PG_CONFIG chooses the server)
#   make installcheck        the tests of test/sql in the server that PGHOST,
#                            PGPORT and PGUSER name, where sdc is installed
#   make uninstall           removes what install has put there
#   make dist                sdc-VERSION.zip for PGXN, of what is committed
#   make typedefs            test/typedefs.list, for who indents
#   make lint unit           checks that need no server
#   make test demo bench     through ./run, against a throw-away cluster
#   make bench-attacks       of these, the attacks beside published figures
#   make fuzz                kernels on inputs that nobody has thought of
#   make mutants             would a test notice if a line were wrong?
#
# ./run builds out of the tree, in build/<version of PostgreSQL>/, so that
# several versions keep their objects side by side.
#
# A new file in sql/, src/ or test/sql/ is found by itself: nothing here needs
# to be told about it.

EXTENSION = sdc
EXTVERSION = 0.2.0
MODULE_big = sdc

srcroot := $(patsubst %/,%,$(dir $(firstword $(MAKEFILE_LIST))))
sources := $(wildcard $(addprefix $(srcroot)/src/,*.c */*.c */*/*.c))
scripts := $(sort $(wildcard $(srcroot)/sql/[0-9]*.sql))

OBJS = $(patsubst $(srcroot)/%.c,%.o,$(sources))

# An update to this version is made from what the old version installed
# (sql/updates/OLD.sql), what is new, and what sql/updates/OLD--NEW.sql says;
# one between old versions is kept as it was: sql/updates/sdc--OLD--OLDER.sql.
updates = $(patsubst $(srcroot)/sql/updates/%,sdc--%, \
	$(wildcard $(srcroot)/sql/updates/[0-9]*--$(EXTVERSION).sql))
DATA_built = sdc--$(EXTVERSION).sql $(updates)
DATA = $(patsubst $(srcroot)/%,%, \
	$(wildcard $(srcroot)/sql/updates/sdc--*--*.sql))
DATA += $(patsubst $(srcroot)/%,%,$(wildcard $(srcroot)/data/fake/*))
SCRIPTS = bin/sdc_export bin/sdc_copy
EXTRA_CLEAN = $(DATA_built) $(OBJS:.o=.d) tmp_check

REGRESS = $(sort $(basename $(notdir $(wildcard $(srcroot)/test/sql/*.sql))))
REGRESS_OPTS = --load-extension=sdc --encoding=UTF8 --no-locale
NO_INSTALLCHECK = 1

# Masks are reproducible bit by bit from a seed, so no fused multiply-add; it
# stands here because the bitcode for JIT is built without PG_CFLAGS.
PG_CPPFLAGS = -I$(srcroot)/src -ffp-contract=off
PG_CFLAGS = -std=gnu99 -Wextra -Wno-unused-parameter -Wno-sign-compare \
	-Wno-missing-field-initializers -Wno-clobbered -MMD -MP
# libcrypto where the server links it, as pgcrypto does; see below.
SHLIB_LINK = -lglpk -lm

# Without bitcode for JIT, unless "make with_llvm=yes" asks for it: nothing in
# sdc is small enough to be inlined, and it takes as long as the objects.
ifneq ($(origin with_llvm), command line)
override with_llvm := no
endif

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

SHLIB_LINK += $(filter -lcrypto, $(LIBS))

# Out of the tree only sources are looked up there: VPATH, which PGXS sets,
# would also take objects that an earlier build in the tree left behind.
VPATH =
vpath %.c $(srcroot)
vpath %.control $(srcroot)
$(shell mkdir -p $(sort $(dir $(OBJS))))

# Kernels do not read errno, which keeps sqrt from being done for several
# numbers at a time.
src/kernel/%.o: CFLAGS += -O3 -fno-math-errno

-include $(OBJS:.o=.d)

sdc--$(EXTVERSION).sql: $(scripts)
	cat $^ >$@

$(updates): sdc--%--$(EXTVERSION).sql: $(srcroot)/sql/updates/update.pl \
		$(srcroot)/sql/updates/%.sql sdc--$(EXTVERSION).sql \
		$(srcroot)/sql/updates/%--$(EXTVERSION).sql
	perl $^ >$@.new
	mv $@.new $@

# pg_regress wants sql/ and expected/ side by side, and psql finds test/data as
# data/; progress lines would tell a slow machine from a fast one.  A test that
# leaves something in the database fails, as the next one would see it.
installcheck:
	@test -n '$(strip $(REGRESS))' || { echo 'there are no tests' >&2; exit 1; }
	rm -rf tmp_check
	mkdir tmp_check
	ln -s $(abspath $(srcroot))/test/sql $(abspath $(srcroot))/test/data \
		$(abspath $(srcroot))/expected tmp_check
	cd tmp_check && export PGOPTIONS="$$PGOPTIONS -c sdc.progress_interval=0 -c sdc.digits=17" && \
		$(pg_regress_installcheck) --inputdir=. \
		--launcher=$(abspath $(srcroot))/test/leaves_nothing.sh $(REGRESS_OPTS) $(REGRESS)

# PGXS looks for them in bin/ of where it was installed to.
uninstall: uninstall-scripts
uninstall-scripts:
	rm -f $(foreach name,$(notdir $(SCRIPTS)),'$(DESTDIR)$(bindir)/$(name)')

# What is committed, as an archive for PGXN, without what only a clone needs.
archive = $(EXTENSION)-$(EXTVERSION).zip
dist:
	git -C $(srcroot) archive --format=zip --prefix=$(basename $(archive))/ \
		-o $(abspath $(archive)) HEAD
	@echo $(abspath $(archive))

typedefs:
	perl $(srcroot)/test/typedefs.pl $(srcroot) >$(srcroot)/test/typedefs.list

# A module for test/t/010_solver.pl, see there; never installed.
probe = test/solver/solver_probe
probe_objects = $(probe).o $(addprefix src/, \
	$(addprefix kernel/base/, keyed_hash.o random.o solver.o) \
	kernel/privacy/strong_bits.o \
	$(addprefix host/server/, host.o progress.o))

$(shell mkdir -p $(dir $(probe)))
EXTRA_CLEAN += $(addprefix $(probe), .so .o .d)
-include $(probe).d

$(probe).so: $(probe_objects)
	$(CC) $(CFLAGS) $(probe_objects) $(LDFLAGS) $(LDFLAGS_SL) -shared -o $@ \
		$(SHLIB_LINK)

# The library with rows that only test/registry adds to the registry, for
# test/t/032_registry.pl and 033_registry.pl; never installed.  A source that
# takes such rows says SDC_FAKE and is compiled once more.
fake = test/registry/sdc_fake
faked := $(patsubst $(srcroot)/%.c,%.o,$(shell grep -l SDC_FAKE $(sources)))
fake_objects = $(filter-out $(faked),$(OBJS)) \
	$(addprefix test/registry/,$(faked)) test/registry/fake_functions.o

$(shell mkdir -p $(sort $(dir $(addprefix test/registry/,$(faked)))))
EXTRA_CLEAN += $(fake).so test/registry/fake_functions.o $(addprefix test/registry/,$(faked) $(faked:.o=.d))
-include $(addprefix test/registry/,$(faked:.o=.d))

$(addprefix test/registry/,$(faked)): test/registry/%.o: %.c
	$(CC) $(CFLAGS) $(CPPFLAGS) -DSDC_FAKE -I$(srcroot)/test/registry \
		-c -o $@ $<

test/registry/fake_functions.o: $(srcroot)/test/registry/fake_functions.c
	$(CC) $(CFLAGS) $(CPPFLAGS) -c -o $@ $<

$(fake).so: $(fake_objects)
	$(CC) $(CFLAGS) $(fake_objects) $(LDFLAGS) $(LDFLAGS_SL) -shared -o $@ \
		$(SHLIB_LINK)

# The memory of a session, for test/t/017_hierarchy.pl and 040_dp_oblivious.pl;
# never installed.
memory = test/memory/memory_contexts

$(shell mkdir -p $(dir $(memory)))
EXTRA_CLEAN += $(addprefix $(memory), .so .o)

$(memory).so: $(srcroot)/$(memory).c
	$(CC) $(CFLAGS) $(CPPFLAGS) -c -o $(memory).o $<
	$(CC) $(CFLAGS) $(memory).o $(LDFLAGS) $(LDFLAGS_SL) -shared -o $@

# The library with a log of every draw of noise, for test/t/049_dp_audit.pl.
comma := ,
audit = test/audit/dp_audit
audited = sdc_discrete_laplace_draw sdc_discrete_gaussian_draw \
	sdc_bernoulli_exponential_draw sdc_dp_threshold_count sdc_random_seed

$(shell mkdir -p $(dir $(audit)))
EXTRA_CLEAN += $(addprefix $(audit), .so .o .d)
-include $(audit).d

$(audit).so: $(audit).o $(OBJS)
	$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LDFLAGS_SL) -shared -o $@ \
		$(addprefix -Wl$(comma)--wrap=,$(audited)) $(SHLIB_LINK)

.PHONY: dist installcheck uninstall-scripts typedefs lint unit regress isolation tap test demo bench bench-attacks mutants fuzz
lint unit regress isolation tap:
	$(srcroot)/run test $@
test demo bench:
	$(srcroot)/run $@
bench-attacks:
	$(srcroot)/run bench attacks
fuzz:
	$(srcroot)/run fuzz
mutants:
	$(srcroot)/run mutants directed
	$(srcroot)/run mutants random 100
