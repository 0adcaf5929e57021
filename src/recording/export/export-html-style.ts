/** The look of a replay page: light and dark as its reader has it, from a phone's width on. */
export const REPLAY_STYLE = `
:root {
  color-scheme: light dark;
  --bg: light-dark(#f5f6f8, #0f1217);
  --surface: light-dark(#ffffff, #171b21);
  --hover: light-dark(#e8ebf0, #262c35);
  --line: light-dark(#dde1e7, #2b313b);
  --edge: light-dark(#8a94a3, #657080);
  --text: light-dark(#161b22, #e7eaee);
  --muted: light-dark(#56606d, #9ba5b2);
  --accent: light-dark(#1d5fd6, #7ab1ff);
  font: 13px/1.45 system-ui, -apple-system, "Segoe UI", sans-serif;
  font-variant-numeric: tabular-nums;
}
* { box-sizing: border-box; }
body {
  display: grid;
  grid-template: auto minmax(0, 1fr) auto / minmax(0, 1fr) 300px;
  height: 100vh;
  height: 100dvh;
  margin: 0;
  background: var(--bg);
  color: var(--text);
}
header, footer { grid-column: 1 / -1; padding: 8px 12px; background: var(--surface); }
header { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline; border-bottom: 1px solid var(--line); }
footer { border-top: 1px solid var(--line); }
h1 { margin: 0; font-size: 14px; }
.muted { color: var(--muted); }
main { display: grid; place-items: center; min-width: 0; min-height: 0; overflow: hidden; background: #0b0d10; }
canvas { width: 100%; height: 100%; object-fit: contain; cursor: pointer; }
aside { overflow: auto; border-left: 1px solid var(--line); background: var(--surface); }
ol { margin: 0; padding: 0; list-style: none; }
li button {
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  gap: 0 8px;
  width: 100%;
  padding: 8px 12px;
  border: 0;
  border-bottom: 1px solid var(--line);
  border-left: 3px solid transparent;
  background: none;
  color: inherit;
  font: inherit;
  text-align: left;
  overflow-wrap: anywhere;
  cursor: pointer;
}
li button:hover { background: var(--hover); }
li button[aria-current] { border-left-color: var(--accent); background: var(--hover); }
li strong { font-weight: 500; }
li small { grid-column: 1 / -1; color: var(--muted); font-size: 12px; }
.timeline { position: relative; padding-top: 26px; }
.lanes { position: absolute; inset: 0 8px; pointer-events: none; }
.lanes span { position: absolute; height: 6px; min-width: 4px; border-radius: 2px; background: var(--tone); }
.lanes .action { top: 0; }
.lanes .approval { top: 9px; }
.lanes .marker { top: 18px; }
#position { display: block; width: 100%; height: 20px; margin: 0; accent-color: var(--accent); cursor: pointer; }
.good { --tone: light-dark(#14743a, #4ade80); }
.busy { --tone: light-dark(#1d5fd6, #7ab1ff); }
.warn { --tone: light-dark(#8a5200, #fbbf24); }
.bad { --tone: light-dark(#b91c1c, #fb8080); }
.idle { --tone: var(--muted); }
.tools { display: flex; flex-wrap: wrap; gap: 4px; align-items: center; margin-top: 4px; }
.tools svg { display: block; margin: auto; }
.tools button, .tools select {
  min-width: 34px;
  min-height: 32px;
  padding: 0 8px;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: none;
  color: inherit;
  font: inherit;
  cursor: pointer;
}
.tools button:hover { background: var(--hover); }
.tools #play { min-width: 72px; border-color: transparent; background: #2563eb; color: #fff; font-weight: 500; }
.tools #idle[aria-pressed="true"] { border-color: var(--accent); color: var(--accent); }
.tools select { border-color: var(--edge); background: var(--surface); }
#time { margin: 0 auto 0 8px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
li button:focus-visible { outline-offset: -3px; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media (width < 800px) {
  body { grid-template: auto minmax(140px, 1fr) auto minmax(0, 0.8fr) / minmax(0, 1fr); }
  .tools button, .tools select { padding: 0 5px; }
  .tools #play { min-width: 56px; }
  aside { grid-row: 4; border-left: 0; border-top: 1px solid var(--line); }
}
body.is-bare { grid-template-columns: minmax(0, 1fr); }
body.is-bare aside { display: none; }
`;
