import { ButtonLink } from '../components/button.js';
import { Notice } from '../components/notice.js';
import { to } from '../routing/routes.js';
import { useTitle } from '../state/use-title.js';

/** The view of an unknown path. */
export function NotFound() {
  useTitle('Not found');
  return (
    <Notice icon="search" title="There is nothing here">
      <p>The link may be old, or a letter of it may be missing.</p>
      <ButtonLink href={to.mailboxes()}>All mailboxes</ButtonLink>
    </Notice>
  );
}
