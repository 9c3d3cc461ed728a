# usage: either.sh BITCODE JSON SPIRV JSON BUNDLE: test-artifacts on opencl, with those that the device takes
loaded=no
if test-artifacts load opencl "$3" "$4" >/dev/null; then
	test-artifacts opencl "$3" "$4" "$5" || exit 1
	loaded=yes
fi
test-artifacts load opencl "$1" "$2" >/dev/null || exec test $loaded = yes
exec test-artifacts opencl "$1" "$2" "$5"
