export { type ArchiveLimits, type PackedFiles, packFiles, unpackFiles } from './app-stream.ts';
export { AskPass, defaultAskPassSocket } from './ask-pass.ts';
export { PluginClient } from './plugin-client.ts';
export { type ParameterAnnouncement, readPluginConfig } from './plugin-config.ts';
export { pluginEnvironment } from './plugin-environment.ts';
export { readPluginFolder } from './plugin-folder.ts';
export { type PluginServer, startPluginServer } from './plugin-server.ts';
export { defaultSocketFolder, type PluginQuery, Plugins, type SelectedPlugin } from './plugins.ts';
