/** A real browser that opens an application, and records its requests and errors. */
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { sharedBrowser } from './launch.ts';

export interface Visit {
  readonly page: Page;
  /** Requests to other hosts. */
  readonly outside: () => string[];
  /** Errors in the console and of scripts. */
  readonly faults: string[];
}

export interface TestBrowser {
  readonly visit: (path: string, options?: BrowserContextOptions) => Promise<Visit>;
  readonly close: () => Promise<void>;
}

/** Serves the application on a separate port to the shared browser. */
export async function openBrowser(app: Express): Promise<TestBrowser> {
  const browser = await sharedBrowser();
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const pages: Page[] = [];
  return {
    visit: async (path, options) => {
      const page = await browser.newPage(options);
      pages.push(page);
      return visit(page, `http://127.0.0.1:${port}`, path);
    },
    close: async () => {
      await Promise.all(pages.map((page) => page.close()));
      end(server);
    },
  };
}

async function visit(page: Page, origin: string, path: string): Promise<Visit> {
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
