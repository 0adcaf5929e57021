"""Starts a program; for each line on stdin prints, as JSON, the words that it shows, as it tells assistive technology (AT-SPI).

Runs in a D-Bus session of its own: dbus-run-session -- python3 accessible.py PROGRAM ARGUMENT...
"""

import json
import re
import subprocess
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402

SCREEN = Atspi.CoordType.SCREEN
DEEPEST = 40


def box_of(extents):
    return [extents.x, extents.y, extents.width, extents.height]


def is_within(inner, outer):
    x, y = inner[0] + inner[2] / 2, inner[1] + inner[3] / 2
    return outer[0] <= x < outer[0] + outer[2] and outer[1] <= y < outer[1] + outer[3]


def words_of_text(node, clips, found):
    """Words of what implements Text, each with the box of its letters; Qt 5 tells these wrong, but the widget's right."""
    is_exact = node.get_toolkit_name() != "Qt"
    count = Atspi.Text.get_character_count(node)
    text = Atspi.Text.get_text(node, 0, count)
    added = 0
    for match in re.finditer(r"\S+", text):
        if is_exact:
            box = box_of(Atspi.Text.get_range_extents(node, match.start(), match.end(), SCREEN))
        else:
            box = clips[-1]
        if box[2] <= 0 or box[3] <= 0 or not all(is_within(box, clip) for clip in clips):
            continue
        found.append({"text": match.group(), "box": box, "isExact": is_exact})
        added += 1
    return added


def walk(node, clips, found, depth=0):
    if node is None or depth > DEEPEST:
        return
    states = node.get_state_set()
    is_shown = states.contains(Atspi.StateType.SHOWING) and states.contains(Atspi.StateType.VISIBLE)
    if depth > 0 and not is_shown:
        return
    component = node.get_component_iface()
    if component is not None and depth > 0:
        box = box_of(Atspi.Component.get_extents(node, SCREEN))
        if box[2] > 0 and box[3] > 0:
            if clips and not is_within(box, clips[-1]) and box[2] < clips[-1][2]:
                return
            clips = [*clips, box]
    added = words_of_text(node, clips, found) if node.get_text_iface() is not None else 0
    children = node.get_child_count()
    if added == 0 and children == 0 and node.get_name() and clips and depth > 1:
        for word in node.get_name().split():
            found.append({"text": word, "box": clips[-1], "isExact": False})
    for index in range(children):
        walk(node.get_child_at_index(index), clips, found, depth + 1)


def main():
    program = subprocess.Popen(sys.argv[1:], stdout=sys.stderr)
    for _ in sys.stdin:
        found = []
        desktop = Atspi.get_desktop(0)
        for index in range(desktop.get_child_count()):
            walk(desktop.get_child_at_index(index), [], found)
        print(json.dumps(found), flush=True)
    program.terminate()
    program.wait()


main()
