import { randomBytes } from 'node:crypto';
import { type NetworkInterfaceInfo, hostname, networkInterfaces } from 'node:os';
import type { Config } from '../../core/config/config.ts';
import { operatorPasswordFile } from '../../core/config/generated-secrets.ts';
import { certificateFingerprint } from '../../core/tls/self-signed.ts';
import type { FirstWorkspace } from '../cli/existing-workspace.ts';
import { commandLineFor } from '../command-line.ts';
import { ownAddresses } from './own-addresses.ts';
import { type Credential, passwordWord, secretLines, tokenWord } from './secret-lines.ts';

type Place = Pick<
  Config,
  | 'bindHost'
  | 'http'
  | 'smtp'
  | 'mailDomain'
  | 'dataDir'
  | 'isPrivate'
  | 'production'
  | 'operatorPassword'
  | 'bootstrap'
>;

export interface Machine {
  readonly hostname: string;
  readonly interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>;
}

/** The wildcard addresses of IPv4, and of IPv6 and IPv4. */
const ALL = ['0.0.0.0', '::'];

/** The text that `up` prints when the service is ready: addresses, and three commands to try it. */
export function startMessage(
  place: Place,
  workspace: FirstWorkspace,
  machine: Machine = thisMachine(),
): string {
  const { http, api, smtp } = ownAddresses(place);
  const { isNew, credential } = workspace;
  const token = tokenWord(place, workspace);
  // In later runs the name `hello` can be taken.
  const name = isNew ? 'hello' : `hello-${randomBytes(2).toString('hex')}`;
  const ownCommands = [
    `  ${createMailbox(api, token, name)}`,
    `  ${sendMail(smtp, `${name}@${place.mailDomain}`)}`,
    `  ${readMail(api, token, name)}`,
  ];
  const needed = [token, credential && passwordWord(place, credential)]
    .map((word) => /^\$(\w+)$/.exec(word ?? '')?.[1])
    .filter((variable) => variable !== undefined);
  return [
    '',
    'Mayfly is ready.',
    '',
    `  Dashboard    ${http}/`,
    `  API          ${api}`,
    `  Mail domain  ${place.mailDomain}`,
    `  SMTP         ${smtp}`,
    ...fromElsewhere(place, machine),
    ...queueBoard(place, http),
    ...secretLines(place, workspace),
    ...certificate(place),
    ...(workspace.domainExists ? [] : [noSuchDomain(place)]),
    '',
    needed.length > 0 ? `Try it, with ${needed.join(' and ')} set:` : 'Try it in another terminal:',
    ...(credential ? captureCommands(place, token, credential) : ownCommands),
    '',
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}

/** Addresses of the dashboard and of SMTP for other machines. */
function fromElsewhere({ bindHost, http, smtp }: Place, machine: Machine): string[] {
  const hosts = otherHosts(bindHost, machine);
  if (hosts.length === 0) return [];
  const places = hosts.map(
    (host, i) =>
      `${i === 0 ? '  Network     ' : ' '.repeat(14)} http://${host}:${http.port}/  SMTP ${host}:${smtp.port}`,
  );
  const isLocal = new URL(http.publicUrl).hostname === 'localhost';
  return isLocal
    ? [...places, `               Links use ${http.publicUrl}: set PUBLIC_URL to change that.`]
    : places;
}

/**
 * Returns the hosts by which other machines reach `bindHost`, in URL form: the addresses of the
 * network interfaces, then the host name. Empty if `bindHost` is not a wildcard address.
 *
 * Link-local IPv6 addresses are left out: browsers do not support zones in URLs (RFC 6874).
 */
function otherHosts(bindHost: string, { hostname, interfaces }: Machine): string[] {
  if (!ALL.includes(bindHost)) return [];
  const external = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && (family === 'IPv4' || bindHost === '::'))
    .filter(({ address }) => !/^fe[89ab]/i.test(address));
  if (external.length === 0) return [];
  const hosts = external.map(({ address, family }) =>
    family === 'IPv6' ? `[${address}]` : address,
  );
  return [...hosts, hostname];
}

function thisMachine(): Machine {
  return { hostname: hostname(), interfaces: networkInterfaces() };
}

/** In production the page requires OPERATOR_PASSWORD to be set. */
function queueBoard({ production, operatorPassword, dataDir }: Place, http: string): string[] {
  if (production && operatorPassword === null) return [];
  const where = operatorPassword === null ? operatorPasswordFile(dataDir) : 'OPERATOR_PASSWORD';
  return [
    `  Queues       ${http}/admin/queues`,
    `               User operator, password in ${where}`,
  ];
}

/** Path and fingerprint of a self-signed certificate. */
function certificate({ smtp: { tls } }: Place): string[] {
  const fingerprint = tls?.isSelfSigned ? certificateFingerprint(tls.certFile) : null;
  if (tls === null || fingerprint === null) return [];
  return [`  Certificate  ${tls.certFile}, self-signed, SHA-256`, `               ${fingerprint}`];
}

/** Sends a mail to a foreign address, waits for it, and reads the caught recipients. */
function captureCommands(place: Place, token: string, credential: Credential): string[] {
  const { api, smtp } = ownAddresses(place);
  const inbox = `${api}/mailboxes/${place.bootstrap.mailbox}`;
  const login = `--user "${credential.username}:${passwordWord(place, credential)}"`;
  return [
    `  ${sendMail(smtp, 'customer@gmail.com')} ${login}`,
    `  curl -sS '${inbox}/messages/wait?to=customer@gmail.com' -H ${bearer(token)}`,
    `  curl -sS ${inbox}/recipients -H ${bearer(token)}`,
  ];
}

function createMailbox(api: string, token: string, name: string): string {
  const body = JSON.stringify({ name });
  return `curl -sS ${api}/mailboxes -H ${bearer(token)} -H 'Content-Type: application/json' -d '${body}'`;
}

function sendMail(smtp: string, address: string): string {
  const mail = `From: you@example.com\\r\\nTo: ${address}\\r\\nSubject: Hello\\r\\n\\r\\nIt works.\\r\\n`;
  return `printf '${mail}' | curl -sS smtp://${smtp} --mail-from you@example.com --mail-rcpt ${address} -T -`;
}

function readMail(api: string, token: string, name: string): string {
  return `curl -sS ${api}/mailboxes/${name}/messages/wait -H ${bearer(token)}`;
}

/** The double quotes let the shell expand a variable. */
function bearer(token: string): string {
  return `"Authorization: Bearer ${token}"`;
}

function noSuchDomain(place: Place): string {
  const { mailDomain: domain } = place;
  return `  No workspace has the domain ${domain} yet: ${commandLineFor(place.dataDir, 'workspace:create')} --name mayfly --domain ${domain} --plan pro`;
}
