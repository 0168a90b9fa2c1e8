import { useState } from 'preact/hooks';
import { Tabs } from '../../components/tabs.tsx';
import type { Draft } from './draft.ts';

type Body = 'text' | 'html';

/** The mail body: text, HTML, or both. */
export function BodyFields({
  draft,
  onChange,
}: {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
}) {
  const [body, setBody] = useState<Body>('text');
  return (
    <div class="field">
      <Tabs<Body>
        label="Body"
        panel="mail-body"
        current={body}
        onChange={setBody}
        tabs={[
          { name: 'text', label: 'Text' },
          { name: 'html', label: draft.html === '' ? 'HTML' : 'HTML •' },
        ]}
      />
      <div id="mail-body" role="tabpanel" aria-label={body === 'text' ? 'Text' : 'HTML'}>
        <textarea
          key={body}
          rows={9}
          value={draft[body]}
          aria-label={body === 'text' ? 'Text of the mail' : 'HTML of the mail'}
          placeholder={
            body === 'text' ? 'Your code is 482913.' : '<p>Your code is <b>482913</b>.</p>'
          }
          class={body === 'html' ? 'is-code' : ''}
          spellcheck={body === 'text'}
          onInput={(event) => {
            onChange({ [body]: event.currentTarget.value });
          }}
        />
      </div>
    </div>
  );
}
