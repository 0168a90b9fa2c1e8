/**
 * The fixture of most tests: a service with a workspace for `one.test`, opened for each test and
 * closed after it. `const { api, mailbox, receive } = service();` in a `describe` registers the
 * hooks. The functions work during a test; the other members are read from the object, as in
 * `test.context`.
 */
import type { Overrides } from '../../core/context.ts';
import type { Role } from '../../core/auth/roles.ts';
import { createToken } from '../../core/auth/tokens.ts';
import type { AcceptedMail } from '../../core/intake/accepted-mail.ts';
import type { AnyJob } from '../../core/queue/job.ts';
import { createWorkspace } from '../../core/workspaces/workspaces.ts';
import { type EventClient, type EventServer, openEventServer } from './clients/event-stream.ts';
import type { ListedMessage } from './clients/rest-client.ts';
import { type TestApi, openTestApi } from './context/api.ts';
import { type TestContext, openTestContext } from './context/context.ts';
import { deliverMail } from './context/deliver.ts';
import { workOff } from './context/workers.ts';
import { type RawParts, rawMail } from './mail/mail.ts';

export interface ServiceOptions {
  /** Variables of the service. A function is called for each test. */
  env?: Record<string, string> | (() => Record<string, string>);
  /** A function is called for each test. */
  overrides?: Overrides | (() => Overrides);
  /** Names of mailboxes that each test starts with. */
  mailboxes?: string[];
  /** Opens one service for all tests of the suite. */
  once?: boolean;
}

interface MailboxJson {
  id: string;
  name: string;
  address: string;
  [field: string]: unknown;
}

type Data = Omit<TestContext, 'another' | 'advance' | 'close'>;

export interface Service extends Data {
  /** Requests with the token of the workspace, another token, or none (`null`). */
  readonly api: TestApi;
  readonly another: TestContext['another'];
  readonly advance: TestContext['advance'];
  /** Opens the service of a test that needs other variables, in place of the present one. */
  readonly reopen: (env?: Record<string, string>, overrides?: Overrides) => Promise<void>;
  /** Creates a mailbox with these fields. */
  readonly mailbox: (name?: string, fields?: object) => Promise<MailboxJson>;
  /**
   * Stores a mail as SMTP and worker do, and returns its first message id. `to` is an address or
   * the name of a mailbox, or several.
   */
  readonly receive: (
    to: string | string[],
    mail?: RawParts | string | Buffer,
    receivedAt?: number,
  ) => Promise<string>;
  /** Same; returns the accepted mail. */
  readonly deliver: (
    to: string | string[],
    mail?: RawParts | string | Buffer,
    receivedAt?: number,
  ) => Promise<AcceptedMail>;
  /** Sends a message to `one.test` by the API, and returns its id. */
  readonly send: (name: string, message: object) => Promise<string>;
  /** The messages of a mailbox, newest first. */
  readonly messages: (name: string, query?: string) => Promise<ListedMessage[]>;
  readonly newest: (name: string) => Promise<ListedMessage>;
  /** The token of another workspace. */
  readonly stranger: (plan?: 'free' | 'pro') => Promise<string>;
  /** A token of the workspace with this role, and with these mailboxes or labels only. */
  readonly token: (role?: Role, mailboxes?: string[] | null) => Promise<string>;
  /** Processes the queues of these jobs, one after the other, until they are empty. */
  readonly work: (...jobs: AnyJob[]) => Promise<void>;
  /** Adds a job and processes its queue, as `work` does. */
  readonly run: (job: AnyJob, payload?: object) => Promise<void>;
  /** The service on a port, for clients other than `api`. */
  readonly listen: () => Promise<EventServer>;
  /** Follows a stream of events with the token of the workspace, and these header fields. */
  readonly follow: (path: string, headers?: Record<string, string>) => Promise<EventClient>;
  /** Variables of the clients. */
  readonly clientEnv: () => Promise<{ MAYFLY_URL: string; MAYFLY_TOKEN: string }>;
  /** The present mark of a mailbox. */
  readonly mark: (name?: string) => Promise<string>;
}

interface Opened {
  readonly test: TestContext;
  readonly api: TestApi;
  server?: EventServer;
  strangers: number;
}

