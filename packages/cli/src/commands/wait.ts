import { LINK_KINDS } from '@mayfly/client';
import type { Command } from '../command.ts';
import {
  AFTER,
  CRITERIA,
  ANY_MAILBOX,
  TIMEOUT,
  linkKindOf,
  afterOf,
  criteriaOf,
  orderOf,
  orderOption,
  placeOf,
  present,
  waitOf,
} from '../options.ts';
import { placedLineOf } from '../terminal/show-message.ts';
import { printable } from '../terminal/terminal.ts';

const wait: Command = {
  name: 'wait',
  summary: 'Wait for a message and print the oldest that matches',
  options: { ...ANY_MAILBOX, ...CRITERIA, ...AFTER, ...orderOption('oldest'), ...TIMEOUT },
  examples: [
    'mayfly wait --mailbox hello --subject "Your code"',
    'mayfly wait -m hello --json',
    'mayfly wait --to qa@acme.test',
  ],
  run: async ({ args, terminal, connect }) => {
    const place = placeOf(args, await connect());
    const message = await place.wait({ ...waitOf(args), ...orderOf(args) });
    terminal.show(message, placedLineOf(terminal, message));
  },
};

const code: Command = {
  name: 'code',
  summary: 'Wait for a verification code and print the newest',
  options: { ...ANY_MAILBOX, ...CRITERIA, ...AFTER, ...orderOption('newest'), ...TIMEOUT },
  examples: [
    'mayfly code --mailbox hello',
    'mayfly code -m hello --from @shop.example --timeout 60',
  ],
  run: async ({ args, terminal, connect }) => {
    const place = placeOf(args, await connect());
    const found = await place.waitForCode({ ...waitOf(args), ...orderOf(args) });
    terminal.show({ code: found }, printable(found));
  },
};

const link: Command = {
  name: 'link',
  summary: 'Wait for a link and print the newest',
  options: {
    ...ANY_MAILBOX,
    kind: {
      type: 'string',
      value: 'KIND',
      choices: LINK_KINDS,
      help: `one of ${LINK_KINDS.join(', ')}`,
    },
    ...CRITERIA,
    ...AFTER,
    ...orderOption('newest'),
    ...TIMEOUT,
  },
  examples: ['mayfly link --mailbox hello', 'mayfly link -m hello --kind reset'],
  run: async ({ args, terminal, connect }) => {
    const kind = linkKindOf(args, 'kind');
    const place = placeOf(args, await connect());
    const found = await place.waitForLink(kind, { ...waitOf(args), ...orderOf(args) });
    terminal.show({ link: found }, printable(found));
  },
};

const none: Command = {
  name: 'none',
  summary: 'Succeed if no message arrives',
  options: {
    ...ANY_MAILBOX,
    within: { type: 'string', value: 'SECONDS', help: 'time without mail (default: 5)' },
    ...CRITERIA,
    ...AFTER,
  },
  examples: [
    'mayfly none --mailbox hello --within 10 --subject Welcome',
    'mayfly none --mark "$MARK"',
  ],
  run: async ({ args, terminal, connect }) => {
    const place = placeOf(args, await connect());
    await place.expectNone({
      ...criteriaOf(args),
      ...afterOf(args),
      ...present({ within: args.wait('within') }),
    });
    if (terminal.isJson) terminal.show({ none: true }, '');
  },
};

const mark: Command = {
  name: 'mark',
  summary: 'Print the mark of a mailbox, or of all, to wait for the mail after it with --mark',
  options: ANY_MAILBOX,
  examples: ['MARK=$(mayfly mark --mailbox hello)', 'mayfly code --mailbox hello --mark "$MARK"'],
  run: async ({ args, terminal, connect }) => {
    const value = await placeOf(args, await connect()).mark();
    terminal.show({ mark: value }, value);
  },
};

export const waitCommands = [wait, code, link, none, mark];
