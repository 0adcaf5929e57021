import t from "tap";
import { rdpAccount } from "../../../../src/desktop/links/rdp/open-rdp.ts";

t.test("an account may name its domain as Windows writes it", async (t) => {
  t.same(rdpAccount("CORP\\ann"), { username: "ann", domain: "CORP" });
  t.same(rdpAccount("ann@corp.example"), { username: "ann@corp.example" });
  t.same(rdpAccount("ann"), { username: "ann" });
  t.same(rdpAccount("\\ann"), { username: "\\ann" });
  t.same(rdpAccount("CORP\\"), { username: "CORP\\" });
});
