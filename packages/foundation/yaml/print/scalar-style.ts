import { isBlank, isBreak } from '../text/characters.ts';
import { resolvePlain } from '../text/resolve.ts';

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

/** What a text allows. */
interface Analysis {
  readonly multiline: boolean;
  readonly plain: boolean;
  readonly single: boolean;
  readonly block: boolean;
}

const simple = /^[A-Za-z0-9_/.][A-Za-z0-9_/.-]*$/;
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** True for what go-yaml's emitters write as it is: everything else is escaped, characters beyond U+FFFF too. */
export function isPrintable(code: number): boolean {
  if (code < 0xa0) return code === 0x0a || (code >= 0x20 && code <= 0x7e);
  if (code >= 0xd800 && code <= 0xdfff) return false;
  return code <= 0xfffd && code !== 0xfeff;
}

/** True if an untagged string may stand without quotes as far as its type goes. */
function staysString(text: string): boolean {
  return resolvePlain(text).type === 'str' && !base60.test(text);
}

/** Whether the text has a line break: such keys are written with `?`. */
export function isMultiline(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (isBreak(text.charCodeAt(i))) return true;
  return false;
}

/** The style in which a string is written in block context. */
export function styleOf(text: string, simpleKey: boolean, dialect: 2 | 3): ScalarStyle {
  if (simple.test(text))
    return text !== '...' && !text.startsWith('...') && staysString(text) ? 'plain' : quotedOf(text);
  const analysis = analyse(text, dialect);
  if (simpleKey && analysis.multiline) return 'double';
  if (text.includes('\n')) return analysis.block && !simpleKey ? 'literal' : 'double';
  if (!staysString(text)) return 'double';
  if (analysis.plain && !(text === '' && simpleKey)) return 'plain';
  return analysis.single ? 'single' : 'double';
}

/** Words that would be read as another type go into double quotes; what only looks like a document end into single ones. */
function quotedOf(text: string): ScalarStyle {
  return staysString(text) ? 'single' : 'double';
}

function analyse(text: string, dialect: 2 | 3): Analysis {
  if (text === '') return { multiline: false, plain: true, single: true, block: false };
  let indicator = text.startsWith('---') || text.startsWith('...');
  let breaks = false;
  let special = false;
  let tabs = false;
  let breakSpace = false;
  let spaceBreak = false;
  let previousSpace = false;
  let previousBreak = false;
  let afterBlank = true;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const beforeBlank = i + 1 >= text.length || isBlank(text.charCodeAt(i + 1));
    indicator ||= isIndicator(code, i === 0, afterBlank, beforeBlank);
    if (dialect === 3 && code === 0x09) tabs = true;
    else if (!isPrintable(code)) special = true;
    if (code === 0x20) {
      breakSpace ||= previousBreak;
      previousSpace = true;
      previousBreak = false;
    } else if (isBreak(code)) {
      breaks = true;
      spaceBreak ||= previousSpace;
      previousSpace = false;
      previousBreak = true;
    } else {
      previousSpace = false;
      previousBreak = false;
    }
    afterBlank = code === 0 || isBlank(code) || isBreak(code);
  }
  const last = text.charCodeAt(text.length - 1);
  const edge = (code: number): boolean => code === 0x20 || isBreak(code);
  return {
    multiline: breaks,
    plain: !(
      indicator ||
      breaks ||
      special ||
      tabs ||
      spaceBreak ||
      breakSpace ||
      edge(text.charCodeAt(0)) ||
      edge(last)
    ),
    single: !(breakSpace || spaceBreak || special || tabs),
    block: !(last === 0x20 || spaceBreak || special),
  };
}

const leading = new Set([...'#,[]{}&*!|>\'"%@`'].map((char) => char.charCodeAt(0)));

function isIndicator(code: number, first: boolean, afterBlank: boolean, beforeBlank: boolean): boolean {
  if (code === 0x3a) return beforeBlank;
  if (!first) return code === 0x23 && afterBlank;
  return leading.has(code) || ((code === 0x3f || code === 0x2d) && beforeBlank);
}
