import { expect } from 'chai';
import { openSleep } from '../../../core/waits/sleep.ts';

describe('the sleep of a wait', () => {
  const soon = () => performance.now() + 10;
  const late = () => performance.now() + 60_000;
  const open = () => openSleep(new AbortController().signal);

  it('ends at the time, or by a wake-up', async () => {
    const sleep = open();
    expect(await sleep.until(soon())).to.equal(false);
    setTimeout(sleep.wake, 5);
    expect(await sleep.until(late())).to.equal(true);
    expect(await sleep.until(soon())).to.equal(false);
  });

  it('loses no wake-up between two sleeps', async () => {
    const sleep = open();
    sleep.wake();
    await sleep.until(soon(), { evenIfWoken: true });
    expect(await sleep.until(late())).to.equal(true);
  });

  it('fails for good, also before it begins and when it cannot be woken', async () => {
    const sleep = open();
    setTimeout(() => {
      sleep.fail(new Error('gone'));
    }, 5);
    const failed = await sleep.until(late(), { evenIfWoken: true }).catch(String);
    expect(failed).to.equal('Error: gone');
    expect(await sleep.until(late()).catch(String)).to.equal('Error: gone');
  });

  it('fails when the client goes', async () => {
    const client = new AbortController();
    const sleep = openSleep(client.signal);
    setTimeout(() => {
      client.abort();
    }, 5);
    expect(await sleep.until(late()).catch(String)).to.match(/client/);
    expect(sleep.check).to.throw();
  });
});
