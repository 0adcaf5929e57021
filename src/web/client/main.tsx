import { render } from "preact";
import { language } from "./language/language.ts";
import { App } from "./shell/app.tsx";
import { startBasePath } from "./shell/base-path.ts";
import { startRouter } from "./shell/router.ts";
import { startTheme } from "./shell/theme.ts";
import "./styles/tokens.css";
import "./styles/controls.css";
import "./styles/shell.css";

document.documentElement.lang = language;
startBasePath();
startTheme();
startRouter();
const root = document.getElementById("app");
if (root) render(<App />, root);
