const AFTER_SLASH = /(?<=[^/]\/)(?=[^/])/;

/** A URL that breaks after its slashes rather than in the middle of a word. */
export function UrlText({ url }: { url: string }) {
  return url.split(AFTER_SLASH).map((part) => (
    <>
      {part}
      <wbr />
    </>
  ));
}
