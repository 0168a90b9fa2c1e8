import { parseArgs } from 'node:util';
import type { SmtpServer } from './send.ts';

export const USAGE = `usage: npm run demo -- [--url URL --token TOKEN [--smtp HOST:PORT]]

Fills a running instance with 60 mails in ten languages, caught mail, labels, claims, and webhooks that fail.
Without arguments it creates a workspace in the instance of this checkout. With --url it fills the workspace of
the token.

  --url URL         address of the instance, such as https://mail.acme.example
  --token TOKEN     token of a workspace on the plan Pro, with the role member or admin
  --smtp HOST:PORT  SMTP server, if it is not the one that the SMTP credentials name
  --help            prints this text
`;

/** The arguments do not match the usage text. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export type Arguments =
  | { mode: 'help' }
  | { mode: 'local' }
  | { mode: 'remote'; url: string; token: string; smtp: SmtpServer | null };

/** @throws {UsageError} */
export function parseArguments(args: string[]): Arguments {
  const { help, url, token, smtp } = parse(args);
  if (help) return { mode: 'help' };
  if (url === undefined && token === undefined && smtp === undefined) return { mode: 'local' };
  if (url === undefined || token === undefined) {
    throw new UsageError('--url and --token must be given together');
  }
  return {
    ...{ mode: 'remote', token },
    url: parseUrl(url),
    smtp: smtp === undefined ? null : parseServer(smtp),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        help: { type: 'boolean', default: false },
        url: { type: 'string' },
        token: { type: 'string' },
        smtp: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function parseUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError(`--url must be an HTTP or HTTPS address, not "${text}"`);
  }
  return `${url.origin}${url.pathname}`.replace(/(?:\/api)?\/*$/, '');
}

function parseServer(text: string): SmtpServer {
  const [, host, digits] = /^(?:smtp:\/\/)?([^\s/]+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (host === undefined || port < 1 || port > 65_535) {
    throw new UsageError(`--smtp must be a host and a port, such as localhost:2525, not "${text}"`);
  }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port };
}
