import { Icon } from '../../components/icon.tsx';
import { Failure, Skeleton } from '../../components/placeholders.tsx';
import { bytes } from '../../format/bytes.ts';
import { removeDisguise } from '../../format/visible-text.ts';
import { getParts } from '../../rest/messages.ts';
import { partPath } from '../../rest/paths.ts';
import type { Part } from '../../rest/shapes.ts';
import { useLoaded } from '../../state/requests.ts';
import { EnclosedMail } from './enclosed-mail.tsx';

const ENCLOSED = /^message\/(?:rfc822|global)$/;

interface Place {
  name: string;
  id: string;
}

/** The MIME parts of a mail as a tree. Each has a download of its decoded content. */
export function PartTree({ name, id }: Place) {
  const { value, error, reload } = useLoaded(id, (signal) => getParts(name, id, signal));
  if (error) {
    return <Failure title="The parts could not be loaded" error={error} onRetry={reload} />;
  }
  if (!value) return <Skeleton lines={6} />;
  return (
    <div class="part-tree">
      {value.fault !== null && <p role="note">{value.fault}</p>}
      <Parts place={{ name, id }} parts={[value.root]} />
    </div>
  );
}

function Parts({ place, parts }: { place: Place; parts: Part[] }) {
  return (
    <ul>
      {parts.map((part, index) => (
        <li key={index}>
          <PartLine place={place} part={part} />
          {part.section !== null && ENCLOSED.test(part.type) && (
            <EnclosedMail {...place} section={part.section} />
          )}
          {part.parts.length > 0 && <Parts place={place} parts={part.parts} />}
        </li>
      ))}
    </ul>
  );
}

function PartLine({ place: { name, id }, part }: { place: Place; part: Part }) {
  const { section, type, parameters, encoding, disposition, filename, description, size } = part;
  const shown = [filename, parameters.charset, encoding, disposition, description];
  const about = shown.flatMap((text) =>
    text === undefined || text === null ? [] : removeDisguise(text),
  );
  return (
    <p>
      <span class="faint">{section}</span> <bdi class="part-type">{removeDisguise(type)}</bdi>{' '}
      <bdi class="faint">{[...about, bytes(size)].join(' · ')}</bdi>{' '}
      {section !== null && (
        <a
          href={partPath(name, id, section)}
          download
          aria-label={`Download part ${section}`}
          title={`Download part ${section}`}
        >
          <Icon name="download" />
        </a>
      )}
    </p>
  );
}
