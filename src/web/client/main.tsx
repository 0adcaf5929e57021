import { render } from "preact";
import { App } from "./app.tsx";
import { startRouter } from "./router.ts";
import { startTheme } from "./theme.ts";
import "./styles/tokens.css";
import "./styles/controls.css";
import "./styles/shell.css";

startTheme();
startRouter();
const root = document.getElementById("app");
if (root) render(<App />, root);
