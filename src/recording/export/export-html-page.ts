import { PAGE_GERMAN } from "./export-german.ts";
import { REPLAY_SCRIPT } from "./export-html-script.ts";
import { REPLAY_STYLE } from "./export-html-style.ts";

/** Nothing in the page leads anywhere, and nothing may be added to it. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

export interface ReplayPageFacts {
  /** Any text. */
  readonly title: string;
  /** ISO 8601, of position 0. */
  readonly startedAt: string;
}

/** The page around a replay's data: what comes before the JSON, and after it. In English; its script says it in German. */
export function replayPage({ title, startedAt }: ReplayPageFacts): {
  readonly head: string;
  readonly tail: string;
} {
  const name = plain(title);
  const day = plain(startedAt);
  return {
    head: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${name}</title>
<style>${REPLAY_STYLE}</style>
</head>
<body>
<header><h1>${name}</h1><time class="muted" datetime="${day}">${day.replace("T", " ").slice(0, 16)} UTC</time></header>
<main><canvas id="picture" role="img"></canvas></main>
<aside aria-label="What happened"><ol id="list"></ol></aside>
<footer>
<div class="timeline"><div id="lanes" class="lanes" aria-hidden="true"></div><input id="position" type="range" min="0" step="1" value="0" aria-label="Position in the recording"></div>
<div class="tools" role="toolbar" aria-label="Player">
<button id="before" type="button" title="Previous action (P)" aria-label="Previous action">${icon("M18 20 8 12l10-8zM5 19V5")}</button>
<button id="play" type="button" title="Play or pause (Space)">Play</button>
<button id="next" type="button" title="Next action (N)" aria-label="Next action">${icon("M6 4l10 8-10 8zM19 5v14")}</button>
<span id="time"></span>
<button id="idle" type="button" aria-pressed="true" title="Skip what is idle (I)">Skip idle</button>
<select id="speed" aria-label="Speed" title="Speed (&lt; &gt;)"></select>
</div>
</footer>
<script type="application/json" id="data">`,
    tail: `</script>
<script>const GERMAN = ${JSON.stringify(PAGE_GERMAN)};</script>
<script>${REPLAY_SCRIPT}</script>
</body>
</html>
`,
  };
}

function icon(path: string): string {
  return `<svg width="16" height="16" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>`;
}

function plain(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
