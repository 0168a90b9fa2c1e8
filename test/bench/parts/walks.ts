/**
 * The cost of jobs and requests that walk all mailboxes, tokens or workspaces, with 100,000 of each
 * and nothing to do: the time of each, and the longest time in which no timer ran.
 */
import { credentialSource, recipientSource } from '../../../core/directory/sources.ts';
import { endExpiredMailboxes } from '../../../core/retention/expire-mailboxes.ts';
import { removeOverMessageLimits } from '../../../core/retention/limit-mailboxes.ts';
import { purgeDeletedMailboxes } from '../../../core/retention/purge.ts';
import { listTokens } from '../../../core/auth/tokens.ts';
import { countLiveMailboxes } from '../../../db/statements/mailboxes.ts';
import { listWorkspaces } from '../../../core/workspaces/workspaces.ts';
import { insertIgnoring } from '../../../db/store.ts';
import { openTestContext, type TestContext } from '../../support/context/context.ts';
import type { Figure } from '../figures.ts';

const COUNT = 100_000;
const FILLED_AT_ONCE = 2000;

export async function walkFigures(): Promise<Figure[]> {
  const test = await openTestContext();
  try {
    await fill(test);
    const { context, caller, workspace } = test;
    const { store, directory, credentials } = context;
    const now = new Date(context.now());
    const source = recipientSource(store);
    await directory.rebuild(source);
    const walks: [string, () => PromiseLike<unknown>][] = [
      ['limit-mailboxes (every 20 s)', () => removeOverMessageLimits(context)],
      ['expire-mailboxes (every 5 s)', () => endExpiredMailboxes(context)],
      ['purge of deleted mailboxes (every 30 s)', () => purgeDeletedMailboxes(context)],
      ['comparison of the recipient directory (every minute)', () => directory.compare(source)],
      [
        'comparison of the credential directory (every minute)',
        () => credentials.compare(credentialSource(store)),
      ],
      ['rebuilding the recipient directory', () => directory.rebuild(source)],
      [
        'the number of mailboxes of a workspace (POST /api/mailboxes)',
        () => store.query(countLiveMailboxes, workspace.workspaceId, now),
      ],
      ['the tokens of a workspace (GET /api/tokens)', () => readAll(listTokens(context, caller))],
      ['workspace:list', () => listWorkspaces(context)],
    ];
    const figures: Figure[] = [];
    for (const [work, walk] of walks) figures.push(await measure(work, walk));
    return figures;
  } finally {
    await test.close();
  }
}

async function readAll(pages: AsyncIterable<unknown>): Promise<void> {
  for await (const _page of pages);
}

async function fill({ context, workspace }: TestContext): Promise<void> {
  const createdAt = new Date(context.now());
  const { workspaceId } = workspace;
  const rows = (n: number) => ({
    workspace: {
      id: `wsp_${n}`,
      name: `w${n}`,
      domain: `w${n}.test`,
      plan: 'pro' as const,
      createdAt,
    },
    mailbox: {
      id: `mbx_${n}`,
      workspaceId,
      name: `box-${n}`,
      createdAt,
      maxMessages: 10,
      messagesExpireIn: 600,
    },
    token: {
      id: `tok_${n}`,
      workspaceId,
      name: `t${n}`,
      prefix: 'x',
      hash: `${n}`,
      keyId: 'k',
      role: 'reader' as const,
      createdAt,
    },
  });
  for (let from = 0; from < COUNT; from += FILLED_AT_ONCE) {
    await context.store.transaction(function* (tx) {
      const some = Array.from({ length: FILLED_AT_ONCE }, (_, n) => rows(from + n));
      yield* insertIgnoring(
        tx.t.workspaces,
        some.map((each) => each.workspace),
      );
      yield* insertIgnoring(
        tx.t.mailboxes,
        some.map((each) => each.mailbox),
      );
      yield* insertIgnoring(
        tx.t.tokens,
        some.map((each) => each.token),
      );
    });
  }
}

async function measure(work: string, walk: () => PromiseLike<unknown>): Promise<Figure> {
  let last = performance.now();
  let longest = 0;
  const note = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(note, 1);
  const began = performance.now();
  const cpu = process.cpuUsage();
  await walk();
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  note();
  clearInterval(timer);
  const cpuMs = (user + system) / 1000;
  return {
    work,
    result: `${took.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of CPU time, longest without a timer ${longest.toFixed(0)} ms`,
    values: { ms: took, cpuMs, longestMs: longest },
  };
}
