import { expect } from 'chai';
import { groupReplies } from '../../../haraka-plugin/patches/replies.ts';
import { eventually } from '../../support/mocha/eventually.ts';

/** A connection whose socket records what is written together. */
function fakeConnection(waiting: string) {
  const writes: string[] = [];
  let corked: string[] | null = null;
  const flush = () => {
    if (corked && corked.length > 0) writes.push(corked.join('+'));
    corked = null;
  };
  const socket = {
    get writableLength() {
      return (corked ?? []).join('').length;
    },
    cork: () => (corked ??= []),
    uncork: flush,
  };
  const connection = {
    notes: {},
    current_data: Buffer.from(waiting) as Buffer | null,
    client: { targetsocket: socket },
    respond(code: number, text: string, then?: () => void) {
      if (corked) corked.push(`${code}${text}`);
      else writes.push(`${code}${text}`);
      then?.();
    },
  };
  groupReplies({ version: '0.0.0', connection: connection as never });
  /** Replies while these bytes wait. */
  const reply = (code: number, stillWaiting: string, text = '') => {
    connection.current_data = stillWaiting === '' ? null : Buffer.from(stillWaiting);
    connection.respond(code, text, undefined);
  };
  return { connection, writes, reply };
}

describe('SMTP: replies to pipelined commands', () => {
  it('are written together with that of the last command', () => {
    const { writes, reply } = fakeConnection('');
    reply(250, 'RCPT\r\nRCPT\r\nDATA\r\n');
    reply(250, 'RCPT\r\nDATA\r\n');
    reply(550, 'DATA\r\n');
    expect(writes).to.deep.equal([]);
    reply(354, '');
    expect(writes).to.deep.equal(['250+250+550+354']);
  });

  it('are written alone if no other complete command waits', () => {
    const { writes, reply } = fakeConnection('');
    reply(250, '');
    reply(250, 'DA');
    expect(writes).to.deep.equal(['250', '250']);
  });

  for (const code of [220, 221, 235, 334, 354, 421]) {
    it(`do not hold ${code} back, although commands wait`, () => {
      const { writes, reply } = fakeConnection('');
      reply(250, 'NEXT\r\nMORE\r\n');
      reply(code, 'MORE\r\n');
      expect(writes).to.deep.equal([`250+${code}`]);
    });
  }

  it('are written if the reply drops the commands that waited', () => {
    const { connection, writes } = fakeConnection('MORE\r\n');
    connection.respond(250, '', () => (connection.current_data = null));
    expect(writes).to.deep.equal(['250']);
  });

  it('are written after a moment if the next reply takes longer', async () => {
    const { writes, reply } = fakeConnection('');
    reply(250, 'RCPT\r\n');
    expect(writes).to.deep.equal([]);
    await eventually('the held reply', async () => writes.length > 0);
    reply(250, '');
    expect(writes).to.deep.equal(['250', '250']);
  });

  it('are held up to 4 KB', () => {
    const { writes, reply } = fakeConnection('');
    for (let n = 0; n < 5; n += 1) reply(250, 'RCPT\r\nRCPT\r\n', 'x'.repeat(1000));
    expect(writes).to.have.length(1);
  });
});
