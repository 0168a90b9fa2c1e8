import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { default as core } from 'ajv/dist/core.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { createApp } from '../../../api/app.js';
import { compileValidators } from '../../../api/contract/compile-validators.js';
import { contractOf, readContract } from '../../../api/contract/contract.js';
import { openValidation } from '../../../api/contract/validate.js';
import { type TestContext, openTestContext } from '../../support/context/context.js';

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
  let test: TestContext;

  beforeEach(async () => {
    test = await openTestContext();
  });
  afterEach(() => test.close());

  it('are all compiled before the first request, for any content type', async () => {
    const contract = readContract();
    await compileValidators(contract, openValidation(contract, { responses: true }));
    const server = createApp(test.context).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = (method: string, path: string, type?: string) =>
      fetch(`http://127.0.0.1:${port}${path.replaceAll(/[{}]/g, '')}`, {
        method: method.toUpperCase(),
        headers: {
          Authorization: `Bearer ${test.workspace.token}`,
          ...(type === undefined ? {} : { 'Content-Type': type }),
        },
        ...(method === 'get' || method === 'delete' ? {} : { body: '{}' }),
        redirect: 'manual',
      }).then((answer) => answer.body?.cancel());
    try {
      const compiled = await compiledDuring(async () => {
        for (const [path, operations] of Object.entries(contract.paths ?? {})) {
          for (const method of ['get', 'post', 'patch', 'delete']) {
            if (!(method in operations)) continue;
            await ask(method, path, 'application/json');
            await ask(method, path, 'application/json; charset=utf-8');
            if (method === 'get') await ask(method, path, 'text/x; a=b');
          }
        }
      });
      expect(compiled).to.equal(0);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('of one contract are compiled once per process', () => {
    const contract = readContract();
    expect(readContract()).to.equal(contract);
    expect(openValidation(contract, { responses: true })).to.equal(
      openValidation(contract, { responses: true }),
    );
  });

  it('contain only the parts of the contract that their path refers to', () => {
    const { components } = contractOf(readContract(), '/readyz');
    expect(Object.keys(components?.schemas ?? {})).to.have.members([
      'Readiness',
      'PartState',
      'Error',
    ]);
  });

  it('yield to the event loop between operations while they are compiled', async () => {
    const fresh = { ...readContract() };
    let turns = 0;
    let counting = true;
    const count = () => {
      turns += 1;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    await compileValidators(fresh, openValidation(fresh, { responses: false }));
    counting = false;
    expect(turns).to.be.at.least(2 * Object.keys(fresh.paths ?? {}).length);
  });

  it('make /readyz unavailable while they are compiled, and /healthz responds', async () => {
    let isCompiled = false;
    const server = createApp(test.context, () => isCompiled).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    try {
      const early = await ask('/readyz');
      expect(early.status).to.equal(503);
      expect(await early.json()).to.include({ status: 'unavailable', validators: 'compiling' });
      expect((await ask('/healthz')).status).to.equal(200);
      isCompiled = true;
      const ready = await ask('/readyz');
      expect(ready.status).to.equal(200);
      expect(await ready.json()).to.not.have.property('validators');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
