import { createServer } from "node:http";
import type { Owner } from "../test/support/program.ts";

/** Ten pages as people meet them, of what makes snapshots large: forms, lists, tables, menus, frames, shadow roots. */
const PAGES: Readonly<Record<string, string>> = {
  article: `<h1>On tides</h1><nav aria-label=Main>${links(8)}</nav>${paragraphs(12)}<aside>${links(6)}</aside>`,
  search: `<form role=search><input type=search aria-label=Search><button>Search</button></form><ol>${repeat(10, (n) => `<li><h3><a href="#r${n}">Result ${n} of the search</a></h3><cite>https://example.org/${n}</cite><p>What the page number ${n} says in two lines of <em>text</em>.</p></li>`)}</ol>`,
  form: `<h1>Your address</h1><form>${repeat(12, (n) => `<p><label for=f${n}>Field ${n}</label> <input id=f${n} value="value ${n}"></p>`)}<fieldset><legend>Delivery</legend>${repeat(4, (n) => `<label><input type=radio name=d ${n === 1 ? "checked" : ""}> Way ${n}</label>`)}</fieldset><label>Country <select><option>Denmark<option>Kenya<option>Peru</select></label><label><input type=checkbox> Agreed</label><textarea aria-label=Notes>Ring twice</textarea><button>Send</button></form>`,
  settings: `<h1>Settings</h1><div role=tablist>${repeat(4, (n) => `<button role=tab aria-selected=${n === 1}>Tab ${n}</button>`)}</div>${repeat(16, (n) => `<div><span id=s${n}>Setting ${n}</span><button role=switch aria-checked=${n % 2 === 0} aria-labelledby=s${n}></button></div>`)}`,
  mail: `<button>Write</button><ul aria-label=Mails>${repeat(40, (n) => `<li><input type=checkbox aria-label="Select mail ${n}"><a href="#m${n}"><b>Person ${n}</b> <span>About the matter ${n}</span></a><button aria-label="Archive mail ${n}">x</button><time>${n} May</time></li>`)}</ul>`,
  shop: `<h1>Lamps</h1><main>${repeat(24, (n) => `<article><a href="#p${n}"><img alt="Lamp ${n}" src="data:,"><h2>Lamp ${n}</h2></a><p>${n}.90 EUR</p><button>Put into the basket</button></article>`)}</main><footer>${links(12)}</footer>`,
  table: `<table><thead><tr><th>Id<th>Name<th>State<th>Act</tr></thead><tbody>${rows(60)}</tbody></table>`,
  calendar: `<h1>May</h1><table role=grid><tbody>${repeat(5, (week) => `<tr>${repeat(7, (day) => `<td role=gridcell><button>${week * 7 + day - 7}</button></td>`)}</tr>`)}</tbody></table>`,
  tree: `<ul role=tree>${repeat(12, (n) => `<li role=treeitem aria-expanded=true>Folder ${n}<ul role=group>${repeat(4, (m) => `<li role=treeitem>File ${n}.${m}</li>`)}</ul></li>`)}</ul><div role=menubar>${repeat(6, (n) => `<button role=menuitem aria-haspopup=true>Menu ${n}</button>`)}</div>`,
  framed: `<h1>Checkout</h1><iframe title=Payment srcdoc="<label>Card <input></label><button>Pay now</button>"></iframe><div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML = '<button>In the shadow</button><label>Code <input></label>'</script>`,
  rows: `<table><tbody>${rows(2000)}</tbody></table>`,
};

/** The page of 2,000 rows is not one of the ten. */
export const LARGE = "rows";
export const TEN: readonly string[] = Object.keys(PAGES).filter((name) => name !== LARGE);

function repeat(count: number, one: (nth: number) => string): string {
  return Array.from({ length: count }, (_, index) => one(index + 1)).join("");
}

function links(count: number): string {
  return `<ul>${repeat(count, (n) => `<li><a href="#l${n}">Link to part ${n}</a></li>`)}</ul>`;
}

function paragraphs(count: number): string {
  return repeat(
    count,
    (n) => `<p>Part ${n} says <a href="#n${n}">something ${n}</a> of tides, and more of what moves them.</p>`,
  );
}

function rows(count: number): string {
  return repeat(count, (n) => `<tr><td>${n}<td>Name of ${n}<td>open<td><button>Close ${n}</button></tr>`);
}

/** Serves them; gives where. */
export async function servePages(owner: Owner): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    const page = PAGES[url.slice(1)];
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
    response.end(`<!doctype html><meta charset=utf-8><title>${url.slice(1)}</title>${page ?? ""}`);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  owner.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}
