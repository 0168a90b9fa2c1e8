import { Failure } from '../../components/failure.js';
import { Skeleton } from '../../components/skeleton.js';
import { getText } from '../../rest/messages.js';
import { useLoaded } from '../../state/use-loaded.js';
import { PlainText } from './plain-text.js';

/** The visible text of the HTML of a mail without a text part. */
export function DerivedText({ name, id }: { name: string; id: string }) {
  const { value: text, error, reload } = useLoaded(id, (signal) => getText(name, id, signal));
  if (error) {
    return <Failure title="The text could not be loaded" error={error} onRetry={reload} />;
  }
  if (text === null) return <Skeleton lines={8} />;
  if (text.trim() === '') {
    return <p class="hint">This mail has no text part, and its HTML shows no text.</p>;
  }
  return (
    <>
      <p class="hint text-origin" role="note">
        This mail has no text part. The text is derived from the HTML.
      </p>
      <PlainText text={text} />
    </>
  );
}
