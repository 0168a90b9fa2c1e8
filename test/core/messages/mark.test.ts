import { expect } from 'chai';
import { AppError } from '../../../core/errors.ts';
import { mailboxIdFrom, newId, newSeed } from '../../../core/ids.ts';
import { findMailbox } from '../../../core/mailboxes/mailboxes.ts';
import {
  MARK_POSITIONS,
  comparePositions,
  currentMark,
  decodeMark,
  isAfterMark,
  markOf,
} from '../../../core/messages/mark.ts';
import { listMessages } from '../../../core/messages/messages.ts';
import type { Position } from '../../../db/statements/messages.ts';
import { service } from '../../support/service.ts';

const T = Date.parse('2026-01-31T12:00:00.000Z');
const mailbox = { id: mailboxIdFrom(newSeed(T)) };
const at = (ms: number): Position => ({ receivedAt: new Date(T + ms), id: newId('message', T) });
const newestFirst = (positions: Position[]) => [...positions].sort(comparePositions).reverse();
const markFor = (visible: Position[]) =>
  decodeMark(mailbox, markOf(mailbox.id, newestFirst(visible).slice(0, 51)));

describe('marks', () => {
  const test = service({ once: true, mailboxes: ['box'] });

  it('of an empty mailbox have every message after them', () => {
    expect(isAfterMark(markFor([]), at(-T + 1))).to.equal(true);
  });

  it('cover the visible messages, and none that becomes visible within 10 s after newer mail', () => {
    const visible = [at(-20_000), at(-9000), at(-1), at(0)];
    const mark = markFor(visible);
    expect(visible.map((one) => isAfterMark(mark, one))).to.deep.equal([
      false,
      false,
      false,
      false,
    ]);
    expect([at(1), at(0), at(-9999)].map((one) => isAfterMark(mark, one))).to.deep.equal(
      Array(3).fill(true),
    );
    expect(isAfterMark(mark, at(-10_000))).to.equal(false);
  });

  it('cover every visible message when more than 50 arrive in one millisecond', () => {
    const visible = Array.from({ length: 120 }, () => at(0));
    const text = markOf(mailbox.id, newestFirst(visible).slice(0, 51));
    expect(text.length).to.be.at.most(800);
    const mark = decodeMark(mailbox, text);
    expect(visible.filter((one) => isAfterMark(mark, one))).to.deep.equal([]);
    expect(isAfterMark(mark, at(0))).to.equal(true);
  });

  it('cover the visible messages, however many of them are in the window', async () => {
    const box = await findMailbox(test.context, test.caller, 'box');
    for (let n = 0; n < 60; n += 1) {
      const age = n < 9 ? 20_000 : 0;
      await test.receive('box', {}, T + n - age);
      const { rows } = await listMessages(test.context, box, { limit: MARK_POSITIONS });
      expect(rows).to.have.length(Math.min(n + 1, MARK_POSITIONS));
      expect(await currentMark(test.context, box)).to.equal(markOf(box.id, rows));
    }
  });

  it('are rejected when malformed or of another mailbox', () => {
    const text = markOf(mailbox.id, [at(0)]);
    const other = { id: mailboxIdFrom(newSeed(T)) };
    const faults = [
      () => decodeMark(other, text),
      ...['', 'x', `${text}A`, Buffer.from('1.2').toString('base64url')].map(
        (bad) => () => decodeMark(mailbox, bad),
      ),
    ];
    for (const decode of faults) {
      expect(decode).to.throw(AppError).with.property('code', 'invalid_request');
    }
  });
});
