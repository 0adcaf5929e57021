/** The page around the data of a self-contained replay: no address in it leads anywhere. */

const STYLE = `
:root{color-scheme:dark;font:13px/1.45 system-ui,sans-serif;font-variant-numeric:tabular-nums}
*{box-sizing:border-box}
body{margin:0;height:100vh;display:grid;grid-template:auto minmax(0,1fr) auto/minmax(0,1fr) auto;background:#0f1217;color:#e7eaee}
header,footer{grid-column:1/-1;display:flex;gap:12px;align-items:center;padding:8px 12px;background:#171b21;flex-wrap:wrap}
h1{font-size:14px;margin:0 auto 0 0}
main{display:grid;place-items:center;min-width:0;min-height:0;overflow:hidden;background:#0b0d10}
canvas{max-width:100%;max-height:100%;object-fit:contain}
aside{width:280px;overflow:auto;background:#171b21;border-left:1px solid #2b313b}
aside:empty{display:none}
ol{list-style:none;margin:0;padding:0}
li button{display:block;width:100%;padding:8px 12px;border:0;border-bottom:1px solid #2b313b;background:none;color:inherit;font:inherit;text-align:left;cursor:pointer}
li button:hover,li button[aria-current]{background:#262c35}
small{display:block;color:#9ba5b2}
button.b,select{min-height:32px;padding:0 12px;border:1px solid #657080;border-radius:6px;background:#1e232b;color:inherit;font:inherit}
input{flex:1;min-width:120px;accent-color:#7ab1ff}
:focus-visible{outline:2px solid #7ab1ff;outline-offset:2px}
@media(width<720px){aside{display:none}}
`;

const SCRIPT = `
const data=JSON.parse(document.getElementById("data").textContent);
const $=(id)=>document.getElementById(id);
const canvas=$("c"),pen=canvas.getContext("2d");
canvas.width=data.width;canvas.height=data.height;
const words=(ms)=>{const s=Math.floor(ms/1000);const h=Math.floor(s/3600);const two=(n)=>String(n).padStart(2,"0");return(h?h+":"+two(Math.floor(s/60)%60):Math.floor(s/60))+":"+two(s%60)};
const at=(ms)=>{let l=0,h=data.frames.length;while(l<h){const m=(l+h)>>1;if(data.frames[m].at<=ms)l=m+1;else h=m}return l-1};
const draw=async(frame)=>{const images=await Promise.all(frame.parts.map(async([x,y,png])=>{const i=new Image();i.src="data:image/png;base64,"+png;await i.decode();return[x,y,i]}));for(const[x,y,i]of images)pen.drawImage(i,x,y)};
let shown=-1,position=0,isPlaying=false,speed=1,busy=false,last=0;
const show=async()=>{if(busy)return;busy=true;try{for(;;){const want=at(position);if(want===shown)break;let from=want;while(from>0&&!data.frames[from].key)from--;if(shown>=from&&shown<want)from=shown+1;for(let i=from;i<=want;i++)await draw(data.frames[i]);shown=want}}finally{busy=false}};
const marks=data.actions.map((action)=>{const li=document.createElement("li"),b=document.createElement("button"),s=document.createElement("small");b.type="button";b.append(words(action.at)+"  "+action.summary);s.textContent=[action.intent,action.actor,action.outcome].filter(Boolean).join(" · ");b.append(s);b.onclick=()=>go(action.at);li.append(b);return{at:action.at,li,b}});
if(marks.length){const ol=document.createElement("ol");ol.append(...marks.map((m)=>m.li));$("a").append(ol)}
const paint=()=>{$("s").value=position;$("s").setAttribute("aria-valuetext",words(position));$("t").textContent=words(position)+" / "+words(data.duration);$("p").textContent=isPlaying?"Pause":"Play";const now=marks.findLast((m)=>m.at<=position);for(const m of marks){if(m===now)m.b.setAttribute("aria-current","true");else m.b.removeAttribute("aria-current")}};
const go=(ms)=>{position=Math.max(0,Math.min(data.duration,ms));paint();show()};
const step=(now)=>{if(!isPlaying)return;position+=(now-last)*speed;last=now;if(position>=data.duration){position=data.duration;isPlaying=false}paint();show();if(isPlaying)requestAnimationFrame(step)};
const toggle=()=>{isPlaying=!isPlaying;if(isPlaying){if(position>=data.duration)position=0;last=performance.now();requestAnimationFrame(step)}paint()};
$("p").onclick=toggle;$("s").max=data.duration;$("s").oninput=()=>go(Number($("s").value));$("v").onchange=()=>{speed=Number($("v").value)};
addEventListener("keydown",(e)=>{if(e.ctrlKey||e.metaKey||e.altKey||e.target.closest("button,select,input"))return;if(e.key===" "||e.key==="k")toggle();else if(e.key==="ArrowLeft")go(position-5000);else if(e.key==="ArrowRight")go(position+5000);else if(e.key===",")go(data.frames[Math.max(0,at(position)-1)].at);else if(e.key===".")go(data.frames[Math.min(data.frames.length-1,at(position)+1)].at);else return;e.preventDefault()});
const wanted=/t=([0-9.]+)/.exec(location.hash);go(wanted?Number(wanted[1])*1000:0);
`;

/** The page up to the JSON of its data, and what comes after it. `title`: any text. */
export function replayPage(title: string): { readonly head: string; readonly tail: string } {
  const name = title.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return {
    head: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"><title>${name}</title><style>${STYLE}</style></head><body><header><h1>${name}</h1><span id="t"></span></header><main><canvas id="c" role="img" aria-label="${name}"></canvas></main><aside id="a" aria-label="Actions"></aside><footer><button id="p" class="b" type="button">Play</button><input id="s" type="range" min="0" step="1" aria-label="Position"><select id="v" aria-label="Speed"><option value="0.5">0.5x</option><option value="1" selected>1x</option><option value="2">2x</option><option value="4">4x</option><option value="16">16x</option></select></footer><script type="application/json" id="data">`,
    tail: `</script><script>${SCRIPT}</script></body></html>`,
  };
}
