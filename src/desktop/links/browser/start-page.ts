/** What a browser of ours shows first: where to, for there is no address bar. */
const MARKUP = `<!doctype html><html lang="en"><meta charset="utf-8"><title>New page</title>
<style>body{margin:0;height:100vh;display:grid;place-content:center;gap:16px;font:18px sans-serif;background:#f4f5f7;color:#1b1f24}
input{width:min(640px,80vw);font:inherit;padding:12px;border:2px solid #59636e;border-radius:8px}p{margin:0;font-size:14px;color:#444c56}</style>
<form><label>Where to? <br><input name="to" autofocus autocomplete="off" spellcheck="false" placeholder="https://example.org"></label></form>
<p>Alt+Home: this page. Alt+Left, Alt+Right: back and forward. F5: again. Ctrl+T: new tab. Ctrl+W: close it.</p>
<script>document.forms[0].onsubmit=e=>{e.preventDefault();const t=e.target.to.value.trim();if(t)location.href=/^[a-z][a-z0-9+.-]*:\\/\\//i.test(t)?t:"https://"+t}</script>`;

export const START_PAGE = `data:text/html;charset=utf-8,${encodeURIComponent(MARKUP)}`;
