/** What makes a replay page play. It runs in any browser of these years, and asks nobody for anything. */
export const REPLAY_SCRIPT = `
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];
const { frames, duration } = data;
const isGerman = navigator.languages.map((tag) => tag.slice(0, 2)).find((one) => one === "en" || one === "de") === "de";
const moments = isGerman
  ? data.moments.map((moment, i) => ({ ...moment, words: data.german[i][0], detail: data.german[i][1] }))
  : data.moments;
/** A text of the page in the language of its reader. */
const t = (text, ...values) => ((isGerman && GERMAN[text]) || text).replace(/[{](.)[}]/g, (_, i) => values[i]);
if (isGerman) {
  document.documentElement.lang = "de";
  for (const name of ["aria-label", "title"]) {
    for (const one of document.querySelectorAll("[" + name + "]")) {
      // "Play or pause (Space)": what it does, and by which key.
      const [, what, key] = /^(.*?)( [(].*)?$/.exec(one.getAttribute(name));
      one.setAttribute(name, t(what) + t(key ?? ""));
    }
  }
}
const canvas = $("picture");
const pen = canvas.getContext("2d");
canvas.width = data.width;
canvas.height = data.height;
canvas.setAttribute("aria-label", t("The recorded screen of {0}", document.title));

const two = (n) => String(n).padStart(2, "0");
const words = (ms) => {
  const s = Math.floor(ms / 1000);
  const h = Math.floor(s / 3600);
  return (h ? h + ":" + two(Math.floor(s / 60) % 60) : Math.floor(s / 60)) + ":" + two(s % 60);
};
/** Index of the last item at or before a moment; -1 where all are later. */
const indexAt = (items, ms) => {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle].at <= ms) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

/** Spans longer than three seconds in which nothing new is seen, without what is shown at their ends. */
const idle = [];
{
  // A caret that blinks shows what was there before, again and again.
  const seen = new Set();
  const isNew = ({ parts }) => parts.filter(([, , png]) => !seen.has(png) && seen.add(png)).length > 0;
  const busy = [...frames.filter(isNew), ...moments].map(({ at }) => at).sort((a, b) => a - b);
  let last = 0;
  for (const at of [...busy, duration]) {
    if (at - last > 3000) idle.push({ at: last + 1000, until: at - 300 });
    last = Math.max(last, at);
  }
}

let position = 0;
let speed = 1;
let isPlaying = false;
let isSkipping = true;
let shown = -1;
let isPainting = false;
let lastTick = 0;

const draw = async (frame) => {
  const images = await Promise.all(
    frame.parts.map(async ([x, y, png]) => {
      const image = new Image();
      image.src = "data:image/png;base64," + png;
      await image.decode();
      return [x, y, image];
    }),
  );
  for (const [x, y, image] of images) pen.drawImage(image, x, y);
};
/** Paints the picture of the position: from the one shown, or from the whole one before it. */
const show = async () => {
  if (isPainting) return;
  isPainting = true;
  try {
    for (;;) {
      const wanted = Math.max(0, indexAt(frames, position));
      if (wanted === shown) break;
      let from = wanted;
      while (from > 0 && !frames[from].key) from--;
      if (shown >= from && shown < wanted) from = shown + 1;
      for (let i = from; i <= wanted; i++) await draw(frames[i]);
      shown = wanted;
      canvas.dataset.at = String(frames[wanted].at);
    }
  } finally {
    isPainting = false;
  }
};

const rows = moments.map((moment) => {
  const item = document.createElement("li");
  const row = document.createElement("button");
  row.type = "button";
  for (const [name, text] of [["strong", moment.words], ["span", words(moment.at)], ["small", moment.detail]]) {
    const part = document.createElement(name);
    part.textContent = text;
    if (name === "span") part.className = "muted";
    row.append(part);
  }
  row.onclick = () => go(moment.at);
  item.append(row);
  $("list").append(item);
  const mark = document.createElement("span");
  mark.className = moment.kind + " " + moment.tone;
  mark.style.left = (100 * moment.at) / duration + "%";
  mark.style.width = (100 * Math.max(0, moment.until - moment.at)) / duration + "%";
  $("lanes").append(mark);
  return row;
});
document.body.classList.toggle("is-bare", rows.length === 0);

let current = null;
const paint = () => {
  $("position").value = String(position);
  const row = rows[indexAt(moments, position)] ?? null;
  const place = t("{0} of {1}", words(position), words(duration));
  const named = row === null ? place : t("{0}, after: {1}", place, row.firstChild.textContent);
  $("position").setAttribute("aria-valuetext", named);
  $("time").textContent = words(position) + " / " + words(duration);
  $("play").textContent = t(isPlaying ? "Pause" : "Play");
  if (row === current) return;
  current?.removeAttribute("aria-current");
  row?.setAttribute("aria-current", "step");
  row?.scrollIntoView({ block: "nearest" });
  current = row;
};
const go = (ms) => {
  position = Math.max(0, Math.min(duration, ms));
  paint();
  show();
};
const tick = (now) => {
  if (!isPlaying) return;
  position += Math.min(1000, now - lastTick) * speed;
  lastTick = now;
  const span = isSkipping ? idle[indexAt(idle, position)] : undefined;
  if (span && position < span.until) position = span.until;
  if (position >= duration) {
    position = duration;
    isPlaying = false;
  }
  paint();
  show();
  if (isPlaying) requestAnimationFrame(tick);
};
const play = (isOn) => {
  if (isOn === isPlaying) return;
  isPlaying = isOn;
  if (isOn) {
    if (position >= duration) position = 0;
    lastTick = performance.now();
    requestAnimationFrame(tick);
  }
  paint();
};
const step = (items, by) => {
  play(false);
  let index = indexAt(items, position);
  if (by > 0) index += 1;
  else while (index >= 0 && items[index].at >= position) index--;
  const item = items[index];
  if (item) go(item.at);
};
const actions = moments.filter(({ kind }) => kind === "action");
const markers = moments.filter(({ kind }) => kind !== "action");
const setSpeed = (wanted) => {
  speed = wanted;
  $("speed").value = String(wanted);
};
const faster = (by) => setSpeed(SPEEDS[SPEEDS.indexOf(speed) + by] ?? speed);
const skip = () => {
  isSkipping = !isSkipping;
  $("idle").setAttribute("aria-pressed", String(isSkipping));
};

for (const known of SPEEDS) $("speed").append(new Option(known.toLocaleString(document.documentElement.lang) + "×", String(known)));
setSpeed(1);
$("speed").onchange = () => setSpeed(Number($("speed").value));
$("position").max = String(duration);
$("position").oninput = () => go(Number($("position").value));
$("play").onclick = canvas.onclick = () => play(!isPlaying);
$("idle").textContent = t("Skip idle");
$("idle").onclick = skip;
$("before").onclick = () => step(actions, -1);
$("next").onclick = () => step(actions, 1);

const KEYS = {
  " ": () => play(!isPlaying),
  k: () => play(!isPlaying),
  j: () => go(position - 10000),
  l: () => go(position + 10000),
  ",": () => step(frames, -1),
  ".": () => step(frames, 1),
  p: () => step(actions, -1),
  n: () => step(actions, 1),
  "[": () => step(markers, -1),
  "]": () => step(markers, 1),
  "<": () => faster(-1),
  ">": () => faster(1),
  s: () => setSpeed(SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length]),
  i: skip,
  home: () => go(0),
  end: () => go(duration),
  f: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
};
addEventListener("keydown", (event) => {
  const { key, target, shiftKey } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("select")) return;
  if ((key === " " || key === "Enter") && target.closest("button")) return;
  if (key === "ArrowLeft" || key === "ArrowRight") go(position + (key === "ArrowLeft" ? -1 : 1) * (shiftKey ? 30000 : 5000));
  else if (/^[0-9]$/.test(key)) go((duration * Number(key)) / 10);
  else if (Object.hasOwn(KEYS, key.toLowerCase())) KEYS[key.toLowerCase()]();
  else return;
  event.preventDefault();
});
/** "#t=62.5", "#t=1:02:03.5" */
const follow = () => {
  const said = /[#&]t=(?:(?:([0-9]+):)?([0-9]+):)?([0-9]+(?:[.][0-9]+)?)/.exec(location.hash);
  if (said) go(((Number(said[1] ?? 0) * 60 + Number(said[2] ?? 0)) * 60 + Number(said[3])) * 1000);
};
addEventListener("hashchange", follow);
go(0);
follow();
`;
