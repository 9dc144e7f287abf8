import type { ComponentType } from 'react';
import type { Application, ApplicationTree } from '../api/model.ts';

/** What components of extensions get; the names are those of Argo CD's page. Icons are classes of Font Awesome, such as `fa-flask`. */
export interface ApplicationProps {
  application: Application;
  tree: ApplicationTree;
}

export interface ResourceProps extends ApplicationProps {
  /** The live object. */
  resource: unknown;
}

export interface OpeningProps extends ApplicationProps {
  openFlyout: () => void;
}

/** A tab in the drawer of objects; those of `argoproj.io` `Application` are tabs of the application. */
export interface ResourceTab {
  readonly component: ComponentType<ResourceProps>;
  /** Globs. */
  readonly group: string;
  readonly kind: string;
  readonly title: string;
  readonly icon: string | undefined;
}

/** A page of its own. */
export interface SystemPage {
  readonly component: ComponentType;
  readonly title: string;
  readonly path: string;
  readonly icon: string | undefined;
}

/** A view of an application's objects, beside the graph. */
export interface ApplicationView {
  readonly component: ComponentType<ApplicationProps>;
  readonly title: string;
  readonly icon: string | undefined;
  readonly shouldDisplay: (application: Application) => boolean;
}

/** Something told in the header of an application. */
export interface StatusItem {
  readonly component: ComponentType<OpeningProps>;
  readonly flyout: ComponentType<ApplicationProps> | undefined;
  readonly title: string;
  readonly id: string;
}

/** A button beside those of an application. */
export interface TopBarItem {
  readonly component: ComponentType<OpeningProps>;
  readonly flyout: ComponentType<ApplicationProps>;
  readonly title: string;
  readonly id: string;
  readonly icon: string | undefined;
  readonly shouldDisplay: (application: Application) => boolean;
}

/** A script of an extension that could not be run, or a part of one that failed. */
export interface ExtensionProblem {
  readonly name: string;
  readonly message: string;
}

export interface Extensions {
  readonly resources: readonly ResourceTab[];
  readonly pages: readonly SystemPage[];
  readonly views: readonly ApplicationView[];
  readonly statuses: readonly StatusItem[];
  readonly topBar: readonly TopBarItem[];
  readonly problems: readonly ExtensionProblem[];
  /** Scripts are still on their way. */
  readonly loading: boolean;
}

type Lists = Omit<Extensions, 'loading'>;

let current: Extensions = {
  resources: [],
  pages: [],
  views: [],
  statuses: [],
  topBar: [],
  problems: [],
  loading: false,
};
const listeners = new Set<() => void>();

/** What was registered until now; another object after each change. */
export const extensionsNow = () => current;

export function subscribeExtensions(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function addExtension<Key extends keyof Lists>(list: Key, item: Lists[Key][number]): void {
  change({ [list]: [...current[list], item] });
}

export function setExtensionsLoading(loading: boolean): void {
  change({ loading });
}

function change(changes: Partial<Extensions>): void {
  current = { ...current, ...changes };
  for (const listener of listeners) listener();
}

/** Whether an extension wants to be seen; one that cannot say so is not. */
export function isShown(item: { title: string; shouldDisplay: (app: Application) => boolean }, app: Application) {
  try {
    return item.shouldDisplay(app);
  } catch (error) {
    console.error(`The extension ${item.title} failed`, error);
    return false;
  }
}

/** The tabs of extensions for objects of a kind, by title. */
export function resourceTabs(resources: readonly ResourceTab[], group: string, kind: string): ResourceTab[] {
  return resources
    .filter((tab) => matchesGlob(group, tab.group) && matchesGlob(kind, tab.kind))
    .sort((a, b) => a.title.localeCompare(b.title));
}

/** As the globs of Argo CD's page: `*` is something, `**` anything, also nothing, `?` a character, `{a,b}` either. */
export function matchesGlob(text: string, glob: string): boolean {
  const [whole, before = '', choices, after = ''] = /^([^{]*)\{([^{}]*)\}(.*)$/.exec(glob) ?? [];
  if (whole !== undefined)
    return (choices ?? '').split(',').some((choice) => matchesGlob(text, before + choice + after));
  if (glob === '*') return text !== '';
  return matchesParts(text, glob.split(/\*+/));
}

/** The text begins with the first part, ends with the last, and has the others between, in their order. */
function matchesParts(text: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  if (!isPart(text, first, 0)) return false;
  const last = rest.pop();
  if (last === undefined) return text.length === first.length;
  let at = first.length;
  for (const part of rest) {
    while (at + part.length <= text.length && !isPart(text, part, at)) at += 1;
    at += part.length;
  }
  return text.length - last.length >= at && isPart(text, last, text.length - last.length);
}

const isPart = (text: string, part: string, at: number): boolean =>
  at + part.length <= text.length && [...part].every((letter, index) => letter === '?' || letter === text[at + index]);
