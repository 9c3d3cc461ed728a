# usage: either.sh BITCODE SPIRV JSON BUNDLE: test-artifacts on opencl, with the one that the device takes
if test-artifacts load opencl "$2" "$3" >/dev/null; then
	exec test-artifacts opencl "$2" "$3" "$4"
fi
exec test-artifacts opencl "$1" "$3" "$4"
