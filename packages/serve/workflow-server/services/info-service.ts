import type { FlowCall } from '../common/caller.ts';
import type { ServerParts } from '../common/server-parts.ts';

/** `info.InfoService`. */
export function infoService(parts: ServerParts) {
  const { env, log } = parts;
  return {
    async getInfo() {
      const { settings } = parts;
      return {
        managedNamespace: parts.managedNamespace ?? '',
        links: settings.links,
        columns: settings.columns,
        navColor: settings.navColor,
        modals: {
          feedback: env.FEEDBACK_MODAL !== 'false',
          firstTimeUser: env.FIRST_TIME_USER_MODAL !== 'false',
          newVersion: env.NEW_VERSION_MODAL !== 'false',
        },
      };
    },
    async getVersion() {
      return serverVersion(parts);
    },
    async getUserInfo(_request: object, { claims }: FlowCall) {
      if (!claims) return {};
      const { preferredUsername, ...told } = claims;
      return told;
    },
    async collectEvent({ name }: { name?: string }, { claims }: FlowCall) {
      log('info', 'an event of the page', { name: name ?? '', subject: claims?.subject ?? '' });
      return {};
    },
  };
}

/** `ARGO_VERSION` is what clients are to compare theirs with, where they must not warn of another one. */
export function serverVersion({ version, env }: ServerParts) {
  return {
    version: env.ARGO_VERSION || `v4.1.2+tiphys.${version}`,
    buildDate: '',
    gitCommit: '',
    gitTag: env.ARGO_VERSION || 'v4.1.2',
    gitTreeState: 'clean',
    goVersion: '',
    compiler: `node ${process.version}`,
    platform: `${process.platform}/${process.arch}`,
  };
}
