import { defineConfig } from '@playwright/test';

const port = process.env.APP_PORT ?? '8080';
const executablePath = process.env.CHROMIUM; // by default, the browser of Playwright

export default defineConfig({
  testMatch: '*.spec.js',
  use: {
    baseURL: `http://127.0.0.1:${port}/`,
    launchOptions: executablePath ? { executablePath, args: ['--no-sandbox'] } : {},
  },
  webServer: {
    command: 'node server.js',
    url: `http://127.0.0.1:${port}/`,
    reuseExistingServer: true,
  },
});
