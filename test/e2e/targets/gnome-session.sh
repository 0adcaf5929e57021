#!/bin/sh
# A GNOME remote desktop without a GNOME session, for gnome-desktop.ts: mutter without a display, a picture on it, and
# the RDP server. It listens on all interfaces and knows no other way, so this runs in a network namespace of its own,
# where a relay brings its port out as a unix socket. Run by dbus-run-session.
# FOLDER: our files (picture.png, again); GEOMETRY: 800x600; ACCOUNT, SECRET; CERTIFICATE, KEY: PEM files; NODE, RELAY:
# the relay and what runs it.
set -u
cd "$FOLDER" || exit 1
export XDG_RUNTIME_DIR="$FOLDER/run" HOME="$FOLDER/home" GSETTINGS_BACKEND=keyfile
PORT=3389

await() {
  left=200
  until [ -S "$1" ]; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || exit 1
    sleep 0.1
  done
}

ip link set lo up
pipewire &
await "$XDG_RUNTIME_DIR/pipewire-0"
wireplumber &
mutter --headless --wayland --no-x11 --wayland-display picture --virtual-monitor "$GEOMETRY" &
await "$XDG_RUNTIME_DIR/picture"

grdctl --headless rdp enable
grdctl --headless rdp set-tls-cert "$CERTIFICATE"
grdctl --headless rdp set-tls-key "$KEY"
grdctl --headless rdp set-credentials "$ACCOUNT" "$SECRET"
grdctl --headless rdp disable-view-only
/usr/libexec/gnome-remote-desktop-daemon --headless --rdp-port "$PORT" &
"$NODE" "$RELAY" "$PORT" "$FOLDER/relay.sock" &

show() {
  WAYLAND_DISPLAY=picture SDL_VIDEODRIVER=wayland ffplay -loglevel error -nostats -fs -an -loop 0 picture.png &
  shown=$!
}

# Whoever writes a line wants the picture drawn anew.
show
while read -r _; do
  kill "$shown"
  wait "$shown"
  show
done <>again
