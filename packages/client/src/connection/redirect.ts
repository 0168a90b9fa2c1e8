import { MayflyError } from '../errors.ts';

const SHOWN = 200;

/** Whether something before the service sends the request elsewhere. */
export function isRedirect({ status, type }: Response): boolean {
  // A browser does not show the response.
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

/**
 * The error of a request that was redirected. A redirect is not followed: a POST would become a GET
 * (RFC 9110, section 15.4), and another origin would not get the token.
 */
export function redirected({ url }: Request, { status, headers }: Response): MayflyError {
  const target = headers.get('location')?.slice(0, SHOWN) || null;
  const told = target === null ? 'redirects elsewhere' : `redirects to ${target}`;
  const base = target === null ? null : baseOf(target, new URL(url));
  const setting = base ?? 'the address that answers without a redirect';
  const error = `${url} ${told} (status ${status}). Set MAYFLY_URL to ${setting}.`;
  return new MayflyError(status, { code: 'redirected', error });
}

/**
 * What stands before the path of the API in a redirect; null without one, and if it is the same.
 */
function baseOf(location: string, asked: URL): string | null {
  if (!URL.canParse(location, asked)) return null;
  const [base, told] = [asked, new URL(location, asked)].map(({ origin, pathname }) => {
    if (!origin.startsWith('http')) return null;
    const [, path = null] = /^(.*?)\/api\//.exec(pathname) ?? [];
    return path === null ? null : origin + path;
  });
  return told === base ? null : (told ?? null);
}
