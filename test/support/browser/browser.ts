/** A real browser that looks at an application, and tells what it asked for and what it complained of. */
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core';

export interface Visit {
  readonly page: Page;
  /** What was asked of anybody else. */
  readonly outside: () => string[];
  /** Errors in the console and of scripts. */
  readonly faults: string[];
}

export interface TestBrowser {
  readonly visit: (path: string, options?: BrowserContextOptions) => Promise<Visit>;
  readonly close: () => Promise<void>;
}

/** Serves the application on a port of its own, to a browser. */
export async function openBrowser(app: Express): Promise<TestBrowser> {
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const browser = await launchBrowser().catch((error: unknown) => {
    end(server);
    throw error;
  });
  return {
    visit: (path, options) => visit(browser, `http://127.0.0.1:${port}`, path, options),
    close: async () => {
      await browser.close();
      end(server);
    },
  };
}

/** A host name that leads to this machine, in a browser alone. */
export const PLAIN_HOST = 'mayfly.test';

/** Chromium as Debian installs it, without anything that would ask somebody by itself. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
      // To a browser a name is no loopback address, whose plain http it trusts.
      `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
    ],
  });
}

async function visit(
  browser: Browser,
  origin: string,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const page = await browser.newPage(options);
  const asked: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(`${origin}${path}`);
  const isOutside = (url: string) => !url.startsWith(`${origin}/`) && !url.startsWith('data:');
  return { page, faults, outside: () => asked.filter(isOutside) };
}

function end(server: Server): void {
  server.closeAllConnections();
  server.close();
}
