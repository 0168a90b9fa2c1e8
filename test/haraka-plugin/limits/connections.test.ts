import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import constants from 'haraka-constants';
import { readConfig } from '../../../core/config/config.ts';
import { openConnectionLimits } from '../../../haraka-plugin/limits.ts';

describe('SMTP: the connections of a process that stops', () => {
  it('keep their time limits if the clock changes', async () => {
    const connections = openConnectionLimits(readConfig({}, 'smtp').smtp);
    const replies: number[] = [];
    const connection = {
      remote: { ip: '192.0.2.1', closed: true },
      notes: {},
      state: constants.connection.state.DATA,
      transaction: { notes: { mayfly: { hasData: true } } },
      respond: (code: number) => replies.push(code),
    } as unknown as Haraka.Connection;
    connections.open(connection);

    const rightClock = Date.now;
    const drained = connections.drain();
    Date.now = () => rightClock() + 3_600_000;
    try {
      await delay(100); // enough time for several checks of the connection
    } finally {
      Date.now = rightClock;
    }
    expect(replies).to.deep.equal([]);
    connections.closed(connection);
    await drained;
  });
});
