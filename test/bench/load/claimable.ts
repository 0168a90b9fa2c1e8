import type { RestClient } from '../../support/clients/rest-client.ts';
import { allVisible } from '../parts/intake.ts';
import { sendLoad } from './smtp-load.ts';

/** Creates a mailbox and sends it so many mails. Resolves when all of them are visible. */
export async function fillToClaim(
  { rest, smtpPort, domain }: { rest: RestClient; smtpPort: number; domain: string },
  name: string,
  mails: number,
): Promise<void> {
  await rest.createMailbox(name);
  await sendLoad({
    ...{ port: smtpPort, connections: 20, mails, newConnectionEach: false },
    recipient: () => `${name}@${domain}`,
    body: 'Subject: code\r\n\r\nYour code is 482913.\r\n',
  });
  await allVisible(rest, [name], mails);
}
