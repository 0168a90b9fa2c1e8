import { mailboxPath, messagesPath } from './paths.ts';
import { request } from './request.ts';
import type { CaughtRecipientPage, SmtpCredential, SmtpCredentialWithPassword } from './shapes.ts';

const credentialsPath = (name: string) => `${mailboxPath(name)}/smtp-credentials`;
const credentialPath = (name: string, id: string) =>
  `${credentialsPath(name)}/${encodeURIComponent(id)}`;

export function listCredentials(name: string): Promise<SmtpCredential[]> {
  return request('GET', credentialsPath(name));
}

export function createCredential(name: string, label: string): Promise<SmtpCredentialWithPassword> {
  return request('POST', credentialsPath(name), { body: { name: label } });
}

export function rotatePassword(name: string, id: string): Promise<SmtpCredentialWithPassword> {
  return request('POST', `${credentialPath(name, id)}/rotate-password`, { body: {} });
}

export function deleteCredential(name: string, id: string): Promise<void> {
  return request('DELETE', credentialPath(name, id));
}

/** One page of caught recipients. */
export function listRecipients(name: string): Promise<CaughtRecipientPage> {
  return request('GET', `${mailboxPath(name)}/recipients?limit=100`);
}

/** Stores a mail in the mailbox as if it had been caught for this recipient. */
export function storeCaught(name: string, mail: string, recipient: string): Promise<unknown> {
  return request('POST', `${messagesPath(name)}/raw?to=${encodeURIComponent(recipient)}`, {
    mail,
  });
}
