import type { Tool } from "../../tool/tool.ts";
import { browserClick } from "./click.ts";
import { browserCloseTab } from "./close-tab.ts";
import { browserCreateTab } from "./create-tab.ts";
import { browserExecuteJs } from "./execute-js.ts";
import { browserGetAccessibilityTree } from "./get-accessibility-tree.ts";
import { browserGetTabs } from "./get-tabs.ts";
import { browserInjectScript } from "./inject-script.ts";
import { browserScroll } from "./scroll.ts";
import { browserType } from "./type.ts";

/** The tools of paired browsers: listed to whom a browser is paired for, and to nobody else. */
export const BROWSER_TOOLS: readonly Tool[] = [
  browserGetTabs,
  browserGetAccessibilityTree,
  browserClick,
  browserType,
  browserScroll,
  browserCreateTab,
  browserCloseTab,
  browserExecuteJs,
  browserInjectScript,
];
