import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Config } from '../../core/config/config.js';
import { operatorPasswordFile } from '../../core/config/generated-secrets.js';
import { INBOX } from '../../core/config/smtp.js';
import {
  type ConnectionSettings,
  smtpUrl as urlOf,
} from '../../core/smtp-credentials/connection-settings.js';
import { certificateFingerprint } from '../../core/tls/ensure-self-signed.js';
import type { FirstWorkspace } from '../cli/first-workspace.js';
import { type Machine, otherHosts, thisMachine } from './other-hosts.js';

type Place = Pick<
  Config,
  'bindHost' | 'http' | 'smtp' | 'mailDomain' | 'dataDir' | 'production' | 'operatorPassword'
>;

/** What a user reads once everything is ready: where things are, and three commands to try them. */
export function announcement(
  place: Place,
  workspace: FirstWorkspace,
  machine: Machine = thisMachine(),
): string {
  const host = reachable(place.bindHost);
  const http = `http://${host}:${place.http.port}`;
  const api = `${http}/api`;
  const smtp = `${host}:${place.smtp.port}`;
  const { token, credential } = workspace;
  // In later runs `hello` may be taken.
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
    `  Token        ${token ?? 'was shown when Mayfly first started in this DATA_DIR'}`,
    ...(credential ? [`  SMTP_URL     ${smtpUrl(settings, credential)}`] : []),
    ...(token
      ? [`               Keep ${credential ? 'both: they are' : 'it: it is'} shown this once.`]
      : [another(place)]),
    ...certificate(place),
    ...(workspace.domainExists ? [] : [noSuchDomain(place)]),
    '',
    token ? 'Try it, from another terminal:' : 'Try it, after TOKEN=mf_...:',
    ...(credential ? captureCommands(api, token, smtp, credential) : ownCommands),
    '',
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}

/** Where other machines find the dashboard and SMTP. */
function fromElsewhere({ bindHost, http, smtp }: Place, machine: Machine): string[] {
  const hosts = otherHosts(bindHost, machine);
  if (hosts.length === 0) return [];
  const places = hosts.map(
    (host, i) =>
      `${i === 0 ? '  Elsewhere   ' : ' '.repeat(14)} http://${host}:${http.port}/  SMTP ${host}:${smtp.port}`,
  );
  const isLocal = new URL(http.publicUrl).hostname === 'localhost';
  return isLocal
    ? [...places, `               Links lead to ${http.publicUrl}: set PUBLIC_URL to change that.`]
    : places;
}

/** In production it is there only with a password that was given. */
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

/** The fingerprint of a certificate that no client knows. */
function certificate({ smtp: { tls } }: Place): string[] {
  const fingerprint = tls?.isSelfSigned ? certificateFingerprint(tls.certFile) : null;
  if (tls === null || fingerprint === null) return [];
  return [
    `  Certificate  ${tls.certFile}, made by Mayfly; SHA-256`,
    `               ${fingerprint}`,
  ];
}

/** An application's mail to somebody elsewhere, which is caught; who that was; and the mail. */
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

/** Without the token at hand the shell fills it in, which single quotes would not let it. */
function bearer(token: string | null): string {
  return token ? `'Authorization: Bearer ${token}'` : '"Authorization: Bearer $TOKEN"';
}

function another({ mailDomain: domain, dataDir }: Place): string {
  return `               Another workspace, with a token: ${inDataDir(dataDir)}npm run workspace:create -- --name acme --domain acme.${domain}`;
}

function noSuchDomain({ mailDomain: domain, dataDir }: Place): string {
  return `  No workspace has ${domain} yet: ${inDataDir(dataDir)}npm run workspace:create -- --name mayfly --domain ${domain} --plan pro`;
}

/** An address a client can use where `host` may stand for all addresses of the machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** Without the brackets of an address of IPv6. */
const bareHost = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

/** Scripts look in ./data by themselves. */
function inDataDir(dataDir: string): string {
  return dataDir === resolve('data') ? '' : `DATA_DIR='${dataDir}' `;
}
