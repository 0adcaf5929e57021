import t from "tap";
import { sweep } from "./all-pages-scenario.ts";

// 720 is a desk of 1440 pixels with text twice as large.

t.test(
  "all pages are whole on a desk, in both themes, and each is of use by keys alone",
  { timeout: 900_000 },
  async (t) => {
    await sweep(t, [720, 1024, 1440]);
  },
);
