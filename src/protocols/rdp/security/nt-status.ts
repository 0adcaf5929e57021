import { RdpError, type RdpErrorCode } from "../error.ts";

interface Meaning {
  readonly words: string;
  readonly code: RdpErrorCode;
}

const failed = (words: string): Meaning => ({ words, code: "auth_failed" });
const refused = (words: string): Meaning => ({ words, code: "refused" });

/** What a host may say of a sign-in, MS-ERREF sections 2.3.1 and 2.1.1. */
const MEANINGS: ReadonlyMap<number, Meaning> = new Map([
  [0xc000_0064, failed("there is no such user")],
  [0xc000_006a, failed("the password is wrong")],
  [0xc000_006d, failed("the user name or the password is wrong")],
  [0xc000_006e, failed("the account has restrictions that forbid this, such as an empty password")],
  [0xc000_006f, failed("the account may not sign in at this time of day")],
  [0xc000_0070, failed("the account may not sign in from this machine")],
  [0xc000_0071, failed("the password has expired: change it at the host")],
  [0xc000_0072, failed("the account is disabled")],
  [0xc000_0193, failed("the account has expired")],
  [0xc000_0224, failed("the password must be changed before the first sign-in: change it at the host")],
  [0xc000_0234, failed("the account is locked out after too many attempts")],
  [0xc000_005e, refused("the host finds no domain controller to ask")],
  [0xc000_015b, refused("the account may not sign in remotely: add it to the host's Remote Desktop Users")],
  [0xc000_0413, refused("the account is not allowed to authenticate to this host")],
  [0x8009_0302, refused("the host does not take NTLM")],
  [0x8009_0308, refused("the host does not understand the token")],
  [0x8009_030f, failed("the host could not check the sign-in: the password is wrong")],
  [0x8009_030c, failed("the host denied the sign-in")],
  [0x8009_0311, refused("the host finds no authority to ask")],
  [0x8009_0322, refused("the host has another name than it is called by")],
  [0x8009_0346, refused("the channel binding is not the one of the host's certificate")],
  [0x8009_035e, refused("the host does not allow NTLM: it wants Kerberos, which is not supported")],
]);

/** The host's error code in words. */
export function statusError(status: number): RdpError {
  const { words, code } = MEANINGS.get(status) ?? refused("its reason is not a known one");
  const number = `0x${status.toString(16).padStart(8, "0")}`;
  return new RdpError(code, "credssp", `the host refused the sign-in: ${words} (${number})`);
}
