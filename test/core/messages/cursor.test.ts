import { expect } from 'chai';
import { decodeCursor, encodeCursor } from '../../../core/messages/cursor.ts';
import { newId } from '../../../core/ids.ts';

describe('cursor', () => {
  it('decodes an encoded cursor', () => {
    const place = { receivedAt: new Date(1_760_000_000_123), id: newId('message') };
    expect(decodeCursor(encodeCursor(place))).to.deep.equal(place);
  });

  const made = encodeCursor({ receivedAt: new Date(5), id: newId('message') });
  const bad = [
    '',
    'x',
    '!!!',
    `${made}=`,
    `${made}x`,
    Buffer.from('5.msg_x').toString('base64url'),
  ];
  for (const cursor of bad) {
    it(`rejects ${JSON.stringify(cursor)}`, () => {
      expect(() => decodeCursor(cursor)).to.throw('not a valid cursor');
    });
  }
});
