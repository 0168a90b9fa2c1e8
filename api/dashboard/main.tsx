import './styles/index.js';
import { render } from 'preact';
import { App } from './app.js';
import { listen } from './state/live.js';
import { loadSession } from './state/session.js';

const root = document.getElementById('app');
if (!root) throw new Error('index.html has no #app');
listen();
void loadSession();
render(<App />, root);
