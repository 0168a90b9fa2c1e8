/**
 * Root hooks of mocha: the error of a failed test ends with the last response of the API and with
 * what the services of the test have logged. A test that passes prints neither.
 */
import { Writable } from 'node:stream';
import type { Response } from 'supertest';

const SHOWN = 2000;
const LINES_SHOWN = 10;

let last: { request: string; response: Response } | null = null;
/** The log since the beginning of a test; null if no tests run. */
let lines: string[] | null = null;

/** @param request method and path */
export function noteResponse(request: string, response: Response): void {
  last = { request, response };
}

/** Takes the lines of the log of a service. Programs other than mocha print them. */
export const logOfTest = new Writable({
  write(chunk: Buffer, _encoding, done) {
    if (lines) lines.push(chunk.toString().trimEnd().slice(0, SHOWN));
    else process.stdout.write(chunk);
    done();
  },
});

export const mochaHooks = {
  beforeAll() {
    lines ??= [];
  },
  beforeEach(this: Mocha.Context) {
    last = null;
    lines = [];
    const test = this.currentTest;
    const run = test?.fn;
    // A test with a parameter calls it when it is done.
    if (!test || !run || run.length > 0) return;
    test.fn = async function (this: Mocha.Context) {
      try {
        const result: unknown = Reflect.apply(run, this, []);
        await result;
      } catch (error) {
        if (error instanceof Error) addDetails(error);
        throw error;
      }
    };
  },
};

function addDetails(error: Error): void {
  const message = [
    error.message,
    ...(last ? [`The last response, to ${last.request}, was ${shown(last.response)}`] : []),
    ...(lines?.length ? ['The end of the log:', ...lines.slice(-LINES_SHOWN)] : []),
  ].join('\n');
  error.stack = error.stack?.replace(error.message, () => message);
  error.message = message;
}

function shown({ status, text, type, body }: Response): string {
  const content: unknown = body;
  const bytes = Buffer.isBuffer(content) ? `${content.length} bytes of ${type}` : text;
  return `${status}: ${bytes.slice(0, SHOWN)}`;
}
