import { defineDiagnosis } from '@tiphys/diagnosis';

export const pluginConfigInvalid = defineDiagnosis(
  'PluginConfigInvalid',
  'A plugin.yaml of a config-management plugin cannot be used',
);
export const pluginNotFound = defineDiagnosis(
  'PluginNotFound',
  'No config-management plugin serves the source: it is not installed, not running, or its discovery does not match',
  'M7',
);
export const pluginFailed = defineDiagnosis(
  'PluginFailed',
  'A config-management plugin was asked, and failed or could not be reached',
);
export const pluginTimeout = defineDiagnosis(
  'PluginTimeout',
  'A config-management plugin did not answer in time',
  'M8',
);
export const pluginStreamInvalid = defineDiagnosis(
  'PluginStreamInvalid',
  'What was sent to a plugin is no archive of a repository, or too large',
);
