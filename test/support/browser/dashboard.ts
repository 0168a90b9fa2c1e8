/** The dashboard in a browser. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Role } from '../../../core/auth/roles.ts';
import { createToken } from '../../../core/auth/tokens.ts';
import { sharedBrowser } from './launch.ts';
import { eventually } from '../mocha/eventually.ts';
import { type Service, service } from '../service.ts';

/** Time limit of each wait on a page. Generous, because other tests use the same cores. */
export const PATIENCE_MS = 120_000;

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** URLs of all requests of the context. */
  readonly asked: string[];
  /** Those of `asked` that a policy has blocked. */
  readonly forbidden: string[];
  /** Those of `asked` that were sent to other hosts. */
  readonly foreign: () => string[];
  /** Errors in the console, each with its URL, and errors of scripts. */
  readonly faults: string[];
  readonly close: () => Promise<void>;
}

export interface TestDashboard extends Service {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Opens a path after signing in with a token; `null` does not sign in. */
  readonly open: (
    path: string,
    token?: string | null,
    options?: BrowserContextOptions,
  ) => Promise<Tab>;
  /** A token of the test workspace. */
  readonly tokenOf: (role: Role) => Promise<{ id: string; value: string }>;
}

const UNLIMITED = { RATE_LIMIT_PRO: '0', RATE_LIMIT_FREE: '0' };

/**
 * The {@link service} of a suite and its dashboard, opened once.
 * @param env settings in addition to those of every test. The rate limit is off by default.
 */
export function testDashboard(
  env: Record<string, string> = {},
  mailboxes: string[] = [],
): TestDashboard {
  const contexts: BrowserContext[] = [];
  after(() => Promise.all(contexts.map((context) => context.close())));
  const opened = service({ env: { ...UNLIMITED, ...env }, mailboxes, once: true });
  let browser: Browser;
  let origin = '';
  before(async () => {
    browser = await sharedBrowser();
    origin = (await opened.listen()).url;
  });
  const added: Omit<TestDashboard, keyof Service> = {
    get origin() {
      return origin;
    },
    open: async (path, token = opened.workspace.token, options = {}) => {
      const tab = await openTab(browser, origin, options);
      contexts.push(tab.context);
      if (token !== null) await tab.context.addCookies([await sessionCookie(origin, token)]);
      await tab.page.goto(origin + path);
      return tab;
    },
    tokenOf: async (role) => {
      const { context, caller } = opened;
      const { row, value } = await createToken(context, caller, { name: role, role });
      return { id: row.id, value };
    },
  };
  Object.defineProperties(opened, Object.getOwnPropertyDescriptors(added));
  return opened as TestDashboard;
}

async function openTab(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions,
): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const asked: string[] = [];
  const forbidden: string[] = [];
  const faults: string[] = [];
  context.on('requestfailed', (request) => {
    // Requests that were sent and failed are reported as `net::ERR_...`.
    const reason = request.failure()?.errorText ?? 'net::';
    if (!reason.startsWith('net::')) forbidden.push(request.url());
  });
  context.on('request', (request) => asked.push(request.url()));
  context.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${message.text()} ${message.location().url}`);
  });
  context.on('weberror', (error) => faults.push(error.error().message));
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.setDefaultNavigationTimeout(PATIENCE_MS);
  const foreign = () =>
    asked.filter(
      (url) => /^\w+:\/\//.test(url) && !url.startsWith(`${origin}/`) && !forbidden.includes(url),
    );
  return { page, context, asked, forbidden, foreign, faults, close: () => context.close() };
}

async function sessionCookie(origin: string, token: string) {
  const answer = await fetch(`${origin}/api/session`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
  });
  const value = /^mayfly_session=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1];
  if (value === undefined) throw new Error(`no session: ${answer.status} ${await answer.text()}`);
  return {
    name: 'mayfly_session',
    value,
    url: origin,
    httpOnly: true,
    sameSite: 'Strict' as const,
  };
}

/** Waits for the title, which the page sets after it has shown its content. */
export async function hasTitle(page: Page, title: string): Promise<void> {
  await eventually(`the title "${title}"`, async () => (await page.title()) === title);
}
