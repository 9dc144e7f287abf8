import type { services } from '@tiphys/api';
import type { ServiceHandlers } from '../rpc/handlers.ts';
import type { ServerContext } from '../server-context.ts';

/** Anonymous callers get only what a login page needs (CVE-2024-37152). */
export function settingsService({
  plane,
  namespace,
  accounts,
}: ServerContext): ServiceHandlers<typeof services.settings> {
  return {
    async get(_request, { identity }) {
      const config = plane.configMap('argocd-cm');
      const local = await accounts.list();
      const open = {
        url: config.url ?? '',
        additionalUrls: lines(config.additionalUrls),
        statusBadgeEnabled: false,
        statusBadgeRootUrl: '',
        googleAnalytics: {
          trackingID: config['ga.trackingid'] ?? '',
          anonymizeUsers: config['ga.anonymizeusers'] !== 'false',
        },
        help: {
          chatUrl: config['help.chatUrl'] ?? '',
          chatText: config['help.chatText'] ?? '',
          binaryUrls: binaryUrls(config),
        },
        userLoginsDisabled: !local.some((account) => account.enabled && account.capabilities.includes('login')),
        uiCssURL: config['ui.cssurl'] ?? '',
        uiBannerContent: config['ui.bannercontent'] ?? '',
        uiBannerURL: config['ui.bannerurl'] ?? '',
        uiBannerPermanent: config['ui.bannerpermanent'] === 'true',
        uiBannerPosition: config['ui.bannerposition'] ?? '',
        controllerNamespace: namespace,
      };
      if (!identity) return open;
      return {
        ...open,
        appLabelKey: config['application.instanceLabelKey'] || 'app.kubernetes.io/instance',
        resourceOverrides: {},
        kustomizeOptions: { BuildOptions: config['kustomize.buildOptions'] ?? '' } as Record<string, string>,
        passwordPattern: config.passwordPattern ?? '',
        trackingMethod: config['application.resourceTrackingMethod'] || 'annotation',
        execEnabled: false,
        appsInAnyNamespaceEnabled: false,
        impersonationEnabled: config['application.sync.impersonation.enabled'] === 'true',
        installationID: config.installationID ?? '',
      };
    },
    async getPlugins() {
      return {};
    },
  };
}

function lines(text: string | undefined): string[] {
  return (text ?? '')
    .split('\n')
    .map((line) => line.replace(/^\s*-\s*/, '').trim())
    .filter(Boolean);
}

function binaryUrls(config: Record<string, string>): Record<string, string> {
  const prefix = 'help.download.';
  return Object.fromEntries(
    Object.entries(config).flatMap(([key, value]) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [],
    ),
  );
}
