# Shared by utils/quickstart, utils/check and .ci/run (sourced, not run).
# The packages of Debian 12, in one place.

build_packages="gcc g++ libc6-dev cmake ninja-build llvm-15-dev libllvmspirvlib-15-dev libvulkan-dev spirv-headers"
test_packages="llvm-15-tools clang python3 python3-psutil spirv-tools spirv-cross pocl-opencl-icd ocl-icd-libopencl1 ocl-icd-opencl-dev opencl-headers oclgrind mesa-vulkan-drivers vulkan-validationlayers python3-pyopencl"
llvm22_packages="llvm-22-dev"
fuzz_packages="clang libclang-rt-14-dev"

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
export DEBIAN_FRONTEND=noninteractive
export LC_ALL=C.UTF-8

say() {
	printf '== %s\n' "$*"
}

fail() {
	printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
	exit 1
}

# Those of the named packages that are not installed.
missing_packages() {
	for package in "$@"; do
		dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
	done
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo --preserve-env=DEBIAN_FRONTEND "$@"
	else
		fail "root is needed to install packages: run this as root, or install sudo"
	fi
}

# Installs what is missing of the named packages, and says what.
install_packages() {
	command -v dpkg-query >/dev/null 2>&1 ||
		fail "this script sets up Debian 12; elsewhere install the likes of: $*"
	missing=$(missing_packages "$@")
	[ -n "$missing" ] || return 0
	say "installing: $missing"
	as_root apt-get -q update </dev/null || fail "apt-get update failed (is the network there?)"
	# shellcheck disable=SC2086 # one word a package
	as_root apt-get -q -y --no-install-recommends install $missing </dev/null ||
		fail "apt-get could not install: $missing"
}

# Configures and builds one preset of CMakePresets.json, or the target named after it; the output of
# cmake's configuration shows only if it fails.
build_preset() {
	say "building $1 (build/$1)"
	mkdir -p build
	cmake --preset "$1" >"build/$1.log" 2>&1 || {
		cat "build/$1.log" >&2
		return 1
	}
	cmake --build "build/$1" ${2:+--target "$2"}
}

# Runs the suite in one build: prints failures, what was skipped and why, and the counts, and adds
# them to total_passed and total_failed. Arguments after the preset go to lit.
total_passed=0
total_failed=0
run_suite() {
	preset=$1
	shift
	say "testing $preset"
	[ -x "build/$preset/run-tests" ] || fail "build/$preset has no run-tests: lit was not found when it was configured"
	rm -f "build/$preset/lit.json" # lit ends with a status of 1 for failed tests and for its own errors alike
	"build/$preset/run-tests" -s --no-progress-bar --output "build/$preset/lit.json" "$@" </dev/null
	[ -f "build/$preset/lit.json" ] || fail "lit did not run, see above"
	counts=$(python3 utils/dev/test_counts.py "build/$preset/lit.json") || fail "cannot read lit's results"
	printf '%s\n' "$counts" | sed '$d'
	# shellcheck disable=SC2046 # two numbers
	set -- $(printf '%s\n' "$counts" | tail -n 1)
	total_passed=$((total_passed + $1))
	total_failed=$((total_failed + $2))
	say "$preset: $1 passed, $2 failed"
	[ "$1" -gt 0 ] || total_failed=$((total_failed + 1)) # a suite that runs nothing is a failure
}

# Builds the fuzz preset and runs each target for the given seconds, from the programs of the tree.
run_fuzzers() {
	say "fuzzing, $1 seconds a target"
	mkdir -p build/fuzz/seeds build/fuzz/found
	find test examples \( -name '*.ssp' -o -name '*.kir' -o -name '*.cone' -o -name '*.seed' \) | while read -r seed; do
		cp "$seed" "build/fuzz/seeds/$(printf '%s' "$seed" | tr / -)"
	done
	for source in test/fuzz/*.c; do
		name=$(basename "$source" .c)
		target=build/fuzz/$name
		mkdir -p "build/fuzz/corpus-$name"
		if "$target" -max_total_time="$1" -timeout=10 -rss_limit_mb=4096 -close_fd_mask=3 -verbosity=0 \
			-dict=test/fuzz/ssp.dict -artifact_prefix=build/fuzz/found/ "build/fuzz/corpus-$name" build/fuzz/seeds \
			</dev/null >"build/fuzz/$name.log" 2>&1; then
			total_passed=$((total_passed + 1))
			say "$name: passed"
		else
			tail -n 60 "build/fuzz/$name.log"
			total_failed=$((total_failed + 1))
			say "$name: failed; the input is in build/fuzz/found"
		fi
	done
}

# Says how much of the tree's programs the checks cover (the suite fails if one of them does).
say_coverage() {
	sspur=build/$1/sspur
	[ -x "$sspur" ] || return 0
	say "$(utils/dev/accept_rate --sspur "$sspur" | tail -n 1)"
	# shellcheck disable=SC2046 # a word a file
	say "$(utils/dev/check_races --sspur "$sspur" $(accepted_programs) | tail -n 1)"
	# shellcheck disable=SC2046
	say "$(utils/dev/check_artifacts --bindir "build/$1" $(accepted_programs) | tail -n 1)"
}

# Every program of the tree that runs.
accepted_programs() {
	find examples test/run test/corpus -maxdepth 1 -name '*.ssp' ! -path examples/race.ssp | sort
}

say_ptxas() {
	if ! command -v ptxas >/dev/null 2>&1 && [ ! -x /usr/local/cuda/bin/ptxas ]; then
		say "ptxas is in neither PATH nor /usr/local/cuda/bin: PTX is not assembled in the tests"
	fi
}

finish() {
	printf '%d passed, %d failed\n' "$total_passed" "$total_failed"
	[ "$total_failed" = 0 ]
}
