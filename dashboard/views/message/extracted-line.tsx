import { CopyButton, copyText } from '../../components/copy-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { UrlText } from '../../components/url-text.tsx';
import { removeDisguise } from '../../format/visible-text.ts';
import { getExtracted } from '../../rest/messages.ts';
import type { Extracted } from '../../rest/shapes.ts';
import { debounce, useLoaded } from '../../state/requests.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { announce } from '../../state/toasts.ts';

/** The code of a message to copy, its main link, and why. Nothing if the message has neither. */
export function ExtractedLine({ name, id }: { name: string; id: string }) {
  const { value } = useLoaded(id, async (signal) => {
    await debounce(signal);
    return getExtracted(name, id, signal);
  });
  const code = value?.code ?? null;
  const copy = async () => {
    if (code !== null && (await copyText(code))) announce('Copied');
  };
  // Without a code the key keeps its meaning in the list.
  useShortcuts(code === null ? {} : { c: () => void copy() });
  if (!value || !hasContent(value)) return null;
  const { header, mailto, oneClick, problems } = value.unsubscribe;
  return (
    <section class="extracted" aria-label="Code and links">
      {code !== null && (
        <p>
          <strong>{removeDisguise(code)}</strong>{' '}
          <CopyButton text={code} label="Copy the code (c)" />
        </p>
      )}
      {value.link !== null && (
        <p>
          <a href={value.link} target="_blank" rel="noopener noreferrer">
            <UrlText url={value.link} />
          </a>
        </p>
      )}
      {(code !== null || value.link !== null) && <Why value={value} />}
      {header.length + mailto.length > 0 && (
        <p class="faint">
          List-Unsubscribe: {[...header, ...mailto].map(removeDisguise).join(', ')}
          {oneClick && ' (one-click)'}
        </p>
      )}
      {problems.map((problem) => (
        <p key={problem} class="extracted-problem">
          <Icon name="alert" /> {PROBLEMS[problem]}
        </p>
      ))}
    </section>
  );
}

const PROBLEMS: Record<Extracted['unsubscribe']['problems'][number], string> = {
  one_click_without_https:
    'List-Unsubscribe-Post asks for one-click, but List-Unsubscribe has no HTTPS URL (RFC 8058).',
  bad_syntax: 'List-Unsubscribe or List-Unsubscribe-Post is malformed (RFC 2369, RFC 8058).',
};

function hasContent({ code, link, unsubscribe }: Extracted): boolean {
  const { header, mailto, problems } = unsubscribe;
  return code !== null || link !== null || header.length + mailto.length + problems.length > 0;
}

function Why({ value }: { value: Extracted }) {
  const code = value.codes.find((each) => each.value === value.code);
  const link = value.links.find((each) => each.url === value.link);
  return (
    <details>
      <summary>why</summary>
      <ul>
        {[code, link].flatMap((found) =>
          (found?.reasons ?? []).map(({ rule, detail, weight }) => (
            <li key={`${rule} ${detail}`}>
              {rule.replaceAll('_', ' ')}: {removeDisguise(detail)} ({weight})
            </li>
          )),
        )}
      </ul>
    </details>
  );
}
