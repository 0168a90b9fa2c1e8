/**
 * Tabs of the shared browser, which the tests of a process use one after the other. The process of
 * a new tab and its first page take 1.3 s of CPU, another page of the same host 0.4 s. A tab that
 * shows `about:blank` loses its process, so it is left on a page without scripts.
 */
import type { BrowserContext, Disposable, Page } from 'playwright-core';
import { sharedBrowser } from './launch.ts';

/** Time limit of each wait on a page. Generous, because other tests use the same cores. */
export const PATIENCE_MS = 120_000;

/** The least page of the product: it has no scripts. */
const LEAST_PAGE = '/healthz';

export interface TabOptions {
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
  /** `reduce` by default: contrast cannot be measured during a color transition. */
  reducedMotion?: 'reduce' | 'no-preference';
  permissions?: string[];
  headers?: Record<string, string>;
  /** Runs before the scripts of each page. */
  script?: string;
  cookies?: Parameters<BrowserContext['addCookies']>[0];
}

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
  /** Unloads the page. */
  readonly leave: () => Promise<void>;
}

interface SharedTab extends Tab {
  origin: string;
  script?: Disposable;
}

type OpenTab = (origin: string, options?: TabOptions) => Promise<Tab>;

const free: SharedTab[] = [];

/** Registers the hook that takes the tabs of a test back. */
export function browserTabs(): OpenTab {
  const used: SharedTab[] = [];
  afterEach(() => Promise.all(used.splice(0).map(takeBack)));
  return async (origin, options = {}) => {
    const tab = free.pop() ?? (await newTab());
    used.push(tab);
    tab.origin = origin;
    const { page, context } = tab;
    await page.setViewportSize(options.viewport ?? { width: 1280, height: 800 });
    const { colorScheme = 'light', reducedMotion = 'reduce' } = options;
    await page.emulateMedia({ colorScheme, reducedMotion });
    await page.setExtraHTTPHeaders(options.headers ?? {});
    if (options.script !== undefined) tab.script = await context.addInitScript(options.script);
    await context.addCookies(options.cookies ?? []);
    await context.grantPermissions(options.permissions ?? []);
    return tab;
  };
}

async function newTab(): Promise<SharedTab> {
  const context = await (await sharedBrowser()).newContext();
  const page = await context.newPage();
  context.setDefaultTimeout(PATIENCE_MS);
  const [asked, forbidden, faults]: [string[], string[], string[]] = [[], [], []];
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
  const isForeign = (url: string) =>
    /^\w+:\/\//.test(url) && !url.startsWith(`${tab.origin}/`) && !forbidden.includes(url);
  const tab: SharedTab = {
    ...{ origin: '', page, context, asked, forbidden, faults },
    foreign: () => asked.filter(isForeign),
    leave: async () => {
      await page.goto(tab.origin + LEAST_PAGE);
    },
  };
  return tab;
}

/** Removes what a test has left in a tab. If this fails, the tab is not used again. */
async function takeBack(tab: SharedTab): Promise<void> {
  const { page, context } = tab;
  try {
    const others = context.pages().filter((other) => other !== page);
    await Promise.all(others.map((other) => other.close()));
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await tab.script?.dispose();
    delete tab.script;
    await tab.leave();
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
    await context.clearCookies();
    await context.clearPermissions();
  } catch {
    await context.close();
    return;
  }
  for (const records of [tab.asked, tab.forbidden, tab.faults]) records.length = 0;
  free.push(tab);
}
