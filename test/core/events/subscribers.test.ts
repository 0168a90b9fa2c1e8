import { expect } from 'chai';
import { newSubscribers } from '../../../core/events/subscribers.ts';

describe('subscribers by workspace', () => {
  let looks = 0;
  const subscriber = (workspaceId: string) => ({
    get workspaceId() {
      looks += 1;
      return workspaceId;
    },
  });
  beforeEach(() => (looks = 0));

  it('are found without iterating over other workspaces', () => {
    const subscribers = newSubscribers<{ workspaceId: string }>();
    const all = Array.from({ length: 1000 }, (_, n) => subscriber(`w${n % 100}`));
    for (const one of all) subscribers.add(one);
    looks = 0;
    expect([...subscribers.of('w7')]).to.deep.equal(all.filter((_, n) => n % 100 === 7));
    expect(subscribers.of('nobody').size).to.equal(0);
    expect(looks).to.equal(0);
    expect([...subscribers.all()]).to.have.length(1000);
  });

  it('leave no entry behind', () => {
    const subscribers = newSubscribers<{ workspaceId: string }>();
    const [one, other] = [subscriber('w'), subscriber('w')];
    subscribers.add(one);
    subscribers.add(other);
    subscribers.delete(one);
    subscribers.delete(one);
    expect([subscribers.has(one), subscribers.has(other)]).to.deep.equal([false, true]);
    subscribers.delete(other);
    expect(subscribers.of('w').size).to.equal(0);
    subscribers.add(one);
    subscribers.clear();
    expect([...subscribers.all()]).to.be.empty;
  });
});
