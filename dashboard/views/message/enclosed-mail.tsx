import { useState } from 'preact/hooks';
import { Failure, Skeleton } from '../../components/placeholders.tsx';
import { absolute } from '../../format/times.ts';
import { removeDisguise } from '../../format/visible-text.ts';
import { getEnclosed } from '../../rest/messages.ts';
import { useLoaded } from '../../state/requests.ts';

interface Place {
  name: string;
  id: string;
  section: string;
}

/** The mail that a part encloses, as text only, loaded when it is asked for. */
export function EnclosedMail(place: Place) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary aria-label={`Mail in part ${place.section}`}>Mail</summary>
      {isOpen && <Content {...place} />}
    </details>
  );
}

function Content({ name, id, section }: Place) {
  const { value, error, reload } = useLoaded(`${id} ${section}`, (signal) =>
    getEnclosed(name, id, section, signal),
  );
  if (error) {
    return <Failure title="The mail could not be loaded" error={error} onRetry={reload} />;
  }
  if (!value) return <Skeleton lines={4} />;
  const { from, fromName, to, subject, date, text } = value;
  const fields: [label: string, content: string][] = [
    ['From', fromName === undefined ? from : `${fromName} <${from}>`],
    ['To', to.join(', ')],
    ['Subject', subject],
    ['Date', date === null ? '' : absolute(Date.parse(date))],
  ];
  return (
    <>
      {fields.map(([label, content]) => (
        <p key={label}>
          <span class="faint">{label}:</span> <bdi>{removeDisguise(content)}</bdi>
        </p>
      ))}
      <pre class="text-body" tabIndex={0} aria-label={`Text of the mail in part ${section}`}>
        {text ?? 'No text part.'}
      </pre>
    </>
  );
}
