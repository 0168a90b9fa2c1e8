import dns, { type LookupAddress } from 'node:dns';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { LookupsBusy, type Resolve, openResolver } from '../../core/resolver.js';
import { eventually } from '../support/eventually.js';
import { lookedUp, notFound } from '../support/webhook-call.js';

describe("the system's resolver", () => {
  const { lookup } = dns.promises;
  let asked: string[];
  let answer: (found: LookupAddress[] | Error) => void;
  let answers: Map<string, typeof answer>;
  let time: number;
  let open: Resolve;

  beforeEach(() => {
    asked = [];
    answers = new Map();
    time = 0;
    open = openResolver(() => time);
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

  it('asks once for all who want one name at a time, and again for those who come later', async () => {
    const resolve = (hostname: string) => open(hostname, 'wsp_a');
    const first = [resolve('hooks.test'), resolve('hooks.test'), resolve('hooks.test')];
    expect(asked).to.deep.equal(['hooks.test']);
    answer([lookedUp('8.8.8.8')]);
    for (const found of await Promise.all(first))
      expect(found).to.deep.equal([lookedUp('8.8.8.8')]);
    const later = resolve('hooks.test');
    expect(asked).to.deep.equal(['hooks.test', 'hooks.test']);
    answer([lookedUp('9.9.9.9')]);
    expect(await later).to.deep.equal([lookedUp('9.9.9.9')]);
  });

  it('asks for each name by itself', () => {
    const resolve = (hostname: string) => open(hostname, 'wsp_a');
    void resolve('a.test').catch(() => undefined);
    void resolve('b.test').catch(() => undefined);
    expect(asked).to.deep.equal(['a.test', 'b.test']);
  });

  it('tells all who wait that there is no such name, and does not keep that', async () => {
    const resolve = (hostname: string) => open(hostname, 'wsp_a');
    const both = [resolve('hooks.test'), resolve('hooks.test')].map((one) => one.catch(String));
    answer(notFound('hooks.test'));
    for (const text of await Promise.all(both)) expect(text).to.include('ENOTFOUND');
    void resolve('hooks.test').catch(() => undefined);
    expect(asked).to.have.length(2);
  });

  it('finds this machine', async () => {
    dns.promises.lookup = lookup;
    const found = await open('localhost', 'wsp_a');
    expect(found.map(({ address }) => address)).to.include.oneOf(['127.0.0.1', '::1']);
  });

  describe('with names whose servers are silent', () => {
    const silent = (count: number, workspace: string) => {
      for (let n = 0; n < count; n += 1) {
        void open(`${n}.${workspace}.test`, workspace).catch(() => undefined);
      }
    };

    it('leaves places to every other workspace, and to names that are known', async () => {
      const known = open('known.test', 'wsp_a');
      answers.get('known.test')!([lookedUp('8.8.8.8')]);
      await known;
      silent(40, 'wsp_a');
      expect(asked.filter((name) => name.endsWith('.wsp_a.test'))).to.have.length(3);
      silent(40, 'wsp_b');
      expect(asked.filter((name) => name.endsWith('.wsp_b.test'))).to.have.length(2);
      void open('new.test', 'wsp_c').catch(() => undefined);
      void open('known.test', 'wsp_a').catch(() => undefined);
      expect(asked.slice(-2)).to.deep.equal(['new.test', 'known.test']);
      time = 5000; // so that nobody waits for longer
      await delay(60);
    });

    it('lets the next one in once one has ended', async () => {
      silent(3, 'wsp_a');
      const fourth = open('fourth.test', 'wsp_a');
      expect(asked).to.have.length(3);
      answers.get('0.wsp_a.test')!(notFound('0.wsp_a.test'));
      await delay(120);
      expect(asked.at(-1)).to.equal('fourth.test');
      answer([lookedUp('8.8.8.8')]);
      expect(await fourth).to.deep.equal([lookedUp('8.8.8.8')]);
    });

    it('counts as ours what passes until there is a place, and nothing else', async () => {
      const waits: number[] = [];
      const ours = async (wait: () => Promise<void>) => {
        const since = time;
        await wait();
        waits.push(time - since);
      };
      void open('0.wsp_a.test', 'wsp_a', ours).catch(() => undefined);
      expect(asked, 'at once').to.deep.equal(['0.wsp_a.test']);
      silent(3, 'wsp_a');
      const fourth = open('fourth.test', 'wsp_a', ours);
      time = 800;
      answers.get('0.wsp_a.test')!(notFound('0.wsp_a.test'));
      await eventually('its turn', () => asked.includes('fourth.test'));
      time = 2000;
      answer([lookedUp('8.8.8.8')]);
      await fourth;
      expect(waits).to.deep.equal([800]);
    });

    it('gives up on a name after five seconds, while the lookup keeps its place', async () => {
      silent(2, 'wsp_a');
      void open('slow.test', 'wsp_a').catch(() => undefined);
      time = 5000;
      const fault = await open('slow.test', 'wsp_a').catch((error: unknown) => error);
      expect(fault).to.be.an('error').that.is.not.instanceOf(LookupsBusy);
      expect(fault).to.have.property('message', 'no answer within 5000 ms');
      void open('next.test', 'wsp_a').catch(() => undefined);
      expect(asked).not.to.include('next.test');
      time = 10_000;
      await delay(60);
    });

    it('tells who finds no place in time that it is not for the name', async () => {
      silent(3, 'wsp_a');
      const fault = open('late.test', 'wsp_a').catch((error: unknown) => error);
      time = 5000;
      expect(await fault).to.be.instanceOf(LookupsBusy);
      expect(asked).not.to.include('late.test');
    });
  });
});
