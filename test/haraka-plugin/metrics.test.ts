import { expect } from 'chai';
import { openMetricReports } from '../../core/metrics/shared-reports.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { type Samples, samplesIn } from '../support/docs/samples.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { MAIL, type SmtpFront, smtp } from '../support/process/smtp-front.ts';

describe('SMTP: metrics', () => {
  const front = smtp({ env: { SMTP_MAX_CONNECTIONS_PER_IP: '2' } });

  it('count mail by outcome, with a final report at shutdown', async () => {
    const client = await front.open();
    await client.envelope('s@client.example', 'alice@acme.test', 'nobody@acme.test', 'x@else.test');
    expect((await client.data(MAIL)).code).to.equal(250);
    await client.command('NONSENSE');
    await client.command('DATA');
    await client.envelope('s@client.example', 'nobody@acme.test');
    await client.command('DATA');
    const other = await front.open();
    await expectRefusal(front);
    await front.redis.kill();
    const isKnown = async () => {
      await client.command('RSET');
      const [, reply] = await client.envelope('s@client.example', 'alice@acme.test');
      return reply!.code === 250;
    };
    expect(await isKnown()).to.equal(false);
    await front.redis.start();
    await eventually('Redis to be back', isKnown);
    other.drop();
    await client.quit();

    expect(await front.process.stop()).to.equal(0);
    const [report, ...others] = await openMetricReports(front.client, '{mayfly}').read();
    expect(others).to.deep.equal([]);
    expect(report).to.include({ process: 'smtp' });
    const samples = samplesIn(report!.text);
    expect(samples.sum('mayfly_smtp_mails_accepted_total')).to.equal(1);
    // includes the Received field
    expect(samples.sum('mayfly_smtp_accepted_bytes_total')).to.be.greaterThan(MAIL.length);
    expect(samples.sum('mayfly_smtp_accept_seconds_count')).to.equal(1);
    const { unavailable, ...refusals } = refusalsIn(samples);
    expect(unavailable).to.be.greaterThan(0);
    expect(refusals).to.deep.equal({
      unknown_recipient: 2,
      relay_denied: 1,
      syntax: 1,
      sequence: 1,
      no_recipient: 1,
      too_many_connections: 1,
    });
    expect(samples.names).to.include('process_cpu_seconds_total');
    expect(samples.names).not.to.include('mayfly_mails_stored_total');
  });
});

async function expectRefusal({ port }: SmtpFront): Promise<void> {
  const client = await SmtpClient.connect(port);
  expect((await client.reply()).code).to.equal(421);
  await client.closed();
}

/** Omits zero counts. */
function refusalsIn(samples: Samples): Record<string, number> {
  const name = 'mayfly_smtp_refusals_total';
  const counts = [...samples.values(name, 'reason')].map((reason = ''): [string, number] => [
    reason,
    samples.sum(name, { reason }),
  ]);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
