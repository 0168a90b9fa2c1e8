/**
 * Certificate and key for STARTTLS (Haraka's core plugin `tls`) and for the port with implicit TLS, taken from the
 * environment instead of tls.ini. They are read again when their files change, as when a certificate is renewed.
 */
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { TlsFiles } from '../core/config/smtp.js';
import { AppError, errorText } from '../core/errors.js';
import type { Logger } from '../core/log.js';
import { replaceMethod } from './patches/replace-method.js';

/** The state of both files is looked at by polling: a renewal often replaces a symbolic link. */
const POLL_MS = 2_000;

export interface Certificate {
  /** Calls back with each later certificate. */
  readonly onChange: (use: (options: Haraka.TlsOptions) => void) => void;
  readonly close: () => void;
}

/**
 * Sets up STARTTLS, or keeps Haraka from looking for certificates when `files` is null.
 * @throws {AppError} `unavailable` when the files cannot be read or do not belong together.
 */
export function prepareTls(
  haraka: Haraka.Patchable<'tlsSocket'>,
  files: TlsFiles | null,
  log: Logger,
): Certificate {
  const options: Partial<Haraka.TlsOptions> = files ? tlsOptions(files) : {};
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

  const users: ((options: Haraka.TlsOptions) => void)[] = [];
  if (!files) return { onChange: () => undefined, close: () => undefined };
  const reload = () => {
    try {
      const renewed = tlsOptions(files);
      if (options.cert && renewed.cert.equals(options.cert)) return;
      Object.assign(options, renewed);
      for (const use of users) use(renewed);
      log.info('certificate of SMTP read again');
    } catch (error) {
      // Of a renewal, one file changes before the other.
      log.warn('changed certificate not usable, the former one stays', { fault: errorText(error) });
    }
  };
  const names = [files.certFile, files.keyFile];
  for (const name of names) watchFile(name, { interval: POLL_MS, persistent: false }, reload);
  return {
    onChange: (use) => users.push(use),
    close: () => {
      for (const name of names) unwatchFile(name, reload);
    },
  };
}

function tlsOptions({ certFile, keyFile }: TlsFiles): Haraka.TlsOptions {
  const cert = read('TLS_CERT_FILE', certFile);
  const key = read('TLS_KEY_FILE', keyFile);
  const minVersion = 'TLSv1.2'; // RFC 8996
  try {
    return {
      isServer: true,
      key,
      cert,
      // Made once: a client with a connection for each mail would have the key parsed for each.
      secureContext: createSecureContext({ cert, key, minVersion, sessionIdContext: 'mayfly' }),
      minVersion,
      requestCert: false,
      sessionIdContext: 'mayfly',
    };
  } catch (error) {
    throw new AppError(
      'unavailable',
      `TLS_CERT_FILE ${certFile} and TLS_KEY_FILE ${keyFile} cannot be used together (${errorText(error)})`,
      { cause: error },
    );
  }
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
