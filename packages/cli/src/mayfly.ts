#!/usr/bin/env node
import { main } from './main.ts';

// The reader has what it wants: `mayfly tail | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});
process.exitCode = await main(process.argv.slice(2), process.env, process);
