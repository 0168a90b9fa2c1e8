/**
 * Configures Haraka's STARTTLS (its core plugin `tls`) with certificate and key from the
 * environment instead of tls.ini. The files are read once: a renewed certificate requires a
 * restart.
 */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { AppError, errorText } from '../core/errors.js';
import { replaceMethod } from './patches/replace-method.js';

export interface TlsFiles {
  certFile: string;
  keyFile: string;
}

/**
 * Enables STARTTLS, or keeps Haraka from looking for certificates if `files` is null.
 * @throws {AppError} `unavailable` if the files cannot be read or do not match.
 */
export function prepareTls(haraka: Haraka.Patchable<'tlsSocket'>, files: TlsFiles | null): void {
  const options = files ? tlsOptions(files) : {};
  replaceMethod(haraka, 'tlsSocket', 'load_tls_ini', 1, () => {
    return function () {
      this.cfg = {
        main: { requireAuthorized: [], no_starttls_ports: [] },
        redis: {},
        no_tls_hosts: {},
      };
      this.certsByHost['*'] = options;
      this.tls_valid = files !== null;
      return this.cfg;
    };
  });
  haraka.tlsSocket.load_tls_ini();
}

function tlsOptions({ certFile, keyFile }: TlsFiles): Haraka.TlsOptions {
  const cert = read('TLS_CERT_FILE', certFile);
  const key = read('TLS_KEY_FILE', keyFile);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new AppError(
      'unavailable',
      `TLS_CERT_FILE ${certFile} and TLS_KEY_FILE ${keyFile} do not match or are invalid (${errorText(error)})`,
      { cause: error },
    );
  }
  return {
    isServer: true,
    key,
    cert,
    minVersion: 'TLSv1.2', // RFC 8996
    requestCert: false,
    sessionIdContext: 'mayfly',
  };
}

function read(variable: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new AppError('unavailable', `${variable} cannot be read (${errorText(error)})`, {
      cause: error,
    });
  }
}
