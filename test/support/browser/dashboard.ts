/** The dashboard in a browser. */
import type { Page } from 'playwright-core';
import type { Role } from '../../../core/auth/roles.ts';
import { createToken } from '../../../core/auth/tokens.ts';
import { eventually } from '../mocha/eventually.ts';
import { type Service, service } from '../service.ts';
import { type Tab, type TabOptions, browserTabs } from './tabs.ts';

export interface TestDashboard extends Service {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Opens a path until the test ends, after signing in with a token; `null` does not sign in. */
  readonly open: (path: string, token?: string | null, options?: TabOptions) => Promise<Tab>;
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
  const openTab = browserTabs();
  const opened = service({ env: { ...UNLIMITED, ...env }, mailboxes, once: true });
  let origin = '';
  before(async () => {
    origin = (await opened.listen()).url;
  });
  const added: Omit<TestDashboard, keyof Service> = {
    get origin() {
      return origin;
    },
    open: async (path, token = opened.workspace.token, options = {}) => {
      const cookies = token === null ? [] : [await sessionCookie(origin, token)];
      const tab = await openTab(origin, { ...options, cookies });
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
