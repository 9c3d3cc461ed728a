# usage: odd_process.sh SSPUR: what it prints and writes of numbers, in the current folder and out/.
sspur=$1
export SSPUR_CACHE_DIR="$PWD/cache.$$" # what was compiled before tells nothing
targets=native,ptx,vulkan,opencl,metal,llvm,kir,bundle
"$sspur" build --target native,ptx,vulkan,opencl,llvm,kir,bundle -o out/ssp kernels_literals.ssp
"$sspur" build --target $targets -o out/cone host.cone
"$sspur" build --target kir,bundle -o out/host host.ssp
"$sspur" fmt - <kernels_literals.ssp
for device in interp seq cpu; do
	"$sspur" run --device $device kernels_literals.ssp
	"$sspur" run --device $device --groups 1 --kernel blend --set s.a=0.7 --set s.b=1.5 --buffer x=fill:f32:8:1e-40 \
		--buffer out=fill:f32:8:0.25 --print x --print out host.cone
done
for file in out/*/*; do
	echo "$file"
done
