import t from "tap";
import { sweep } from "./all-pages-scenario.ts";

t.test("all pages are whole where the browser's text is twice as large", { timeout: 900_000 }, async (t) => {
  await sweep(t, [390, 1024], 32);
});
