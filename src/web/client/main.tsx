import { render } from "preact";
import { language } from "./language/language.ts";
import { App } from "./shell/app.tsx";
import { below, startBasePath } from "./shell/base-path.ts";
import { startRouter } from "./shell/router.ts";
import { startTheme } from "./shell/theme.ts";
import "./styles/tokens.css";
import "./styles/controls.css";
import "./styles/shell.css";

document.documentElement.lang = language;
// For pages that the server words, and what it sends by push.
// biome-ignore lint/suspicious/noDocumentCookie: browsers have no other way without TLS
document.cookie = `language=${language};path=${below("/")};max-age=31536000;samesite=strict`;
startBasePath();
startTheme();
startRouter();
const root = document.getElementById("app");
if (root) render(<App />, root);
