import t from "tap";
import { sweep } from "./all-pages-scenario.ts";

// The narrowest phone, which is a desk of 1280 pixels with text four times as large, and a usual one.

t.test("all pages are whole on a phone, in both themes", { timeout: 900_000 }, async (t) => {
  await sweep(t, [320, 390]);
});
