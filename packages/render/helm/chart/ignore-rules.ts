import { matchPath } from '@tiphys/glob';
import { chartInvalid } from '../problems/diagnoses.ts';
import { HelmError } from '../problems/helm-error.ts';

interface Rule {
  readonly pattern: string;
  readonly negate: boolean;
  readonly directory: boolean;
  /** Match the last part of the path only. */
  readonly base: boolean;
}

/** More make the loading of a chart with many files slow. */
const maxRules = 2000;

/** `.helmignore`: like .gitignore, without `**` and with Helm's own meaning of `!`. */
export class IgnoreRules {
  readonly #rules: Rule[] = [];
  readonly #directories = new Map<string, boolean>();

  constructor(text: string) {
    for (const line of text.replace(/^\ufeff/, '').split('\n')) this.#add(line);
    this.#add('templates/.?*');
  }

  /** True for a file that does not belong to the chart, by itself or by a folder above it. */
  ignores(path: string): boolean {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const directory = path.slice(0, slash);
      let ignored = this.#directories.get(directory);
      if (ignored === undefined) {
        ignored = this.#matches(directory, true);
        this.#directories.set(directory, ignored);
      }
      if (ignored) return true;
    }
    return this.#matches(path, false);
  }

  #add(line: string): void {
    let rule = line.trim();
    if (rule === '' || rule.startsWith('#')) return;
    const refuse = (message: string): never => {
      throw new HelmError(chartInvalid, message, {
        place: { file: '.helmignore' },
        evidence: { rule },
        remedies: ['Correct .helmignore'],
      });
    };
    if (rule.includes('**')) refuse('double-star (**) syntax is not supported');
    if (isMalformed(rule)) refuse('syntax error in pattern');
    const negate = rule.startsWith('!');
    if (negate) rule = rule.slice(1);
    const directory = rule.endsWith('/');
    if (directory) rule = rule.slice(0, -1);
    const rooted = rule.startsWith('/');
    if (this.#rules.length >= maxRules) refuse(`more than ${maxRules} rules`);
    this.#rules.push({
      pattern: rooted ? rule.slice(1) : rule,
      negate,
      directory,
      base: !rooted && !rule.includes('/'),
    });
  }

  #matches(path: string, isDirectory: boolean): boolean {
    for (const rule of this.#rules) {
      const matched = (): boolean => matchPath(rule.pattern, rule.base ? path.slice(path.lastIndexOf('/') + 1) : path);
      if (rule.negate) {
        if ((rule.directory && !isDirectory) || !matched()) return true;
      } else if (!(rule.directory && !isDirectory) && matched()) return true;
    }
    return false;
  }
}

/** True for a pattern that Go's filepath.Match refuses: an open class or nothing after a backslash. */
function isMalformed(pattern: string): boolean {
  const plain = pattern.replace(/\\./gs, '');
  return plain.includes('\\') || plain.replace(/\[\^?[^\]]+\]/g, '').includes('[');
}
