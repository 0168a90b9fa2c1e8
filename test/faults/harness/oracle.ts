/**
 * Invariants after every fault. Each 250 (or 201) has exactly one message per mailbox and tag, with
 * the bytes that were sent; mail without a success reply is stored completely or not at all; each
 * message was delivered to the webhook of its mailbox. A known address is never rejected
 * permanently.
 */
import pLimit from 'p-limit';
import { eventually } from '../../support/mocha/eventually.ts';
import { withoutTrace } from '../../support/mail/trace.ts';
import type { Bench } from './bench.ts';
import type { Ledger, SentMail, Target } from './ledger.ts';
import { digest } from '../../load/mails.ts';
import { type Shown, shownIn } from './mailboxes.ts';

/** Time in which the number of messages that no webhook has received must decrease. */
const TOLD_WITHIN_MS = 120_000;
const ALL_TOLD_WITHIN_MS = 1_200_000;
const POLL_MS = 200;
const AT_ONCE = 8;

export interface Finding {
  sent: number;
  accepted: number;
  refused: number;
  unanswered: number;
  /** Messages that the API shows. */
  visible: number;
  /** Messages in addition to the one that each mailbox and tag must show. */
  duplicates: number;
  /** Missing messages of accepted mail. */
  lost: number;
  /** Mails without a reply that are stored in part. */
  half: number;
  /** Messages whose bytes differ from what was sent. */
  changed: number;
  /** Messages without a successful webhook call. */
  untold: number;
  /** Permanent rejections (5xx) of known addresses. */
  bounced: number;
}

/** What the oracle reads from. */
type Witnesses = Pick<Bench, 'api' | 'owed'>;

/** Checks everything that was sent to these mailboxes. Requires an empty ingest queue. */
export async function judge(
  bench: Witnesses,
  ledger: Ledger,
  mailboxes: string[],
): Promise<Finding> {
  const shown = (await Promise.all(mailboxes.map((name) => shownIn(bench.api, name)))).flat();
  const counts = new Map<string, number>();
  for (const { subject, ...target } of shown) {
    const key = keyOf(subject, target);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const isMissing = (mail: SentMail, target: Target) => !counts.has(keyOf(mail.marker, target));
  const expected = new Set(
    ledger.mails.flatMap((mail) => mail.targets.map((target) => keyOf(mail.marker, target))),
  );

  let lost = 0;
  let half = 0;
  for (const mail of ledger.mails.filter(({ mayBeGone }) => !mayBeGone)) {
    const targets = mail.targets.filter(({ mailbox }) => !ledger.deletedMailboxes.has(mailbox));
    const missing = targets.filter((target) => isMissing(mail, target)).length;
    if (mail.outcome === 'accepted') lost += missing;
    else if (missing > 0 && missing < targets.length) half += 1;
  }
  return {
    sent: ledger.mails.length,
    accepted: ledger.count('accepted'),
    refused: ledger.count('refused'),
    unanswered: ledger.count('unknown'),
    visible: shown.length,
    // A message that was not sent counts as a duplicate.
    duplicates: shown.length - [...counts.keys()].filter((key) => expected.has(key)).length,
    lost,
    half,
    changed: await countChanged(bench, ledger, shown),
    untold: await countUntold(bench, shown),
    bounced: [...ledger.refusals]
      .filter(([answer]) => /^5\d\d$/.test(answer))
      .reduce((sum, [, count]) => sum + count, 0),
  };
}

/**
 * The violated invariants of a finding as text; empty without violations.
 * @param allowed the largest number of each that is no violation; 0 if absent
 */
export function faultsOf(finding: Finding, allowed: Partial<Finding> = {}): string[] {
  const mustBeNone = ['duplicates', 'lost', 'half', 'changed', 'untold', 'bounced'] as const;
  return mustBeNone
    .filter((name) => finding[name] > (allowed[name] ?? 0))
    .map((name) => `${finding[name]} ${name}`);
}

async function countChanged({ api }: Witnesses, ledger: Ledger, shown: Shown[]): Promise<number> {
  const limit = pLimit(AT_ONCE);
  const digests = new Map(ledger.mails.map((mail) => [mail.marker, mail.digest]));
  const changed = await Promise.all(
    shown.map(({ id, mailbox, subject }) =>
      limit(async () => {
        const sent = digests.get(subject);
        const { status, body } = await api.patiently({
          path: `/mailboxes/${mailbox}/messages/${id}/raw`,
        });
        if (status !== 200) return true;
        return typeof sent === 'string' && digest(withoutTrace(body)) !== sent;
      }),
    ),
  );
  return changed.filter(Boolean).length;
}

async function countUntold({ owed }: Witnesses, shown: Shown[]): Promise<number> {
  const untold = () => shown.filter(({ id }) => !owed.told.has(id)).length;
  let fewest = Infinity;
  let since = Date.now();
  const isOver = () => {
    const count = untold();
    if (count < fewest) [fewest, since] = [count, Date.now()];
    return count === 0 || Date.now() - since > TOLD_WITHIN_MS;
  };
  await eventually('webhooks', isOver, ALL_TOLD_WITHIN_MS, POLL_MS).catch(() => undefined);
  return untold();
}

function keyOf(marker: string, { mailbox, tag }: Target): string {
  return JSON.stringify([marker, mailbox, tag]);
}
