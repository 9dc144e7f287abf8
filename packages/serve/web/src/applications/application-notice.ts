import { safeLink } from '../browser/safe-link.ts';

export const severities = ['info', 'warning', 'critical'] as const;

/** What the owner of an application has to say to who looks at it: the annotations `notice.argocd.argoproj.io/…`, by Argo CD's rules. */
export interface ApplicationNotice {
  readonly content: string;
  readonly severity: (typeof severities)[number];
  readonly url: string | undefined;
  /** It cannot be closed. */
  readonly permanent: boolean;
  /** Whether the application's page has it, the list, or both. */
  readonly scope: 'banner' | 'icon' | 'both';
}

const prefix = 'notice.argocd.argoproj.io/';
const longest = 500;
/** Marks that turn the direction of letters: with them a text can look like another one. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g;

/** Undefined where there is none. What is not known counts as absent. */
export function noticeOf(annotations: Readonly<Record<string, string>> | undefined): ApplicationNotice | undefined {
  return readNotice((name) => annotations?.[`${prefix}${name}`]);
}

/** The same, of annotations without their prefix, as lists have them. */
export function noticeOfRow(values: Readonly<Record<string, string>> | undefined): ApplicationNotice | undefined {
  return values && readNotice((name) => values[name]);
}

function readNotice(read: (name: string) => string | undefined): ApplicationNotice | undefined {
  const of = (name: string) => read(name)?.trim() ?? '';
  const content = of('content').replace(directions, '');
  if (content === '') return undefined;
  const [severity, scope] = [of('severity').toLowerCase(), of('scope').toLowerCase()];
  const url = safeLink(of('url'));
  return {
    content: content.length > longest ? `${content.slice(0, longest - 1)}…` : content,
    severity: severities.find((one) => one === severity) ?? 'info',
    url: url?.startsWith('mailto:') ? undefined : url,
    permanent: of('permanent').toLowerCase() === 'true',
    scope: scope === 'banner' || scope === 'icon' ? scope : 'both',
  };
}

export const noticeColours = { info: 'blue', warning: 'yellow', critical: 'red' } as const;
