import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/components.css';
import './styles/dialog.css';
import './styles/shell.css';
import './styles/page.css';
import './styles/mailbox.css';
import './styles/labels.css';
import './styles/selection.css';
import './styles/share.css';
import './styles/message.css';
import './styles/compose.css';
import './styles/webhooks.css';
import './styles/sign-in.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { listen } from './state/live.ts';
import { loadSession } from './state/session.ts';
import { openShareLink, consumeShareToken, watchShareLinks } from './state/share-link.ts';

const root = document.getElementById('app');
if (!root) throw new Error('index.html has no #app');
// The token of a share link leaves the address bar before the first request.
const shareToken = consumeShareToken();
listen();
watchShareLinks();
void (shareToken === null ? loadSession() : openShareLink(shareToken));
render(<App />, root);
