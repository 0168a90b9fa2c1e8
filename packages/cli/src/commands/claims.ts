import { type Arguments, type Options, UsageError } from '../arguments.ts';
import type { Command } from '../command.ts';
import { AFTER, CRITERIA, MAILBOX, TIMEOUT, present, waitOf } from '../options.ts';
import { lineOf } from '../terminal/show-message.ts';

const RESOURCE = '/api/mailboxes/{name}/messages/{id}/claim';
const HELD: Options = {
  ...MAILBOX,
  claim: { type: 'string', value: 'CLAIM_ID', help: 'claim that "mayfly claim" printed' },
};

const LEASE: Options = {
  lease: { type: 'string', value: 'SECONDS', help: 'free the message after this time' },
};

const claim: Command = {
  name: 'claim',
  summary: 'Claim a message that no other client has, and print it',
  options: {
    ...MAILBOX,
    ...LEASE,
    owner: { type: 'string', value: 'NAME', help: 'name that the claim shows' },
    ...CRITERIA,
    ...AFTER,
    ...TIMEOUT,
  },
  examples: ['mayfly claim --mailbox shared --to qa@acme.test --lease 60'],
  run: async ({ args, terminal, connect }) => {
    const inbox = (await connect()).inbox(args.required('mailbox'));
    const lease = present({ lease: args.seconds('lease'), owner: args.text('owner') });
    const { id, message, owner, expiresAt } = await inbox.claim({ ...waitOf(args), ...lease });
    terminal.show({ id, owner, expiresAt, message }, `${id}  ${lineOf(terminal, message)}`);
  },
};

const release: Command = {
  name: 'release',
  words: 'MESSAGE_ID',
  mostWords: 1,
  summary: 'Make a claimed message free for other clients',
  options: HELD,
  examples: [
    'mayfly release msg_01k9z6v7m3q8w2x4y5b6c7d8e9 -m shared --claim clm_01k9z6v7m3q8w2x4y5b6c7d8e9',
  ],
  run: async ({ args, terminal, connect }) => {
    const { path, claimId } = heldOf(args);
    const { api } = await connect();
    await api.DELETE(RESOURCE, { params: { path, query: { claimId } } });
    if (terminal.isJson) terminal.show({ released: claimId }, '');
  },
};

const extend: Command = {
  name: 'extend',
  words: 'MESSAGE_ID',
  mostWords: 1,
  summary: 'Extend the lease of a claim; without --lease, keep the message for good',
  options: { ...HELD, ...LEASE },
  examples: [
    'mayfly extend msg_01k9z6v7m3q8w2x4y5b6c7d8e9 -m shared --claim clm_01k9z6v7m3q8w2x4y5b6c7d8e9 --lease 60',
  ],
  run: async ({ args, terminal, connect }) => {
    const { path, claimId } = heldOf(args);
    const body = { claimId, expiresIn: args.seconds('lease') ?? null };
    const { api } = await connect();
    const { data } = await api.PUT(RESOURCE, { params: { path }, body });
    if (!data) throw new Error('The response has no body.');
    terminal.show(data, `${data.id}  ${data.expiresAt ?? 'for good'}`);
  },
};

/** @throws {UsageError} without the message, the mailbox or the claim. */
function heldOf(args: Arguments) {
  const [id] = args.words;
  if (id === undefined) throw new UsageError('Missing message ID.');
  return { path: { name: args.required('mailbox'), id }, claimId: args.required('claim') };
}

export const claimCommands = [claim, release, extend];
