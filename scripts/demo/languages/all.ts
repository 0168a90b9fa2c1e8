import type { Phrases } from '../phrases.ts';
import { arabic } from './arabic.ts';
import { chinese } from './chinese.ts';
import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { japanese } from './japanese.ts';
import { polish } from './polish.ts';
import { portuguese } from './portuguese.ts';
import { russian } from './russian.ts';
import { spanish } from './spanish.ts';

/** In the order of sending: lists show the mail of the last language first. */
export const languages: Phrases[] = [
  ...[chinese, arabic, polish, russian, portuguese, japanese, spanish, french, german],
  english,
];
