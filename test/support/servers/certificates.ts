/**
 * A certificate authority for tests, certificates that it has signed, and certificates that are not
 * trusted.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TempDir, makeTempDir } from '../context/temp-dir.ts';

export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
}

export interface Certificates {
  /** For NODE_EXTRA_CA_CERTS. */
  readonly caFile: string;
  /** For `hooks.test` and 127.0.0.1, from the authority. */
  readonly good: Certificate;
  readonly expired: Certificate;
  /** For `other.test`. */
  readonly wrongName: Certificate;
  readonly selfSigned: Certificate;
  readonly remove: TempDir['remove'];
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'ignore' });
}

/** A self-signed certificate for a name, in the files that the service is configured with. */
export function selfSign(folder: string, name: string, files = ['cert.pem', 'key.pem']) {
  const [cert = '', key = ''] = files.map((file) => join(folder, file));
  const out = ['-keyout', key, '-out', cert];
  openssl('req', '-x509', ...NEW_KEY, '-days', '2', '-subj', `/CN=${name}`, ...out);
  return { TLS_CERT_FILE: cert, TLS_KEY_FILE: key };
}

export async function makeCertificates(): Promise<Certificates> {
  const dir = await makeTempDir();
  const file = (name: string) => join(dir.path, name);
  const read = (name: string) => ({
    key: readFileSync(file(`${name}.key`)),
    cert: readFileSync(file(`${name}.pem`)),
  });
  const issue = (name: string, names: string, days: string) => {
    const request = ['-keyout', file(`${name}.key`), '-out', file(`${name}.csr`)];
    openssl('req', ...NEW_KEY, '-subj', '/CN=receiver', ...request);
    writeFileSync(file(`${name}.ext`), `subjectAltName=${names}\n`);
    const ca = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial'];
    const out = ['-extfile', file(`${name}.ext`), '-out', file(`${name}.pem`)];
    openssl('x509', '-req', '-in', file(`${name}.csr`), ...ca, '-days', days, ...out);
    return read(name);
  };
  selfSign(dir.path, 'Test authority', ['ca.pem', 'ca.key']);
  selfSign(dir.path, 'hooks.test', ['self-signed.pem', 'self-signed.key']);
  return {
    caFile: file('ca.pem'),
    good: issue('good', 'DNS:hooks.test,IP:127.0.0.1', '2'),
    // It expires a day before it becomes valid.
    expired: issue('expired', 'DNS:hooks.test', '-1'),
    wrongName: issue('wrong-name', 'DNS:other.test,IP:127.0.0.2', '2'),
    selfSigned: read('self-signed'),
    remove: dir.remove,
  };
}
