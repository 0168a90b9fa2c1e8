import { useId, useState } from 'preact/hooks';
import { IconButton } from '../../components/button.tsx';
import { mailboxes } from '../../state/mailboxes.ts';
import { session } from '../../state/session.ts';

const SHOWN = 6;

/**
 * Addresses as chips, with suggestions from the mailboxes of the workspace (ARIA combobox with
 * listbox).
 */
export function RecipientField({
  id,
  label,
  value,
  bad,
  autofocus = false,
  onChange,
}: {
  id: string;
  label: string;
  value: string[];
  /** Addresses that the API rejected. */
  bad: string[];
  autofocus?: boolean;
  onChange: (addresses: string[]) => void;
}) {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const list = useId();
  const suggestions = isOpen ? suggestionsFor(text, value) : [];
  const chosen = suggestions[active];

  const add = (typed: string) => {
    const addresses = typed
      .split(/[\s,;]+/)
      .filter(Boolean)
      .map(completed);
    if (addresses.length > 0) onChange([...new Set([...value, ...addresses])]);
    setText('');
    setOpen(false);
  };
  const type = (typed: string) => {
    if (/[\s,;]/.test(typed)) {
      add(typed);
      return;
    }
    setText(typed);
    setOpen(true);
    setActive(0);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Backspace' && text === '' && value.length > 0) onChange(value.slice(0, -1));
    else if (event.key === 'ArrowDown') setActive(Math.min(active + 1, suggestions.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0));
    else if (event.key === 'Escape' && suggestions.length > 0) setOpen(false);
    else if (['Enter', ',', ';'].includes(event.key) && text !== '') add(chosen ?? text);
    else if (event.key === 'Tab' && text !== '' && chosen !== undefined) add(chosen);
    else return;
    if (event.key === 'Backspace') return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="field recipients-field">
      <label for={id}>{label}</label>
      <div class="chips">
        {value.map((address) => (
          <span key={address} class={`chip ${bad.includes(address) ? 'is-bad' : ''}`}>
            <bdi>{address}</bdi>
            <IconButton
              icon="close"
              label={`Remove ${address}`}
              onClick={() => {
                onChange(value.filter((one) => one !== address));
              }}
            />
          </span>
        ))}
        <input
          id={id}
          value={text}
          role="combobox"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          autofocus={autofocus}
          aria-autocomplete="list"
          aria-expanded={suggestions.length > 0}
          aria-controls={list}
          {...(chosen === undefined ? {} : { 'aria-activedescendant': `${list}-${active}` })}
          placeholder={value.length === 0 ? 'Type the name of a mailbox' : ''}
          onInput={(event) => {
            type(event.currentTarget.value);
          }}
          onFocus={() => {
            setOpen(true);
          }}
          onKeyDown={press}
          onBlur={() => {
            add(text);
          }}
        />
      </div>
      <ul id={list} role="listbox" aria-label={`Mailboxes for ${label}`} class="suggestions">
        {suggestions.map((address, index) => (
          <li
            key={address}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === active}
            onMouseDown={(event) => {
              event.preventDefault();
              add(address);
            }}
          >
            {address}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Returns matching mailbox addresses, prefix matches first, without those already entered. */
function suggestionsFor(typed: string, taken: string[]): string[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '' && taken.length > 0) return [];
  const addresses = (mailboxes.value ?? []).map(({ address }) => address);
  const [name = '', tag] = wanted.split('+', 2);
  const found = addresses.filter((address) => address.includes(name) && !taken.includes(address));
  // Text after a plus sign is a free tag, so there is nothing to suggest.
  if (tag !== undefined) return [];
  found.sort((a, b) => Number(b.startsWith(wanted)) - Number(a.startsWith(wanted)));
  return found.slice(0, SHOWN);
}

/** Completes a local part to an address in the domain of the workspace. */
function completed(typed: string): string {
  return typed.includes('@') ? typed : `${typed}@${session.value?.workspace.domain ?? ''}`;
}
