/** What narrows the list of messages: a query, and the caught recipients. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { IconButton } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { listRecipients } from '../../rest/capture.ts';
import { filterInbox, inbox, recipient, searchInbox } from '../../state/inbox.ts';
import { useLoaded } from '../../state/requests.ts';
import { session } from '../../state/session.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { type Suggestion, completed, suggestionsFor } from './query-suggestions.ts';

const TYPING_MS = 250;

/**
 * Searches the messages of the list, with suggestions for operators (ARIA combobox with listbox).
 */
export function SearchField({ isAll }: { isAll: boolean }) {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const suggestions = isOpen ? suggestionsFor(text, isAll) : [];
  const chosen = suggestions[active];
  useShortcuts({ '/': () => input.current?.focus() });
  useEffect(() => {
    const timer = setTimeout(
      () => {
        searchInbox(text.trim());
      },
      text === '' ? 0 : TYPING_MS,
    );
    return () => {
      clearTimeout(timer);
    };
  }, [text]);

  const type = (typed: string) => {
    setText(typed);
    setOpen(true);
    setActive(-1);
  };
  const choose = (suggestion: Suggestion) => {
    type(completed(text, suggestion));
    input.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setActive(Math.min(active + 1, suggestions.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, -1));
    else if (event.key === 'Enter' && chosen) choose(chosen);
    else if (event.key === 'Enter') {
      searchInbox(text.trim());
      setOpen(false);
    } else if (event.key === 'Escape') {
      type('');
      setOpen(false);
      input.current?.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="search" role="search">
      <Icon name="search" />
      <input
        ref={input}
        enterkeyhint="search"
        role="combobox"
        value={text}
        placeholder="Search"
        maxLength={1000}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-label="Search messages"
        aria-keyshortcuts="/"
        aria-autocomplete="list"
        aria-expanded={suggestions.length > 0}
        aria-controls={list}
        {...(chosen === undefined ? {} : { 'aria-activedescendant': `${list}-${active}` })}
        onInput={(event) => {
          type(event.currentTarget.value);
        }}
        onFocus={() => {
          setOpen(true);
        }}
        onBlur={() => {
          setOpen(false);
        }}
        onKeyDown={press}
      />
      {text === '' ? (
        <kbd aria-hidden="true">/</kbd>
      ) : (
        <IconButton
          icon="close"
          label="Clear search"
          onClick={() => {
            type('');
          }}
        />
      )}
      <ul id={list} role="listbox" aria-label="Operators" class="suggestions">
        {suggestions.map((suggestion, index) => (
          <li
            key={suggestion.text}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === active}
            onMouseDown={(event) => {
              event.preventDefault();
              choose(suggestion);
            }}
          >
            <code>{suggestion.text}</code> <span class="hint">{suggestion.hint}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Selects a caught recipient. Absent, and without a request, while no loaded message is caught. */
export function RecipientFilterField({ name }: { name: string }) {
  const newest = recipient.value === null ? newestCaught(name) : '';
  if (newest === '' && recipient.value === null) return null;
  return <RecipientSelect name={name} newest={newest} />;
}

/**
 * @param newest id of the newest caught message; the recipients are loaded again when it changes.
 */
function RecipientSelect({ name, newest }: { name: string; newest: string }) {
  const { value } = useLoaded(`${name} ${newest}`, () => listRecipients(name));
  const found = value?.recipients ?? [];
  if (found.length === 0 && recipient.value === null) return null;
  return (
    <select
      class="recipient-filter"
      aria-label="Recipient"
      value={recipient.value ?? ''}
      onChange={(event) => {
        filterInbox(event.currentTarget.value || null);
      }}
    >
      <option value="">All recipients</option>
      {recipient.value !== null && !found.some(({ address }) => address === recipient.value) && (
        <option value={recipient.value}>{recipient.value}</option>
      )}
      {found.map(({ address, messageCount }) => (
        <option key={address} value={address}>
          {address} ({messageCount})
        </option>
      ))}
    </select>
  );
}

/**
 * The id of the newest loaded message with an envelope recipient other than the mailbox; empty if
 * none.
 */
function newestCaught(name: string): string {
  const domain = `@${session.value?.workspace.domain ?? ''}`;
  const isOwn = (address: string) => {
    const folded = address.toLowerCase();
    return (folded.startsWith(`${name}+`) && folded.endsWith(domain)) || folded === name + domain;
  };
  const caught = inbox.value?.messages.find(({ envelope }) => !envelope.to.every(isOwn));
  return caught?.id ?? '';
}
