#!/bin/sh
# failures.sh BINDIR FILE: each kind of failure, and what is just not one.
for settings in "0 1 0" "0 10 0" "1 0 0" "2 0 0" "3 0 0" "4 2 0" "4 3 0" "5 1 3" "5 2 1" "5 2 4" "6 2 0" "6 3 0" "6 0 0" \
	"7 1 0" "7 3 0" "7 4 0" "8 4 2" "8 4 3" "8 3 4" "8 0 1" "8 2 1" "8 3 1" "9 3 0" "10 0 0" "11 0 0" "11 1 0"; do
	set -- "$1" "$2" $settings
	printf '%s %s %s: ' "$3" "$4" "$5"
	"$1/sspur" run "$2" --device interp --kernel k --groups 1 --buffer out=zero:u32:2 --set "s.which=$3" --set "s.first=$4" \
		--set "s.second=$5" --print out 2>&1 | tr '\n' ' '
	echo
done
