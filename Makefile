# SPDX-License-Identifier: BSD-2-Clause
# A short front for Meson. `make help` lists the targets.
BUILD = build
PREFIX = /usr/local
DESTDIR =
FUZZ_SECONDS = 600
FUZZ_TARGETS =
SEED = 1001
FULL =
ONLY =

all: configure
	ninja -C $(BUILD)

# Installs what is missing with apt (as root, or by sudo). `make demo` and `make check` do it first.
setup:
	script/setup build

demo:
	script/setup build
	@$(MAKE) --no-print-directory configure
	ninja -C $(BUILD) tcpwhy
	@echo
	$(BUILD)/tcpwhy examples/slow.pcap.gz

check:
	script/setup check
	@$(MAKE) --no-print-directory all
	tests/run-all $(BUILD)

bench:
	script/setup all
	@$(MAKE) --no-print-directory all
	script/bench

# How right the bill is, in numbers: 20 minutes; FULL=1 for every combination (hours). Tune with a SEED below 1000.
accuracy:
	script/setup check
	@$(MAKE) --no-print-directory all
	tests/accuracy/accuracy.py --program $(BUILD)/tcpwhy --seed $(SEED) --out $(BUILD)/accuracy.json \
		$(if $(FULL),--full) $(if $(ONLY),--only $(ONLY))

fuzz:
	script/setup all
	FUZZ_SECONDS=$(FUZZ_SECONDS) script/fuzz $(FUZZ_TARGETS)

# Only the lines changed since the last commit: tables set by hand stay as they are.
format:
	script/setup all
	git clang-format --force --extensions c,h HEAD || [ $$? -eq 1 ]

# Rewrites the blocks of README.md that show output, from the program itself.
readme: all
	script/readme-output

install: all
	meson configure $(BUILD) -Dprefix=$(PREFIX)
	DESTDIR=$(DESTDIR) meson install -C $(BUILD)

clean:
	rm -rf build build-*

help:
	@echo "make            build; the program is $(BUILD)/tcpwhy"
	@echo "make setup      install what the build needs (Debian, Ubuntu)"
	@echo "make demo       set up, build, explain a slow transfer"
	@echo "make check      set up, build, run every test"
	@echo "make bench      speed and memory against tcptrace and tshark"
	@echo "make accuracy   faults of the lab, explained and cured: how right the bill is (20 minutes)"
	@echo "make fuzz       fuzz every reader for FUZZ_SECONDS each (600)"
	@echo "make format     clang-format the lines you changed"
	@echo "make readme     renew the output shown in README.md"
	@echo "make install    install under DESTDIR/PREFIX (/usr/local)"
	@echo "make clean      remove the build folders"

# Meson looks for optional libraries only when it configures, so packages that script/setup has
# installed since (build/packages-changed) ask for a new look.
configure:
	@command -v meson >/dev/null && command -v ninja >/dev/null && \
		command -v $(firstword $(CC)) >/dev/null || \
		{ echo "meson, ninja or a C compiler is missing: run 'make setup'" >&2; exit 1; }
	@if [ ! -f $(BUILD)/meson-private/coredata.dat ]; then \
		meson setup $(BUILD) --prefix=$(PREFIX); \
	elif [ ! -f $(BUILD)/build.ninja ] || [ -f $(BUILD)/packages-changed ]; then \
		meson setup --reconfigure $(BUILD); \
	fi
	@rm -f $(BUILD)/packages-changed

.PHONY: all setup demo check bench accuracy fuzz format readme install clean help configure
