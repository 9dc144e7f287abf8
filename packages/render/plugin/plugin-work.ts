import { failure } from '@tiphys/diagnosis';
import { parseDocuments } from '@tiphys/yaml';
import { pluginFailed } from './diagnoses.ts';
import { someMatch } from './find-files.ts';
import {
  announcements,
  isDiscoveryConfigured,
  type ParameterAnnouncement,
  type PluginCommand,
  type PluginConfig,
} from './plugin-config.ts';
import { type CommandOptions, runCommand } from './run-command.ts';

type WorkOptions = CommandOptions;

/** What `init` and then `generate` print in the application's folder. */
export async function generateManifests(config: PluginConfig, options: WorkOptions): Promise<string> {
  if (config.init) await runCommand(config.init, options);
  return runCommand(config.generate, options);
}

/** Whether the plugin takes the folder for its own: by a file's name, else a glob, else a command that prints something. */
export async function matchRepository(
  config: PluginConfig,
  options: WorkOptions,
): Promise<{ isSupported: boolean; isDiscoveryEnabled: boolean }> {
  const isDiscoveryEnabled = isDiscoveryConfigured(config);
  const { fileName, glob, command } = config.discover;
  if (fileName !== '') return { isSupported: await someMatch(options.folder, fileName), isDiscoveryEnabled };
  if (glob !== '') return { isSupported: await someMatch(options.folder, glob), isDiscoveryEnabled };
  if (command) return { isSupported: (await runCommand(command, options)) !== '', isDiscoveryEnabled };
  return { isSupported: false, isDiscoveryEnabled };
}

/** Parameters that a command prints as JSON, then the static ones: the later of two with one name counts. */
export async function announceParameters(
  { parameters }: PluginConfig,
  options: WorkOptions,
): Promise<ParameterAnnouncement[]> {
  const dynamic = parameters.dynamic
    ? dynamicParameters(await runCommand(parameters.dynamic, options), parameters.dynamic)
    : [];
  return [...dynamic, ...parameters.static];
}

function dynamicParameters(text: string, { command }: PluginCommand): ParameterAnnouncement[] {
  const file = `output of ${command.join(' ')}`;
  try {
    return announcements(parseDocuments(text, { file }).documents[0]?.value, 'parameters', file);
  } catch (error) {
    throw failure(
      pluginFailed,
      {
        message: `error unmarshaling dynamic parameter output: ${error instanceof Error ? error.message : String(error)}`,
        evidence: { output: text.slice(0, 500) },
        remedies: ['Let the command of spec.parameters.dynamic print a JSON list of parameters'],
      },
      { cause: error },
    );
  }
}
