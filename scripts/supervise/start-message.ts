import { randomBytes } from 'node:crypto';
import { type NetworkInterfaceInfo, hostname, networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import type { Config } from '../../core/config/config.ts';
import { operatorPasswordFile } from '../../core/config/generated-secrets.ts';
import { INBOX } from '../../core/config/smtp.ts';
import {
  type ConnectionSettings,
  smtpUrl as urlOf,
} from '../../core/smtp-credentials/connection-settings.ts';
import { certificateFingerprint } from '../../core/tls/self-signed.ts';
import type { FirstWorkspace } from '../cli/existing-workspace.ts';
import { commandLine } from '../command-line.ts';

type Place = Pick<
  Config,
  'bindHost' | 'http' | 'smtp' | 'mailDomain' | 'dataDir' | 'production' | 'operatorPassword'
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
  const host = reachable(place.bindHost);
  const http = `http://${host}:${place.http.port}`;
  const api = `${http}/api`;
  const smtp = `${host}:${place.smtp.port}`;
  const { token, credential } = workspace;
  // In later runs the name `hello` can be taken.
  const name = token ? 'hello' : `hello-${randomBytes(2).toString('hex')}`;
  const settings = { host: bareHost(host), port: place.smtp.port, tls: 'none' as const };
  const ownCommands = [
    `  ${createMailbox(api, token, name)}`,
    `  ${sendMail(smtp, `${name}@${place.mailDomain}`)}`,
    `  ${readMail(api, token, name)}`,
  ];
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
    `  Token        ${token ?? 'was shown once, at the first start with this DATA_DIR'}`,
    ...(credential ? [`  SMTP_URL     ${smtpUrl(settings, credential)}`] : []),
    ...(token
      ? [
          `               Save ${credential ? 'both' : 'it'} now: ${credential ? 'they are' : 'it is'} not shown again.`,
        ]
      : [another(place)]),
    ...certificate(place),
    ...(workspace.domainExists ? [] : [noSuchDomain(place)]),
    '',
    token ? 'Try it in another terminal:' : 'Try it, with TOKEN=mf_... set:',
    ...(credential ? captureCommands(api, token, smtp, credential) : ownCommands),
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

type Credential = NonNullable<FirstWorkspace['credential']>;

const smtpUrl = (settings: ConnectionSettings, { username, password }: Credential) =>
  urlOf(settings, username, password);

/** Path and fingerprint of a self-signed certificate. */
function certificate({ smtp: { tls } }: Place): string[] {
  const fingerprint = tls?.isSelfSigned ? certificateFingerprint(tls.certFile) : null;
  if (tls === null || fingerprint === null) return [];
  return [`  Certificate  ${tls.certFile}, self-signed, SHA-256`, `               ${fingerprint}`];
}

/** Sends a mail to a foreign address, and reads the caught recipients and their mail. */
function captureCommands(
  api: string,
  token: string | null,
  smtp: string,
  { username, password }: Credential,
): string[] {
  const inbox = `${api}/mailboxes/${INBOX}`;
  const login = `--user ${username}:${password}`;
  return [
    `  ${sendMail(smtp, 'customer@gmail.com')} ${login}`,
    `  curl -sS ${inbox}/recipients -H ${bearer(token)}`,
    `  curl -sS '${inbox}/messages?to=customer@gmail.com' -H ${bearer(token)}`,
  ];
}

function createMailbox(api: string, token: string | null, name: string): string {
  const body = JSON.stringify({ name });
  return `curl -sS ${api}/mailboxes -H ${bearer(token)} -H 'Content-Type: application/json' -d '${body}'`;
}

function sendMail(smtp: string, address: string): string {
  const mail = `From: you@example.com\\r\\nTo: ${address}\\r\\nSubject: Hello\\r\\n\\r\\nIt works.\\r\\n`;
  return `printf '${mail}' | curl -sS smtp://${smtp} --mail-from you@example.com --mail-rcpt ${address} -T -`;
}

function readMail(api: string, token: string | null, name: string): string {
  return `curl -sS ${api}/mailboxes/${name}/messages -H ${bearer(token)}`;
}

/** Without the token, the double quotes let the shell expand TOKEN. */
function bearer(token: string | null): string {
  return token ? `'Authorization: Bearer ${token}'` : '"Authorization: Bearer $TOKEN"';
}

function another({ mailDomain: domain, dataDir }: Place): string {
  return `               To get another workspace with a token: ${inDataDir(dataDir)}${commandLine('workspace:create')} --name acme --domain acme.${domain}`;
}

function noSuchDomain({ mailDomain: domain, dataDir }: Place): string {
  return `  No workspace has the domain ${domain} yet: ${inDataDir(dataDir)}${commandLine('workspace:create')} --name mayfly --domain ${domain} --plan pro`;
}

/** An address that clients can use, also if `host` is a wildcard address. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** An IPv6 address without its brackets. */
const bareHost = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

/** The scripts use ./data by default, the package the folder that it passes on. */
function inDataDir(dataDir: string): string {
  return dataDir === resolve('data') || process.env.MAYFLY_COMMAND ? '' : `DATA_DIR='${dataDir}' `;
}
