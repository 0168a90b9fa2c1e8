/** Tasks for the process of Cypress, and commands for its browser. */
import {
  type ClientOptions,
  type LinkKind,
  type MailboxData,
  type Message,
  type NewMailbox,
  type NoneOptions,
  type WaitOptions,
  createClient,
} from './index.ts';

// Options that a task can carry: what JSON can express, and patterns.
type TaskOptions<Options> = Omit<Options, 'signal'>;
type Wait = TaskOptions<WaitOptions>;
type None = TaskOptions<NoneOptions>;

interface Call {
  mailbox: string;
  options?: Record<string, unknown>;
  kind?: LinkKind;
}

// oxlint-disable-next-line typescript/no-explicit-any -- Cypress declares its tasks so.
type Register = (event: 'task', tasks: Record<string, (call: any) => unknown>) => unknown;

/** Registers the tasks: call it in `setupNodeEvents(on)`. */
export function mayflyTasks(on: Register, options?: ClientOptions): void {
  const mayfly = createClient(options);
  const inbox = ({ mailbox }: Call) => mayfly.inbox(mailbox);
  on('task', {
    'mayfly:create': (properties: NewMailbox) => mayfly.mailboxes.create(properties).then(plain),
    'mayfly:wait': (call: Call) => inbox(call).wait(revived(call)).then(plain),
    'mayfly:code': (call: Call) => inbox(call).waitForCode(revived(call)),
    'mayfly:link': (call: Call) => inbox(call).waitForLink(call.kind, revived(call)),
    'mayfly:mark': (call: Call) => inbox(call).mark(),
    // Cypress refuses undefined.
    'mayfly:none': (call: Call) =>
      inbox(call)
        .expectNone(revived(call))
        .then(() => null),
    'mayfly:delete': (call: Call) =>
      inbox(call)
        .delete()
        .then(() => null),
  });
}

interface Cy {
  task: (name: string, call: object, options: { timeout: number }) => unknown;
}
interface CypressGlobal {
  Commands: { add: (name: string, command: (...args: never[]) => unknown) => void };
}

/** More seconds than any call takes longer than its wait. */
const LONGER_SECONDS = 60;
const WAIT_SECONDS = 25;
const WITHIN_SECONDS = 5;

/**
 * Adds the commands: call it in the support file. The timeout of a command follows from that of
 * its wait.
 */
export function mayflyCommands(): void {
  const { cy, Cypress } = globalThis as unknown as { cy: Cy; Cypress: CypressGlobal }; // set by Cypress
  const task = (name: string, call: object, seconds = 0) =>
    cy.task(`mayfly:${name}`, call, { timeout: (seconds + LONGER_SECONDS) * 1000 });
  const add = Cypress.Commands.add.bind(Cypress.Commands);
  add('createMailbox', (properties: NewMailbox = {}) => task('create', properties));
  add('deleteMailbox', (mailbox: string) => task('delete', { mailbox }));
  add('takeMark', (mailbox: string) => task('mark', { mailbox }));
  add('waitForMail', (mailbox: string, options: Wait = {}) =>
    task('wait', { mailbox, options: portable(options) }, options.timeout ?? WAIT_SECONDS),
  );
  add('waitForCode', (mailbox: string, options: Wait = {}) =>
    task('code', { mailbox, options: portable(options) }, options.timeout ?? WAIT_SECONDS),
  );
  add('waitForLink', (mailbox: string, kind?: LinkKind, options: Wait = {}) =>
    task('link', { mailbox, kind, options: portable(options) }, options.timeout ?? WAIT_SECONDS),
  );
  add('expectNoMail', (mailbox: string, options: None = {}) =>
    task('none', { mailbox, options: portable(options) }, options.within ?? WITHIN_SECONDS),
  );
}

/** Patterns as JSON. */
function portable(options: object): object {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]: [string, unknown]) =>
      value instanceof RegExp
        ? [name, { source: value.source, flags: value.flags }]
        : [name, value],
    ),
  );
}

function revived({ options = {} }: Call): Record<string, unknown> {
  const isPattern = (value: unknown): value is { source: string; flags: string } =>
    typeof value === 'object' && value !== null && 'source' in value && 'flags' in value;
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      isPattern(value) ? new RegExp(value.source, value.flags) : value,
    ]),
  );
}

/** Without methods. */
function plain<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- Cypress declares its commands so.
  namespace Cypress {
    // oxlint-disable-next-line typescript/no-explicit-any, typescript/no-unused-vars -- as Cypress declares it
    interface Chainable<Subject = any> {
      createMailbox: (properties?: NewMailbox) => Chainable<MailboxData>;
      deleteMailbox: (mailbox: string) => Chainable<null>;
      takeMark: (mailbox: string) => Chainable<string>;
      waitForMail: (mailbox: string, options?: Wait) => Chainable<Message>;
      waitForCode: (mailbox: string, options?: Wait) => Chainable<string>;
      waitForLink: (mailbox: string, kind?: LinkKind, options?: Wait) => Chainable<string>;
      expectNoMail: (mailbox: string, options?: None) => Chainable<null>;
    }
  }
}
