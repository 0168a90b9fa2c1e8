/**
 * With CONTRACT_PROXY, the address of a Prism proxy that forwards to CONTRACT_UPSTREAM, a port of
 * this process: requests of {@link openTestApi} are sent through it, and a response that violates
 * openapi.yaml according to Prism fails its test. `test/contract-proxy` runs it.
 */
import { appendFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { Express } from 'express';
import type supertest from 'supertest';

const PROXY = process.env.CONTRACT_PROXY;
const UPSTREAM = Number(process.env.CONTRACT_UPSTREAM);
const REPORT = process.env.CONTRACT_REPORT;
/** The application that a request is for. */
const FIELD = 'x-test-app';

const apps: Express[] = [];
let upstream: Server | undefined;

/**
 * The target of the requests that supertest sends for this application, and a hook for each
 * request.
 */
export function proxied(app: Express): Way {
  if (PROXY === undefined) return { to: app, watch: (request) => request };
  upstream ??= createServer((req, res) => {
    const number = Number(req.headers[FIELD]);
    apps[number]?.(req, res);
  }).listen(UPSTREAM, '127.0.0.1');
  upstream.unref();
  const number = String(apps.push(app) - 1);
  return { to: PROXY, watch: (request) => request.set(FIELD, number).expect(noViolation) };
}

interface Way {
  to: Express | string;
  watch: (request: supertest.Test) => supertest.Test;
}

interface Violation {
  location: string[];
}

function noViolation(answer: supertest.Response): void {
  const header = answer.headers['sl-violations'];
  const found = (header === undefined ? [] : JSON.parse(header)) as Violation[];
  const ours = found.filter(({ location }) => location[0] === 'response');
  if (REPORT) appendFileSync(REPORT, `${answer.status} ${JSON.stringify(ours)}\n`);
  if (ours.length > 0) throw new Error(`against the contract: ${JSON.stringify(ours)}`);
}
