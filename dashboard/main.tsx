import './styles/index.ts';
import { render } from 'preact';
import { App } from './app.tsx';
import { listen } from './state/live.ts';
import { loadSession } from './state/session.ts';
import { openShareLink, takeShareToken, watchShareLinks } from './state/share-link.ts';

const root = document.getElementById('app');
if (!root) throw new Error('index.html has no #app');
// The token of a share link leaves the address bar before the first request.
const shareToken = takeShareToken();
listen();
watchShareLinks();
void (shareToken === null ? loadSession() : openShareLink(shareToken));
render(<App />, root);
