/**
 * The AUTH command (RFC 4954) with PLAIN and LOGIN. Haraka's own plugins are not used: they relay
 * for every client that has logged in, and CRAM-MD5 requires passwords in clear text. Lines of AUTH
 * reach neither Haraka nor a log.
 */
import { setTimeout as delay } from 'node:timers/promises';
import constants from 'haraka-constants';
import type { FrontContext } from '../../core/context.ts';
import * as replies from '../replies.ts';
import {
  type Login,
  type Logins,
  LOGIN_CHALLENGES,
  type UserAndPassword,
  decodeInitialResponse,
  decodeResponse,
  parsePlain,
} from './login.ts';

const { PAUSE_SMTP, DISCONNECTING } = constants.connection.state;

/** RFC 4954 section 4, without the line end. */
export const MAX_AUTH_LINE_OCTETS = 12_288;

/** Delay of the reply to a failed login. */
const FAILURE_DELAY_MS = 1_000;
/** Failed logins before the connection is closed. */
const MAX_FAILURES = 3;

/** The state of AUTH on one connection. */
export interface AuthState {
  /**
   * Set while the next line is the response to a challenge. `username` is that of LOGIN once
   * received.
   */
  exchange: { mechanism: 'PLAIN' | 'LOGIN'; username: string | null } | null;
  login: Login | null;
  /** Whether the client has logged in under TLS. */
  isTls: boolean;
  failures: number;
  /** Whether the rest of an overlong line is being discarded. */
  isDropping: boolean;
}

export interface AuthCommands {
  /** Whether EHLO offers AUTH; without TLS only with SMTP_AUTH_WITHOUT_TLS. */
  isOffered: (connection: Haraka.Connection) => boolean;
  /** Processes the parameters of AUTH. */
  begin: (connection: Haraka.Connection, rest: string) => void;
  /** Processes the response to a challenge. */
  processResponse: (connection: Haraka.Connection, response: string) => void;
  /** Ends the exchange after an overlong line. */
  refuseLongLine: (connection: Haraka.Connection) => void;
}

export function authStateOf({ notes }: Haraka.Connection): AuthState {
  notes.auth ??= { exchange: null, login: null, isTls: false, failures: 0, isDropping: false };
  return notes.auth;
}

/** The login of the client. A login before STARTTLS is discarded (RFC 3207 section 4.2). */
export function loginOf({ notes, tls }: Haraka.Connection): Login | null {
  return notes.auth?.isTls === tls.enabled ? notes.auth.login : null;
}

export function openAuthCommands(
  { config, rateLimits }: Pick<FrontContext, 'config' | 'rateLimits'>,
  logins: Logins,
): AuthCommands {
  const isOffered = ({ tls }: Haraka.Connection) => tls.enabled || config.smtp.authWithoutTls;

  const end = async (connection: Haraka.Connection, given: UserAndPassword) => {
    connection.state = PAUSE_SMTP; // pipelined commands wait for this reply
    const state = authStateOf(connection);
    state.exchange = null;
    const began = performance.now();
    const login = given.username === '' ? null : await logins.check(given, connection.remote.ip);
    if (login === 'away') {
      answer(connection, replies.authUnavailable);
    } else if (login) {
      Object.assign(state, { login, isTls: connection.tls.enabled });
      answer(connection, replies.authOk);
    } else {
      state.failures += 1;
      const standing = await rateLimits.countInvalidToken(connection.remote.ip);
      await delay(FAILURE_DELAY_MS - Math.min(FAILURE_DELAY_MS, performance.now() - began));
      const isLast = state.failures >= MAX_FAILURES || standing?.exceeded === true;
      answer(connection, isLast ? replies.tooManyLogins : replies.authFailed);
    }
  };

  const finish = (connection: Haraka.Connection, given: UserAndPassword) => {
    end(connection, given).catch(() => {
      answer(connection, replies.authUnavailable);
    });
  };

  const takePlain = (connection: Haraka.Connection, message: string | null) => {
    const given = message === null ? null : parsePlain(message);
    if (given) finish(connection, given);
    else refuse(connection, replies.authBadResponse);
  };

  const takeUsername = (connection: Haraka.Connection, username: string | null) => {
    if (username === null) {
      refuse(connection, replies.authBadResponse);
      return;
    }
    authStateOf(connection).exchange = { mechanism: 'LOGIN', username };
    challenge(connection, LOGIN_CHALLENGES[1]);
  };

  return {
    isOffered,
    begin(connection, rest) {
      const [mechanism = '', initial, ...more] = rest.split(' ').filter((part) => part !== '');
      const fault = beginFault(connection, isOffered(connection), mechanism, more.length > 0);
      if (fault) {
        answer(connection, fault);
        return;
      }
      const name = mechanism.toUpperCase() === 'PLAIN' ? 'PLAIN' : 'LOGIN';
      if (initial === undefined) {
        authStateOf(connection).exchange = { mechanism: name, username: null };
        challenge(connection, name === 'PLAIN' ? '' : LOGIN_CHALLENGES[0]);
      } else if (name === 'PLAIN') {
        takePlain(connection, decodeInitialResponse(initial));
      } else {
        takeUsername(connection, decodeInitialResponse(initial));
      }
    },
    processResponse(connection, response) {
      const { exchange } = authStateOf(connection);
      if (!exchange) return;
      if (response === '*') {
        refuse(connection, replies.authCanceled);
        return;
      }
      const text = decodeResponse(response);
      if (exchange.mechanism === 'PLAIN') takePlain(connection, text);
      else if (exchange.username === null) takeUsername(connection, text);
      else if (text === null) refuse(connection, replies.authBadResponse);
      else finish(connection, { username: exchange.username, password: text });
    },
    refuseLongLine(connection) {
      refuse(connection, replies.authLineTooLong);
    },
  };
}

/** Returns the reply to an AUTH command that cannot start, or null. */
function beginFault(
  connection: Haraka.Connection,
  isOffered: boolean,
  mechanism: string,
  hasMore: boolean,
): replies.Verdict | null {
  if (connection.transaction) return replies.authInMail;
  if (connection.hello.verb !== 'EHLO') return replies.authBeforeEhlo;
  if (!isOffered) return replies.authNeedsTls;
  if (loginOf(connection)) return replies.authAlready;
  if (mechanism === '' || hasMore) return replies.authSyntax;
  return /^(?:PLAIN|LOGIN)$/i.test(mechanism) ? null : replies.authMechanism;
}

function refuse(connection: Haraka.Connection, verdict: replies.Verdict): void {
  authStateOf(connection).exchange = null;
  answer(connection, verdict);
}

function answer(connection: Haraka.Connection, { code, reply }: replies.Verdict): void {
  if (connection.state >= DISCONNECTING || reply === undefined) return;
  const isLast = code === constants.denysoftdisconnect;
  const then = isLast
    ? () => {
        connection.disconnect();
      }
    : undefined;
  if (typeof reply === 'string') connection.respond(235, reply, then);
  else connection.respond(reply.code, reply, then);
}

/** Writes the challenge itself if it is empty, because Haraka adds a second space. */
function challenge(connection: Haraka.Connection, text: string): void {
  if (text !== '') {
    connection.respond(334, text);
    return;
  }
  connection.client.write('334 \r\n');
  connection.state = constants.connection.state.CMD;
  setImmediate(() => {
    connection._process_data();
  });
}
