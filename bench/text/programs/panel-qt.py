"""A window of Qt with what a file says: python3 panel-qt.py CONTENT.json light|dark POINTS FONT"""

import json
import sys

from PyQt5.QtGui import QColor, QFont, QPalette
from PyQt5.QtWidgets import (
    QApplication, QCheckBox, QFormLayout, QGroupBox, QHBoxLayout, QLabel, QLineEdit, QListWidget, QPushButton,
    QRadioButton, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget,
)

content = json.load(open(sys.argv[1], encoding="utf8"))
app = QApplication(sys.argv[:1])
app.setStyle("Fusion")
app.setFont(QFont(sys.argv[4], int(sys.argv[3])))
if sys.argv[2] == "dark":
    palette = QPalette()
    for role, colour in [
        (QPalette.Window, "#2a2e32"), (QPalette.WindowText, "#fcfcfc"), (QPalette.Base, "#1b1e20"),
        (QPalette.AlternateBase, "#232629"), (QPalette.Text, "#fcfcfc"), (QPalette.Button, "#31363b"),
        (QPalette.ButtonText, "#fcfcfc"), (QPalette.Highlight, "#3daee9"), (QPalette.HighlightedText, "#ffffff"),
    ]:
        palette.setColor(role, QColor(colour))
    app.setPalette(palette)

window = QWidget()
window.setWindowTitle("panel")
columns = QHBoxLayout(window)
left, right = QVBoxLayout(), QVBoxLayout()
columns.addLayout(left, 2)
columns.addLayout(right, 3)
# What Qt tells of group boxes' titles, of combo boxes and of texts of several lines is not where they stand.
left.addWidget(QLabel(content["title"]))
fields = QGroupBox()
form = QFormLayout(fields)
for name, value in content["fields"]:
    field = QLineEdit(value)
    field.setCursorPosition(0)
    form.addRow(name, field)
left.addWidget(fields)
for name in content["checks"]:
    left.addWidget(QCheckBox(name))
for name in content["radios"]:
    left.addWidget(QRadioButton(name))
items = QListWidget()
items.addItems(content["items"])
left.addWidget(items)
table = QTableWidget(len(content["rows"]), len(content["head"]))
table.setHorizontalHeaderLabels(content["head"])
for y, row in enumerate(content["rows"]):
    for x, cell in enumerate(row):
        table.setItem(y, x, QTableWidgetItem(cell))
table.resizeColumnsToContents()
right.addWidget(table, 3)
for sentence in content["note"].split("\n"):
    right.addWidget(QLabel(sentence))
buttons = QHBoxLayout()
right.addLayout(buttons)
for name in content["buttons"]:
    buttons.addWidget(QPushButton(name))
window.setGeometry(0, 0, 1100, 760)
window.show()
items.setFocus()
app.exec_()
