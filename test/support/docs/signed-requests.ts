/** Requests that a receiver must distinguish: the original, and forged ones. */

export interface Signed {
  secret: string;
  headers: Record<string, string>;
  body: Buffer;
}

export interface SignedRequest extends Signed {
  what: string;
  /** The clock of the receiver, in seconds. */
  now: number;
  verdict: 'genuine' | 'forged' | 'stale';
}

/** The check vector of the Standard Webhooks libraries. */
export const CHECK_VECTOR: Signed = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  body: Buffer.from('{"test": 2432232314}'),
};

const OTHER_SECRET = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const OTHER_SIGNATURE = `v1,${'A'.repeat(43)}=`;

/** The original request, and the forged ones. */
export function variantsOf(name: string, { secret, headers, body }: Signed): SignedRequest[] {
  const { 'webhook-signature': signatures = '', ...unsigned } = headers;
  const sentAt = Number(headers['webhook-timestamp']);
  const variant = (
    what: string,
    verdict: SignedRequest['verdict'],
    changed: Partial<SignedRequest> = {},
  ) => ({ secret, headers, body, now: sentAt, ...changed, what: `${name}, ${what}`, verdict });
  const signedAs = (value: string) => ({ headers: { ...headers, 'webhook-signature': value } });
  return [
    variant('as it was sent', 'genuine'),
    variant('299 seconds later', 'genuine', { now: sentAt + 299 }),
    variant('by a clock behind', 'genuine', { now: sentAt - 299 }),
    variant('after another signature', 'genuine', signedAs(`${OTHER_SIGNATURE} ${signatures}`)),
    variant('too late', 'stale', { now: sentAt + 302 }),
    variant('too early', 'stale', { now: sentAt - 302 }),
    variant('with a longer body', 'forged', { body: Buffer.concat([body, Buffer.from(' ')]) }),
    variant('without a body', 'forged', { body: Buffer.alloc(0) }),
    variant('with another id', 'forged', { headers: { ...headers, 'webhook-id': 'msg_other' } }),
    variant('with another time', 'forged', {
      headers: { ...headers, 'webhook-timestamp': `${sentAt + 1}` },
    }),
    variant('with another signature', 'forged', signedAs(OTHER_SIGNATURE)),
    variant('with an empty signature', 'forged', signedAs('v1,')),
    variant('of another version', 'forged', signedAs(signatures.replaceAll('v1,', 'v2,'))),
    variant('unsigned', 'forged', { headers: unsigned }),
    variant('under another secret', 'forged', { secret: OTHER_SECRET }),
  ];
}
