/** A child for the tests of child processes: it executes the call. */
process.on('disconnect', () => process.exit(0));
process.on('message', (call) => {
  const what = typeof call === 'object' && call !== null && 'what' in call ? call.what : null;
  process.send?.({ begun: true });
  process.send?.({ phase: String(what) });
  if (what === 'end') process.exit(1);
  if (what === 'fail') process.send?.({ error: 'the call failed' });
  if (what === 'pid') process.send?.({ result: process.pid });
});
process.send?.({ ready: true });
