/** F1: crashes of the SMTP process. */
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { openBench } from './harness/bench.ts';
import type { Fault, FaultGroup } from './harness/fault.ts';
import type { Point } from './preload/points.ts';

const diesAt = (point: Point, when: string): Fault => ({
  id: 'F1',
  title: `the SMTP process is killed ${when}`,
  inject: ({ bench }) => bench.die('smtp', point),
});

const faults: Fault[] = [
  {
    id: 'F1',
    title: 'the SMTP process is killed while a mail is being sent',
    inject: async ({ bench, mailboxes }) => {
      const client = await SmtpClient.open(bench.smtpPort());
      await client.envelope('half@elsewhere.example', `${mailboxes[0]}@${bench.product().domain}`);
      await client.command('DATA');
      client.write('Subject: half a mail\r\n\r\nhalf a line');
      await bench.kill('smtp');
    },
  },
  { ...diesAt('nothing kept', 'after the final dot, before anything is stored'), slow: true },
  {
    ...diesAt(
      'draft written',
      'when the bytes of a large mail are written, before the file is renamed',
    ),
    slow: true,
  },
  {
    ...diesAt('blob written', 'when the bytes of a large mail are stored, before its job'),
    slow: true,
  },
  diesAt('bytes kept', 'when the bytes are stored, before the job'),
  { ...diesAt('job added', 'when the job is added, before the 250'), smoke: true },
];

export const smtpGroup: FaultGroup = {
  title: 'crashes of the SMTP process',
  openBench,
  faults,
};
