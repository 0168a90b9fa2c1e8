import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { default as core } from 'ajv/dist/core.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { createApp } from '../../../api/app.ts';
import { readContract } from '../../../api/contract/contract.ts';
import { service } from '../../support/service.ts';

/** All paths are validated in the same way. */
const PATHS = 10;

/** Number of schemas compiled during the work. */
async function compiledDuring(work: () => Promise<unknown>): Promise<number> {
  let compiled = 0;
  Ajv2020.prototype.addSchema = function (...schema) {
    compiled += 1;
    return core.default.prototype.addSchema.call(this, ...schema);
  };
  try {
    await work();
    return compiled;
  } finally {
    Reflect.deleteProperty(Ajv2020.prototype, 'addSchema');
  }
}

describe('validators', () => {
  const test = service();

  it('are compiled with the first request of their operation, for any content type', async () => {
    const contract = readContract();
    const server = createApp(test.context).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = (method: string, path: string, type: string) =>
      fetch(
        `http://127.0.0.1:${port}${path.replaceAll(/[{}]/g, '')}${path.endsWith('/wait') ? '?timeout=0' : ''}`,
        {
          method: method.toUpperCase(),
          headers: { Authorization: `Bearer ${test.workspace.token}`, 'Content-Type': type },
          ...(method === 'get' || method === 'delete' ? {} : { body: '{}' }),
          redirect: 'manual',
        },
      ).then((answer) => {
        expect(answer.status, path).to.not.equal(429); // refused before it is validated
        return answer.body?.cancel();
      });
    const askAll = async (type: string, of: string[]) => {
      for (const [path, operations] of Object.entries(contract.paths ?? {}).slice(0, PATHS)) {
        for (const method of of) if (method in operations) await ask(method, path, type);
      }
    };
    const all = ['get', 'post', 'patch', 'delete'];
    try {
      await askAll('application/json', all);
      const compiled = await compiledDuring(async () => {
        await askAll('application/json', all);
        await askAll('application/json; charset=utf-8', all);
        await askAll('text/x; a=b', ['get']);
      });
      expect(compiled).to.equal(0);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
