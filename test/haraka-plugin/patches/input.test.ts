import { expect } from 'chai';
import constants from 'haraka-constants';
import { boundInput } from '../../../haraka-plugin/patches/input.ts';

const { CMD, DATA, PAUSE_SMTP } = constants.connection.state;
const KB = 1024;

/** The read side of a connection; each test decides what Haraka does with the input. */
function fakeConnection() {
  const calls: string[] = [];
  const connection = {
    state: CMD,
    notes: {},
    current_data: null as Buffer | null,
    client: {
      pause: () => calls.push('pause'),
      resume: () => calls.push('resume'),
      destroy: () => calls.push('destroy'),
      targetsocket: { writableLength: 0 },
    },
    disconnect: () => calls.push('disconnect'),
    process_data(data: Buffer) {
      this.current_data = Buffer.concat([this.current_data ?? Buffer.alloc(0), data]);
    },
    _process_data: () => calls.push('look'),
  };
  boundInput({ version: '0.0.0', connection: connection as never });
  return { connection, calls };
}

describe('SMTP: input and replies held in memory', () => {
  it('stop reading above 64 KB of waiting commands', () => {
    const { connection, calls } = fakeConnection();
    connection.process_data(Buffer.alloc(64 * KB));
    expect(calls).to.deep.equal([]);
    connection.process_data(Buffer.alloc(1));
    expect(calls).to.deep.equal(['pause']);

    connection._process_data();
    expect(calls.slice(1)).to.deep.equal(['look']);
    connection.current_data = Buffer.alloc(KB);
    connection._process_data();
    expect(calls.slice(2)).to.deep.equal(['look', 'resume']);
  });

  it('are not processed while a command waits for its reply', () => {
    const { connection, calls } = fakeConnection();
    connection.state = PAUSE_SMTP;
    connection._process_data();
    expect(calls).to.deep.equal([]);
  });

  it('are not limited in DATA', () => {
    const { connection, calls } = fakeConnection();
    connection.state = DATA;
    connection.process_data(Buffer.alloc(200 * KB));
    expect(calls).to.deep.equal([]);
  });

  it('are at most 256 KB of unread replies', () => {
    const { connection, calls } = fakeConnection();
    connection.client.targetsocket.writableLength = 256 * KB + 1;
    connection.process_data(Buffer.alloc(1));
    expect(calls).to.deep.equal(['disconnect', 'destroy']);
    expect(connection.current_data).to.equal(null);
  });
});
