// extensions name their icons by these classes, and their own markup uses them
import { t } from '../i18n/texts.ts';
import '@fortawesome/fontawesome-free/css/all.min.css';
import '@fortawesome/fontawesome-free/css/v4-shims.min.css';
import moment from 'moment';
import * as React from 'react';
import * as ReactJSXRuntime from 'react/jsx-runtime';
import * as ReactDOM from 'react-dom';
import {
  type ApplicationView,
  addExtension,
  type ResourceTab,
  type StatusItem,
  type SystemPage,
  setExtensionsLoading,
  type TopBarItem,
} from './registry.ts';

const always = () => true;

/** Bundles are plain JavaScript, and may give anything. */
const iconOf = (icon: unknown): string | undefined => (typeof icon === 'string' && icon !== '' ? icon : undefined);

/** Argo CD's `extensionsAPI`: how scripts of extensions add to the page. */
const extensionsAPI = {
  registerResourceExtension: (
    component: ResourceTab['component'],
    group: string,
    kind: string,
    title: string,
    options?: { icon?: unknown },
  ) => addExtension('resources', { component, group, kind, title, icon: iconOf(options?.icon) }),
  registerSystemLevelExtension: (component: SystemPage['component'], title: string, path: string, icon?: unknown) =>
    addExtension('pages', { component, title, path: String(path ?? '').replace(/^\/+/, ''), icon: iconOf(icon) }),
  registerAppViewExtension: (
    component: ApplicationView['component'],
    title: string,
    icon?: unknown,
    shouldDisplay: ApplicationView['shouldDisplay'] = always,
  ) => addExtension('views', { component, title, icon: iconOf(icon), shouldDisplay }),
  registerStatusPanelExtension: (
    component: StatusItem['component'],
    title: string,
    id: string,
    flyout?: StatusItem['flyout'],
  ) => addExtension('statuses', { component, title, id, flyout }),
  registerTopBarActionMenuExt: (
    component: TopBarItem['component'],
    title: string,
    id: string,
    flyout: TopBarItem['flyout'],
    shouldDisplay: TopBarItem['shouldDisplay'] = always,
    icon?: unknown,
  ) => addExtension('topBar', { component, title, id, flyout, shouldDisplay, icon: iconOf(icon) }),
};

/** The older way: components by `GROUP/KIND`. */
const extensions: { resources: Record<string, { component: ResourceTab['component'] }> } = { resources: {} };

/** Runs the scripts of extensions, which find React and the others as globals: they must use the page's own. */
export function runExtensions(): void {
  Object.assign(window, { React, ReactDOM, ReactJSXRuntime, Moment: moment, extensionsAPI, extensions });
  window.addEventListener('extension-failed', (event) => {
    const { name, message } = (event as CustomEvent<{ name: string; message: string }>).detail;
    addExtension('problems', { name, message });
  });
  setExtensionsLoading(true);
  const script = document.createElement('script');
  script.src = new URL('extensions.js', document.baseURI).href;
  script.onload = () => {
    for (const [key, { component }] of Object.entries(extensions.resources)) {
      const [group = '', kind = ''] = key.split('/');
      extensionsAPI.registerResourceExtension(component, group, kind, 'More');
    }
    setExtensionsLoading(false);
  };
  script.onerror = () => {
    addExtension('problems', { name: 'extensions.js', message: t('The scripts could not be loaded') });
    setExtensionsLoading(false);
  };
  document.head.append(script);
}
