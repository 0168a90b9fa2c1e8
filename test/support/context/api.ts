import type { Express } from 'express';
import supertest from 'supertest';
import { createApp } from '../../../api/app.ts';
import type { TestContext } from './context.ts';
import { noteResponse } from '../mocha/failure-details.ts';

export interface TestApi {
  readonly app: Express;
  /** A request with the token of the test workspace, or with another token; `null` sends none. */
  readonly get: (path: string, token?: string | null) => supertest.Test;
  readonly head: (path: string, token?: string | null) => supertest.Test;
  readonly post: (path: string, token?: string | null) => supertest.Test;
  readonly put: (path: string, token?: string | null) => supertest.Test;
  readonly patch: (path: string, token?: string | null) => supertest.Test;
  readonly delete: (path: string, token?: string | null) => supertest.Test;
}

/** The application over the context of a test, without a port. */
export function openTestApi({
  context,
  workspace,
}: Pick<TestContext, 'context' | 'workspace'>): TestApi {
  const app = createApp(context);
  const send =
    (method: 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete') =>
    (path: string, token?: string | null) => {
      const request = supertest(app)[method](path);
      request.on('response', (response: supertest.Response) => {
        noteResponse(`${method.toUpperCase()} ${path}`, response);
      });
      return token === null ? request : request.auth(token ?? workspace.token, { type: 'bearer' });
    };
  return {
    app,
    get: send('get'),
    head: send('head'),
    post: send('post'),
    put: send('put'),
    patch: send('patch'),
    delete: send('delete'),
  };
}
