import { ButtonLink } from '../components/button.js';
import { Notice } from '../components/notice.js';
import { to } from '../routing/routes.js';
import { useTitle } from '../state/use-title.js';

/** Shown for an unknown path. */
export function NotFound() {
  useTitle('Not found');
  return (
    <Notice icon="search" title="Page not found">
      <p>The link may be out of date or incomplete.</p>
      <ButtonLink href={to.mailboxes()}>All mailboxes</ButtonLink>
    </Notice>
  );
}
