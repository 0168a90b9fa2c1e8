import { eventually } from '../../support/mocha/eventually.ts';
import { SmtpClient } from '../../support/clients/smtp-client.ts';
import type { Situation } from './fault.ts';
import { sendMail } from './load/smtp-load.ts';

/** Resolves when the reply to a mail is 451 or 452. */
export async function mailIsPutOff(
  { bench, ledger, mailboxes }: Situation,
  large = false,
): Promise<void> {
  await eventually(
    'mail to be put off',
    async () => {
      const client = await SmtpClient.open(bench.smtpPort()).catch(() => null);
      if (!client) return false;
      const code = await sendMail(
        client,
        { domain: bench.product().domain, mailboxes },
        ledger,
        large,
      );
      client.drop();
      return code === 451 || code === 452;
    },
    60_000,
  );
}
