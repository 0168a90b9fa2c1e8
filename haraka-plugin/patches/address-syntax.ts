/**
 * Checks recipients with the grammar of core/addresses.ts before Haraka parses them, and replaces
 * the error texts of Haraka's parser, which refer to positions in its own grammar.
 */
import { addressFault } from '../../core/addresses.ts';
import { envelopeOf } from '../envelope.ts';
import {
  type Verdict,
  notUtf8Recipient,
  pathSyntax,
  recipientSyntax,
  recipientTooLong,
  senderSyntax,
  textOf,
} from '../replies.ts';
import { utf8Fault } from '../hooks/utf8-addresses.ts';
import { replaceMethod } from './replace-method.ts';

const SYNTAX_ERROR = 501;
const MAX_LOCAL_PART_OCTETS = 64;
/** A path has up to 256 octets including the angle brackets (RFC 5321 section 4.5.3.1.3). */
const MAX_ADDRESS_OCTETS = 254;

/** The path ends at the first `>` outside a quoted string. */
const BRACKETED = /^<((?:"(?:[^"\\]|\\.)*"|[^">])*)>/s;
/** RFC 5321 section 4.1.1.3: a source route is ignored. */
const SOURCE_ROUTE = /^@[^:]*:/;

const PARSER_TEXTS: [begin: string, verdict: Verdict][] = [
  ['Invalid RCPT TO address', pathSyntax],
  ['Invalid MAIL FROM address', senderSyntax],
  ['Command parsing failed', pathSyntax],
];

export function checkAddressSyntax(haraka: Haraka.Patchable<'connection'>): void {
  replaceMethod(haraka, 'connection', 'cmd_rcpt', 1, (takeRecipient) => {
    return function (rest) {
      const envelope = envelopeOf(this);
      const verdict = envelope ? pathFault(rest, envelope.allowsUtf8) : null;
      if (typeof verdict?.reply === 'object') this.respond(verdict.reply.code, verdict.reply);
      else takeRecipient.call(this, rest);
    };
  });

  replaceMethod(haraka, 'connection', 'respond', 3, (respond) => {
    return function (code, text, then) {
      const own = code === SYNTAX_ERROR ? ownText(text) : null;
      respond.call(this, code, own ?? text, then);
    };
  });
}

/**
 * Returns the reply to a bad path in RCPT, or null. The hook handles a missing path and the bare
 * postmaster.
 */
function pathFault(rest: string, allowsUtf8: boolean): Verdict | null {
  const [to] = /^to:\s*/i.exec(rest) ?? [];
  if (to === undefined) return pathSyntax;
  const path = rest.slice(to.length).trimEnd();
  const inside = path.startsWith('<') ? bracketed(path) : path.replace(/\s.*/s, '');
  const address = inside.replace(SOURCE_ROUTE, '');
  if (address === '' || address.toLowerCase() === 'postmaster') return null;
  const isUtf8 = utf8Fault({ address }, allowsUtf8, notUtf8Recipient);
  if (isUtf8) return isUtf8;
  const fault = addressFault(address);
  if (fault) return recipientSyntax[fault];
  return isTooLong(address) ? recipientTooLong : null;
}

/** Returns the path without brackets. An unterminated quoted string is a syntax error. */
function bracketed(path: string): string {
  return BRACKETED.exec(path)?.[1] ?? path.slice(1).replace(/>$/, '');
}

function isTooLong(address: string): boolean {
  const localPart = address.slice(0, address.lastIndexOf('@'));
  return (
    Buffer.byteLength(localPart) > MAX_LOCAL_PART_OCTETS ||
    Buffer.byteLength(address) > MAX_ADDRESS_OCTETS
  );
}

/** The replacement for an error text of Haraka's address parser; null for other texts. */
function ownText(text: Parameters<Haraka.Connection['respond']>[1]): string | null {
  const first = Array.isArray(text) ? text[0] : text;
  if (typeof first !== 'string') return null;
  const verdict = PARSER_TEXTS.find(([begin]) => first.startsWith(begin))?.[1];
  return verdict ? textOf(verdict) : null;
}
