import type { services } from '@tiphys/api';
import { comparisonSettings, type ResourceOverride } from '@tiphys/applications';
import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import { kustomizeVersions } from '@tiphys/source';
import type { ServerContext } from '../context/server-context.ts';
import type { Log } from '../ports/log.ts';
import type { ServiceHandlers } from '../rpc/handlers.ts';
import { defaultPasswordPattern } from '../session/accounts.ts';
import type { SingleSignOn } from '../sso/single-sign-on.ts';
import { execSettings } from '../terminal/terminal-request.ts';

/** Anonymous callers get only what a login page needs (CVE-2024-37152). */
export function settingsService({
  plane,
  namespace,
  accounts,
  sso,
  log,
  backend,
  applications,
}: ServerContext): ServiceHandlers<typeof services.settings> {
  return {
    async get(_request, { identity }) {
      const config = plane.configMap('argocd-cm');
      const local = await accounts.list();
      const open = {
        url: config.url ?? '',
        additionalUrls: lines(config.additionalUrls),
        statusBadgeEnabled: config['statusbadge.enabled'] === 'true',
        statusBadgeRootUrl: config['statusbadge.url'] ?? '',
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
        uiLoginButtonText: config['ui.loginButtonText'] ?? '',
        ...signOnOf(sso, log),
      };
      if (!identity) return open;
      return {
        ...open,
        appLabelKey: config['application.instanceLabelKey'] || 'app.kubernetes.io/instance',
        trackingMethod: config['application.resourceTrackingMethod'] || 'annotation',
        execEnabled: execSettings(config).enabled,
        installationID: config.installationID ?? '',
        kustomizeOptions: { BuildOptions: config['kustomize.buildOptions'] ?? '' } as Record<string, string>,
        kustomizeVersions: Object.keys(kustomizeVersions(config)).sort(),
        appsInAnyNamespaceEnabled: applications.permitted().length > 0,
        impersonationEnabled: config['application.sync.impersonation.enabled'] === 'true',
        hydratorEnabled: true,
        syncWithReplaceAllowed: plane.configMap('argocd-cmd-params-cm')['server.sync.replace.allowed'] !== 'false',
        uiBannerContent: config['ui.bannercontent'] ?? '',
        uiBannerURL: config['ui.bannerurl'] ?? '',
        uiBannerPermanent: config['ui.bannerpermanent'] === 'true',
        uiBannerPosition: config['ui.bannerposition'] ?? '',
        controllerNamespace: namespace,
        resourceOverrides: overridesOf(config, log),
        passwordPattern: config.passwordPattern || defaultPasswordPattern,
      };
    },
    async getPlugins() {
      return { plugins: (await backend.plugins()).map((name) => ({ name })) };
    },
  };
}

/** What login pages and the CLI need; nothing where the settings cannot be used, which the log tells. */
function signOnOf(sso: SingleSignOn, log: Log) {
  try {
    const settings = sso.settings();
    if (!settings) return {};
    if (settings.dex) return { dexConfig: { connectors: sso.connectors() } };
    const claims = Object.entries(settings.requestedClaims).map(([name, claim]) => [
      name,
      { ...claim, ...(claim?.values ? { values: [...claim.values] } : {}) },
    ]);
    return {
      oidcConfig: {
        name: settings.name,
        issuer: settings.issuer,
        clientID: settings.clientId,
        cliClientID: settings.cliClientId,
        scopes: [...settings.requestedScopes],
        enablePKCEAuthentication: settings.pkce,
        ...(claims.length > 0 ? { idTokenClaims: Object.fromEntries(claims) } : {}),
      },
    };
  } catch (error) {
    log('error', formatDiagnosis(diagnosisOf(error)));
    return {};
  }
}

/** What the controllers compare by, for clients that compare by themselves; nothing where it cannot be read. */
function overridesOf(config: Readonly<Record<string, string>>, log: Log): Record<string, ResourceOverride> {
  try {
    return comparisonSettings(config).overrides;
  } catch (error) {
    log('warn', formatDiagnosis(diagnosisOf(error)));
    return {};
  }
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
