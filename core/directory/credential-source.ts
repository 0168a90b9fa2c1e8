import {
  credentialPage,
  credentialsByUsername,
  type CredentialRow,
} from '../../db/statements/smtp-credentials.ts';
import type { Store } from '../../db/store.ts';
import { mailboxAddress } from '../addresses.ts';
import type { CredentialEntry, CredentialSource } from './credentials.ts';

const PAGE_SIZE = 1000;

interface Row {
  credential: CredentialRow;
  mailboxName: string;
  domain: string;
}

/** The database as the source of the credential directory. */
export function credentialSource(store: Store): CredentialSource {
  return {
    async *pages() {
      let page: Row[] = [];
      do {
        page = await store.ask(credentialPage, page.at(-1)?.credential.id ?? '', PAGE_SIZE);
        yield page.map(toEntry);
      } while (page.length === PAGE_SIZE);
    },
    find: async (usernames) =>
      usernames.length === 0
        ? []
        : (await store.ask(credentialsByUsername, usernames)).map(toEntry),
  };
}

function toEntry({ credential, mailboxName, domain }: Row): CredentialEntry {
  return credentialEntry(credential, mailboxAddress(mailboxName, domain));
}

/** @param address `name@domain` of the credential's mailbox. */
export function credentialEntry(row: CredentialRow, address: string): CredentialEntry {
  const { id, username, passwordSetAt, mailboxId, passwordHash } = row;
  return { id, username, passwordSetAt: passwordSetAt.getTime(), mailboxId, address, passwordHash };
}
