/**
 * Passes the bytes of a mail to its {@link RawSink} instead of Haraka's transaction, which decodes
 * and changes them.
 */
import { beginData, endData } from '../limits/data-rate.ts';
import { replaceMethod } from './replace-method.ts';

export function collectRawBytes(haraka: Haraka.Patchable<'transaction'>): void {
  replaceMethod(haraka, 'transaction', 'add_data', 1, (add) => {
    return function (line) {
      const { notes } = this;
      const { mayfly: envelope } = notes;
      if (!envelope) {
        add.call(this, line);
      } else if (typeof line === 'string') {
        envelope.hasData = true;
        if (envelope.dataRate) beginData(envelope.dataRate, performance.now());
        envelope.sink.addTrace(line);
      } else {
        const isCut = notes.data_line_length_exceeded === true;
        if (isCut) notes.data_line_length_exceeded = false;
        envelope.sink.addLine(line, isCut);
      }
    };
  });

  replaceMethod(haraka, 'transaction', 'end_data', 1, (end) => {
    return function (done) {
      const { mayfly: envelope } = this.notes;
      if (!envelope) {
        end.call(this, done);
        return;
      }
      envelope.endedAt = performance.now();
      if (envelope.dataRate) endData(envelope.dataRate, envelope.endedAt);
      done();
    };
  });
}
