import { Failure, Skeleton } from '../../components/placeholders.tsx';
import { getText } from '../../rest/messages.ts';
import type { Message } from '../../rest/shapes.ts';
import { useLoaded } from '../../state/use-loaded.ts';

/** The text part; for a mail without one, the visible text of its HTML. */
export function TextBody({ name, message }: { name: string; message: Message }) {
  const { id, text = '', html } = message;
  if (text.trim() !== '') return <PlainText text={text} />;
  if (html !== undefined) return <DerivedText name={name} id={id} />;
  return <p class="hint">This mail is empty.</p>;
}

/** The visible text of the HTML of a mail whose text part is missing or blank. */
function DerivedText({ name, id }: { name: string; id: string }) {
  const { value: text, error, reload } = useLoaded(id, (signal) => getText(name, id, signal));
  if (error) {
    return <Failure title="The text could not be loaded" error={error} onRetry={reload} />;
  }
  if (text === null) return <Skeleton lines={8} />;
  if (text.trim() === '') {
    return (
      <p class="hint">
        The text part of this mail is missing or blank, and its HTML shows no text.
      </p>
    );
  }
  return (
    <>
      <p class="hint text-origin" role="note">
        The text part of this mail is missing or blank. The text is derived from the HTML.
      </p>
      <PlainText text={text} />
    </>
  );
}

const LINK = /(https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}])/g;

/** Plain text, with web addresses as links. */
function PlainText({ text }: { text: string }) {
  return (
    <pre class="text-body" tabIndex={0} aria-label="Text of the message">
      {text.split(LINK).map((part, index) =>
        index % 2 === 1 ? (
          <a key={index} href={part} target="_blank" rel="noopener noreferrer">
            {part}
          </a>
        ) : (
          part
        ),
      )}
    </pre>
  );
}
