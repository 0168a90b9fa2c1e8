import dns, { type LookupAddress } from 'node:dns';
import { expect } from 'chai';
import { LookupsBusy, type Resolve, openResolver } from '../../../core/egress/dns.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { lookedUp, notFound } from '../../support/context/webhook-call.ts';

describe('name resolution', () => {
  const { lookup } = dns.promises;
  let asked: string[];
  let answer: (found: LookupAddress[] | Error) => void;
  let answers: Map<string, typeof answer>;
  let open: Resolve;

  beforeEach(() => {
    asked = [];
    answers = new Map();
    open = openResolver();
    const pending = (hostname: string) => {
      asked.push(hostname);
      return new Promise<LookupAddress[]>((resolve, reject) => {
        answer = (found) => {
          if (found instanceof Error) reject(found);
          else resolve(found);
        };
        answers.set(hostname, answer);
      });
    };
    dns.promises.lookup = pending as unknown as typeof lookup;
  });
  afterEach(() => {
    dns.promises.lookup = lookup;
  });

  it('is shared by concurrent callers of a name, and repeated for later ones', async () => {
    const resolve = (hostname: string) => open(hostname, 'wsp_a');
    const first = [resolve('hooks.test'), resolve('hooks.test'), resolve('hooks.test')];
    await eventually('the lookup', () => asked.length > 0);
    expect(asked).to.deep.equal(['hooks.test']);
    answer([lookedUp('8.8.8.8')]);
    for (const found of await Promise.all(first))
      expect(found).to.deep.equal([lookedUp('8.8.8.8')]);
    const later = resolve('hooks.test');
    await eventually('another lookup', () => asked.length > 1);
    expect(asked).to.deep.equal(['hooks.test', 'hooks.test']);
    answer([lookedUp('9.9.9.9')]);
    expect(await later).to.deep.equal([lookedUp('9.9.9.9')]);
  });

  it('is separate for each name', async () => {
    const resolve = (hostname: string) => open(hostname, 'wsp_a');
    void resolve('a.test').catch(() => undefined);
    void resolve('b.test').catch(() => undefined);
    await eventually('two lookups', () => asked.length > 1);
    expect(asked).to.deep.equal(['a.test', 'b.test']);
  });

  it('reports an unknown name to all callers, and does not cache that', async () => {
    const resolve = (hostname: string) => open(hostname, 'wsp_a');
    const both = [resolve('hooks.test'), resolve('hooks.test')].map((one) => one.catch(String));
    await eventually('the lookup', () => asked.length > 0);
    answer(notFound('hooks.test'));
    for (const text of await Promise.all(both)) expect(text).to.include('ENOTFOUND');
    void resolve('hooks.test').catch(() => undefined);
    await eventually('another lookup', () => asked.length > 1);
    expect(asked).to.have.length(2);
  });

  it('resolves localhost', async () => {
    dns.promises.lookup = lookup;
    const found = await open('localhost', 'wsp_a');
    expect(found.map(({ address }) => address)).to.include.oneOf(['127.0.0.1', '::1']);
  });

  describe('with names whose servers do not respond', () => {
    const silent = (count: number, workspace: string) => {
      for (let n = 0; n < count; n += 1) {
        void open(`${n}.${workspace}.test`, workspace).catch(() => undefined);
      }
    };

    const of = (workspace: string) => asked.filter((name) => name.endsWith(`.${workspace}.test`));

    it('has capacity for other workspaces and for known names', async () => {
      const known = open('known.test', 'wsp_a');
      await eventually('the lookup', () => answers.has('known.test'));
      answers.get('known.test')!([lookedUp('8.8.8.8')]);
      await known;
      silent(40, 'wsp_a');
      silent(40, 'wsp_b');
      await eventually('three each', () => of('wsp_b').length === 3);
      expect(of('wsp_a')).to.have.length(3);
      void open('new.test', 'wsp_c').catch(() => undefined);
      void open('known.test', 'wsp_a').catch(() => undefined);
      await eventually('both', () => asked.length === 9);
      expect(asked.slice(-2)).to.have.members(['new.test', 'known.test']);
    });

    it('starts the next lookup once one has ended', async () => {
      silent(3, 'wsp_a');
      const fourth = open('fourth.test', 'wsp_a');
      await eventually('three', () => asked.length === 3);
      answers.get('0.wsp_a.test')!(notFound('0.wsp_a.test'));
      await eventually('its turn', () => asked.includes('fourth.test'));
      answer([lookedUp('8.8.8.8')]);
      expect(await fourth).to.deep.equal([lookedUp('8.8.8.8')]);
    });

    it('times out after five seconds, while the lookup keeps its thread', async () => {
      silent(2, 'wsp_a');
      const fault = await open('slow.test', 'wsp_a').catch((error: unknown) => error);
      expect(fault).to.be.an('error').that.is.not.instanceOf(LookupsBusy);
      expect(fault).to.have.property('message', 'no response within 5000 ms');
      const late = await open('next.test', 'wsp_a').catch((error: unknown) => error);
      expect(late, 'blames no name').to.be.instanceOf(LookupsBusy);
      expect(asked).not.to.include('next.test');
    });
  });
});
