import { VERSION } from '../contract.gen.ts';
import type { ErrorBody } from './bodies.ts';

/** How the service refuses a path, a query parameter or a field that it does not know. */
const UNKNOWN = /^(?:No endpoint|There is nothing|Unknown) /;

/**
 * The body of an error, with the code `unsupported` if an older service does not know what was
 * asked for. A service without the header `Mayfly-Version` is older.
 */
export function explained(
  { status, headers }: Response,
  body: Partial<ErrorBody>,
): Partial<ErrorBody> {
  const version = headers.get('mayfly-version');
  if (minorOf(version ?? '') >= minorOf(VERSION)) return body;
  const isUnknown = status === 405 ? body.code : UNKNOWN.test(body.error ?? '');
  if (!isUnknown) return body;
  const error = `The service (version ${version ?? 'unknown'}) is older than this client (${VERSION}): ${body.error}`;
  return { ...body, code: 'unsupported', error };
}

/** A number that orders versions by major and minor. */
function minorOf(version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major * 1e4 + minor;
}
