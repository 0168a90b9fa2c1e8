import { ButtonLink } from '../parts/button.js';
import { Notice } from '../parts/notice.js';
import { to } from '../routing/routes.js';
import { useTitle } from '../state/use-title.js';

/** For a path that no view has. */
export function Nowhere() {
  useTitle('Not found');
  return (
    <Notice icon="search" title="There is nothing here">
      <p>The link may be old, or a letter of it may be missing.</p>
      <ButtonLink href={to.mailboxes()}>All mailboxes</ButtonLink>
    </Notice>
  );
}