export function service(options: ServiceOptions = {}): Service {
  let opened: Opened | undefined;
  const now = (): Opened => {
    if (!opened) throw new Error('the service is open during tests only');
    return opened;
  };
  const open = async (env: Record<string, string>, overrides: Overrides) => {
    const test = await openTestContext(env, overrides);
    opened = { test, api: openTestApi(test), strangers: 0 };
    for (const name of options.mailboxes ?? []) await mailbox(name);
  };
  const close = async () => {
    const closing = opened;
    opened = undefined;
    await closing?.server?.close();
    await closing?.test.close();
  };
  const first = () => open(valueOf(options.env) ?? {}, valueOf(options.overrides) ?? {});
  if (options.once) {
    before(first);
    after(close);
  } else {
    beforeEach(first);
    afterEach(close);
  }

  const api: TestApi = {
    get app() {
      return now().api.app;
    },
    get: (path, token) => now().api.get(path, token),
    head: (path, token) => now().api.head(path, token),
    post: (path, token) => now().api.post(path, token),
    put: (path, token) => now().api.put(path, token),
    patch: (path, token) => now().api.patch(path, token),
    delete: (path, token) => now().api.delete(path, token),
  };
  const mailbox: Service['mailbox'] = async (name = 'box', fields = {}) =>
    (
      await api
        .post('/api/mailboxes')
        .send({ name, ...fields })
        .expect(201)
    ).body as MailboxJson;
  const deliver: Service['deliver'] = (to, mail = {}, receivedAt) =>
    deliverMail(now().test.context, [to].flat().map(addressOf), bytesOf(mail), receivedAt);
  const listen = async () => (now().server ??= await openEventServer(api.app));
  const messages: Service['messages'] = async (name, query = '') => {
    const { body } = await api.get(`/api/mailboxes/${name}/messages${query}`).expect(200);
    return (body as { messages: ListedMessage[] }).messages;
  };

  return {
    get context() {
      return now().test.context;
    },
    get config() {
      return now().test.config;
    },
    get env() {
      return now().test.env;
    },
    get redis() {
      return now().test.redis;
    },
    get workspace() {
      return now().test.workspace;
    },
    get caller() {
      return now().test.caller;
    },
    api,
    another: () => now().test.another(),
    advance: (ms) => {
      now().test.advance(ms);
    },
    reopen: async (env = {}, overrides = {}) => {
      await close();
      await open(
        { ...valueOf(options.env), ...env },
        { ...valueOf(options.overrides), ...overrides },
      );
    },
    mailbox,
    deliver,
    receive: async (...mail) => (await deliver(...mail)).messages[0]?.id ?? '',
    send: async (name, message) => {
      const path = `/api/mailboxes/${name}/messages`;
      const { body } = await api.post(path).send(message).expect(201);
      return (body as { messageId: string }).messageId;
    },
    messages,
    newest: async (name) => {
      const [newest] = await messages(name, '?limit=1');
      if (!newest) throw new Error(`${name} has no message`);
      return newest;
    },
    stranger: async (plan = 'pro') => {
      const name = `other${(now().strangers += 1)}`;
      const wanted = { name, domain: `${name}.test`, plan };
      return (await createWorkspace(now().test.context, wanted)).token;
    },
    token: async (role = 'admin', mailboxes = null) => {
      const { context, caller } = now().test;
      return (await createToken(context, caller, { name: role, role, mailboxes })).value;
    },
    work: async (...jobs) => {
      for (const job of jobs) await workOff(now().test, job);
    },
    run: async (job, payload = {}) => {
      await (await now().test.context.queues.open(job)).add(job.name, payload, job.options);
      await workOff(now().test, job);
    },
    listen,
    clientEnv: async () => ({
      MAYFLY_URL: (await listen()).url,
      MAYFLY_TOKEN: now().test.workspace.token,
    }),
    follow: async (path, headers = {}) => {
      const Authorization = `Bearer ${now().test.workspace.token}`;
      return (await listen()).follow(path, { Authorization, ...headers });
    },
    mark: async (name = 'box') => {
      const { body } = await api.get(`/api/mailboxes/${name}/mark`).expect(200);
      return (body as { mark: string }).mark;
    },
  };
}

function valueOf<Value>(given: Value | (() => Value)): Value {
  return typeof given === 'function' ? (given as () => Value)() : given;
}

const addressOf = (to: string) => (to.includes('@') ? to : `${to}@one.test`);

function bytesOf(mail: RawParts | string | Buffer): string | Buffer {
  return typeof mail === 'string' || Buffer.isBuffer(mail) ? mail : rawMail(mail);
}
