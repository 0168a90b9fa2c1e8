import { type Mayfly, MayflyError } from '@mayfly/client';
import { UsageError } from '../arguments.ts';
import type { Call, Command } from '../command.ts';
import { type Forwarded, forward, isSecret, secretOf } from '../forward.ts';
import { ANY_MAILBOX, CRITERIA, MAILBOX, criteriaOf } from '../options.ts';
import { placedLineOf } from '../terminal/show-message.ts';
import type { Terminal } from '../terminal/terminal.ts';

const listen: Command = {
  name: 'listen',
  summary: 'Forward new messages to a URL as signed webhook requests',
  options: {
    ...MAILBOX,
    'forward-to': { type: 'string', value: 'URL', help: 'receiver of the requests' },
    extracted: { type: 'boolean', help: 'add codes and links, as "include" of a webhook does' },
    secret: {
      type: 'string',
      value: 'SECRET',
      help: 'signing secret (default: derived from the token)',
    },
    ...CRITERIA,
  },
  examples: ['mayfly listen --mailbox hello --forward-to http://localhost:4000/hooks'],
  run: async (call) => {
    const { args, terminal, connect, login } = call;
    const name = args.required('mailbox');
    const url = args.required('forward-to');
    if (!/^https?:/.test(url) || !URL.canParse(url))
      throw new UsageError('--forward-to takes a URL.');
    const secret = args.text('secret') ?? secretOf((await login()).token);
    if (!isSecret(secret)) throw new UsageError('--secret takes "whsec_" followed by base64.');
    const mayfly = await connect();
    terminal.show({ secret }, `Secret ${secret}`);
    for await (const { id } of received(call, mayfly, name)) {
      const body = await bodyOf(mayfly, { name, id }, args.has('extracted'));
      if (body === null) continue;
      const forwarded = await forward(url, { id, body, secret });
      terminal.show({ messageId: id, ...forwarded }, resultOf(terminal, id, forwarded));
    }
  },
};

const tail: Command = {
  name: 'tail',
  summary: 'Print messages as they arrive',
  options: {
    ...ANY_MAILBOX,
    ...CRITERIA,
  },
  examples: ['mayfly tail', 'mayfly tail --mailbox hello --subject code --json'],
  run: async (call) => {
    const { args, terminal, connect } = call;
    const name = args.text('mailbox') === undefined ? undefined : args.required('mailbox');
    const mayfly = await connect();
    for await (const { mailbox, id } of received(call, mayfly, name)) {
      const message = await unlessGone(mayfly.inbox(mailbox).read(id));
      if (!message) continue;
      const line = placedLineOf(terminal, { ...message, mailbox });
      terminal.show({ mailbox, message }, line);
    }
  },
};

/** New messages of a mailbox, or of all, one by one. Ends when the mailbox is deleted. */
async function* received(call: Call, mayfly: Mayfly, name: string | undefined) {
  const stream = streamOf(call);
  const events = name === undefined ? mayfly.events(stream) : mayfly.inbox(name).events(stream);
  for await (const event of events) {
    if (event.type === 'reset')
      call.terminal.note('Events were lost while the connection was broken.');
    if (event.type === 'message.received' && event.messageId !== undefined)
      yield { mailbox: event.mailbox, id: event.messageId };
  }
  if (name !== undefined) call.terminal.note(`The mailbox "${name}" was deleted.`);
}

function streamOf({ args, terminal }: Call) {
  return {
    ...criteriaOf(args),
    onReady: () => {
      terminal.note('Ready.');
    },
  };
}

/** The bytes of the webhook request; null for a message that was deleted meanwhile. */
async function bodyOf({ api }: Mayfly, path: { name: string; id: string }, isExtracted: boolean) {
  const query = isExtracted ? { include: ['extracted' as const] } : {};
  const answer = await unlessGone(
    api.GET('/api/mailboxes/{name}/messages/{id}/event', {
      params: { path, query },
      parseAs: 'text',
    }),
  );
  return answer?.data ?? null;
}

async function unlessGone<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof MayflyError && error.code === 'not_found') return null;
    throw error;
  }
}

function resultOf(
  { style }: Terminal,
  id: string,
  { status, error, durationMs }: Forwarded,
): string {
  const isGood = status !== null && status >= 200 && status < 300;
  const outcome = style(
    isGood ? 'green' : 'red',
    status === null ? (error ?? 'failed') : String(status),
  );
  return `${outcome}  ${durationMs} ms  ${style('dim', id)}`;
}

export const liveCommands = [listen, tail];
