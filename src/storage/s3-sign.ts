import { AwsV4Signer } from "aws4fetch";

export interface S3Keys {
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** A request as it is signed: what is hashed is what `x-amz-content-sha256` says. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The headers with the signature (AWS Signature Version 4) of this moment. */
export async function signedHeaders(
  { method, url, headers }: UnsignedRequest,
  { region, accessKey, secretKey }: S3Keys,
): Promise<Record<string, string>> {
  const signer = new AwsV4Signer({
    ...{ method, url, headers: { ...headers }, region, service: "s3" },
    ...{ accessKeyId: accessKey, secretAccessKey: secretKey },
  });
  return Object.fromEntries((await signer.sign()).headers);
}
