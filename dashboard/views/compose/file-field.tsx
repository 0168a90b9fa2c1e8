import { useRef, useState } from 'preact/hooks';
import { Button, IconButton } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { bytes } from '../../format/bytes.ts';
import { ATTACHMENTS_MAX_BYTES } from './draft.ts';

/** Attachments, chosen or dropped. */
export function FileField({
  files,
  onChange,
}: {
  files: File[];
  onChange: (files: File[]) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isAbove, setAbove] = useState(false);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const isOver = total > ATTACHMENTS_MAX_BYTES;
  const add = (more: FileList | null | undefined) => {
    if (more) onChange([...files, ...more]);
  };
  return (
    <div
      class={`files ${isAbove ? 'is-over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setAbove(true);
      }}
      onDragLeave={() => {
        setAbove(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setAbove(false);
        add(event.dataTransfer?.files);
      }}
    >
      <div class="files-head">
        <Button icon="paperclip" onClick={() => input.current?.click()}>
          Attach files
        </Button>
        <span class={isOver ? 'is-bad' : ''} role="status">
          {files.length === 0
            ? 'or drop them here; at most 10 MiB in total'
            : `${bytes(total)} of ${bytes(ATTACHMENTS_MAX_BYTES)}${isOver ? ': the attachments exceed the limit' : ''}`}
        </span>
        <input
          ref={input}
          type="file"
          multiple
          class="visually-hidden"
          tabIndex={-1}
          aria-label="Files to attach"
          onChange={(event) => {
            add(event.currentTarget.files);
            event.currentTarget.value = '';
          }}
        />
      </div>
      {files.length > 0 && (
        <ul class="attachments">
          {files.map((file, index) => (
            <li key={index} class="attachment">
              <Icon name="file" />
              <bdi class="attachment-name">{file.name}</bdi>
              <span class="attachment-size">{bytes(file.size)}</span>
              <IconButton
                icon="close"
                label={`Remove ${file.name}`}
                onClick={() => {
                  onChange(files.filter((_, one) => one !== index));
                }}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
