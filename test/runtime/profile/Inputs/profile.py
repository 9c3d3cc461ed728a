"""usage: profile.py FILE DEVICE:CATEGORY[:NAME]...: checks a profile, which has such events

`=` separates as `:` does, for devices that have a `:` in their names.
"""
import json
import sys

known = {"launch", "rerun", "copy", "wait", "load", "open"}
profile = json.load(open(sys.argv[1]))
events = profile["traceEvents"]
tracks = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
spans = [e for e in events if e["ph"] == "X"]
ends = {}
assert spans and len(spans) + len(tracks) + 1 == len(events)
for e in spans:
    arguments = e["args"]
    assert e["cat"] in known and e["ts"] >= 0 and e["dur"] >= 0 and arguments["bytes"] >= 0, e
    assert tracks[e["tid"]].split(",")[0] == arguments["device"], e
    if e["cat"] in ("launch", "rerun"):
        assert arguments["variant"] in ("checked", "proved", "narrow") and arguments["threads"] > 0, e
    if e["cat"] == "rerun":
        assert arguments["why"], e
    # One after another: a track is a device of one queue. The events' times have three digits.
    assert e["ts"] >= ends.get(e["tid"], 0) - 0.002, e
    ends[e["tid"]] = e["ts"] + e["dur"]
for wanted in sys.argv[2:]:
    device, category, *name = wanted.split("=" if "=" in wanted else ":")
    found = [e for e in spans if e["args"]["device"] == device and e["cat"] == category and e["name"] in (name or [e["name"]])]
    assert found, "there is no " + wanted
print("as it should be")
