const LINK = /(https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}])/g;

/** Plain text, with web addresses as links. */
export function PlainText({ text }: { text: string }) {
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
