"""dispatch_errors.py SSPUR KERNELS DATA OUT: prints what each of many wrong dispatches says; each must give status 2.

A dispatch that is right is changed in one place: `{name: option}` replaces the options of a name, None drops them."""
import subprocess
import sys

sspur, kernels, data, out = sys.argv[1:]
RIGHT = {"kernel": ["scale"], "groups": ["2"], "xs": [f"xs=npy:{data}/xs.npy"], "out": ["out=zero:f32:100"],
         "set": ["settings.factor=2"], "save": [f"out={out}/x.npy"], "print": []}
NAMES = {"xs": "buffer", "out": "buffer"}
SHARED = [
    {"kernel": None}, {"kernel": ["nothing"]},
    {"groups": None}, {"groups": ["0"]}, {"groups": ["2,x"]}, {"groups": ["1,2,3,4"]}, {"groups": ["2,"]},
    {"groups": ["-1"]}, {"groups": ["134217729"]}, {"groups": ["1,4294967297"]}, {"groups": ["134217728,4294967295"]},
    {"groups": ["99999999999999999999"]},
    {"xs": None}, {"xs": ["xs"]}, {"xs": ["zs=zero:f32:1"]}, {"xs": ["settings=zero:f32:1"]}, {"xs": ["xs=0,1,2"]},
    {"xs": ["xs=zero:f32:1", "xs=zero:f32:1"]},
    {"xs": ["xs=zero:u32:1"]}, {"xs": ["xs=zero:f32"]}, {"xs": ["xs=zero:f32:"]}, {"xs": ["xs=zero:f32:1:2"]},
    {"xs": ["xs=zero:f32:-1"]}, {"xs": ["xs=zero:f32:4294967296"]}, {"xs": ["xs=zero:f32:99999999999999999999"]},
    {"xs": ["xs=fill:f32:4"]}, {"xs": ["xs=fill:f32:4:"]}, {"xs": ["xs=fill:f32:4:x"]}, {"xs": ["xs=fill:f32:4:1e39"]},
    {"xs": ["xs=file:DATA/no.bin"]}, {"xs": ["xs=file:DATA"]}, {"xs": ["xs=file:DATA/odd.bin"]},
] + [{"xs": [f"xs=npy:DATA/{name}.npy"]} for name in (
    "double", "big", "fortran", "fields", "objects", "short", "long", "cut", "magic", "version", "keys", "twice", "huge",
    "negative", "particles")] + [
    {"set": ["settings"]}, {"set": ["nothing.factor=1"]}, {"set": ["xs.factor=1"]}, {"set": ["settings.other=1"]},
    {"set": ["settings=1"]}, {"set": ["settings.w=1"]}, {"set": ["settings.w[4]=1"]}, {"set": ["settings.w[]=1"]},
    {"set": ["settings.w[1=1"]}, {"set": ["settings.w[1]x=1"]}, {"set": ["settings.at=1"]}, {"set": ["settings.factor[0]=1"]},
    {"set": ["settings.factor.x=1"]}, {"set": ["settings.factor="]}, {"set": ["settings.factor=1 2"]},
    {"set": ["settings.factor=1e99"]}, {"set": ["settings.base=2147483648"]}, {"set": ["settings.base=1.5"]},
    {"set": ["settings.grid[0][1]=-1"]},
    {"print": ["nothing"]}, {"print": ["settings"]},
    {"save": ["out"]}, {"save": ["out="]}, {"save": ["nothing=OUT/x.npy"]}, {"save": ["out=OUT/x.txt"]},
    {"save": ["out=OUT/no/x.npy"]}, {"save": ["out=OUT/x.npy", "xs=OUT/x.npy"]},
]


def say(options, file="kernels.cone"):
    words = []
    for name, values in options.items():
        for value in values or []:
            words += ["--" + NAMES.get(name, name), value.replace("DATA", data).replace("OUT", out)]
    words = [*words, f"{kernels}/{file}"] if file.endswith(".ssp") else [f"{kernels}/{file}", *words]
    done = subprocess.run([sspur, "run", "--device", "interp", *words], capture_output=True, text=True)
    text = done.stderr.replace(kernels, "KERNELS").replace(data, "DATA").replace(out, "OUT")
    print(text, end="")
    if done.returncode != 2 or done.stdout or len(text.splitlines()) > 2:
        print(f"status {done.returncode}: {words} {done.stdout}")


for change in SHARED:
    say({**RIGHT, **change})
say({"kernel": ["stops"], "groups": ["2"], "buffer": ["out=zero:i64:8"]}, "plain.kir")
say({"kernel": ["plain"], "groups": ["2,2"], "buffer": ["out=zero:i64:8"]}, "plain.kir")
say({"kernel": ["plain"], "groups": ["1"], "buffer": ["out=zero:i64:8"], "set": ["n=9223372036854775808"]}, "plain.kir")
say({"kernel": ["move"], "groups": ["1"], "buffer": ["all=file:DATA/odd.bin"]})
say({"kernel": ["move"], "groups": ["1"], "buffer": ["all=fill:Particle:4:1"]})
say({"kernel": ["move"], "groups": ["1"], "buffer": ["all=npy:DATA/xs.npy"]})
say({"kernel": ["x"]}, "../../tools/Inputs/two.ssp")
