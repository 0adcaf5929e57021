import { DerReader, der, field, TAG } from "./der.ts";

/** 1.3.6.1.5.5.2 */
const SPNEGO_OID = Uint8Array.of(0x2b, 6, 1, 5, 5, 2);
/** 1.3.6.1.4.1.311.2.2.10 */
const NTLM_OID = Uint8Array.of(0x2b, 6, 1, 4, 1, 0x82, 0x37, 2, 2, 0x0a);
const REJECT = 2;

/** The mechanisms that we offer, NTLM alone, as both sides sign them: MechTypeList, RFC 4178 section 4.1. */
export const MECHANISMS = der(TAG.sequence, der(TAG.oid, NTLM_OID));

/** The first token: GSS-API's frame, NegTokenInit with mechTypes [0] and mechToken [2], RFC 4178 section 4.2.1. */
export function writeNegTokenInit(mechToken: Uint8Array): Uint8Array {
  const init = der(TAG.sequence, der(field(0), MECHANISMS), der(field(2), der(TAG.octetString, mechToken)));
  return der(TAG.application0, der(TAG.oid, SPNEGO_OID), der(field(0), init));
}

/** Every later token: NegTokenResp with responseToken [2] and mechListMIC [3], RFC 4178 section 4.2.2. */
export function writeNegTokenResp(responseToken: Uint8Array, mechListMic: Uint8Array): Uint8Array {
  return der(
    field(1),
    der(
      TAG.sequence,
      der(field(2), der(TAG.octetString, responseToken)),
      der(field(3), der(TAG.octetString, mechListMic)),
    ),
  );
}

export interface NegTokenResp {
  readonly isRejected: boolean;
  readonly responseToken: Uint8Array | null;
  readonly mechListMic: Uint8Array | null;
}

/** NegTokenResp: negState [0], supportedMech [1], responseToken [2], mechListMIC [3], each optional. Throws RdpError. */
export function readNegTokenResp(token: Uint8Array): NegTokenResp {
  const from = new DerReader(token, "NegTokenResp").open(field(1)).open(TAG.sequence);
  let isRejected = false;
  let responseToken: Uint8Array | null = null;
  let mechListMic: Uint8Array | null = null;
  while (!from.isAtEnd) {
    switch (from.nextTag) {
      case field(0):
        isRejected = from.open(field(0)).take(TAG.enumerated)[0] === REJECT;
        break;
      case field(2):
        responseToken = from.open(field(2)).take(TAG.octetString);
        break;
      case field(3):
        mechListMic = from.open(field(3)).take(TAG.octetString);
        break;
      default:
        from.skip();
    }
  }
  return { isRejected, responseToken, mechListMic };
}
