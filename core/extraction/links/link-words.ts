/** Words in paths and host names of links. Paths are English in every language. */
import type { LinkKind } from '../types.ts';

export type PathKind = Exclude<LinkKind, 'other'> | 'revoke';

export const PATH_WORDS: Record<PathKind, RegExp> = {
  revoke: /revoke|unlock|delete|cancel|block|report|disown|not-?me|deny|reject|decline/,
  unsubscribe: /unsub|opt-?out|list-manage|abmeld|desinscri|listserv|optout/,
  preferences: /preferences|email-?settings|notification-?settings|manage-?subscription/,
  viewOnline: /view-?online|view-?in-?browser|web-?version|webview|browser-view/,
  legal: /privacy|terms|legal|imprint|impressum|datenschutz|cookie-?policy|policies/,
  social: /(?!)/,
  reset:
    /reset|recover|forgot|(?:new|change|set|update)[-_]?password|password\/(?:new|change|edit|init|set)|password[-_]?(?:change|init)|credentials|lost-?password/,
  invite: /invit|join|accept[-_]?team|acceptinvite/,
  verify:
    /verif|confirm|activat|validat|opt-?in|doi\b|complete-?(?:sign-?up|registration)|action-token|email\/update|user\/init|complete_signin|double/,
  signIn: /magic|sign-?in|log-?in\b|passwordless|session|one-?time-?login|sso|otp|auth\//,
};

/** Kinds in the order in which the words of an anchor, and a path, decide. */
export const KIND_ORDER: PathKind[] = [
  'unsubscribe',
  'preferences',
  'viewOnline',
  'legal',
  'revoke',
  'reset',
  'invite',
  'verify',
  'signIn',
];

export const SOCIAL_DOMAINS = new Set([
  'facebook.com',
  'twitter.com',
  'x.com',
  'instagram.com',
  'linkedin.com',
  'youtube.com',
  'tiktok.com',
  'pinterest.com',
  't.me',
  'discord.gg',
  'discord.com',
  'mastodon.social',
  'bsky.app',
  'vk.com',
  'weibo.com',
]);

/** The domains of schemas and pictures, which plain text names without meaning a link. */
export const IGNORED_DOMAINS = new Set(['w3.org', 'schema.org']);
