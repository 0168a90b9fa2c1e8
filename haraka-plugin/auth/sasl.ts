/**
 * Messages of SASL PLAIN (RFC 4616) and LOGIN (draft-murchison-sasl-login-00) in AUTH (RFC 4954).
 */

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
