/** The plugin that Haraka loads, as CommonJS in a sandbox. Its hooks are those of the process. */
/* global server */
exports.register = function register() {
  const { mayfly } = server.notes;
  if (!mayfly)
    throw new Error('the mayfly plugin runs only in the process of haraka-plugin/server');
  Object.assign(this, mayfly);
};
