import { DerReader, der, derInteger, field, TAG } from "./der.ts";
import { utf16 } from "./octets.ts";

/** MS-CSSP 2.2.1: what both sides of CredSSP send. */
export interface TsRequest {
  readonly version: number;
  /** A token of the security package inside. */
  readonly negoToken?: Uint8Array;
  readonly authInfo?: Uint8Array;
  readonly pubKeyAuth?: Uint8Array;
  /** NTSTATUS, from version 3 on. */
  readonly errorCode?: number;
  /** 32 bytes, from version 5 on. */
  readonly clientNonce?: Uint8Array;
}

/**
 * TSRequest: version [0] INTEGER, negoTokens [1] SEQUENCE OF SEQUENCE { [0] OCTET STRING }, authInfo [2], pubKeyAuth
 * [3], errorCode [4] INTEGER, clientNonce [5].
 */
export function writeTsRequest(request: TsRequest): Uint8Array {
  const { version, negoToken, authInfo, pubKeyAuth, errorCode, clientNonce } = request;
  const fields = [der(field(0), derInteger(version))];
  const octets = (number: number, bytes: Uint8Array | undefined): void => {
    if (bytes !== undefined) fields.push(der(field(number), der(TAG.octetString, bytes)));
  };
  if (negoToken !== undefined) {
    const token = der(field(0), der(TAG.octetString, negoToken));
    fields.push(der(field(1), der(TAG.sequence, der(TAG.sequence, token))));
  }
  octets(2, authInfo);
  octets(3, pubKeyAuth);
  if (errorCode !== undefined) fields.push(der(field(4), derInteger(errorCode)));
  octets(5, clientNonce);
  return der(TAG.sequence, ...fields);
}

/** Reads a whole TSRequest; its fields are views of it. Throws RdpError. Fields of versions to come are skipped. */
export function readTsRequest(bytes: Uint8Array): TsRequest {
  const from = new DerReader(bytes, "TSRequest").open(TAG.sequence);
  const version = from.open(field(0)).integer();
  const request: { -readonly [Name in keyof TsRequest]: TsRequest[Name] } = { version };
  while (!from.isAtEnd) {
    switch (from.nextTag) {
      case field(1):
        request.negoToken = from
          .open(field(1))
          .open(TAG.sequence)
          .open(TAG.sequence)
          .open(field(0))
          .take(TAG.octetString);
        break;
      case field(2):
        request.authInfo = from.open(field(2)).take(TAG.octetString);
        break;
      case field(3):
        request.pubKeyAuth = from.open(field(3)).take(TAG.octetString);
        break;
      case field(4):
        request.errorCode = from.open(field(4)).integer();
        break;
      case field(5):
        request.clientNonce = from.open(field(5)).take(TAG.octetString);
        break;
      default:
        from.skip();
    }
  }
  return request;
}

const PASSWORD_CREDENTIALS = 1;

/** TSCredentials with TSPasswordCreds, MS-CSSP 2.2.1.2 and 2.2.1.2.1: what is sealed and sent at the end. */
export function passwordCredentials(domain: string, user: string, password: string): Uint8Array {
  const texts = [domain, user, password].map((text, i) => der(field(i), der(TAG.octetString, utf16(text))));
  const credentials = der(TAG.sequence, ...texts);
  return der(
    TAG.sequence,
    der(field(0), derInteger(PASSWORD_CREDENTIALS)),
    der(field(1), der(TAG.octetString, credentials)),
  );
}
