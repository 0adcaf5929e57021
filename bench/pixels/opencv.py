# Times OpenCV's matchTemplate on one thread: argv is the frame's raw RGBA file, its width and height, then of each
# patch x, y, width, height. Prints the median milliseconds of each, one a line.
import sys
import time

import cv2
import numpy

cv2.setNumThreads(1)
path, width, height, *numbers = sys.argv[1:]
frame = numpy.fromfile(path, dtype=numpy.uint8).reshape(int(height), int(width), 4)
grey = cv2.cvtColor(frame, cv2.COLOR_RGBA2GRAY)
values = [int(number) for number in numbers]
for i in range(0, len(values), 4):
    x, y, w, h = values[i : i + 4]
    patch = grey[y : y + h, x : x + w].copy()
    times = []
    for _ in range(7):
        started = time.perf_counter()
        cv2.minMaxLoc(cv2.matchTemplate(grey, patch, cv2.TM_CCOEFF_NORMED))
        times.append((time.perf_counter() - started) * 1000)
    print(sorted(times)[3])
