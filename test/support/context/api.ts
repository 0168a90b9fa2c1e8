import type { Express } from 'express';
import supertest from 'supertest';
import { createApp } from '../../../api/app.js';
import type { TestContext } from './context.js';
import { proxied } from '../contract/contract-proxy.js';

export interface TestApi {
  readonly app: Express;
  /** A request of the test workspace, or of the bearer of another token; `null` sends none. */
  readonly get: (path: string, token?: string | null) => supertest.Test;
  readonly head: (path: string, token?: string | null) => supertest.Test;
  readonly post: (path: string, token?: string | null) => supertest.Test;
  readonly patch: (path: string, token?: string | null) => supertest.Test;
  readonly delete: (path: string, token?: string | null) => supertest.Test;
}

/** The application over a test's context, answering without a port of its own. */
export function openTestApi({ context, workspace }: TestContext): TestApi {
  const app = createApp(context);
  const { to, watch } = proxied(app);
  const send =
    (method: 'get' | 'head' | 'post' | 'patch' | 'delete') =>
    (path: string, token?: string | null) => {
      const request = watch(supertest(to)[method](path));
      return token === null ? request : request.auth(token ?? workspace.token, { type: 'bearer' });
    };
  return {
    app,
    get: send('get'),
    head: send('head'),
    post: send('post'),
    patch: send('patch'),
    delete: send('delete'),
  };
}
