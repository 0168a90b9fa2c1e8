/**
 * Records the answers of a running Mailpit, which must be empty, to the calls of
 * `mailpit-calls.ts`.
 * `node test/compat/record-mailpit.ts http://127.0.0.1:8025 1025` writes `mailpit-answers.json`
 * with its version.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../core/root.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { type Ask, MAILS, RECIPIENT, SENDER, answersOf } from './mailpit-calls.ts';

const [url = 'http://127.0.0.1:8025', smtpPort = '1025'] = process.argv.slice(2);

const ask: Ask = (method, path, body) => {
  const request = body && { body: JSON.stringify(body) };
  return fetch(`${url}${path}`, { method, redirect: 'manual', ...request });
};

const smtp = await SmtpClient.open(Number(smtpPort));
for (const mail of MAILS) {
  const { code, text } = await smtp.send({
    ...{ from: SENDER, to: [RECIPIENT], data: Buffer.from(mail) },
  });
  if (code !== 250) throw new Error(`The mail is refused: ${code} ${text}`);
}
smtp.end();
const info = await ask('GET', '/api/v1/info');
const { Version } = (await info.json()) as { Version: string };
const recorded = { version: Version, answers: await answersOf(ask) };
await writeFile(
  join(ROOT, 'test/compat/mailpit-answers.json'),
  `${JSON.stringify(recorded, null, 2)}\n`,
);
