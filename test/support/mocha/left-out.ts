const titles = (process.env.TEST_LEFT_OUT ?? '').split('\n');

/** Whether scripts/test leaves out the test with this title in the table of `test/runner`. */
export const isLeftOut = (title: string): boolean => titles.includes(title);
