import { useState } from 'preact/hooks';
import {
  type Framework,
  frameworks,
  settingsOf,
} from '../../../packages/shared/framework-settings.ts';
import { CodeBlock } from '../../components/copy-button.tsx';
import { Tabs } from '../../components/tabs.tsx';
import type { SmtpCredential } from '../../rest/shapes.ts';
import { session } from '../../state/session.ts';

/** Settings of common frameworks, with the credential filled in. */
export function FrameworkSettings({
  credential,
  password,
}: {
  credential: SmtpCredential | null;
  password: string | null;
}) {
  const [framework, setFramework] = useState<Framework>('variables');
  if (!credential) return null;
  const isSelfSigned = session.value?.smtp.selfSigned ?? false;
  const code = settingsOf({ ...credential, isSelfSigned, password: password ?? 'PASSWORD' });
  return (
    <section class="card" aria-label="Settings">
      <Tabs<Framework>
        label="Framework"
        panel="framework-settings"
        current={framework}
        onChange={setFramework}
        tabs={[...frameworks]}
      />
      <div id="framework-settings" role="tabpanel" aria-label={framework}>
        <CodeBlock code={code[framework]} label={`settings for ${framework}`} />
      </div>
      {password === null && (
        <p class="hint">The password is shown only once, after it is created.</p>
      )}
    </section>
  );
}
