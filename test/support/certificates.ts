import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const EC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** Files in PEM. */
export interface NodeCertificate {
  readonly cert: string;
  readonly key: string;
}

/** An authority, and a certificate of it for each side. Names have no CN: it would be taken for a user's. */
export async function makeCertificates(dir: string): Promise<void> {
  const request = ["-subj", "/O=test", "-days", "2"];
  await run("openssl", ["req", "-x509", ...EC, "-keyout", "ca.key", "-out", "ca.crt", ...request], {
    cwd: dir,
  });
  for (const name of ["server", "client"]) await makeCertificate(dir, name, "subjectAltName=IP:127.0.0.1");
}

/** Of the authority in a folder, for a node of that name: NAME.crt and NAME.key there. */
export async function makeNodeCertificate(dir: string, name: string): Promise<NodeCertificate> {
  await makeCertificate(dir, name, `subjectAltName=DNS:${name}`);
  return { cert: join(dir, `${name}.crt`), key: join(dir, `${name}.key`) };
}

async function makeCertificate(dir: string, name: string, names: string): Promise<void> {
  const openssl = (...args: string[]) => run("openssl", args, { cwd: dir });
  const extensions = `${name}.ext`;
  writeFileSync(join(dir, extensions), `${names}\nextendedKeyUsage=serverAuth,clientAuth\n`);
  await openssl("req", ...EC, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/O=${name}`);
  // By chance, so that two can be made at a time.
  const serial = ["-set_serial", `0x1${randomBytes(8).toString("hex")}`];
  const by = ["-CA", "ca.crt", "-CAkey", "ca.key", ...serial, "-extfile", extensions];
  await openssl("x509", "-req", "-in", `${name}.csr`, ...by, "-days", "2", "-out", `${name}.crt`);
}
