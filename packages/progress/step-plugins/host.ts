import { checkError } from './answers.ts';
import { type CallPlugin, disabledStepPlugin, metricPlugin, stepPlugin, trafficPlugin } from './calls.ts';
import { httpPlugin } from './json/http-plugin.ts';
import { type AskPlugin, jsonMetricPlugin, jsonStepPlugin, jsonTrafficPlugin } from './json/json-plugins.ts';
import { ModulePlugin } from './json/module-plugin.ts';
import { invalidPlugin } from './model/diagnoses.ts';
import type { MetricPlugin, PluginHost, StepPlugin, TrafficPlugin } from './model/types.ts';
import type { ConfiguredPlugin, PluginKind } from './process/plugin-config.ts';
import { bringPlugin } from './process/plugin-file.ts';
import { PluginProcess } from './process/plugin-process.ts';

export interface PluginHostOptions {
  readonly plugins: readonly ConfiguredPlugin[];
  /** Folder of the process under which programs are kept. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Headers from Secrets of the control plane, for downloads. */
  readonly headersOf: (secrets: readonly string[]) => Promise<Record<string, string>>;
}

const implementations: Readonly<Record<PluginKind, { cookie: string; implementation: string }>> = {
  step: { cookie: 'step', implementation: 'RpcStepPlugin' },
  metric: { cookie: 'metricprovider', implementation: 'RpcMetricProviderPlugin' },
  traffic: { cookie: 'trafficrouter', implementation: 'RpcTrafficRouterPlugin' },
};

/** Runs the configured plugins, each in one process that is started when it is first asked for, and anew after it ended. */
export class ProcessPluginHost implements PluginHost {
  readonly #options: PluginHostOptions;
  readonly #files = new Map<string, Promise<string>>();
  readonly #modules = new Map<string, Promise<ModulePlugin>>();
  readonly #processes = new Map<string, Promise<PluginProcess>>();

  constructor(options: PluginHostOptions) {
    this.#options = options;
  }

  /** Brings the programs of all plugins that are not disabled; throws for the first that cannot be had, as upstream does at its start. */
  async prepare(): Promise<void> {
    for (const plugin of this.#options.plugins)
      if (!plugin.disabled && plugin.protocol !== 'http') await this.#file(plugin);
  }

  async step(name: string): Promise<StepPlugin> {
    const plugin = this.#find('step', name);
    if (plugin.disabled) return disabledStepPlugin(name);
    const ask = await this.#answering(plugin);
    return ask ? jsonStepPlugin(ask) : stepPlugin(await this.#caller(plugin));
  }

  async traffic(name: string): Promise<TrafficPlugin> {
    const plugin = this.#find('traffic', name);
    const ask = await this.#answering(plugin);
    return ask ? jsonTrafficPlugin(ask) : trafficPlugin(await this.#caller(plugin));
  }

  async metric(name: string): Promise<MetricPlugin> {
    const plugin = this.#find('metric', name);
    const ask = await this.#answering(plugin);
    return ask ? jsonMetricPlugin(ask) : metricPlugin(await this.#caller(plugin));
  }

  async close(): Promise<void> {
    const modules = await Promise.allSettled(this.#modules.values());
    this.#modules.clear();
    await Promise.all(modules.map((module) => (module.status === 'fulfilled' ? module.value.close() : undefined)));
    const processes = await Promise.allSettled(this.#processes.values());
    this.#processes.clear();
    await Promise.all(processes.map((process) => (process.status === 'fulfilled' ? process.value.close() : undefined)));
  }

  #find(kind: PluginKind, name: string): ConfiguredPlugin {
    const plugin = this.#options.plugins.find((candidate) => candidate.kind === kind && candidate.name === name);
    if (plugin) return plugin;
    throw invalidPlugin(`unable to find plugin (${name}): plugin ${name} not configured in configmap`, [
      `List it in ConfigMap argo-rollouts-config, and start the controller anew`,
    ]);
  }

  /** How a plugin is asked that speaks JSON; undefined for programs of go-plugin. */
  async #answering(plugin: ConfiguredPlugin): Promise<AskPlugin | undefined> {
    const { environment, signal, headersOf } = this.#options;
    const { protocol, location, headerSecrets } = plugin;
    if (protocol === 'http') return httpPlugin({ location, headers: () => headersOf(headerSecrets), signal });
    if (protocol !== 'module') return undefined;
    const key = `${plugin.kind}/${plugin.name}`;
    const known = this.#modules.get(key) ?? this.#file(plugin).then((file) => new ModulePlugin(file, environment));
    this.#modules.set(key, known);
    known.catch(() => this.#modules.delete(key));
    return (await known).ask;
  }

  async #caller(plugin: ConfiguredPlugin): Promise<CallPlugin> {
    const process = await this.#running(plugin);
    return (method, argument) => process.call(method, argument);
  }

  /** The plugin's process if it answers, or a new one. */
  async #running(plugin: ConfiguredPlugin): Promise<PluginProcess> {
    const key = `${plugin.kind}/${plugin.name}`;
    const known = this.#processes.get(key);
    const process = known && (await settled(known));
    if (known && process && !process.exited && (await answers(process))) return process;
    // anyone who came first while this one waited has started it already
    if (this.#processes.get(key) === known) {
      await process?.close();
      const starting = this.#start(plugin);
      this.#processes.set(key, starting);
      starting.catch(() => this.#processes.delete(key));
    }
    return this.#processes.get(key) as Promise<PluginProcess>;
  }

  async #start(plugin: ConfiguredPlugin): Promise<PluginProcess> {
    const file = await this.#file(plugin);
    const { environment } = this.#options;
    const process = await PluginProcess.start({
      name: plugin.name,
      file,
      args: plugin.args,
      environment,
      ...implementations[plugin.kind],
    });
    try {
      checkError(await process.call('InitPlugin', { interface: undefined }));
    } catch (error) {
      await process.close();
      throw error;
    }
    return process;
  }

  #file(plugin: ConfiguredPlugin): Promise<string> {
    const key = `${plugin.kind}/${plugin.name}`;
    const known = this.#files.get(key);
    if (known) return known;
    const { folder, signal, headersOf } = this.#options;
    const bringing = headersOf(plugin.headerSecrets).then((headers) =>
      bringPlugin(plugin.protocol === 'module' ? { ...plugin, name: `${plugin.name}.mjs` } : plugin, {
        ...{ folder, headers, signal },
      }),
    );
    this.#files.set(key, bringing);
    bringing.catch(() => this.#files.delete(key));
    return bringing;
  }
}

async function settled<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch {
    return undefined;
  }
}

async function answers(process: PluginProcess): Promise<boolean> {
  try {
    await process.ping();
    return true;
  } catch {
    return false;
  }
}
