/** The command line of the bench. */
import { positive, readCommandLine } from '../support/command-line.ts';

export interface Settings {
  /** Parts to measure; all if empty. */
  parts: string[];
  /**
   * Only the figures of the fairness, floods, intake and wait-neighbors parts whose description
   * contains this text.
   */
  only: string;
  /** Numbers of stored messages at which reads are measured. */
  sizes: number[];
  /** Waits beside which the latency is measured, and waits whose memory is measured. */
  waits: number[];
  /** Numbers of messages in the mailbox that is claimed from. */
  claims: number[];
  workers: number;
  webs: number;
  /** Output file for the results as JSON. */
  json: string | null;
  /** Output folder for CPU profiles of every process. */
  profile: string | null;
  /** Whether `intake` also measures a bare Haraka that accepts and discards. */
  floor: boolean;
}

const USAGE = `usage: npm run bench -- [PART]... [OPTION]...
  docs/benchmarks.md lists the parts and the options.`;

export const settings = readCommandLine(
  USAGE,
  {
    allowPositionals: true,
    options: {
      only: { type: 'string', default: '' },
      sizes: { type: 'string', default: '1000,100000' },
      waits: { type: 'string', default: '1000,10000' },
      claims: { type: 'string', default: '1000,10000' },
      workers: { type: 'string', default: '1' },
      webs: { type: 'string', default: '1' },
      json: { type: 'string' },
      profile: { type: 'boolean', default: false },
      floor: { type: 'boolean', default: false },
    },
  },
  ({ positionals, values }): Settings => ({
    parts: positionals,
    only: values.only,
    sizes: values.sizes.split(',').map(positive),
    waits: values.waits.split(',').map(positive),
    claims: values.claims.split(',').map(positive),
    workers: positive(values.workers),
    webs: positive(values.webs),
    json: values.json ?? null,
    profile: values.profile ? 'bench-profiles' : null,
    floor: values.floor,
  }),
);
