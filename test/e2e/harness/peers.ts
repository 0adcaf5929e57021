import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The Debian package that brings each program; `.ci/run` installs the same list. */
const PACKAGES = {
  Xtigervnc: "tigervnc-standalone-server",
  "qemu-system-x86_64": "qemu-system-x86",
  gvncviewer: "gvncviewer",
  xtigervncviewer: "tigervnc-viewer",
  x11vnc: "x11vnc",
  vncconfig: "tigervnc-common",
  vncsnapshot: "vncsnapshot",
  websockify: "websockify",
  sway: "sway",
  wayvnc: "wayvnc",
  setpriv: "util-linux",
  prlimit: "util-linux",
  script: "bsdutils",
  openbox: "openbox",
  xterm: "xterm",
  xdotool: "xdotool",
  xprintidle: "xprintidle",
  xwd: "x11-apps",
  xev: "x11-utils",
  xrandr: "x11-xserver-utils",
  xsetroot: "x11-xserver-utils",
  xclip: "xclip",
  setxkbmap: "x11-xkb-utils",
  xauth: "xauth",
  chromium: "chromium",
  openssl: "openssl",
  etcd: "etcd-server",
  etcdctl: "etcd-client",
  gcc: "gcc libc6-dev",
  vncclient: "libvncserver-dev",
  xhost: "x11-xserver-utils",
  xrdp: "xrdp xorgxrdp",
  "freerdp-shadow-cli": "freerdp2-shadow-x11",
  xfreerdp: "freerdp2-x11",
  weston: "weston",
  "wl-paste": "wl-clipboard",
  zbarimg: "zbar-tools",
  ffmpeg: "ffmpeg",
  ffprobe: "ffmpeg",
  prometheus: "prometheus",
  rsyslogd: "rsyslog rsyslog-gnutls",
  promtool: "prometheus",
  tesseract: "tesseract-ocr",
  zstd: "zstd",
  nginx: "nginx-light",
  caddy: "caddy",
  "systemd-analyze": "systemd python3-minimal",
  curl: "curl",
  tar: "tar",
  ip: "iproute2",
  unshare: "util-linux",
  grim: "grim",
  foot: "foot",
  "weston-terminal": "weston",
  urxvt: "rxvt-unicode",
  wish: "tk",
  mousepad: "mousepad",
  "firefox-esr": "firefox-esr",
  "dbus-run-session": "dbus at-spi2-core",
  "GTK for Python": "python3-gi gir1.2-gtk-3.0 gir1.2-atspi-2.0 gnome-themes-extra",
  "Qt for Python": "python3-pyqt5",
  "other fonts": "fonts-hack fonts-cantarell fonts-roboto-unhinted xfonts-terminus",
  "later fonts": "fonts-firacode fonts-inconsolata fonts-lato",
  "ceph-mon": "ceph-mon",
  "ceph-osd": "ceph-osd",
  radosgw: "radosgw",
  ceph: "ceph-common",
} as const;

/** What is no program in PATH: files that must be there. */
const FILES: Readonly<Partial<Record<Peer, readonly string[]>>> = {
  vncclient: ["/usr/include/rfb/rfbclient.h"],
  "GTK for Python": [
    "/usr/lib/python3/dist-packages/gi/__init__.py",
    "/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib",
    "/usr/lib/x86_64-linux-gnu/girepository-1.0/Atspi-2.0.typelib",
    "/usr/libexec/at-spi-bus-launcher",
  ],
  "Qt for Python": ["/usr/lib/python3/dist-packages/PyQt5/__init__.py"],
  "other fonts": [
    "/usr/share/fonts/truetype/hack/Hack-Regular.ttf",
    "/usr/share/fonts/opentype/cantarell/Cantarell-Regular.otf",
    "/usr/share/fonts/truetype/roboto/unhinted/RobotoTTF/Roboto-Regular.ttf",
    "/usr/share/fonts/X11/misc/ter-u16n_unicode.pcf.gz",
  ],
  "later fonts": [
    "/usr/share/fonts/truetype/firacode/FiraCode-Regular.ttf",
    "/usr/share/fonts/truetype/inconsolata/Inconsolata.otf",
    "/usr/share/fonts/truetype/lato/Lato-Regular.ttf",
  ],
};

/** A program of somebody else that an end-to-end test talks to. `vncclient` is libvncclient's C headers. */
export type Peer = keyof typeof PACKAGES;

/** The part of a tap test that this file uses. */
export interface PeerTest {
  fail(message: string): boolean;
  comment(message: string): void;
}

/**
 * True where every named program is installed. Where one is absent the caller returns at once: under CI the test
 * has failed by then, elsewhere a line that starts with SKIPPED says what to install, and `npm run check` repeats it.
 */
export function requirePeers(t: PeerTest, names: readonly Peer[]): boolean {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return true;
  const packages = [...new Set(missing.map((name) => PACKAGES[name]))].join(" ");
  const line = `needs ${missing.join(", ")} (apt-get install ${packages})`;
  if (process.env["CI"]) t.fail(line);
  else process.stderr.write(`SKIPPED: ${line}\n`);
  return false;
}

function isInstalled(name: Peer): boolean {
  const files = FILES[name];
  if (files !== undefined) return files.every((file) => isReadable(file));
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => isReadable(join(folder, name), true));
}

function isReadable(path: string, isProgram = false): boolean {
  try {
    accessSync(path, isProgram ? constants.X_OK : constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
