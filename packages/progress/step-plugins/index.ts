export { type PluginHostOptions, ProcessPluginHost } from './host.ts';
export type * from './model/types.ts';
export { type ConfiguredPlugin, type PluginKind, parsePlugins } from './process/plugin-config.ts';
