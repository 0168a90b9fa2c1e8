import { directoryByNames, directoryPage } from '../../db/statements/mailboxes.ts';
import type { Store } from '../../db/store.ts';
import { allDomains } from '../../db/statements/workspaces.ts';
import { mailboxAddress } from '../addresses.ts';
import type { DirectoryEntry, DirectorySource } from './recipients.ts';

const PAGE_SIZE = 1000;

interface Row {
  id: string;
  name: string;
  expiresAt: Date | null;
  domain: string;
}

/** The database as the source of the recipient directory. */
export function directorySource(store: Store): DirectorySource {
  return {
    domains: async () => (await store.ask(allDomains)).map(({ domain }) => domain),
    async *pages() {
      let page: Row[] = [];
      do {
        page = await store.ask(directoryPage, page.at(-1)?.id ?? '', PAGE_SIZE);
        yield page.map(toEntry);
      } while (page.length === PAGE_SIZE);
    },
    async find(addresses) {
      const names = addresses.map((address) => address.slice(0, address.lastIndexOf('@')));
      return (await store.ask(directoryByNames, [...new Set(names)])).map(toEntry);
    },
  };
}

function toEntry({ id, name, expiresAt, domain }: Row): DirectoryEntry {
  const address = mailboxAddress(name, domain);
  return { address, mailboxId: id, expiresAt: expiresAt?.getTime() ?? null };
}
