/**
 * Who asks without credentials: a program on the machine of a private instance, which listens on a
 * loopback address. Everything that shows that somebody else may ask through that program is
 * refused. A proxy that adds no header field and sends its own Host (the default of nginx) or that
 * of its client, and a forwarder of bytes (socat), look like a local program.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import type { Caller } from '../../core/auth/caller.ts';
import { bearerOfWorkspace } from '../../core/auth/tokens.ts';
import { isLoopback } from '../../core/config/cidr.ts';
import type { Config } from '../../core/config/config.ts';
import type { Context } from '../../core/context.ts';
import { workspaceOfDomain } from '../../core/workspaces/workspaces.ts';
import { hasOwnOrigin, hasOwnSite } from '../http/origin.ts';

export interface LocalCaller {
  caller: Caller;
  /** The address of the mailbox that catches mail. */
  mailbox: string;
}

/** Whether the instance serves local programs without credentials. */
export function servesLocalPrograms({ isPrivate, http, smtp }: Config): boolean {
  const { compatWithoutCredentials, publicUrl } = http;
  const isPublished = !isLoopback(hostnameOf(publicUrl));
  return isPrivate && smtp.catchAll !== null && compatWithoutCredentials && !isPublished;
}

/**
 * The caller of a request without credentials, or null if it need not be from a local program. It
 * has a token of the workspace whose mailbox catches mail: with the last one revoked, access ends.
 */
export async function localCaller(context: Context, req: Request): Promise<LocalCaller | null> {
  const { catchAll } = context.config.smtp;
  if (!catchAll || !isFromLocalProgram(context.config, req)) return null;
  const { mailbox } = catchAll;
  const workspace = await workspaceOfDomain(context, mailbox.slice(mailbox.lastIndexOf('@') + 1));
  const caller = workspace && (await bearerOfWorkspace(context, workspace));
  return caller ? { caller, mailbox } : null;
}

/**
 * A name that only a name server of somebody else resolves to this machine is no loopback host (DNS
 * rebinding). The header is read as the client sent it, without X-Forwarded-Host.
 */
function isFromLocalProgram(config: Config, req: Request): boolean {
  return (
    servesLocalPrograms(config) &&
    isLoopback(hostnameOf(`http://${req.headers.host ?? ''}`)) &&
    hasOwnSite(req) &&
    hasOwnOrigin(req, config.http.publicUrl) &&
    !isForwarded(req.headers)
  );
}

const FORWARDING = /^(?:forwarded|via|x-real-ip|x-forwarded(?:-.*)?)$/;

/** Whether a proxy says that the request is from somebody else (RFC 7239, RFC 9110 7.6.3). */
function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => FORWARDING.test(name));
}

/** A URL with other parts than a host and a port has none: no client sends such a Host. */
function hostnameOf(url: string): string {
  if (!URL.canParse(url)) return '';
  const { hostname, href, origin } = new URL(url);
  return href === `${origin}/` ? hostname.replace(/^\[|\]$/g, '') : '';
}
