import { expect } from 'chai';
import constants from 'haraka-constants';
import { boundInput } from '../../../haraka-plugin/patches/input.js';

const { CMD, DATA, PAUSE_SMTP } = constants.connection.state;
const KB = 1024;

/** A connection as far as reading goes; what Haraka would make of its input is for the test to say. */
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

describe('SMTP: what is held of a client', () => {
  it('is read on only while 64 KB of commands or less wait', () => {
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

  it('is not looked at while a command waits for its answer', () => {
    const { connection, calls } = fakeConnection();
    connection.state = PAUSE_SMTP;
    connection._process_data();
    expect(calls).to.deep.equal([]);
  });

  it('has no bound of its own in DATA', () => {
    const { connection, calls } = fakeConnection();
    connection.state = DATA;
    connection.process_data(Buffer.alloc(200 * KB));
    expect(calls).to.deep.equal([]);
  });

  it('are no more than 256 KB of replies that it does not read', () => {
    const { connection, calls } = fakeConnection();
    connection.client.targetsocket.writableLength = 256 * KB + 1;
    connection.process_data(Buffer.alloc(1));
    expect(calls).to.deep.equal(['disconnect', 'destroy']);
    expect(connection.current_data).to.equal(null);
  });
});
