import { visibleText } from '../../format/visible-text.ts';
import type { Message } from '../../rest/shapes.ts';

/**
 * The envelope, if it differs from the header. Recipients that the header does not name are marked
 * as Bcc.
 */
export function EnvelopeLine({ message: { envelope, from, to, cc } }: { message: Message }) {
  const named = new Set([...to, ...cc].map((address) => address.toLowerCase()));
  const recipients = envelope.to.map((address) => ({
    address,
    isHidden: !named.has(address.toLowerCase()),
  }));
  const isSame = envelope.from === from && !recipients.some(({ isHidden }) => isHidden);
  if (isSame) return null;
  return (
    <p class="recipients envelope" aria-label="Envelope">
      <span class="recipients-label">envelope</span> <bdi>{visibleText(envelope.from) || '<>'}</bdi>
      {' → '}
      {recipients.map(({ address, isHidden }, index) => (
        <span key={index}>
          <bdi>{visibleText(address)}</bdi>
          {isHidden && <span class="pill bcc">Bcc</span>}
          {index < recipients.length - 1 && ', '}
        </span>
      ))}
    </p>
  );
}
