import { Failure, Skeleton } from '../../components/placeholders.tsx';
import { getText } from '../../rest/messages.ts';
import { useLoaded } from '../../state/use-loaded.ts';
import { PlainText } from './plain-text.tsx';

/** The visible text of the HTML of a mail whose text part is missing or blank. */
export function DerivedText({ name, id }: { name: string; id: string }) {
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
