import { X509Certificate, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { TlsFiles } from '../config/smtp.ts';
import { makeSelfSigned } from './self-signed.ts';

const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'];

/**
 * Creates certificate and key if a file is missing. Renaming their folder publishes both at once,
 * so processes that start concurrently use the same pair.
 * @param hostname the common name
 */
export function ensureSelfSigned({ certFile, keyFile }: TlsFiles, hostname: string): void {
  if (existsSync(certFile) && existsSync(keyFile)) return;
  const folder = dirname(certFile);
  const made = `${folder}.${randomBytes(6).toString('hex')}`;
  mkdirSync(made, { recursive: true, mode: 0o700 });
  try {
    const { cert, key } = makeSelfSigned([hostname, ...LOCAL_NAMES]);
    writeFileSync(join(made, basename(keyFile)), key, { mode: 0o600, flush: true });
    writeFileSync(join(made, basename(certFile)), cert, { mode: 0o644, flush: true });
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(certFile) || !existsSync(keyFile)) throw error;
  }
}

/** The SHA-256 fingerprint of a certificate, `AB:CD:...`; null if the file does not exist. */
export function certificateFingerprint(certFile: string): string | null {
  try {
    return new X509Certificate(readFileSync(certFile)).fingerprint256;
  } catch {
    return null;
  }
}
