export { type ArchiveLimits, type PackedFiles, packFiles, unpackFiles } from './app-stream.ts';
export { AskPass, type GitLogin } from './ask-pass.ts';
export { PluginClient } from './plugin-client.ts';
export { type ParameterAnnouncement, type PluginConfig, readPluginConfig } from './plugin-config.ts';
export { pluginEnvironment } from './plugin-environment.ts';
export { type PluginServer, type PluginServerOptions, startPluginServer } from './plugin-server.ts';
export { defaultSocketFolder, type PluginQuery, Plugins, type SelectedPlugin } from './plugins.ts';
