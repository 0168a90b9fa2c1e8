/** A child for the tests of child processes: it executes the call. */
process.on('disconnect', () => process.exit(0));
process.on('message', (message: { call?: { value: { what: string } } }) => {
  const what = message.call?.value.what;
  process.send?.({ begun: true });
  process.send?.({ phase: String(what) });
  if (what === 'end') process.exit(1);
  if (what === 'fail') process.send?.({ error: 'the call failed' });
  if (what === 'pid') process.send?.({ result: { value: process.pid, places: [] } });
});
process.send?.({ ready: true });
