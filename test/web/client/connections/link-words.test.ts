import t from "tap";
import { linkWords } from "../../../../src/web/client/shell/labels.ts";

t.test("how a desktop is reached is told in plain words", async (t) => {
  t.equal(linkWords("RFB 3.8, None"), "VNC, no password");
  t.equal(linkWords("RFB 3.3, VncAuth"), "VNC, with a password");
  t.equal(linkWords("RFB 3.8, TLSNone"), "VNC, encrypted, no password");
  t.equal(linkWords("RFB 3.8, X509Plain"), "VNC, encrypted, user and password");
  t.equal(linkWords("RFB 3.8, RA2"), "VNC, encrypted, user and password");
  t.equal(linkWords("RFB 3.8, RA2ne"), "VNC, user and password", "signed in by RSA, and plain afterwards");
  t.equal(linkWords("KasmVNC, RFB 3.8, VncAuth"), "KasmVNC, with a password");
  t.equal(linkWords("RDP, TLS"), "RDP, TLS");
});
