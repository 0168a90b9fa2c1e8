import './styles/index.js';
import { render } from 'preact';
import { App } from './app.js';
import { listen } from './state/live.js';
import { loadSession } from './state/session.js';
import { openShareLink, takeShareToken, watchShareLinks } from './state/share-link.js';

const root = document.getElementById('app');
if (!root) throw new Error('index.html has no #app');
// The token of a share link leaves the address bar before the first request.
const shareToken = takeShareToken();
listen();
watchShareLinks();
void (shareToken === null ? loadSession() : openShareLink(shareToken));
render(<App />, root);
