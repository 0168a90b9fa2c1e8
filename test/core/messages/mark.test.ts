import { expect } from 'chai';
import { AppError } from '../../../core/errors.ts';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { markOf, readMark } from '../../../core/messages/mark.ts';
import { service } from '../../support/service.ts';

describe('marks', () => {
  const test = service({ once: true, mailboxes: ['box', 'other'] });

  const codeOf = async (text: string) => {
    const box = await requireMailbox(test.context, test.caller, 'box');
    return readMark(test.context, box, text).then(String, (error: unknown) =>
      error instanceof AppError ? error.code : error,
    );
  };

  it('are rejected when malformed or of another mailbox', async () => {
    const [box, other] = [
      await requireMailbox(test.context, test.caller, 'box'),
      await requireMailbox(test.context, test.caller, 'other'),
    ];
    const encode = (text: string) => Buffer.from(text).toString('base64url');
    const text = markOf(box, 0);
    expect(await codeOf(text)).to.equal('0');
    const tail = box.id.slice(-10);
    for (const bad of [
      ...['', 'x', `${text}A`, encode('2.1'), markOf(other, 0), encode(`2.${tail}.00`)],
      ...[encode(`2.${tail}.-1`), encode(`2.${tail}.99999999999999999`)],
    ]) {
      expect(await codeOf(bad), bad).to.equal('invalid_request');
    }
  });
});
