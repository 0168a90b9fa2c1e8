/**
 * Configures Haraka's STARTTLS (its core plugin `tls`) and implicit TLS with certificate and key
 * from the environment instead of tls.ini. The files are read again when they change, for example
 * when a certificate is renewed.
 */
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { TlsFiles } from '../core/config/smtp.ts';
import { AppError, errorText } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import { replaceMethod } from './patches/replace-method.ts';

/** Interval of polling both files: a renewal often replaces a symbolic link. */
const POLL_MS = 2_000;

export interface Certificate {
  /** Calls `use` with each later certificate. */
  readonly onChange: (use: (options: Haraka.TlsOptions) => void) => void;
  readonly close: () => void;
}

/**
 * Enables STARTTLS, or keeps Haraka from looking for certificates if `files` is null.
 * @throws {AppError} `unavailable` if the files cannot be read or do not match.
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
      log.info('certificate reloaded');
    } catch (error) {
      // A renewal changes one file before the other.
      log.warn('changed certificate is not usable, the previous one stays in use', {
        fault: errorText(error),
      });
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
      // Created once, because otherwise each connection parses the key again.
      secureContext: createSecureContext({ cert, key, minVersion, sessionIdContext: 'mayfly' }),
      minVersion,
      requestCert: false,
      sessionIdContext: 'mayfly',
    };
  } catch (error) {
    throw new AppError(
      'unavailable',
      `TLS_CERT_FILE ${certFile} and TLS_KEY_FILE ${keyFile} do not match or are invalid (${errorText(error)})`,
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
