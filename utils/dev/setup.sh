# Shared by utils/quickstart, utils/check and .ci/run (sourced, not run).
# The packages of Debian 12, in one place.

build_packages="gcc g++ libc6-dev cmake ninja-build llvm-15-dev libllvmspirvlib-15-dev spirv-headers"
test_packages="llvm-15-tools clang pkg-config python3 python3-psutil locales spirv-tools spirv-cross pocl-opencl-icd ocl-icd-libopencl1 ocl-icd-opencl-dev opencl-headers oclgrind libvulkan-dev mesa-vulkan-drivers vulkan-validationlayers python3-pyopencl"
llvm22_packages="llvm-22-dev"
fuzz_packages="clang libclang-rt-14-dev"

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
export DEBIAN_FRONTEND=noninteractive
export LC_ALL=C.UTF-8

say() {
	printf '== %s\n' "$*"
}

# The seconds since the last time, for what was done since.
lap_start=$(date +%s)
say_time() {
	now=$(date +%s)
	say "$1: $((now - lap_start)) s"
	lap_start=$now
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

# Configures and builds one preset of CMakePresets.json, or the targets named after it; the output of
# cmake's configuration shows only if it fails.
build_preset() {
	say "building $1 (build/$1)"
	mkdir -p build
	launcher= # said each time: ccache may have come or gone since the folder was made
	if command -v ccache >/dev/null 2>&1; then
		launcher=ccache
	fi
	cmake --preset "$1" "-DCMAKE_C_COMPILER_LAUNCHER=$launcher" "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher" >"build/$1.log" 2>&1 || {
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

# Runs each target of the fuzz preset over its corpus, then for the given seconds.
run_fuzzers() {
	say "fuzzing, $1 seconds a target"
	add_counts fuzz "$(python3 utils/dev/run_fuzzers --seconds "$1")"
}

# Random programs of SSPUR and Cone on all devices of this machine without a GPU, for the given minutes in all.
# SSPUR_SEED=N repeats the programs of another run, whose seed was printed.
compare_random() {
	seed=${SSPUR_SEED:-$(date +%s)000}
	say "random programs, $1 minutes, seed $seed"
	for language in "" --cone; do
		# shellcheck disable=SC2086 # nothing, or one word
		compared=$(python3 utils/dev/random_kernels/random_kernels compare $language --sspur build/release/sspur --seed "$seed" \
			--minutes "$(awk "BEGIN { print $1 / 2 }")" --jobs "$(nproc)" --devices "seq,cpu,opencl,vulkan${language:+,twin}" --turns \
			--folder build/random-kernels </dev/null 2>&1)
		status=$?
		[ $status = 0 ] && count="1 passed, 0 failed" || count="0 passed, 1 failed"
		add_counts "random programs${language:+ ($language)}" "$compared
$count"
	done
}

# Prints what a part said, and adds the counts of its last line, `N passed, N failed`, to the total.
add_counts() {
	printf '%s\n' "$2" | sed '$d'
	# shellcheck disable=SC2046 # two numbers
	set -- "$1" $(printf '%s\n' "$2" | tail -n 1 | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
	total_passed=$((total_passed + ${2:-0}))
	total_failed=$((total_failed + ${3:-1}))
	say "$1: ${2:-0} passed, ${3:-1} failed"
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
