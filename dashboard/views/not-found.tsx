import { ButtonLink } from '../components/button.tsx';
import { Notice } from '../components/notice.tsx';
import { to } from '../routing/routes.ts';
import { useTitle } from '../state/use-title.ts';

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
