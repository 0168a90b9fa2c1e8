/** The visible text of an HTML part, as search sees it. */
export { visibleText } from '../waits/visible-text.js';
