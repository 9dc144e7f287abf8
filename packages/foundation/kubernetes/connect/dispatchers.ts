import { createRequire } from 'node:module';
import type undici from 'undici';

const load = createRequire(import.meta.url);

/**
 * undici's dispatchers alone. Its index loads fetch, caches, mocks and more besides, which takes three times as long in
 * every program that starts; what it adds to dispatchers is added here. The paths are no public interface: the version
 * is pinned.
 */
export const Agent = load('undici/lib/dispatcher/agent.js') as typeof undici.Agent;
export const ProxyAgent = load('undici/lib/dispatcher/proxy-agent.js') as typeof undici.ProxyAgent;

const Dispatcher = load('undici/lib/dispatcher/dispatcher.js') as typeof undici.Dispatcher;
Object.assign(Dispatcher.prototype, load('undici/lib/api/index.js'));
