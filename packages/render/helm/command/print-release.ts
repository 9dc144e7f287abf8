import { matchPath } from '@tiphys/glob';
import { splitManifests } from '../render/manifest.ts';
import type { RenderedChart } from '../render/render-chart.ts';

export interface PrintOptions {
  readonly includeCrds: boolean;
  readonly noHooks: boolean;
  readonly skipTests: boolean;
  readonly showOnly: readonly string[];
}

/** A template that `--show-only` names and the chart does not print, in Helm's words. */
export class NotShownError extends Error {}

/** One manifest with the line that says where it is from. */
export function sourced(source: string, content: string): string {
  return `---\n# Source: ${source}\n${content}\n`;
}

/** What `helm template` prints, to the byte. */
export function printRelease(rendered: RenderedChart, options: PrintOptions): string {
  const crds = options.includeCrds ? rendered.crds : [];
  const all = [...crds, ...rendered.manifests].map(({ source, content }) => sourced(source, content)).join('');
  let text = `${trimSpace(all)}\n`;
  if (!options.noHooks) {
    for (const hook of rendered.hooks) {
      if (!(options.skipTests && hook.events.includes('test'))) text += sourced(hook.source, hook.content);
    }
  }
  return options.showOnly.length === 0 ? text : showOnly(text, options.showOnly);
}

function showOnly(text: string, names: readonly string[]): string {
  const manifests = splitManifests(text).map(({ content }) => content);
  let out = '';
  for (const name of names) {
    const shown = manifests.filter((manifest) => {
      const path = /# Source: [^/]+\/(.+)/.exec(manifest)?.[1];
      return path !== undefined && matchPath(name, path);
    });
    if (shown.length === 0) throw new NotShownError(`could not find template ${name} in chart`);
    for (const manifest of shown) out += `---\n${manifest}\n`;
  }
  return out;
}

/** Go's `strings.TrimSpace`. */
export function trimSpace(text: string): string {
  return text
    .replace(/^[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/, '')
    .replace(
      /(?<![\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000])[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/,
      '',
    );
}
