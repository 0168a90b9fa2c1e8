import { ConfirmDialog } from '../../components/dialog.tsx';
import { absolute } from '../../format/times.ts';
import { session } from '../../state/session.ts';
import { acceptOffer, offer } from '../../state/share-link.ts';

/** Asks whether a share link replaces the session of the user. */
export function ReplaceSession() {
  const offered = offer.value;
  if (!offered) return null;
  const { mailboxes, expiresAt } = offered.shared;
  const current = session.value?.token;
  return (
    <ConfirmDialog
      title="Open the share link?"
      confirm="Sign out and open"
      tone="main"
      onConfirm={() => acceptOffer(offered)}
      onClose={() => {
        offer.value = null;
      }}
    >
      <p>
        The link gives read-only access to <strong>{mailboxes?.join(', ')}</strong>
        {expiresAt !== null && ` until ${absolute(Date.parse(expiresAt))}`}.
      </p>
      {current && (
        <p>
          You are signed in as <strong>{current.name}</strong> ({current.role}). Opening the link
          signs you out in all tabs of this browser.
        </p>
      )}
    </ConfirmDialog>
  );
}
