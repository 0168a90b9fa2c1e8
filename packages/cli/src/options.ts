import { type Inbox, LINK_KINDS, type LinkKind, type Mayfly, type Order } from '@mayfly/client';
import { type Arguments, type Options, UsageError } from './arguments.ts';

/** Every command takes these. */
export const GLOBAL: Options = {
  url: { type: 'string', value: 'URL', help: 'service (MAYFLY_URL)' },
  token: { type: 'string', value: 'TOKEN', help: 'API token (MAYFLY_TOKEN)' },
  json: { type: 'boolean', help: 'print JSON' },
  help: { type: 'boolean', short: 'h', help: 'print this help' },
};

export const MAILBOX: Options = {
  mailbox: {
    type: 'string',
    short: 'm',
    value: 'NAME',
    help: 'name or address of the mailbox (required)',
  },
};

/** Of commands that look at all mailboxes without it. */
export const ANY_MAILBOX: Options = {
  mailbox: {
    type: 'string',
    short: 'm',
    value: 'NAME',
    help: 'name or address of the mailbox (default: all)',
  },
};

const ADDRESS = { type: 'string', multiple: true, value: 'ADDRESS' } as const;

export const CRITERIA: Options = {
  from: { ...ADDRESS, help: 'From address, or @domain; of several, one must match' },
  to: { ...ADDRESS, help: 'recipient, or @domain; of several, one must match' },
  tag: { type: 'string', value: 'TAG', help: 'tag of the address' },
  subject: { type: 'string', value: 'TEXT', help: 'text in the subject' },
  text: { type: 'string', value: 'TEXT', help: 'text in the body' },
  header: {
    type: 'string',
    multiple: true,
    value: 'NAME:VALUE',
    help: 'header field; of several, all must match',
  },
  'has-attachment': { type: 'boolean', help: 'only mail with attachments' },
  'has-code': { type: 'boolean', help: 'only mail with a verification code' },
  'has-link': {
    type: 'string',
    value: 'KIND',
    choices: LINK_KINDS,
    help: 'only mail with a link of this kind',
  },
};

/** Where a wait begins. */
export const AFTER: Options = {
  mark: { type: 'string', value: 'MARK', help: 'only mail after this mark' },
  since: { type: 'string', value: 'TIME', help: 'only mail received after this time' },
};

export const TIMEOUT: Options = {
  timeout: { type: 'string', value: 'SECONDS', help: 'time to wait (default: 25)' },
};

const ORDERS: readonly Order[] = ['oldest', 'newest'];

/** @param usual what the command takes without the option */
export function orderOption(usual: Order): Options {
  const help = `which of several messages: oldest or newest (default: ${usual})`;
  return { order: { type: 'string', value: 'ORDER', choices: ORDERS, help } };
}

/** @throws {UsageError} for a value of the wrong form. */
export function criteriaOf(args: Arguments) {
  return present({
    from: args.texts('from'),
    to: args.texts('to'),
    tag: args.text('tag'),
    subject: args.text('subject'),
    text: args.text('text'),
    header: args.pairs('header'),
    hasAttachment: args.has('has-attachment') || undefined,
    hasCode: args.has('has-code') || undefined,
    link: linkKindOf(args, 'has-link'),
  });
}

/**
 * The kind of link that an option names; undefined without the option. @throws {UsageError} for
 * another text.
 */
export function linkKindOf(args: Arguments, option: string): LinkKind | undefined {
  const wanted = args.text(option);
  if (wanted === undefined) return undefined;
  const kind = LINK_KINDS.find((known) => known === wanted);
  if (kind === undefined)
    throw new UsageError(`--${option} must be one of ${LINK_KINDS.join(', ')}.`);
  return kind;
}

/** Where a wait begins. @throws {UsageError} for a value of the wrong form. */
export function afterOf(args: Arguments) {
  const since = args.text('since');
  if (since !== undefined && !/^\d{4}-\d\d-\d\d/.test(since)) {
    throw new UsageError(`--since takes a time such as 2026-01-31T12:00:00Z, not "${since}".`);
  }
  const mark = args.text('mark');
  // A command that failed leaves an empty mark.
  if (mark === '')
    throw new UsageError('--mark takes what "mayfly mark" prints, which is not empty.');
  return present({ mark, since });
}

/** The mailbox of `--mailbox`, or all mailboxes. @throws {UsageError} for an empty name. */
export function placeOf(args: Arguments, mayfly: Mayfly): Inbox | Mayfly {
  return args.text('mailbox') === undefined ? mayfly : mayfly.inbox(args.required('mailbox'));
}

/** The criteria and `--timeout`. @throws {UsageError} for a value of the wrong form. */
export function waitOf(args: Arguments) {
  return {
    ...criteriaOf(args),
    ...afterOf(args),
    ...present({ timeout: args.wait('timeout') }),
  };
}

/** `--order`. @throws {UsageError} for another text. */
export function orderOf(args: Arguments): { order?: Order } {
  const wanted = args.text('order');
  const order = ORDERS.find((known) => known === wanted);
  if (wanted !== undefined && order === undefined)
    throw new UsageError('--order must be oldest or newest.');
  return present({ order });
}

/** Without the properties that are undefined. */
export function present<Wanted extends object>(
  wanted: Wanted,
): { [Key in keyof Wanted]?: Exclude<Wanted[Key], undefined> } {
  const entries = Object.entries(wanted).filter(
    ([, value]: [string, unknown]) => value !== undefined,
  );
  return Object.fromEntries(entries) as { [Key in keyof Wanted]?: Exclude<Wanted[Key], undefined> }; // filtered above
}
