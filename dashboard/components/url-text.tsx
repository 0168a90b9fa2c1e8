const AFTER_SLASH = /(?<=[^/]\/)(?=[^/])/;

/** A URL that wraps after slashes instead of inside a word. */
export function UrlText({ url }: { url: string }) {
  return url.split(AFTER_SLASH).map((part) => (
    <>
      {part}
      <wbr />
    </>
  ));
}
