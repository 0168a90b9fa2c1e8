/**
 * Runs the faults of a group on one product, one after the other under load, and judges the result
 * of each once everything is processed. The slowest repair is awaited once instead of after each
 * fault, which is also the harder test: a fault can meet pending repairs of the previous one.
 */
import type { Bench } from './bench.ts';
import type { Fault, FaultGroup } from './fault.ts';
import { Ledger } from './ledger.ts';
import { type Load, type Shape, startLoad } from './load.ts';
import { openMailboxes, shownIn } from './mailboxes.ts';
import { type Finding, faultsOf, judge } from './oracle.ts';
import { untilIngested } from './queue-state.ts';
import { sendMail } from './smtp-load.ts';
import { SmtpClient } from '../../support/clients/smtp-client.ts';
import { eventually } from '../../support/mocha/eventually.ts';

const THROUGH_WITHIN_MS = 60_000;
const POLL_MS = 100;

/** The result of one fault. */
export interface Result {
  fault: Fault;
  finding: Finding | null;
  /** Time until recovery. */
  seconds: number;
  /** Why the fault failed its checks, or null. */
  wrong: string | null;
}

interface Injected {
  fault: Fault;
  ledger: Ledger;
  mailboxes: string[];
  load: Load;
  seconds: number;
  error: unknown;
}

export async function runGroup(
  group: FaultGroup,
  faults: Fault[],
  shape: Shape,
): Promise<Result[]> {
  const bench = await group.openBench();
  try {
    const injected: Injected[] = [];
    for (const [index, fault] of faults.entries()) {
      if (fault.afterAnswers) await Promise.all(injected.map(({ load }) => load.answered));
      const name = `${fault.id.toLowerCase()}-${index}`;
      injected.push(await bringOver(bench, fault, name, { ...shape, ...group.load }));
    }
    await Promise.all(injected.map(({ load }) => load.answered));
    const end = await untilIngested(bench).then(
      () => null,
      (error: unknown) => error,
    );
    const results: Result[] = [];
    for (const one of injected) results.push(await judged(bench, one, end));
    return results;
  } finally {
    await bench.close();
  }
}

async function bringOver(
  bench: Bench,
  fault: Fault,
  name: string,
  shape: Shape,
): Promise<Injected> {
  const mailboxes = ['a', 'b', 'c'].map((suffix) => `${name}-${suffix}`);
  await openMailboxes(bench, mailboxes);
  const ledger = new Ledger(name);
  const load = startLoad(bench, mailboxes, ledger, shape);
  let began = performance.now();
  let error: unknown = null;
  try {
    await load.accepted(shape.around);
    began = performance.now();
    await fault.inject({ bench, load, ledger, mailboxes });
    await bench.isReady();
    await load.accepted(shape.around);
    await load.stop();
    await goesThrough(bench, ledger, mailboxes);
  } catch (reason) {
    error = reason;
    await load.stop();
  }
  const seconds = (performance.now() - began) / 1000;
  return { fault, ledger, mailboxes, load, seconds, error };
}

/** Sends a mail and waits until the API shows it. */
async function goesThrough(bench: Bench, ledger: Ledger, mailboxes: string[]): Promise<void> {
  const client = await SmtpClient.open(bench.smtpPort());
  const load = { domain: bench.product().domain, mailboxes };
  const code = await sendMail(client, load, ledger);
  client.drop();
  const mail = ledger.mails.at(-1);
  const [target] = mail?.targets ?? [];
  if (code !== 250 || !mail || !target) throw new Error(`the reply to a new mail was ${code}`);
  await eventually(
    'a new mail to be shown',
    async () =>
      (await shownIn(bench.api, target.mailbox)).some(({ subject }) => subject === mail.marker),
    THROUGH_WITHIN_MS,
    POLL_MS,
  );
}

async function judged(bench: Bench, one: Injected, end: unknown): Promise<Result> {
  const { fault, ledger, mailboxes, seconds } = one;
  try {
    const finding = await judge(bench, ledger, mailboxes);
    const refusals = [...ledger.refusals].map(([answer, count]) => `${count} x ${answer}`);
    const wrong = [one.error, end]
      .filter(Boolean)
      .map(String)
      .concat(faultsOf(finding, fault.allowed));
    const text = wrong.length > 0 ? [...wrong, `answers: ${refusals.join(', ')}`].join('; ') : null;
    return { fault, finding, seconds, wrong: text };
  } catch (error) {
    return { fault, finding: null, seconds, wrong: String(error) };
  }
}
