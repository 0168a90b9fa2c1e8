import { expect } from 'chai';
import { changePlan, createWorkspace, findWorkspace } from '../../../core/workspaces/workspaces.ts';
import { rejection } from '../../support/mocha/rejection.ts';
import { service } from '../../support/service.ts';

describe('a workspace', () => {
  const test = service({ once: true });

  it('cannot be created without a name or a domain name', async () => {
    const refused = async (name: string, domain: string) =>
      String(await rejection(createWorkspace(test.context, { name, domain, plan: 'pro' })));
    expect(await refused('x', 'a..b')).to.include('"a..b" is not a domain name.');
    expect(await refused(' ', 'x.test')).to.include('must not be empty');
  });

  it('is not found by a domain that none has', async () => {
    const found = [
      findWorkspace(test.context, 'x.test'),
      changePlan(test.context, 'x.test', 'pro'),
    ];
    for (const each of await Promise.all(found.map(rejection))) {
      expect(String(each)).to.include('No workspace has the domain "x.test".');
    }
  });
});
