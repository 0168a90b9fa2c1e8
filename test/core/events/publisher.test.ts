import { expect } from 'chai';
import { type EventHistory, openEventPublisher } from '../../../core/events/history.ts';
import type { LiveEvent } from '../../../core/events/event.ts';
import type { Logger } from '../../../core/log.ts';
import { eventually } from '../../support/mocha/eventually.ts';

describe('the event publisher', () => {
  it('flushes pending events on close, and publishes nothing after it', async () => {
    const answers: (() => void)[] = [];
    const history = {
      add: () => new Promise<void>((resolve) => answers.push(resolve)),
    } as unknown as EventHistory;
    const publisher = openEventPublisher(history, {} as Logger);
    const event = {} as LiveEvent;
    publisher.publish('wsp_1', event);
    await eventually('the first to be told', () => answers.length === 1);
    publisher.publish('wsp_1', event);
    await eventually('the second to be told', () => answers.length === 2);

    let isClosed = false;
    const closing = publisher.close().then(() => (isClosed = true));
    answers[1]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed, 'while the first is being told').to.equal(false);
    answers[0]?.();
    await closing;

    publisher.publish('wsp_1', event);
    await new Promise((resolve) => setTimeout(resolve));
    expect(answers).to.have.length(2);
  });
});
