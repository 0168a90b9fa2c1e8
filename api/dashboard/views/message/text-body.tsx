const LINK = /(https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}])/g;

/** The plain text, with web addresses as links. */
export function TextBody({ text, hasHtml }: { text: string | undefined; hasHtml: boolean }) {
  if (text === undefined || text === '') {
    return (
      <p class="hint">{hasHtml ? 'This mail has no text, only HTML.' : 'This mail is empty.'}</p>
    );
  }
  return (
    <pre class="text-body" tabIndex={0} aria-label="Text of the message">
      {text.split(LINK).map((part, index) =>
        index % 2 === 1 ? (
          <a key={index} href={part} target="_blank" rel="noopener noreferrer">
            {part}
          </a>
        ) : (
          part
        ),
      )}
    </pre>
  );
}
