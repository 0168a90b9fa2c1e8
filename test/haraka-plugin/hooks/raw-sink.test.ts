import { expect } from 'chai';
import { openByteBudget } from '../../../core/limits/byte-budget.ts';
import { MAX_MAIL_BYTES, RawSink } from '../../../haraka-plugin/raw-sink.ts';

const bytesOf = (sink: RawSink) => Buffer.concat(sink.chunks()).toString('latin1');
const line = (text: string) => Buffer.from(text, 'latin1');

const unlimited = openByteBudget(0);

describe('the sink of raw mail', () => {
  it('removes dot-stuffing and does not count the trace field', () => {
    const sink = new RawSink(unlimited);
    sink.addTrace('Received: x\r\n');
    for (const text of ['A: b\r\n', '\r\n', '..\r\n', '.x\r\n']) sink.addLine(line(text), false);
    expect(bytesOf(sink)).to.equal('Received: x\r\nA: b\r\n\r\n.\r\nx\r\n');
    expect(sink.mailBytes).to.equal('A: b\r\n\r\n.\r\nx\r\n'.length);
    expect(sink.bytes).to.equal(sink.mailBytes + 'Received: x\r\n'.length);
  });

  it('joins a line that was split twice', () => {
    const sink = new RawSink(unlimited);
    sink.addLine(line('abc\r\n'), true);
    sink.addLine(line(' .de\r\n'), true);
    sink.addLine(line(' f\r\n'), false);
    sink.addLine(line(' g\r\n'), false);
    expect(bytesOf(sink)).to.equal('abc.def\r\n g\r\n');
  });

  it('counts Received fields of the header only', () => {
    const sink = new RawSink(unlimited);
    for (const text of ['Received: a\r\n', 'RECEIVED:b\r\n', 'Received-SPF: c\r\n', '\r\n']) {
      sink.addLine(line(text), false);
    }
    expect(sink.isInBody).to.equal(true);
    sink.addLine(line('Received: d\r\n'), false);
    expect(sink.receivedFields).to.equal(2);
  });

  it('drops a mail that is too large, and keeps counting its bytes', () => {
    const sink = new RawSink(unlimited);
    const half = Buffer.alloc(MAX_MAIL_BYTES / 2, 'x');
    sink.addBodyLines(half);
    sink.addBodyLines(half);
    expect(sink.isTooBig).to.equal(false);
    expect(bytesOf(sink)).to.have.length(MAX_MAIL_BYTES);
    sink.addLine(line('y'), false);
    expect(sink.isTooBig).to.equal(true);
    expect(bytesOf(sink)).to.have.length(0);
    sink.addBodyLines(half);
    expect(sink.mailBytes).to.equal(MAX_MAIL_BYTES * 1.5 + 1);
    expect(bytesOf(sink)).to.have.length(0);
  });

  it('releases its bytes once if the budget is exceeded', () => {
    const budget = openByteBudget(4_000_000);
    const sink = new RawSink(budget);
    sink.addBodyLines(Buffer.alloc(1_000_000));
    expect(budget.canReserve(1_500_000)).to.equal(false);
    sink.addBodyLines(Buffer.alloc(2_000_000));
    expect(sink.isOverBudget).to.equal(true);
    sink.destroy();
    expect(budget.canReserve(2_000_000)).to.equal(true);
    expect(budget.canReserve(2_000_001)).to.equal(false);
  });

  it('counts lent bytes until they are returned, even after the mail has ended', async () => {
    const budget = openByteBudget(4_000_000);
    const sink = new RawSink(budget);
    sink.addBodyLines(Buffer.alloc(1_000_000));
    let finish: () => void = () => undefined;
    const lent = sink.lend(() => new Promise<void>((resolve) => (finish = resolve)));
    sink.destroy();
    expect(budget.canReserve(2_000_000)).to.equal(false);
    finish();
    await lent;
    expect(budget.canReserve(2_000_000)).to.equal(true);
  });
});
