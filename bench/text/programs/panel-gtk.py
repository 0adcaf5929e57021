"""A window of GTK 3 with what a file says: python3 panel-gtk.py CONTENT.json THEME FONT"""

import json
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

content = json.load(open(sys.argv[1], encoding="utf8"))
settings = Gtk.Settings.get_default()
settings.props.gtk_theme_name = sys.argv[2].removesuffix("-dark")
settings.props.gtk_application_prefer_dark_theme = sys.argv[2].endswith("-dark")
settings.props.gtk_font_name = sys.argv[3]
settings.props.gtk_cursor_blink = False

window = Gtk.Window(title="panel")
window.set_default_size(1100, 760)
columns = Gtk.Box(spacing=12, margin=12)
window.add(columns)
left = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
right = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
columns.pack_start(left, False, False, 0)
columns.pack_start(right, True, True, 0)
left.pack_start(Gtk.Label(label=content["title"], xalign=0), False, False, 0)
grid = Gtk.Grid(row_spacing=6, column_spacing=12)
left.pack_start(grid, False, False, 0)
for y, (name, value) in enumerate(content["fields"]):
    grid.attach(Gtk.Label(label=name, xalign=0), 0, y, 1, 1)
    grid.attach(Gtk.Entry(text=value, width_chars=26), 1, y, 1, 1)
for name in content["checks"]:
    left.pack_start(Gtk.CheckButton(label=name), False, False, 0)
first = None
for name in content["radios"]:
    radio = Gtk.RadioButton.new_with_label_from_widget(first, name)
    first = first or radio
    left.pack_start(radio, False, False, 0)
switch = Gtk.Box(spacing=12)
switch.pack_start(Gtk.Label(label=content["switch"], xalign=0), True, True, 0)
switch.pack_start(Gtk.Switch(valign=Gtk.Align.CENTER), False, False, 0)
left.pack_start(switch, False, False, 0)
items = Gtk.ListBox()
for name in content["items"]:
    items.add(Gtk.Label(label=name, xalign=0, margin=4))
left.pack_start(items, True, True, 0)
model = Gtk.ListStore(*[str] * len(content["head"]))
for row in content["rows"]:
    model.append(row)
table = Gtk.TreeView(model=model)
for index, name in enumerate(content["head"]):
    table.append_column(Gtk.TreeViewColumn(name, Gtk.CellRendererText(), text=index))
scroll = Gtk.ScrolledWindow()
scroll.add(table)
right.pack_start(scroll, True, True, 0)
note = Gtk.TextView(editable=False, wrap_mode=Gtk.WrapMode.WORD, cursor_visible=False)
note.get_buffer().set_text(content["note"])
frame = Gtk.Frame()
frame.add(note)
right.pack_start(frame, False, False, 0)
buttons = Gtk.Box(spacing=6)
right.pack_start(buttons, False, False, 0)
for name in content["buttons"]:
    buttons.pack_start(Gtk.Button(label=name), True, True, 0)
window.connect("destroy", Gtk.main_quit)
window.show_all()
window.move(0, 0)
items.grab_focus()
Gtk.main()
