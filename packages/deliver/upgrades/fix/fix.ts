import { versionChangeProblems } from '@tiphys/engine';
import type { GroupVersionKind } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import type { LineChange } from '../find/finding.ts';
import { usesInText } from '../find/in-text.ts';
import { apiVersionOf, type CustomLives, type Release } from '../knowledge/api-life.ts';

/** A use that people have to change, and why no program should. */
export interface Refusal {
  readonly line: number;
  readonly reason: string;
}

export interface Fix {
  readonly text: string;
  readonly changes: readonly LineChange[];
  readonly refusals: readonly Refusal[];
}

/**
 * Moves the objects of a text to the versions that replace theirs, where that is one line: the replacement has every field that is
 * written and all that it needs is there. Templates are judged by what can be read of them: one whose object cannot be read is refused.
 */
export function fixText(text: string, target: Release, custom?: CustomLives): Fix {
  const lines = text.split('\n');
  const changes: LineChange[] = [];
  const refusals: Refusal[] = [];
  for (const { verdict, line } of usesInText(text, target, custom)) {
    const { replacement, ...api } = verdict.life;
    const before = lines[line - 1] ?? '';
    const reason = replacement ? unlike(text, line, replacement, api) : 'nothing replaces it';
    if (reason || !replacement) refusals.push({ line, reason: reason ?? '' });
    else {
      const after = before.replace(apiVersionOf(api), apiVersionOf(replacement));
      lines[line - 1] = after;
      changes.push({ line, before, after });
    }
  }
  return { text: lines.join('\n'), changes, refusals };
}

/** Why the object at a line cannot just change its version; undefined if it can. */
function unlike(text: string, line: number, replacement: GroupVersionKind, api: GroupVersionKind): string | undefined {
  const read = objectAt(text, line);
  if (typeof read === 'string') return replacement.kind === api.kind ? read : `${replacement.kind} is another kind`;
  // a reference to an object has no fields of it
  if (read === undefined && replacement.kind === api.kind) return undefined;
  const problems = versionChangeProblems(read ?? {}, api, replacement);
  if (!problems) return `the fields of ${apiVersionOf(replacement)} ${replacement.kind} are not known here`;
  return problems.length ? problems.join('; ') : undefined;
}

/** The object that has its apiVersion at a line; undefined for a part of an object; a sentence if it cannot be read. */
function objectAt(text: string, line: number): Record<string, unknown> | string | undefined {
  const lines = text.split('\n');
  const start = lines.findLastIndex((each, index) => index < line - 1 && each.startsWith('---')) + 1;
  const next = lines.findIndex((each, index) => index >= line && each.startsWith('---'));
  const part = lines.slice(start, next < 0 ? undefined : next).join('\n');
  if (/^\s*\{\{/m.test(part) || /: *\{\{/.test(part))
    return 'it is a template: its fields are known when it is rendered';
  try {
    const value = parseDocuments(part, { file: 'manifest' }).documents[0]?.value as Record<string, unknown> | undefined;
    if (/^\s/.test(lines[line - 1] ?? '')) return undefined;
    return typeof value === 'object' && value !== null ? value : 'it is no object';
  } catch {
    return 'the document cannot be read as YAML';
  }
}
