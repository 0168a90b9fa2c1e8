/**
 * Checks user names and passwords, and whether a credential is still valid; reads both from
 * messages of SASL PLAIN (RFC 4616) and LOGIN (draft-murchison-sasl-login-00) in AUTH (RFC 4954).
 */
import type { FrontContext } from '../../core/context.ts';
import { networkMatcher } from '../../core/config/cidr.ts';
import {
  type CredentialEntry,
  type FoundCredential,
  USE_INTERVAL_MS,
} from '../../core/directory/credentials.ts';
import { isPassword } from '../../core/smtp-credentials/passwords.ts';
import { withTimeout } from '../../core/with-timeout.ts';
import type { Catcher } from '../envelope.ts';

/** A login with a credential, or with an unknown user name under CATCH_ALL_ACCEPT_ANY_AUTH. */
export type Login = { kind: 'credential'; entry: CredentialEntry } | { kind: 'anyone' };

export interface Logins {
  /** Null if user name or password is incorrect; `away` if Redis is unavailable. */
  check: (given: UserAndPassword, address: string) => Promise<Login | 'away' | null>;
  /** The present credential; null if it or its mailbox was deleted, or its password replaced. */
  renew: (entry: CredentialEntry) => Promise<FoundCredential | 'away' | null>;
  /** Catches mail of clients without a credential; null if disabled. */
  readonly catchAll: Catcher | null;
}

/** Time limit for the lookup in Redis. */
const LOOKUP_TIMEOUT_MS = 8_000;
/** Longest user name. */
const MAX_USERNAME_LENGTH = 64;
/** Credentials whose last recorded use is kept in memory. */
const MAX_REMEMBERED = 10_000;

type Front = Pick<
  FrontContext,
  'config' | 'credentials' | 'knownCredentials' | 'redis' | 'now' | 'log'
>;

export function openLogins(front: Front): Logins {
  const { config, credentials, knownCredentials, redis, now, log } = front;
  const { catchAll } = config.smtp;
  const isCaughtFrom = networkMatcher(catchAll?.cidrs ?? []);
  const recordedAt = new Map<string, number>();

  const find = async (username: string): Promise<FoundCredential | 'away' | null> => {
    if (redis.status !== 'ready') return 'away';
    try {
      const found = await withTimeout(
        LOOKUP_TIMEOUT_MS,
        () => knownCredentials.query(username, () => credentials.find(username)),
        `no reply from Redis within ${LOOKUP_TIMEOUT_MS} ms`,
      );
      return found === 'incomplete' ? 'away' : found;
    } catch {
      return 'away';
    }
  };

  /** The caller does not wait. A use that cannot be recorded is lost. */
  const recordUse = (id: string) => {
    const at = now();
    if (at - (recordedAt.get(id) ?? -Infinity) < USE_INTERVAL_MS) return;
    if (recordedAt.size >= MAX_REMEMBERED) recordedAt.clear();
    recordedAt.set(id, at);
    credentials.recordUse(id, at).catch((error: unknown) => {
      recordedAt.delete(id);
      log.debug('use of an SMTP credential not recorded', { error });
    });
  };

  return {
    async check({ username, password }, address) {
      // Also looks up invalid names, so that the reply time does not reveal which names exist.
      const entry = await find(username.slice(0, MAX_USERNAME_LENGTH + 1));
      if (entry === 'away') return 'away';
      const fits = isPassword(password, entry?.passwordHash ?? null);
      if (entry && fits) {
        recordUse(entry.id);
        return { kind: 'credential', entry };
      }
      const acceptsAny = catchAll?.acceptAnyAuth === true && isCaughtFrom(address);
      return entry === null && username !== '' && acceptsAny ? { kind: 'anyone' } : null;
    },
    async renew(entry) {
      const found = (await knownCredentials.find(entry.username)) ?? (await find(entry.username));
      if (found === 'away' || found === null) return found;
      if (found.id !== entry.id || found.passwordHash !== entry.passwordHash) return null;
      recordUse(found.id);
      return found;
    },
    catchAll: catchAll && {
      kind: 'catch-all',
      mailbox: catchAll.mailbox,
      domain: catchAll.mailbox.slice(catchAll.mailbox.lastIndexOf('@') + 1),
      isFor: isCaughtFrom,
    },
  };
}

export interface UserAndPassword {
  username: string;
  password: string;
}

/** RFC 4648 section 4, padded. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The challenges of LOGIN: "Username:" and "Password:". */
export const LOGIN_CHALLENGES = ['VXNlcm5hbWU6', 'UGFzc3dvcmQ6'] as const;

/** Decodes a response; null if it is not base64 of UTF-8. */
export function decodeResponse(response: string): string | null {
  if (!BASE64.test(response)) return null;
  try {
    return utf8.decode(Buffer.from(response, 'base64'));
  } catch {
    return null;
  }
}

/** Decodes an initial response, where `=` means an empty one (RFC 4954 section 4). */
export function decodeInitialResponse(response: string): string | null {
  return response === '=' ? '' : decodeResponse(response);
}

/**
 * Parses a message of PLAIN; null if it is malformed. The user name is empty, and so unknown, if
 * the authorization identity differs from it.
 */
export function parsePlain(message: string): UserAndPassword | null {
  const parts = message.split('\0');
  const [identity, username, password] = parts;
  if (parts.length !== 3 || identity === undefined) return null;
  if (username === undefined || password === undefined) return null;
  const isOther = identity !== '' && identity !== username;
  return { username: isOther ? '' : username, password };
}
